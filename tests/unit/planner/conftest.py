"""The planner's tests read tables of the formats that the catalog registers."""

from __future__ import annotations

import lakemuster.catalog.table_formats  # noqa: F401
from tests.unit.planner.oracle.catching_seeds import catching_seeds

__all__ = ["catching_seeds"]
