"""Check that a table is at a location that its namespace allows, before and after a look.

The location of a table in an attached catalog is unknown until the catalog returns it. Until then its store refuses to
open any location outside the allowed ones.
"""

from __future__ import annotations

from lakemuster.index.table_record import TableRecord
from lakemuster.storage.confinement import NamespaceConfinement
from lakemuster.upstream.locations import split_catalog_location


def require_location(confinement: NamespaceConfinement, table: TableRecord) -> None:
    """Check a table before a look; a table of an attached catalog passes.

    Raises:
        LocationForbidden: its location is not allowed.
    """
    if split_catalog_location(table.location) is None:
        confinement.require(table.name, table.location, table.allowed_roots)


def require_known_location(confinement: NamespaceConfinement, table: TableRecord) -> None:
    """Check a table of an attached catalog after a look: the location of its metadata, and the root that this names.

    Raises:
        LocationForbidden: one of them is not allowed.
    """
    if split_catalog_location(table.location) is None:
        return
    for location in (table.metadata_location, table.table_location):
        if location is not None:
            confinement.require(table.name, location, ())
