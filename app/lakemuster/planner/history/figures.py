"""Count the live files of a snapshot, their records and bytes, from its manifests' entries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.caching import cached
from lakemuster.index import Index
from lakemuster.metadata.files import ADDED, DATA
from lakemuster.planner.columns import single_array
from lakemuster.planner.list_rules import LIST_RULES, row_projection_of
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.manifest_list import LIVE_ROLES, parts
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.view import View

_FIGURES_BYTES = 200
_COUNTED = ("status", "content", "record_count", "file_size_in_bytes", "content_size_in_bytes")


@dataclass(frozen=True, slots=True)
class Figures:
    """A number of files.

    Attributes:
        data_files, delete_files: each deletion vector is a delete file, even if several share one Puffin file.
        records: rows in data files, including deleted rows.
        bytes: size of all files; for a deletion vector, its own bytes in the Puffin file.
    """

    data_files: int = 0
    delete_files: int = 0
    records: int = 0
    bytes: int = 0

    def plus(self, other: Figures) -> Figures:
        """Return the sum of both."""
        return self._combined(other, 1)

    def minus(self, other: Figures) -> Figures:
        """Return the difference of both."""
        return self._combined(other, -1)

    def _combined(self, other: Figures, sign: int) -> Figures:
        return Figures(
            self.data_files + sign * other.data_files,
            self.delete_files + sign * other.delete_files,
            self.records + sign * other.records,
            self.bytes + sign * other.bytes,
        )


def counted(entries: pa.Table) -> Figures:
    """Count entries in the shape of ``metadata.files``."""
    count = entries.num_rows
    if not count:
        return Figures()
    records, sizes = single_array(entries.column("record_count")), single_array(entries.column("file_size_in_bytes"))
    if "content_size_in_bytes" in entries.column_names:
        sizes = pc.coalesce(single_array(entries.column("content_size_in_bytes")), sizes)
    if "content" in entries.column_names:
        is_data = pc.equal(pc.fill_null(single_array(entries.column("content")), DATA), DATA)
        records = records.filter(is_data)
        data = len(records)
    else:
        data = count
    return Figures(data, count - data, pc.sum(records).as_py() or 0, pc.sum(sizes).as_py() or 0)


def live_figures(index: Index, view: View) -> Figures:
    """Count the live files of a published snapshot. The figures of each manifest are cached."""
    total = Figures()
    if not LIST_RULES.of(view.table).cancels_entries:
        source = EntrySource(
            "files", index, view, parts(index, view, LIVE_ROLES), row_projection_of(view, RequestedColumns())
        )
        for part in source.parts:
            total = total.plus(_listed(source, part))
        return total
    dead = None if view.snapshot is None else view.snapshot.dead_rows
    for part in parts(index, view, LIVE_ROLES):
        total = total.plus(_added(index, view.table.incarnation, part))
        if dead is not None:
            total = total.minus(_cancelled(index, part, dead))
    return total


def _cancelled(index: Index, part: ManifestPart, dead: NDArray[np.int64]) -> Figures:
    """Count the added entries of a manifest that a snapshot cancels.

    Args:
        dead: their numbers, ascending, among the entries of all manifests of the snapshot.
    """
    rows = index.segments.open(part.manifest.segment).num_rows
    first, last = np.searchsorted(dead, (part.first_row, part.first_row + rows))
    if first == last:
        return Figures()
    return counted(_columns(index, part).take(pa.array(dead[first:last] - part.first_row)))


@cached(
    "figures",
    lambda _: _FIGURES_BYTES,
    lambda source, part: (source.index, source.view.table.incarnation, part.manifest.id),
)
def _listed(source: EntrySource, part: ManifestPart) -> Figures:
    """Count a manifest's live entries, which are the same in every snapshot."""
    return counted(source.listed(part))


@cached(
    "figures",
    lambda _: _FIGURES_BYTES,
    lambda index, incarnation, part: (index, incarnation, part.manifest.id, "added"),
)
def _added(index: Index, _incarnation: str | None, part: ManifestPart) -> Figures:
    """Count a manifest's added entries, some of which a snapshot may cancel."""
    table = _columns(index, part)
    return counted(table.filter(pc.equal(table.column("status"), ADDED)))


def _columns(index: Index, part: ManifestPart) -> pa.Table:
    segment = index.segments.open(part.manifest.segment)
    return segment.table([name for name in segment.names if name in _COUNTED])
