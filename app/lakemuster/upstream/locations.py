"""The location of an attached catalog's table: ``catalog://NAME/levels``, where its pointer is asked for.

Levels are percent-encoded, and separated by slashes.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from lakemuster.metadata.names import Levels

EVERY_CATALOG = "catalog://"
"""How the locations of all tables of attached catalogs begin."""


def catalog_location(catalog: str, levels: Levels) -> str:
    """The location of a table of a catalog, given its levels there, the table's own name last."""
    return f"{EVERY_CATALOG}{catalog}/" + "/".join(quote(level, safe="") for level in levels)


def split_catalog_location(location: str) -> tuple[str, Levels] | None:
    """The catalog and the levels of such a location; None: it is another kind of location."""
    if not location.startswith(EVERY_CATALOG):
        return None
    catalog, *levels = location.removeprefix(EVERY_CATALOG).split("/")
    return catalog, tuple(map(unquote, levels))
