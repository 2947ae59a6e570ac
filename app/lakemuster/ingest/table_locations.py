"""Check that a table lies where the tables of its namespace may, before and after a look.

Where a table of an attached catalog lies is known once the catalog was asked. Until then its store refuses to open what
lies elsewhere.
"""

from __future__ import annotations

from lakemuster.index.table_record import TableRecord
from lakemuster.storage.confinement import NamespaceConfinement
from lakemuster.upstream.locations import split_catalog_location


def require_location(confinement: NamespaceConfinement, table: TableRecord) -> None:
    """Check a table before a look; one of an attached catalog passes.

    Raises:
        LocationForbidden: it lies elsewhere.
    """
    if split_catalog_location(table.location) is None:
        confinement.require(table.name, table.location, table.allowed_roots)


def require_known_location(confinement: NamespaceConfinement, table: TableRecord) -> None:
    """Check a table of an attached catalog after a look: its metadata's own location, and the one that it names.

    Raises:
        LocationForbidden: one of them is elsewhere.
    """
    if split_catalog_location(table.location) is None:
        return
    for location in (table.metadata_location, table.table_location):
        if location is not None:
            confinement.require(table.name, location, ())
