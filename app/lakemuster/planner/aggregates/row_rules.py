"""The port of table formats for aggregates: how many rows a file gives to the table, and what describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pyarrow as pa

from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.pruning.prune import Counts, FieldStats, Mask
from lakemuster.planner.scan.planned_entries import BatchFiles
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import RowNumbers
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.predicates import Bound


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """N neighbouring files of one spec that a predicate keeps.

    Attributes:
        group: the batches of segments that hold them.
        places: (N,) their places in the spec.
        entries: the columns of their entries that the rules read, as recorded.
    """

    scan: ScanIndex
    bound: Bound
    group: Sequence[BatchFiles]
    places: RowNumbers
    entries: pa.Table

    @property
    def spec(self) -> SpecIndex:
        """The files' spec."""
        return self.group[0].spec


@dataclass(frozen=True, slots=True)
class RowsGiven:
    """The numbers of rows that N files give to the table, before any predicate.

    Attributes:
        least, most: (N,) bounds; ``most`` is ``UNKNOWN`` where the file's records are.
        doubts: by reason, the mask of the files whose bounds differ for it.
    """

    least: Counts
    most: Counts
    doubts: Mapping[str, Mask] = field(default_factory=dict)

    @classmethod
    def all_of(cls, records: Counts) -> RowsGiven:
        """Return the bounds of files without deletes."""
        unknown = records < 0
        doubts = {UNCOUNTED: unknown} if unknown.any() else {}
        return cls(np.maximum(records, 0), records, doubts)


UNCOUNTED = "rows not counted"


Prover = Callable[[KeptFiles], Mask]


class RowRules(Protocol):
    """The rules of one format."""

    def columns(
        self, scan: ScanIndex, present: Iterable[str], fields: frozenset[int], proven: frozenset[int]
    ) -> list[str]:
        """Return the columns of a segment's entries that the other methods read, besides partitions.

        Args:
            fields: ids of the columns that :meth:`field` reads.
            proven: ids of the columns that the predicate's complement names.
        """
        ...

    def reads_partitions(self, scan: ScanIndex) -> bool:
        """Tell whether the other methods read all partition columns."""
        ...

    def rows(self, files: KeptFiles) -> RowsGiven:
        """Return how many rows each file gives to the table."""
        ...

    def prover(self, scan: ScanIndex, complement: Bound) -> Prover:
        """Return a function that marks the files none of whose rows satisfies a predicate's complement."""
        ...

    def field(self, files: KeptFiles, field_id: int) -> FieldStats:
        """Return a column's statistics, where they describe the rows that the files give."""
        ...


ROW_RULES: FormatRegistry[RowRules] = FormatRegistry()
