"""A snapshot's system tables as row sources, which can be read from any position."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from lakemuster.index import Index
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.manifest_list import LIVE_ROLES, parts
from lakemuster.planner.paimon.system.file_rows import FileColumns
from lakemuster.planner.paimon.system.snapshot_rows import index_table, manifest_table, statistics_table
from lakemuster.planner.paimon.system.sums import bucket_table, partition_table
from lakemuster.planner.paimon.system.tables import SYSTEM_TABLES, SystemTable
from lakemuster.planner.rows import RowSource, TableSource
from lakemuster.planner.view import View

TEXT_ROWS = 512
"""Files in a batch whose keys and statistics are formatted as text."""

_BUILT: dict[str, Callable[[Index, View, SystemTable], pa.Table]] = {
    "manifests": manifest_table,
    "partitions": partition_table,
    "buckets": bucket_table,
    "table_indexes": index_table,
    "statistics": statistics_table,
}


def snapshot_source(name: str, index: Index, view: View) -> RowSource:
    """Return the rows of a system table of a snapshot; none for a table without snapshots.

    Args:
        name: a system table whose ``of`` is ``snapshot``.
    """
    table = SYSTEM_TABLES[name]
    if name in _BUILT:
        return TableSource(name, _BUILT[name](index, view, table), view.snapshot_id)
    return EntrySource(name, index, view, parts(index, view, LIVE_ROLES), FileColumns(view, table), TEXT_ROWS)
