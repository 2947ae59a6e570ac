"""List the files that a plan keeps, in the order of manifests and entries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lakemuster.planner.rows import Position
from lakemuster.planner.scan.plan_rules import Splitting, groups_of
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import rows_of, survivors
from lakemuster.planner.scan.spec_index import PackFiles
from lakemuster.predicates import Bound


@dataclass(frozen=True, slots=True)
class SplitRange:
    """The splits from ``first`` to before ``end``."""

    splitting: Splitting
    first: int
    end: int


def plan_rows(
    scan: ScanIndex,
    bound: Bound,
    added_in: frozenset[int] | None,
    start: Position,
    end: Position | None,
    splits: SplitRange | None = None,
) -> Iterator[PackFiles]:
    """Yield the files that a predicate keeps from ``start`` to before ``end``, in the order of manifests and entries.

    Args:
        splits: only files of these splits; for plans whose files are read together.
    """
    if splits is None and not scan.rules.reads_together:
        yield from rows_of(scan, bound, added_in, start, end)
        return
    groups = groups_of(scan)
    files = groups.chosen(scan, bound)
    for candidate in survivors(scan, bound).candidates(scan):
        number = candidate.number
        if number < start.part or (end is not None and (number, 0) >= end):
            continue
        own = files.of_part(number)
        rows = files.row[own]
        if splits is not None:
            of = groups.splits(scan, bound, splits.splitting)[own]
            rows = rows[(of >= splits.first) & (of < splits.end)]
        if number == start.part:
            rows = rows[np.searchsorted(rows, start.offset) :]
        if end is not None and number == end.part:
            rows = rows[: np.searchsorted(rows, end.offset)]
        if len(rows):
            yield candidate.files(rows)
