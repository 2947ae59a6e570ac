"""Check of the warehouse name that clients of both REST catalogs send."""

from __future__ import annotations

from lakemuster.config import Settings
from lakemuster.errors import WarehouseNotFound


def require_warehouse(settings: Settings, name: str) -> None:
    """Refuse a name other than the configured one. An empty name is always accepted; unconfigured, any name is.

    Raises:
        WarehouseNotFound: the name is another.
    """
    if name and settings.warehouse and name != settings.warehouse:
        raise WarehouseNotFound(f"this server has one warehouse, {settings.warehouse}: use that name, or omit it")
