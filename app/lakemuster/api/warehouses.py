"""The warehouse's name, which clients of both REST catalogs give."""

from __future__ import annotations

from lakemuster.config import Settings
from lakemuster.errors import WarehouseNotFound


def require_warehouse(settings: Settings, name: str) -> None:
    """Refuse a name other than the one that the operator set; without one any name is good, and so is none.

    Raises:
        WarehouseNotFound: another name.
    """
    if name and settings.warehouse and name != settings.warehouse:
        raise WarehouseNotFound(f"this server has one warehouse, {settings.warehouse}: name it, or leave it out")
