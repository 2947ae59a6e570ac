"""Read the entries of a plan's files from their segments.

A few files each of many segments are gathered into one batch: later steps cost per batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from lakemuster.index.segments import BATCH_ROWS, Segment
from lakemuster.planner.scan.gathered_entries import BatchColumns, batch_columns, gathered_entries
from lakemuster.planner.scan.selection import RowNumbers
from lakemuster.planner.scan.spec_index import PackFiles, SpecIndex

FIRST_FILES, MOST_FILES = 1 << 10, 1 << 13
"""Number of files in the first batch of several segments, and the maximum for later batches, which grow."""

MANY_EACH = 48
"""Minimum files of each batch for which Arrow's ``take`` costs less than gathering column by column."""

LARGE = 1 << 9
"""Minimum average files of a group's members that stay chunks of a table, instead of being copied together."""


@dataclass(eq=False)
class LazyEntries:
    """Entries of some files, read lazily: from their segments first, then with inherited fields filled in."""

    read: Callable[[], pa.Table]
    finish: Callable[[pa.Table], pa.Table] | None = None

    @cached_property
    def recorded(self) -> pa.Table:
        """The entries as segments record them."""
        return self.read()

    @cached_property
    def table(self) -> pa.Table:
        """The entries with inherited fields."""
        return self.recorded if self.finish is None else self.finish(self.recorded)

    def slice(self, offset: int, length: int) -> LazyEntries:
        """Return some of the entries."""
        return LazyEntries(lambda: self.recorded.slice(offset, length), lambda _: self.table.slice(offset, length))


class BatchFiles(NamedTuple):
    """Some of the files that one batch of a segment holds.

    Attributes:
        segment: its name.
        batch: the number of the batch.
        first: the place of the batch's first entry, as in :attr:`SpecIndex.part_starts`.
        rows: (N,) the files' positions in the batch.
        columns: the wanted columns of the batch.
    """

    spec: SpecIndex
    segment: str
    batch: int
    first: int
    rows: RowNumbers
    columns: BatchColumns

    @property
    def places(self) -> RowNumbers:
        """(N,) the files' places."""
        return self.rows + self.first


def batch_files(found: Iterable[PackFiles], opened: Callable[[str], tuple[Segment, list[str]]]) -> Iterator[BatchFiles]:
    """Yield the entries of files, in order.

    Args:
        opened: opens a segment by its name, and returns it with the names of the wanted columns.
    """
    for spec, number, places in found:
        pack, begin = spec.packs[number], int(spec.pack_starts[number])
        first, last = np.searchsorted(pack.starts, places[[0, -1]], side="right").tolist()
        edges = np.searchsorted(places, pack.starts[first:last]).tolist()
        for of, start, end in zip(range(first - 1, last), [0, *edges], [*edges, len(places)], strict=True):
            if start == end:
                continue
            at = int(pack.starts[of])
            segment, names = opened(pack.segments[of])
            wanted = tuple(names)
            for batch, own in by_batch(places[start:end] - at, BATCH_ROWS):
                columns, rows = batch_columns(segment, batch, wanted), own - batch * BATCH_ROWS
                yield BatchFiles(spec, pack.segments[of], batch, begin + at + batch * BATCH_ROWS, rows, columns)


def grouped(found: Iterable[BatchFiles]) -> Iterator[list[BatchFiles]]:
    """Group neighbours that can be one batch: of one spec, with the same columns."""
    group: list[BatchFiles] = []
    files, enough = 0, FIRST_FILES
    schema: pa.Schema | None = None
    for member in found:
        own = member.columns.schema
        if group and (
            files + len(member.rows) > MOST_FILES or member.spec is not group[0].spec or not _are_alike(own, schema)
        ):
            yield group
            group, files = [], 0
        group.append(member)
        schema = own
        files += len(member.rows)
        if files >= enough:
            yield group
            group, files = [], 0
            enough = min(2 * enough, MOST_FILES)
    if group:
        yield group


def _are_alike(one: pa.Schema, other: pa.Schema | None) -> bool:
    return one is other or (other is not None and bool(one.equals(other, check_metadata=True)))


def entries_of(group: Sequence[BatchFiles]) -> pa.RecordBatch:
    """Concatenate the entries of all members."""
    if len(group) == 1 and (len(rows := group[0].rows) >= MANY_EACH or is_range(rows)):
        return take(group[0].columns.batch, rows)
    if sum(len(member.rows) for member in group) >= MANY_EACH * len(group):
        return pa.concat_batches([take(member.columns.batch, member.rows) for member in group])
    return gathered_entries([(member.columns, member.rows) for member in group])


def table_of(group: Sequence[BatchFiles]) -> pa.Table:
    """Return the entries of all members as a table; large members whose packs are evaluated become chunks, uncopied."""
    is_large = sum(len(member.rows) for member in group) >= LARGE * len(group)
    if is_large and group[0].spec.rules.evaluates_packs:
        return pa.Table.from_batches([take(member.columns.batch, member.rows) for member in group])
    return pa.Table.from_batches([entries_of(group)])


def by_batch(rows: RowNumbers, size: int = BATCH_ROWS) -> Iterator[tuple[int, RowNumbers]]:
    """Group ascending positions by the batch of the segment that holds them."""
    first, last = int(rows[0]) // size, int(rows[-1]) // size
    if first == last:
        yield first, rows
        return
    edges = [0, *np.searchsorted(rows, np.arange(first + 1, last + 1) * size).tolist(), len(rows)]
    for number, start, end in zip(range(first, last + 1), edges[:-1], edges[1:], strict=True):
        if start < end:
            yield number, rows[start:end]


def take(batch: pa.RecordBatch, rows: RowNumbers) -> pa.RecordBatch:
    """Return the rows at some positions, ascending."""
    return batch.slice(int(rows[0]), len(rows)) if is_range(rows) else batch.take(pa.array(rows))


def is_range(rows: RowNumbers) -> bool:
    """Tell whether ascending positions are consecutive."""
    return len(rows) == int(rows[-1]) - int(rows[0]) + 1
