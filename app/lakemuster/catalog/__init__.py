"""The use cases behind the HTTP APIs, the command line and Spark's driver, independent of their formats.

``services`` registers tables, reads their pointers and finds their snapshots. ``lists``, ``planning``, ``history`` and
``system_tables`` return the contents of a table or snapshot; ``listings`` and ``plan_response`` cut them into pages,
lines and batches. ``view_cache``, ``page_writers`` and ``plan_page_cache`` cache what the next request for the same
snapshot would compute again. ``table_formats`` registers the rules of each format with every layer;
``catalog_rules`` is the catalog's own port. ``page_tokens`` are signed and stateless.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakemuster.index.snapshots import SnapshotRecord
    from lakemuster.index.table_record import TableRecord
    from lakemuster.planner.rows import RowSource
    from lakemuster.planner.view import CURRENT, Selector, View

__all__ = ["CURRENT", "RowSource", "Selector", "SnapshotRecord", "TableRecord", "View"]

_MODULES = {
    "CURRENT": "planner.view",
    "RowSource": "planner.rows",
    "Selector": "planner.view",
    "SnapshotRecord": "index.snapshots",
    "TableRecord": "index.table_record",
    "View": "planner.view",
}


def __getattr__(name: str) -> object:
    """Import a value lazily: listing tables needs neither the planner nor SQLAlchemy."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"lakemuster.{_MODULES[name]}"), name)
