"""Register tables of attached catalogs, on first access and by listings, and mark them as changed after commits."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from lakemuster.errors import CatalogError, ConfigInvalid, Overloaded, TableExists, TableNotFound, UpstreamFailed
from lakemuster.index import Index
from lakemuster.index.attached import ids_below, mark_changed, rename_table, replace_tables
from lakemuster.index.change_file import Change
from lakemuster.index.tables import TableRecord, add_table, get_table, list_tables
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.renames import earlier, renamed
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.upstream.locations import catalog_location, split_catalog_location
from lakemuster.upstream.protocol import Upstream
from lakemuster.upstream.registry import Upstreams

LOG = logging.getLogger("lakemuster.catalog")


def is_attached(table: TableRecord) -> bool:
    """Tell whether a table belongs to an attached catalog."""
    return split_catalog_location(table.location) is not None


def is_read_at_catalog(upstreams: Upstreams, table: TableRecord) -> bool:
    """Tell whether Iceberg clients read a table's metadata at its catalog, and not here."""
    return is_attached(table) and upstreams.rest(parse_name(table.name)[0]) is not None


def attach(index: Index, upstreams: Upstreams, name: str) -> TableRecord | None:
    """Register a table of an attached catalog, without indexing it yet.

    Returns:
        the table; None if the name is not that of an attached catalog's table, or the settings exclude it.

    Raises:
        TableNotFound: the catalog has no such table.
        UpstreamFailed: the catalog does not answer, or violates its protocol.
    """
    levels = parse_name(name)
    catalog = upstreams.get(levels[0])
    if catalog is None or len(levels) < 3 or catalog.name_of(levels[1:]) is None:
        return None
    identity = catalog.identity(levels[1:])
    location = catalog_location(catalog.name, levels[1:])
    before = earlier(index, catalog, identity)
    try:
        with index.database.session() as session:
            if before is not None and rename_table(session, before, format_name(levels), location):
                return get_table(session, format_name(levels))
            # Commits are recorded by the canonical name.
            return add_table(session, format_name(levels), location, catalog.format)
    except TableExists:
        # A concurrent request has registered it.
        with index.database.reading() as session:
            return get_table(session, format_name(levels))


def require_at_catalog(refresher: Refresher, table: TableRecord) -> None:
    """Check that a table's catalog has the table; pass if it is in no attached catalog, or that does not answer.

    Raises:
        TableNotFound: the catalog does not have it.
    """
    catalog = refresher.upstreams.of_table(table.name)
    if catalog is None:
        return
    if table.metadata_location is not None:
        refresher.ensure_fresh(table)
        return
    # A look would index the table.
    with suppress(UpstreamFailed, Overloaded):
        catalog.pointer(parse_name(table.name)[1:])


@dataclass(frozen=True, slots=True)
class Changed:
    """A table or namespace that a request forwarded to a catalog may have changed there.

    Attributes:
        levels: the name of a table, or of a namespace with everything below it; empty for the whole catalog.
    """

    levels: Levels = ()
    is_namespace: bool = True

    def location(self, catalog: str) -> str:
        """Return the location of the table, or the prefix of the locations of the namespace's tables."""
        location = catalog_location(catalog, self.levels)
        return f"{location}/" if self.is_namespace and self.levels else location


def record_changes(index: Index, catalog: str, changes: Sequence[Changed]) -> bool:
    """Mark tables as changed by a forwarded commit, so that the next requests in all processes read their pointers.

    Returns:
        whether the marks were recorded; False if the index does not answer.
    """
    found = [
        Change(one.location(catalog), None if one.is_namespace else format_name((catalog, *one.levels)))
        for one in changes
    ]
    try:
        mark_changed(index.database, found)
    except CatalogError as error:
        # The catalog has accepted the commit: its response must not depend on this index.
        LOG.warning(
            "a commit to %s could not be recorded: %s", ", ".join(one.name or one.location for one in found), error.code
        )
        return False
    return True


MOST_UNNAMEABLE = 100


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of listing a catalog: numbers of tables.

    Attributes:
        tables: listed and registered here.
        others: listed, but excluded by the settings, or with names that cannot be written here.
        unnameable: names of the latter, dotted, at most :data:`MOST_UNNAMEABLE`.
        added, removed, renamed: changed since the last listing.
    """

    tables: int
    others: int
    unnameable: tuple[str, ...]
    added: int
    removed: int
    renamed: int


def sync(index: Index, catalog: Upstream) -> Synced:
    """Register the tables that a catalog lists, and remove those that it no longer has.

    A new table with the uuid, or the metadata file, of a missing one counts as renamed. A listing that fails changes
    nothing.

    Raises:
        UpstreamFailed: the catalog does not answer, or violates its protocol.
    """
    prefix = catalog_location(catalog.name, ())
    with index.database.reading() as session:
        before = ids_below(session, prefix)
    listed = {levels: catalog.name_of(levels) for levels in catalog.every_table()}
    _check_nested(catalog, map(parse_name, before), listed)
    locations = {name: catalog_location(catalog.name, levels) for levels, name in listed.items() if name is not None}
    moved = renamed(index, catalog, {name: levels for levels, name in listed.items() if name is not None})
    with index.database.session() as session:
        number = sum(rename_table(session, known, name, locations[name]) for name, known in moved.items())
        added, removed = replace_tables(session, prefix, locations, catalog.format, before)
    others = sorted(format_name(levels) for levels, name in listed.items() if name is None)
    unnameable = tuple(filter(catalog.settings.has, others))[:MOST_UNNAMEABLE]
    return Synced(len(locations), len(others), unnameable, added, removed, number)


_NESTED_CHECKED = 10
"""Number of nested tables to look for at a catalog that no longer lists any."""


def _check_nested(catalog: Upstream, known: Iterable[Levels], listed: Iterable[Levels]) -> None:
    """Check that known tables in nested namespaces are gone if none is listed.

    A catalog may refuse to list the children of namespaces for another reason than that there are none.

    Raises:
        UpstreamFailed: the catalog still has such a table, or does not respond.
    """
    if any(len(levels) > 2 for levels in listed):  # a namespace of one level, and the table
        return
    nested = [levels for _, *levels in known if len(levels) > 2]
    for levels in nested[:_NESTED_CHECKED]:
        with suppress(TableNotFound):
            catalog.pointer(tuple(levels))
            raise UpstreamFailed(
                f"the catalog {catalog.name} does not list its nested namespaces: it still has {format_name(levels)}",
                catalog=catalog.name,
            )


def require_names(index: Index, upstreams: Upstreams) -> None:
    """Check that no table other than an attached one has an attached catalog's name as its first level.

    Raises:
        ConfigInvalid: there is such a table.
    """
    if not any(True for _ in upstreams):
        return
    with index.database.reading() as session:
        tables = list_tables(session)
    for table in tables:
        first = parse_name(table.name)[0]
        if first in upstreams and not is_attached(table):
            raise ConfigInvalid(
                f"the catalog {first} cannot be attached: the table {table.name} is registered under its name; remove "
                "the table, or give the catalog another name"
            )
