"""Tables of attached catalogs: registered when they are first asked for, and looked at again after a commit."""

from __future__ import annotations

import logging

from lakemuster.errors import CatalogError, ConfigInvalid, RequestInvalid, TableExists
from lakemuster.index import Index
from lakemuster.index.attached import mark_changed
from lakemuster.index.tables import TableRecord, add_table, get_table, list_tables
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.upstream.locations import catalog_location, split_catalog_location
from lakemuster.upstream.registry import Upstreams

LOG = logging.getLogger("lakemuster.catalog")


def is_attached(table: TableRecord) -> bool:
    """Whether a table is one of an attached catalog."""
    return split_catalog_location(table.location) is not None


def attach(index: Index, upstreams: Upstreams, name: str) -> TableRecord | None:
    """Register a table that an attached catalog has; nothing is indexed yet.

    Returns:
        None: the name is not one of an attached catalog's.

    Raises:
        TableNotFound: the catalog has no such table.
        UpstreamFailed: the catalog does not answer, or not as its protocol says.
    """
    levels = parse_name(name)
    catalog = upstreams.get(levels[0])
    if catalog is None or len(levels) < 3:
        return None
    catalog.pointer(levels[1:])
    with index.database.session() as session:
        try:
            return add_table(session, name, catalog_location(catalog.name, levels[1:]), "iceberg")
        except TableExists:
            session.rollback()
            return get_table(session, name)


def note_change(index: Index, catalog: str, levels: Levels | None) -> None:
    """Have requests look at a table, or at all tables of a catalog, because a commit passed. Failures are logged.

    Args:
        levels: of the table's name at the catalog; None: all of its tables.
    """
    location = catalog_location(catalog, levels or ())
    try:
        with index.database.session() as session:
            mark_changed(session, location, is_prefix=levels is None)
    except CatalogError as error:
        # The commit is the catalog's, and has passed: its answer does not depend on this index.
        LOG.warning("a commit to %s could not be recorded: %s", location, error.code)


def refuse_name(upstreams: Upstreams, levels: Levels) -> None:
    """Refuse to register a table under an attached catalog's name. Raises: RequestInvalid."""
    if levels[0] in upstreams:
        raise RequestInvalid(f"{levels[0]} is an attached catalog: its tables are that catalog's", name=levels[0])


def require_names(index: Index, upstreams: Upstreams) -> None:
    """Check that no table of our own has the name of an attached catalog as its first level.

    Raises:
        ConfigInvalid: one has.
    """
    if not any(True for _ in upstreams):
        return
    with index.database.reading() as session:
        tables = list_tables(session)
    for table in tables:
        first = parse_name(table.name)[0]
        if first in upstreams and not is_attached(table):
            raise ConfigInvalid(
                f"the catalog {first} cannot be attached: the table {table.name} is registered under its name"
            )
