"""Follow renames in attached catalogs: give tables the names that they have in the catalog now.

Tables are identified by their uuid or, if the catalog does not return one, by their metadata file, which no two tables
share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakemuster.errors import CatalogError, TableNotFound
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.attached import Known, known_below, known_with, rename_table
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.names import Levels
from lakemuster.upstream.locations import catalog_location, split_catalog_location
from lakemuster.upstream.protocol import Identity, Upstream
from lakemuster.upstream.registry import Upstreams

MAX_NEW = 100
"""Maximum number of new tables compared with the missing ones: each comparison costs a request to the catalog."""
LISTING_SECONDS = 5.0
"""Age up to which a listing is reused, so that many tables dropped together cost one listing."""


def renamed(index: Index, catalog: Upstream, listed: Mapping[str, Levels]) -> dict[str, Known]:
    """Return, for each new name of a renamed table, the index's record of it under its old name.

    Args:
        listed: the catalog's tables by their names in Lakemuster.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    with index.database.reading() as session:
        known = known_below(session, catalog_location(catalog.name, ()))
    names = {one.name for one in known}
    gone = [one for one in known if one.name not in listed and one.metadata_location is not None]
    found: dict[str, Known] = {}
    for name in sorted(set(listed) - names)[:MAX_NEW]:
        if not gone:
            break
        try:
            same = _same(catalog.identity(listed[name]), gone)
        except CatalogError:
            # Without an identity it is registered as a new table.
            continue
        if same is not None:
            found[name] = same
            gone.remove(same)
    return found


def earlier(index: Index, catalog: Upstream, identity: Identity) -> Known | None:
    """Return the indexed table with the identity of a catalog's table, if the catalog no longer has its indexed name.

    Raises:
        UpstreamFailed: the catalog does not answer, or its response violates the protocol.
    """
    with index.database.reading() as session:
        like = known_with(session, catalog_location(catalog.name, ()), identity.pointer, identity.uuid)
    same = _same(identity, like)
    found = None if same is None else split_catalog_location(same.location)
    if found is None:
        return None
    try:
        catalog.pointer(found[1])
    except TableNotFound:
        return same
    return None


def follow(index: Index, upstreams: Upstreams, table: TableRecord) -> bool:
    """Rename a table that its catalog no longer has by this name, but has by another; return whether it was renamed.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    place = split_catalog_location(table.location)
    catalog = None if place is None else upstreams.get(place[0])
    if place is None or catalog is None or table.metadata_location is None:
        return False
    if format_of(table.format).has_snapshot_files:
        return False
    try:
        tables = catalog.recent_tables(LISTING_SECONDS)
        if place[1] in tables:
            # The listing is older than the rename.
            tables = catalog.recent_tables(0.0)
    except CatalogError:
        return False
    listed = {name: levels for levels in tables if (name := catalog.name_of(levels)) is not None}
    for name, known in renamed(index, catalog, listed).items():
        if known.name == table.name:
            with index.database.session() as session:
                return rename_table(session, known, name, catalog_location(catalog.name, listed[name]))
    return False


def _same(identity: Identity, known: Sequence[Known]) -> Known | None:
    """Return the known table with an identity; None if there is none, or more than one."""
    found = [one for one in known if _is_same(identity, one)]
    return found[0] if len(found) == 1 else None


def _is_same(identity: Identity, known: Known) -> bool:
    if identity.uuid is not None and known.uuid is not None:
        return identity.uuid == known.uuid
    return known.metadata_location is not None and known.metadata_location == identity.pointer
