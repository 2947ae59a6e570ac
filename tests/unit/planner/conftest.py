"""The planner's tests read tables of the formats that the catalog registers."""

from __future__ import annotations

import lakemuster.catalog.table_formats  # noqa: F401
