"""The lists of a snapshot: manifests, entries, files, partitions, indexes; and the difference between two snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lakemuster.catalog.filters import Filter, not_applied_out
from lakemuster.index import Index
from lakemuster.planner.lists import snapshot_lists
from lakemuster.planner.rows import RowSource
from lakemuster.planner.scan.filtered_files import FilteredFiles, filtered_files, live_files
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
        filter: files: only those that a plan with this filter reads.
        nan: files: how the filter's comparisons treat NaN.
    """

    manifest: str | None = None
    content: Sequence[str] | None = None
    stats: Sequence[str] | None = None
    filter: Filter | None = None
    nan: NanMode = "any"


EVERYTHING = Choice()


def rows_of(index: Index, name: ListName, view: View, choice: Choice = EVERYTHING) -> RowSource:
    """Return a list of a view's snapshot.

    Raises:
        RequestInvalid, FilterInvalid: the choice names something that the table does not have.
    """
    match name:
        case "manifests":
            return snapshot_lists.manifests(index, view)
        case "entries":
            return snapshot_lists.entries(index, view, choice.manifest)
        case "files":
            return _files(index, view, choice)
        case "partitions":
            return snapshot_lists.partitions(index, view)
        case "indexes":
            return snapshot_lists.indexes(index, view)


def _files(index: Index, view: View, choice: Choice) -> RowSource:
    given = choice.filter
    if given is None:
        return live_files(index, view, choice.content, choice.stats)

    def bound(of: View) -> Bound:
        return given.bound(of.schemas[0], nan=choice.nan, history=of.written_schemas)

    return filtered_files(index, view, bound, choice.content, choice.stats)


def difference(index: Index, old: View, new: View) -> RowSource:
    """Return the files that were removed and added from one snapshot to another."""
    return snapshot_lists.diff(index, old, new)


def not_applied(rows: RowSource) -> list[dict[str, str]] | None:
    """Return which conjuncts of a list's filter did not prune, and why; None for a list without a filter."""
    return not_applied_out(rows.not_applied) if isinstance(rows, FilteredFiles) else None


def words(text: str | None) -> tuple[str, ...] | None:
    """Return the words of a comma-separated parameter; None if it is not given."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())
