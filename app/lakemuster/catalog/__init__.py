"""The use cases: what the HTTP APIs, the command line and Spark's driver ask of a lake, without any of their forms.

``services`` registers tables, looks at them and finds their snapshots. ``lists``, ``planning``, ``history`` and
``system_tables`` give what a table has at one of them; ``listings`` and ``plan_response`` cut that into pages, lines
and batches. ``view_cache``, ``page_writers`` and ``plan_page_cache`` keep what the next request of the same snapshot
would compute again. ``page_tokens`` are signed and stateless.
"""

from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.planner.rows import RowSource
from lakemuster.planner.view import CURRENT, Selector, View

__all__ = ["CURRENT", "RowSource", "Selector", "SnapshotRecord", "TableRecord", "View"]
