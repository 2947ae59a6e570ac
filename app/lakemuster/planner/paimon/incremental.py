"""Incremental plans of Paimon tables: the files that commits between two snapshots appended, or their changelog files.

Files are taken from the commits' own manifest lists, even if they were removed since. Appended files are the files of
``APPEND`` commits: compactions write no new rows, and overwrites replace some. Changelogs of overwrites are left out.

Source: Paimon ``IncrementalDeltaStartingScanner``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakemuster.errors import RequestInvalid
from lakemuster.index import Index
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.manifest_list import parts
from lakemuster.planner.paimon.reading import PaimonReading, ScanMode
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_over
from lakemuster.planner.view import View
from lakemuster.predicates import Bound


def commits_between(snapshots: Mapping[int, Snapshot], start: int, end: int, scan: ScanMode) -> tuple[Snapshot, ...]:
    """Return the snapshots after ``start`` and up to ``end`` whose files a scan follows, oldest first.

    Args:
        snapshots: the snapshots of one branch that have not expired, by id.

    Raises:
        RequestInvalid: ``start`` is later than ``end``, or a snapshot between them has expired.
    """
    if start > end:
        raise RequestInvalid(f"snapshot {start} is later than snapshot {end}", start=str(start), end=str(end))
    # Of some expired snapshots, the changelog remains.
    known = {number for number, one in snapshots.items() if scan == "changelog" or not one.is_expired}
    missing = [number for number in range(start + 1, end + 1) if number not in known]
    if missing:
        raise RequestInvalid(f"snapshot {missing[0]} has expired: what it wrote is unknown", missing=str(missing[0]))
    found = [snapshots[number] for number in range(start + 1, end + 1)]
    return tuple(snapshot for snapshot in found if _is_followed(snapshot, scan))


def _is_followed(snapshot: Snapshot, scan: ScanMode) -> bool:
    kind = snapshot.extra.get("commit_kind")
    return kind != "OVERWRITE" if scan == "changelog" else kind == "APPEND"


def _lost_changelog(view: View, found: Sequence[ManifestPart]) -> bool:
    """Tell whether the changelog that a snapshot was committed with has expired: a tag keeps it without."""
    assert view.snapshot is not None
    snapshot = view.snapshot.snapshot
    extra = snapshot.extra
    if extra.get("changelog_manifest_list") is None or extra.get("changelog_record_count") == 0:
        return False
    return not found or all(ref.role != "changelog" for ref in snapshot.manifest_lists)


def plan_commits(
    index: Index,
    views: Sequence[View],
    end: View,
    scan: ScanMode,
    bound: Bound,
    statistics: frozenset[int] | None = frozenset(),
) -> Plan:
    """Plan the files that some snapshots wrote.

    Args:
        views: the views of the snapshots of :func:`commits_between`, all published.
        end: the view of the last snapshot of the interval, whose schema is used.

    Raises:
        RequestInvalid: the changelog of a snapshot has expired.
    """
    role = "delta" if scan == "delta" else "changelog"
    found: list[ManifestPart] = []
    for view in views:
        own = parts(index, view, {role})
        if role == "changelog" and _lost_changelog(view, own):
            number = str(view.snapshot_id)
            raise RequestInvalid(f"the changelog of snapshot {number} has expired", missing=number)
        found += own
    return Plan(scan_index_over(index, end, tuple(found), PaimonReading.of(end, scan)), bound, statistics)
