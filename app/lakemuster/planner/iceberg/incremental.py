"""Incremental plans of Iceberg tables: the files that were appended between two snapshots.

They are the files that append snapshots added after the first and up to the second, even if they were removed since:
what a reader that follows a table has not seen. Other operations rewrite or remove rows; their files are not listed.

Source: Iceberg REST catalog, "planTableScan"; Java's ``BaseIncrementalAppendScan``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakemuster.errors import RequestInvalid
from lakemuster.index import Index
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.manifest_list import LIVE_ROLES, parts
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_over
from lakemuster.planner.view import View
from lakemuster.predicates import Bound

APPEND = "append"


def appends_between(snapshots: Mapping[int, Snapshot], start: int, end: int) -> tuple[Snapshot, ...]:
    """Return the append snapshots after ``start`` and up to ``end``, newest first.

    Args:
        snapshots: the table's snapshots, by id.

    Raises:
        RequestInvalid: ``start`` is not an ancestor of ``end``.
    """
    found: list[Snapshot] = []
    at: int | None = end
    passed: set[int] = set()
    while at != start:
        snapshot = None if at is None or at in passed else snapshots.get(at)
        if snapshot is None:
            raise RequestInvalid(
                f"snapshot {start} is not an ancestor of snapshot {end}", start=str(start), end=str(end)
            )
        passed.add(snapshot.snapshot_id)
        if snapshot.operation == APPEND:
            found.append(snapshot)
        at = snapshot.parent_id
    return tuple(found)


def plan_appends(
    index: Index, views: Sequence[View], end: View, bound: Bound, statistics: frozenset[int] | None = frozenset()
) -> Plan:
    """Plan the files that some snapshots appended.

    Args:
        views: the views of the snapshots of :func:`appends_between`, all published.
        end: the view of the last snapshot of the interval, whose schema is used.
    """
    added_in = frozenset(view.snapshot_id for view in views if view.snapshot_id is not None)
    found = {
        part.manifest.header.location: part
        for view in reversed(views)
        for part in parts(index, view, LIVE_ROLES)
        if part.manifest.header.content == "data" and part.manifest.header.added_snapshot_id in added_in
    }
    return Plan(scan_index_over(index, end, tuple(found.values())), bound, statistics, added_in)
