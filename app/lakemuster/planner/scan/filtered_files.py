"""List files under a filter: the data files of its plan, then the delete files that apply to any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.caching import cached
from lakemuster.errors import RequestInvalid
from lakemuster.index import Index
from lakemuster.index.segments import BATCH_ROWS
from lakemuster.planner.columns import single_array
from lakemuster.planner.lists import snapshot_lists
from lakemuster.planner.lists.snapshot_lists import checked_contents, statistics_of
from lakemuster.planner.row_projection import CONTENTS
from lakemuster.planner.rows import START, Position, RowSource
from lakemuster.planner.scan.applied import NotApplied, applied
from lakemuster.planner.scan.branches import PredicateBinding, plan_of
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.view import View
from lakemuster.predicates import TRUE

Numbers = NDArray[np.int64]


def filtered_files(
    index: Index,
    view: View,
    bound: PredicateBinding,
    content: Sequence[str] | None = None,
    stats: Sequence[str] | None = None,
) -> FilteredFiles:
    """List the files that a predicate does not drop.

    Args:
        bound: binds the predicate to the columns of a branch.
        content: the contents to list; None for all live ones.
        stats: as for :func:`~lakemuster.planner.lists.snapshot_lists.files`.

    Raises:
        RequestInvalid: an unknown content or column, or changelog files, which no plan has.
    """
    chosen = checked_contents(content)
    if chosen is not None and "changelog" in chosen:
        raise RequestInvalid("a filter cannot be applied to changelog files")
    return FilteredFiles(plan_of(index, view, bound, lambda of: statistics_of(of, stats), details=False), chosen)


def live_files(
    index: Index, view: View, content: Sequence[str] | None = None, stats: Sequence[str] | None = None
) -> RowSource:
    """List all live files; if the table reads partitions of a second branch, the files that a scan reads from both.

    Raises:
        RequestInvalid: an unknown content or column.
    """
    if view.second_branch is None or (content is not None and "changelog" in content):
        return snapshot_lists.files(index, view, content, stats)
    return filtered_files(index, view, lambda _: TRUE, content, stats)


@dataclass(frozen=True, slots=True)
class FilteredFiles:
    """A list of files: each data manifest is a part, and all delete files together are the last part."""

    plan: Plan
    contents: frozenset[str] | None
    key: Literal["files"] = "files"

    @property
    def schema(self) -> pa.Schema:
        """The schema of the plan's rows."""
        return self.plan.row_projection.schema

    @property
    def snapshot_id(self) -> int | None:
        """The id of the view's snapshot."""
        return self.plan.view.snapshot_id

    @property
    def not_applied(self) -> tuple[NotApplied, ...]:
        """The conjuncts of the filter that cannot prune, or not all files."""
        return applied(self.plan.scan, self.plan.bound)[1]

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        """Yield the data files in the order of manifests and entries, then the delete files."""
        last = self.plan.parts
        if start.part < last and (self.contents is None or "data" in self.contents):
            yield from self._data(start)
        numbers = self.delete_numbers()
        at = start.offset if start.part == last else 0
        for first in range(at, len(numbers), BATCH_ROWS):
            for part, table in self.plan.delete_rows(numbers[first : first + BATCH_ROWS]):
                yield Position(last, at), self.plan.row_projection.rows(part, table)
                at += table.num_rows

    def _data(self, start: Position) -> Iterator[tuple[Position, pa.RecordBatch]]:
        number, before = start.part, 0
        found = self.plan.batches(Position(start.part, 0))
        for batch in chain.from_iterable(some.by_part() for some in found):
            if batch.number != number:
                number, before = batch.number, 0
            passed = max(0, start.offset - before) if number == start.part else 0
            if passed < len(batch.rows):
                shown = batch.slice(passed)
                yield (
                    Position(number, before + passed),
                    self.plan.row_projection_of(batch).rows(shown.part, shown.table),
                )
            before += len(batch.rows)

    def delete_numbers(self) -> Numbers:
        """Return the numbers of the listed delete files, ascending."""
        if self.plan.scan.delete_index is None:
            return np.zeros(0, np.int64)
        wanted = [code for code, name in enumerate(CONTENTS) if self.contents is None or name in self.contents]
        numbers = _numbers(self.plan)
        codes = np.concatenate(
            [single_array(table.column("content")).to_numpy() for _, table in self.plan.scan.delete_tables]
        )
        return np.asarray(numbers[np.isin(codes[numbers], wanted)])


@cached("delete files", lambda numbers: numbers.nbytes, lambda plan: plan.cache_key)
def _numbers(plan: Plan) -> Numbers:
    """Return the numbers of the delete files that apply to a plan's files, ascending."""
    found = [np.unique(batch.deletes) for batch in plan.batches()]
    return np.unique(np.concatenate([np.zeros(0, np.int64), *found]))
