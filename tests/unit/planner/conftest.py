"""Register the table formats that the planner's tests read."""

from __future__ import annotations

import lakemuster.catalog.table_formats  # noqa: F401
from tests.unit.planner.oracle.catching_seeds import catching_seeds

__all__ = ["catching_seeds"]
