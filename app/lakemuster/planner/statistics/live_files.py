"""Read some columns of a snapshot's live data files: of all, or of those that a predicate keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index.segments import Segment
from lakemuster.metadata.files import split_column
from lakemuster.planner.deletes.partition_keys import PartitionKeys
from lakemuster.planner.rows import START
from lakemuster.planner.scan.planned_entries import batch_files, entries_of
from lakemuster.planner.scan.planned_rows import plan_rows
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import live
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.predicates import TRUE, Bound

Columns = Callable[[Segment], Sequence[str]]
"""Selects the columns to read from a segment."""


@dataclass(frozen=True, slots=True)
class Question:
    """The files of one branch that figures are about.

    Attributes:
        bound: the predicate; None for all live files, including those that no scan reads.
        is_whole: the files are all live ones of the snapshot, so that what belongs to none of them is dangling.
    """

    scan: ScanIndex
    bound: Bound | None
    is_whole: bool

    @property
    def predicate(self) -> Bound:
        """The predicate of a scan of the files."""
        return TRUE if self.bound is None else self.bound


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The data files of one spec of a question, batch by batch, as entries in the shape of ``metadata.files``."""

    question: Question
    spec: SpecIndex
    tables: tuple[pa.Table, ...]

    @property
    def rows(self) -> int:
        """The number of files."""
        return sum(table.num_rows for table in self.tables)

    def partitions(self) -> tuple[int, NDArray[np.int64]]:
        """Return the number of partitions, and the (N,) partition of each file."""
        keys, numbers = PartitionKeys.of(self.spec.projection.spec, self.tables, self.question.scan.view.schemas)
        return keys.size, numbers


def entry_columns(own: Sequence[str]) -> Columns:
    """Return a selection of some of an entry's own columns, where a segment has them, and its partition."""

    def wanted(segment: Segment) -> list[str]:
        return [name for name in segment.names if name in own or (split_column(name) or "")[:1] == ("partition",)]

    return wanted


def files_by_spec(question: Question, wanted: Columns) -> list[SpecFiles]:
    """Read columns of the files, spec by spec."""
    found: dict[int, tuple[SpecIndex, list[pa.Table]]] = {}
    for spec, table in live_files(question, wanted):
        found.setdefault(id(spec), (spec, []))[1].append(table)
    return [SpecFiles(question, spec, tuple(tables)) for spec, tables in found.values()]


def live_files(question: Question, wanted: Columns) -> Iterator[tuple[SpecIndex, pa.Table]]:
    """Yield columns of the files in batches of one spec each, none of them empty."""
    scan, segments = question.scan, question.scan.index.segments
    if question.bound is None and not scan.rules.evaluates_packs:
        yield from _all_live(scan, wanted)
        return

    def opened(name: str) -> tuple[Segment, list[str]]:
        segment = segments.open(name)
        return segment, list(wanted(segment))

    for member in batch_files(plan_rows(scan, question.predicate, None, START, None), opened):
        yield member.spec, pa.Table.from_batches([entries_of([member])])


def _all_live(scan: ScanIndex, wanted: Columns) -> Iterator[tuple[SpecIndex, pa.Table]]:
    for spec in scan.specs:
        for part in spec.parts:
            segment = scan.index.segments.open(part.manifest.segment)
            names = list(wanted(segment))
            table = segment.table(names if "status" in names else ["status", *names])
            keep = live(scan, part, table, 0)
            if keep.any():
                yield spec, table if keep.all() else table.filter(pa.array(keep))
