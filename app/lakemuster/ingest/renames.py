"""Follow tables of attached catalogs to the names that they have there now.

A table is the same if its uuid is; where the catalog does not tell a uuid, if its metadata file is, which no other
table has.
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
"""Of the new tables of a listing so many are compared with the missing ones: each costs a request to the catalog."""
LISTING_SECONDS = 5.0
"""Age of a listing that is used again: of many tables that are dropped together, not each costs a listing."""


def renamed(index: Index, catalog: Upstream, listed: Mapping[str, Levels]) -> dict[str, Known]:
    """Return, for each new table that had another name, what the index knows of it.

    Args:
        listed: the catalog's tables, by their names here.

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
            # It is registered as a new table.
            continue
        if same is not None:
            found[name] = same
            gone.remove(same)
    return found


def earlier(index: Index, catalog: Upstream, identity: Identity) -> Known | None:
    """Return the table of the index that a table of the catalog is, if the catalog does not know its name any more.

    Raises:
        UpstreamFailed: the catalog does not answer, or not as its protocol says.
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
    """Rename a table that its catalog does not have by its name any more, if it has it by another; return whether so.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    place = split_catalog_location(table.location)
    catalog = None if place is None else upstreams.get(place[0])
    if catalog is None or table.metadata_location is None or format_of(table.format).has_snapshot_files:
        return False
    try:
        tables = catalog.recent_tables(LISTING_SECONDS)
    except CatalogError:
        return False
    listed = {name: levels for levels in tables if (name := catalog.name_of(levels)) is not None}
    for name, known in renamed(index, catalog, listed).items():
        if known.name == table.name:
            with index.database.session() as session:
                return rename_table(session, known, name, catalog_location(catalog.name, listed[name]))
    return False


def _same(identity: Identity, known: Sequence[Known]) -> Known | None:
    """Return the only one that is the same table."""
    found = [one for one in known if _is_same(identity, one)]
    return found[0] if len(found) == 1 else None


def _is_same(identity: Identity, known: Known) -> bool:
    if identity.uuid is not None and known.uuid is not None:
        return identity.uuid == known.uuid
    return known.metadata_location is not None and known.metadata_location == identity.pointer
