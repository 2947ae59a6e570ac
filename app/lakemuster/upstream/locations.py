"""Locations of tables in attached catalogs: ``catalog://NAME/levels``. The catalog holds the table's pointer.

Levels are percent-encoded, and separated by slashes.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from lakemuster.metadata.names import Levels

EVERY_CATALOG = "catalog://"
"""Prefix of the locations of all tables of attached catalogs."""


def catalog_location(catalog: str, levels: Levels) -> str:
    """Return the location of a catalog's table, given its levels there, the table's own name last."""
    return f"{EVERY_CATALOG}{catalog}/" + "/".join(quote(level, safe="") for level in levels)


def split_catalog_location(location: str) -> tuple[str, Levels] | None:
    """Return the catalog and the levels of a location in a catalog; None: it is another kind of location."""
    if not location.startswith(EVERY_CATALOG):
        return None
    catalog, *levels = location.removeprefix(EVERY_CATALOG).split("/")
    return catalog, tuple(map(unquote, levels))
