"""Check the warehouse name that clients of both REST catalogs send."""

from __future__ import annotations

from lakemuster.config import Settings
from lakemuster.errors import WarehouseNotFound


def require_warehouse(settings: Settings, name: str) -> None:
    """Reject a name other than the configured one. An empty name is always accepted; without a configured one, any is.

    Raises:
        WarehouseNotFound: the name is not the configured one.
    """
    if name and settings.warehouse and name != settings.warehouse:
        raise WarehouseNotFound(f"this server has one warehouse, {settings.warehouse}: use that name, or omit it")
