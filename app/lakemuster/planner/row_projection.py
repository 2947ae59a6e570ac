"""Which columns a list of entries shows, and how one manifest's segment becomes rows of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from lakemuster.index.segments import Segment
from lakemuster.index.snapshots import ManifestRecord
from lakemuster.planner.view import View


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a caller wants of each entry.

    Attributes:
        status: the entry's status, and deleted entries with it; otherwise live files only.
        statistics: field ids to show statistics of; None for all columns.
        raw: bounds as recorded, beside the typed ones.
        manifest: the location of the entry's manifest.
        contents: the contents to keep (``data``, ``position-deletes`` …); None for all.
        planned: what a plan says of a file, beside its entry (Paimon).
        branch: the branch of a file, where it is not the one that was asked for (Paimon).
    """

    status: bool = False
    statistics: frozenset[int] | None = frozenset()
    raw: bool = False
    manifest: bool = False
    contents: frozenset[str] | None = None
    planned: bool = False
    branch: bool = False


@dataclass(frozen=True, slots=True)
class ManifestPart:
    """One manifest of a snapshot; ``first_row`` is where its entries begin among those of all manifests."""

    manifest: ManifestRecord
    first_row: int = field(default=0)


class RowProjection(Protocol):
    """A list's columns for one format: two implementations, file for file."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the whole list."""
        ...

    def columns(self, present: Sequence[str]) -> list[str]:
        """Of a segment's columns, those that this list needs."""
        ...

    def keep(self, view: View, part: ManifestPart, table: pa.Table) -> pa.Array | None:
        """A mask of the rows that belong to the list; None for all."""
        ...

    def rows(self, part: ManifestPart, table: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
        """Rows of the list from kept entries of a segment."""
        ...

    def takes_whole(self, view: View, part: ManifestPart, segment: Segment) -> bool:
        """Whether all of a segment's entries surely belong to the list, and none inherits by what stands before it."""
        ...

    def whole(self, part: ManifestPart, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Rows of the list from a batch of a segment of which :meth:`takes_whole` is true: prepared, all kept."""
        ...

    def decided_by(self, part: ManifestPart) -> Hashable | None:
        """What rows of :meth:`whole` depend on, beside the batch; None where that is too much to keep them."""
        ...

    def prepare(self, part: ManifestPart, table: pa.Table) -> pa.Table:
        """Fill in what entries inherit from their manifest; sees all of its entries."""
        ...
