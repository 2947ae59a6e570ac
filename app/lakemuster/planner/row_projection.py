"""The columns of a list of entries, and the protocol that turns a manifest's segment into its rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import pyarrow as pa

from lakemuster.index.segments import Segment
from lakemuster.index.snapshots import ManifestRecord
from lakemuster.planner.columns import partition_names
from lakemuster.planner.view import View
from lakemuster.storage.locations import Rewrites

CONTENTS = ("data", "position-deletes", "equality-deletes")
"""The contents of files, by their codes in entries."""
BRANCH = "branch"
"""The column that shows a file's branch."""


@dataclass(frozen=True, slots=True)
class RequestedColumns:
    """The columns and entries that a caller requests.

    Attributes:
        status: show the entry's status and include deleted entries; otherwise live files only.
        statistics: field ids whose statistics are shown; None for all columns.
        raw: also show bounds as recorded.
        manifest: show the location of the entry's manifest.
        contents: the contents to include (``data``, ``position-deletes`` …); None for all.
        planned: show what a plan adds to a file's entry (Paimon).
        branch: show a file's branch where it is not the requested one (Paimon).
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
    """One manifest of a snapshot; ``first_row`` is the number of its first entry among those of all manifests."""

    manifest: ManifestRecord
    first_row: int = field(default=0)


@dataclass(frozen=True)
class ViewRows:
    """A view and the requested columns, as the projections of all formats read them."""

    view: View
    wanted: RequestedColumns

    @cached_property
    def _partition_names(self) -> dict[int, str]:
        return partition_names(self.view.metadata.specs)

    @cached_property
    def _rewrites(self) -> Rewrites:
        return Rewrites(self.view.table.rewrites)

    @property
    def _shows_statistics(self) -> bool:
        return self.wanted.statistics is None or bool(self.wanted.statistics)


class RowProjection(Protocol):
    """A list's columns for one table format."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the whole list."""
        ...

    def columns(self, present: Sequence[str]) -> list[str]:
        """Return the columns of a segment that this list needs."""
        ...

    def row_mask(self, view: View, part: ManifestPart, table: pa.Table) -> pa.Array | None:
        """Return a mask of the rows that belong to the list; None for all."""
        ...

    def rows(self, part: ManifestPart, table: pa.Table | pa.RecordBatch) -> pa.RecordBatch:
        """Build rows of the list from the entries of a segment that belong to it."""
        ...

    def takes_whole(self, view: View, part: ManifestPart, segment: Segment) -> bool:
        """Tell whether all of a segment's entries belong to the list and none inherits from the entries before it."""
        ...

    def whole(self, part: ManifestPart, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Build rows of the list from a whole batch of a segment for which :meth:`takes_whole` is true."""
        ...

    def cache_key(self, part: ManifestPart) -> Hashable | None:
        """Return the cache key for rows of :meth:`whole`, besides the batch; None where they cannot be cached."""
        ...

    def prepare(self, part: ManifestPart, table: pa.Table) -> pa.Table:
        """Fill in what entries inherit from their manifest; ``table`` holds all of its entries."""
        ...
