"""List a plan's files in order, and add to Paimon's how each is read: splits, sections, deletion vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.row_projections.paimon_rows import PLANNED
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.merge_groups import NONE, Ints, chosen, merge_groups_of, packed
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import rows_of, survivors
from lakemuster.planner.scan.spec_index import PackFiles
from lakemuster.predicates import Bound


@dataclass(frozen=True, slots=True)
class Splitting:
    """How files are packed into splits; both in bytes."""

    target_size: int
    open_file_cost: int


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
    if splits is None and not goes_by_splits(scan):
        yield from rows_of(scan, bound, added_in, start, end)
        return
    files = chosen(scan, bound)
    for candidate in survivors(scan, bound).candidates(scan):
        number = candidate.number
        if number < start.part or (end is not None and (number, 0) >= end):
            continue
        own = files.of_part(number)
        rows = files.row[own]
        if splits is not None:
            of = splits_of(scan, bound, splits.splitting)[own]
            rows = rows[(of >= splits.first) & (of < splits.end)]
        if number == start.part:
            rows = rows[np.searchsorted(rows, start.offset) :]
        if end is not None and number == end.part:
            rows = rows[: np.searchsorted(rows, end.offset)]
        if len(rows):
            yield candidate.files(rows)


def goes_by_splits(scan: ScanIndex) -> bool:
    """Tell whether files are read together, so that a part of a plan is a range of splits and not of entries."""
    return isinstance(scan.reading, PaimonReading) and scan.reading.merges


def splits_of(scan: ScanIndex, bound: Bound, splitting: Splitting) -> Ints:
    """Return the (N,) split of each file of :func:`chosen`."""
    return packed(scan, bound, splitting.target_size, splitting.open_file_cost)


def numbers_after(scan: ScanIndex, bound: Bound, splitting: Splitting | None) -> dict[str, int]:
    """Return the first section and split numbers that a plan does not use, by column."""
    reading = scan.reading
    assert isinstance(reading, PaimonReading)
    found: dict[str, int] = {}
    if not len(chosen(scan, bound).row):
        return found
    if reading.merges or splitting is not None:
        found["section"] = int(merge_groups_of(scan, bound).section.max(initial=NONE)) + 1
    if splitting is not None:
        found["split"] = int(splits_of(scan, bound, splitting).max(initial=NONE)) + 1
    return found


def with_details(
    scan: ScanIndex, bound: Bound, splitting: Splitting | None, numbers: Ints, rows: Ints, entries: pa.Table
) -> pa.Table:
    """Add to the entries of chosen files the columns that the plan computes.

    Args:
        numbers: (N,) the entries' parts.
        rows: (N,) their positions in the manifests.
        entries: the N entries.
    """
    count = len(rows)
    columns: dict[str, pa.Array] = {
        "raw_convertible": pa.repeat(pa.scalar(True), count),
        "section": pa.nulls(count, pa.int64()),
        "deletion_vector": pa.nulls(count, PLANNED["deletion_vector"]),
        "split": pa.nulls(count, pa.int64()),
    }
    reading = scan.reading
    assert isinstance(reading, PaimonReading)
    if reading.merges or splitting is not None:
        files = chosen(scan, bound)
        place = files.places(numbers, rows)
        order = merge_groups_of(scan, bound)
        columns["raw_convertible"] = pa.array(order.raw_convertible[place])
        section = order.section[place]
        columns["section"] = pa.array(section, mask=section == NONE)
        if splitting is not None:
            columns["split"] = pa.array(splits_of(scan, bound, splitting)[place])
    if scan.vectors is not None:
        columns["deletion_vector"] = scan.vectors.match(entries)
    for name, values in columns.items():
        entries = entries.append_column(pa.field(name, PLANNED[name]), values.cast(PLANNED[name]))
    return entries
