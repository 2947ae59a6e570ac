"""The figures of a snapshot's files, computed once and cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lakemuster.caching import cached
from lakemuster.catalog.filters import Filter, not_applied_out
from lakemuster.catalog.services import Services
from lakemuster.clock import SYSTEM
from lakemuster.planner.scan.applied import applied
from lakemuster.planner.scan.branches import scan_indexes_of
from lakemuster.planner.statistics.delete_files import Deletes
from lakemuster.planner.statistics.live_files import Question
from lakemuster.planner.statistics.merging import Merging
from lakemuster.planner.statistics.numbers import Group
from lakemuster.planner.statistics.table_statistics import TableStatistics, table_statistics
from lakemuster.planner.view import View
from lakemuster.predicates import TRUE, Bound, NanMode
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.plans import NotAppliedOut
from lakemuster.wire.native.statistics import StatsOut


@dataclass(frozen=True, slots=True)
class _Computed:
    """Figures, and when they were computed, in Unix milliseconds."""

    statistics: TableStatistics
    at_ms: int


@cached(
    "statistics",
    lambda found: 4000 + 200 * len(found.statistics.file_size_histogram),
    lambda questions, target: (*((of.scan.cache_key, of.bound, of.is_whole) for of in questions), target),
)
def _computed(questions: Sequence[Question], target_bytes: int | None) -> _Computed:
    return _Computed(table_statistics(questions, target_bytes), SYSTEM.wall_ms())


def figures_of_questions(questions: Sequence[Question], target_bytes: int | None) -> TableStatistics:
    """Return the figures of files, computed once and cached.

    Raises:
        LimitExceeded: too many delete files apply to the data files of one batch.
    """
    return _computed(questions, target_bytes).statistics


def forget() -> None:
    """Clear the cache of figures, for benchmarks."""
    _computed.cache_clear()


def questions_of(services: Services, view: View, given: Filter | None, nan: NanMode) -> tuple[Question, ...]:
    """Return the files to compute figures of, for each branch of a view: all live files, or those of a filter's plan.

    Raises:
        FilterInvalid: the filter does not fit the columns.
        FormatUnsupported: the second branch cannot be read with this one.
    """

    def bound(of: View) -> Bound:
        if given is None:
            return TRUE
        return given.bound(of.schemas[0], nan=nan, history=of.written_schemas)

    own, second = scan_indexes_of(services.index, view)
    if given is None and view.second_branch is None:
        return (Question(own, None, is_whole=True),)
    scans = (own,) if second is None else (own, second)
    return tuple(Question(scan, bound(scan.view), is_whole=False) for scan in scans)


def stats_out(services: Services, view: View, given: Filter | None, nan: NanMode, stale: str | None) -> StatsOut:
    """Return the figures of a snapshot, or of the files of a filter's plan.

    Raises:
        FilterInvalid, FormatUnsupported: as for :func:`questions_of`.
        LimitExceeded: too many delete files apply to the data files of one batch.
    """
    questions = questions_of(services, view, given, nan)
    computed = _computed(questions, services.settings.of_table(view.table.name).target_file_size)
    found = computed.statistics
    left = None if given is None else not_applied_out(applied(questions[0].scan, questions[0].predicate)[1])
    return StatsOut.model_validate(
        {
            "snapshot_id": view.snapshot_id,
            "computed_at": format_instant(computed.at_ms),
            "stale": stale,
            "not_applied": None if left is None else [NotAppliedOut.model_validate(one) for one in left],
            "totals": asdict(found.totals),
            "file_size_histogram": [asdict(bucket) for bucket in found.file_size_histogram],
            "small_files": None if found.small_files is None else asdict(found.small_files),
            "partitions": asdict(found.partitions),
            "file_formats": _groups(found.file_formats, "file_format"),
            "specs": _groups(found.specs, "spec_id"),
            "sort_orders": _groups(found.sort_orders, "sort_order_id"),
            "deletes": _deletes(found.deletes),
            **_merging(found.merging),
        }
    )


def _groups(groups: Sequence[Group], key: str) -> list[dict[str, object]]:
    return [{key: one.key, "files": one.files, "records": one.records, "bytes": one.bytes} for one in groups]


def _deletes(found: Deletes) -> dict[str, object]:
    return {
        **asdict(found.files),
        "data_files": found.data_files,
        "rows_deleted": {**asdict(found.rows), "exact": found.rows.exact},
        "dangling": None if found.dangling is None else asdict(found.dangling),
    }


def _merging(found: Merging | None) -> dict[str, object]:
    if found is None:
        return {"levels": None, "sorted_runs": None, "merging": None}
    runs = found.sorted_runs
    return {
        "levels": _groups(found.levels, "level"),
        "sorted_runs": None if runs is None else {"buckets": found.buckets, "per_bucket": asdict(runs)},
        "merging": {
            "files": found.merged_files,
            "records": found.merged_records,
            "bytes": found.merged_bytes,
            "sections": found.sections,
            "unread_files": found.unread_files,
            "delete_rows": found.delete_rows,
        },
    }
