"""The use cases behind the HTTP APIs, the command line and Spark's driver, independent of their formats.

``services`` registers tables, looks at them and finds their snapshots. ``lists``, ``planning``, ``history`` and
``system_tables`` return the contents of a table or snapshot; ``listings`` and ``plan_response`` cut them into pages,
lines and batches. ``view_cache``, ``page_writers`` and ``plan_page_cache`` cache what the next request for the same
snapshot would compute again. ``page_tokens`` are signed and stateless.
"""

from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.planner.rows import RowSource
from lakemuster.planner.view import CURRENT, Selector, View

__all__ = ["CURRENT", "RowSource", "Selector", "SnapshotRecord", "TableRecord", "View"]
