"""Check the warehouse name that clients of both REST catalogs send."""

from __future__ import annotations

from lakemuster.config import Settings
from lakemuster.errors import WarehouseNotFound

_BESIDE_CATALOGS = "lakemuster"


def iceberg_warehouse(settings: Settings) -> str | None:
    """Return the warehouse of the server's own tables in Iceberg's protocol; None for any name.

    If catalogs are attached, it always has a name: a misspelt one would otherwise show the server's own tables.
    """
    return settings.warehouse or (_BESIDE_CATALOGS if settings.catalogs else None)


def require_warehouse(name: str, own: str | None) -> None:
    """Reject a name other than that of the server's own tables. An empty name is always accepted.

    Args:
        own: the accepted name; None for any.

    Raises:
        WarehouseNotFound: the name is another one.
    """
    if name and own and name != own:
        raise WarehouseNotFound(f"the warehouse of this server's own tables is {own}: use that name, or omit it")
