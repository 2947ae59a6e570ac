"""Totals of a plan: its manifests, entries and files, their records and bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.caching import cached
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.bounds import numbers_of
from lakemuster.planner.rows import START
from lakemuster.planner.scan.planned_entries import batch_files, entries_of
from lakemuster.planner.scan.planned_rows import plan_rows
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import Survivors, survivors
from lakemuster.predicates import Bound


@dataclass(frozen=True, slots=True)
class PlanTotals:
    """The totals of a whole plan; ``entries`` counts those that pruning by manifest and zone leaves to evaluate."""

    manifests: int
    manifests_kept: int
    entries: int
    files: int
    records: int
    bytes: int


@cached("totals", lambda _: 2000, lambda scan, bound, added_in: (scan.cache_key, bound, added_in))
def totals_of(scan: ScanIndex, bound: Bound, added_in: frozenset[int] | None) -> PlanTotals:
    """Count all files that a predicate keeps; the totals are cached."""
    segments = scan.index.segments
    found = plan_rows(scan, bound, added_in, START, None)
    entries = map(entries_of, ([member] for member in batch_files(found, lambda name: (segments.open(name), _SUMMED))))
    return counted(survivors(scan, bound), len(scan.data), entries)


_SUMMED = ["record_count", "file_size_in_bytes"]


def counted(left: Survivors, manifests: int, files: Iterable[pa.Table | pa.RecordBatch]) -> PlanTotals:
    """Count files, given their entries."""
    count, sums = 0, [0, 0]
    for table in files:
        count += table.num_rows
        sums = [known + _sum(table.column(name)) for known, name in zip(sums, _SUMMED, strict=True)]
    return PlanTotals(manifests, left.manifests, left.entries, count, *sums)


def _sum(numbers: pa.ChunkedArray | pa.Array) -> int:
    """Sum the known numbers. Where none is null, numpy takes a fifth of Arrow's time."""
    one = numbers if isinstance(numbers, pa.Array) else single_array(numbers)
    plain = None if one.null_count else numbers_of(one)
    return int(pc.sum(one).as_py() or 0) if plain is None else int(plain.sum())
