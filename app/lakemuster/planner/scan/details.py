"""The files of a plan in order, and what it says of Paimon's: how each is to be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakemuster.metadata.predicate import Bound
from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.rows import Position
from lakemuster.planner.scan.arranged import NONE, arranged, chosen, packed
from lakemuster.planner.scan.outline import Outline
from lakemuster.planner.scan.selection import Candidate, Rows, rows_of, survivors
from lakemuster.planner.shapes.paimon_rows import PLANNED


@dataclass(frozen=True, slots=True)
class Splitting:
    """How files are packed into splits; both in bytes."""

    target_size: int
    open_file_cost: int


def plan_rows(
    outline: Outline, bound: Bound, added_in: frozenset[int] | None, start: Position, end: Position | None
) -> Iterator[tuple[Candidate, Rows]]:
    """The files that a predicate keeps from ``start`` to before ``end``, manifest by manifest, as positions."""
    if not isinstance(outline.reading, PaimonReading) or not outline.reading.merges:
        yield from rows_of(outline, bound, added_in, start, end)
        return
    files = chosen(outline, bound)
    for candidate in survivors(outline, bound).candidates:
        number = candidate.number
        if number < start.part or (end is not None and (number, 0) >= end):
            continue
        rows = files.row[files.of_part(number)]
        if number == start.part:
            rows = rows[np.searchsorted(rows, start.offset) :]
        if end is not None and number == end.part:
            rows = rows[: np.searchsorted(rows, end.offset)]
        if len(rows):
            yield candidate, rows


def with_details(
    outline: Outline, bound: Bound, splitting: Splitting | None, number: int, rows: Rows, entries: pa.Table
) -> pa.Table:
    """Entries of a part with what the plan says of each.

    Args:
        number: of the part.
        rows: (N,) the entries' positions in the manifest.
        entries: N of them.
    """
    count = len(rows)
    columns: dict[str, pa.Array] = {
        "raw_convertible": pa.repeat(pa.scalar(True), count),
        "section": pa.nulls(count, pa.int64()),
        "deletion_vector": pa.nulls(count, PLANNED["deletion_vector"]),
        "split": pa.nulls(count, pa.int64()),
    }
    reading = outline.reading
    assert isinstance(reading, PaimonReading)
    if reading.merges or splitting is not None:
        files = chosen(outline, bound)
        own = files.of_part(number)
        place = np.searchsorted(files.row[own], rows) + own.start
        order = arranged(outline, bound)
        columns["raw_convertible"] = pa.array(order.raw_convertible[place])
        section = order.section[place]
        columns["section"] = pa.array(section, mask=section == NONE)
        if splitting is not None:
            splits = packed(outline, bound, splitting.target_size, splitting.open_file_cost)
            columns["split"] = pa.array(splits[place])
    if outline.vectors is not None:
        columns["deletion_vector"] = outline.vectors.match(entries)
    for name, values in columns.items():
        entries = entries.append_column(pa.field(name, PLANNED[name]), values.cast(PLANNED[name]))
    return entries
