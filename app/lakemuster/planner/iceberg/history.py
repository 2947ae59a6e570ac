"""Iceberg's rules of a table's history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lakemuster.metadata.integer_text import MAX_SIZE, parse_int64
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.history.rules import HistoryRules
from lakemuster.planner.iceberg.expired_files import expired_files
from lakemuster.planner.iceberg.references import references
from lakemuster.planner.iceberg.retention import retention

_SUMMARY = {
    "added_data_files": "added-data-files",
    "added_delete_files": "added-delete-files",
    "added_records": "added-records",
    "added_bytes": "added-files-size",
    "removed_data_files": "deleted-data-files",
    "removed_delete_files": "removed-delete-files",
    "removed_records": "deleted-records",
    "removed_bytes": "removed-files-size",
    "partitions": "changed-partition-count",
    "total_data_files": "total-data-files",
    "total_delete_files": "total-delete-files",
    "total_records": "total-records",
    "total_bytes": "total-files-size",
}


def writer_figures(snapshot: Snapshot, names: Iterable[str] = tuple(_SUMMARY)) -> Mapping[str, int]:
    """Return the figures of a snapshot's summary, or some of them.

    Source: Iceberg spec, "Optional Snapshot Summary Fields".
    """
    found: dict[str, int] = {}
    for name in names:
        number = parse_int64(snapshot.summary.get(_SUMMARY[name], ""))
        if number is not None and 0 <= number < MAX_SIZE:
            found[name] = number
    return found


ICEBERG_HISTORY = HistoryRules(
    writer_figures=writer_figures, retention=retention, expired_files=expired_files, references=references
)
