"""The lists of a snapshot: manifests, entries, files, partitions, indexes; and the difference between two snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from lakemuster.catalog.arranged_rows import AS_IT_IS, ArrangedRows, Arrangement, arranged
from lakemuster.catalog.filters import Filter, not_applied_out
from lakemuster.index import Index
from lakemuster.planner.lists import snapshot_lists
from lakemuster.planner.rows import RowSource
from lakemuster.planner.scan.filtered_files import FilteredFiles, filtered_files, live_files
from lakemuster.planner.scan.filtered_partitions import FilteredPartitions, filtered_partitions
from lakemuster.planner.view import View
from lakemuster.predicates import Bound, NanMode

ListName = Literal["manifests", "entries", "files", "partitions", "indexes"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The requested rows and columns of a list.

    Attributes:
        manifest: entries: only those of this manifest.
        content: files: only those of these contents; None for all live files.
        stats: files: the columns whose statistics are returned; None for all.
        filter: files, partitions: only files that a plan with this filter reads.
        nan: files, partitions: how the filter's comparisons treat NaN.
        arrangement: the order of the rows, and how many.
    """

    manifest: str | None = None
    content: Sequence[str] | None = None
    stats: Sequence[str] | None = None
    filter: Filter | None = None
    nan: NanMode = "any"
    arrangement: Arrangement = AS_IT_IS


EVERYTHING = Choice()


def rows_of(index: Index, name: ListName, view: View, choice: Choice = EVERYTHING) -> RowSource:
    """Return a list of a view's snapshot.

    Raises:
        RequestInvalid, FilterInvalid: the choice names something that the table does not have.
    """
    return arranged(_rows_of(index, name, view, choice), choice.arrangement)


def _rows_of(index: Index, name: ListName, view: View, choice: Choice) -> RowSource:
    match name:
        case "manifests":
            return snapshot_lists.manifests(index, view)
        case "entries":
            return snapshot_lists.entries(index, view, choice.manifest)
        case "files":
            return _files(index, view, choice)
        case "partitions":
            return _partitions(index, view, choice)
        case "indexes":
            return snapshot_lists.indexes(index, view)


def _files(index: Index, view: View, choice: Choice) -> RowSource:
    if choice.filter is None:
        return live_files(index, view, choice.content, choice.stats)
    return filtered_files(index, view, partial(_bound, choice.filter, choice.nan), choice.content, choice.stats)


def _partitions(index: Index, view: View, choice: Choice) -> RowSource:
    if choice.filter is None:
        return snapshot_lists.partitions(index, view)
    return filtered_partitions(index, view, partial(_bound, choice.filter, choice.nan))


def _bound(given: Filter, nan: NanMode, of: View) -> Bound:
    return given.bound(of.schemas[0], nan=nan, history=of.written_schemas)


def difference(index: Index, old: View, new: View) -> RowSource:
    """Return the files that were removed and added from one snapshot to another."""
    return snapshot_lists.diff(index, old, new)


def not_applied(rows: RowSource) -> list[dict[str, str]] | None:
    """Return which conjuncts of a list's filter did not prune, and why; None for a list without a filter."""
    source = rows.source if isinstance(rows, ArrangedRows) else rows
    return not_applied_out(source.not_applied) if isinstance(source, FilteredFiles | FilteredPartitions) else None


def words(text: str | None) -> tuple[str, ...] | None:
    """Return the words of a comma-separated parameter; None if it is not given."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())
