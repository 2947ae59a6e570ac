"""The rules of a table format for the rows of lists: entries, manifests, partitions, differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.index.snapshots import ManifestRecord
from lakemuster.planner.columns import single_array
from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.row_projection import RequestedColumns, RowProjection
from lakemuster.planner.view import View

ManifestColumn = tuple[pa.DataType, Callable[[ManifestRecord], object]]
"""A column of the list of manifests: its type, and its value for a manifest."""

MANIFEST_COLUMNS: Mapping[str, ManifestColumn] = {
    "manifest_length": (pa.int64(), lambda record: record.header.length),
    "content": (pa.string(), lambda record: record.header.content),
    "added_files_count": (pa.int64(), lambda record: record.header.added_files_count),
    "deleted_files_count": (pa.int64(), lambda record: record.header.deleted_files_count),
}
"""The columns that every format has."""


class PartitionUpdates(Protocol):
    """Determines the last update of each partition for the list of partitions."""

    @property
    def order_type(self) -> pa.DataType:
        """The type of the times by which updates are ordered."""
        ...

    def of(self, entries: pa.Table, times: Mapping[int, int]) -> tuple[pa.Array, pa.Array]:
        """Return the (N,) times at which N entries were added, and the (N,) ids of the snapshots that added them.

        Args:
            times: the commit time of each snapshot, in milliseconds since the Unix epoch.
        """
        ...

    def columns(self, sums: Mapping[str, pa.Array], order: pa.Array, snapshot_id: pa.Array) -> dict[str, pa.Array]:
        """Return the columns after a partition and its spec: sums, and the last update.

        Args:
            sums: the sums of files, records and bytes, by column.
            order: the time of each partition's last update.
            snapshot_id: the snapshot of that update.
        """
        ...


@dataclass(frozen=True, slots=True)
class CommitTimes:
    """Dates updates by the commits of the snapshots that added files; null where a snapshot has expired."""

    @property
    def order_type(self) -> pa.DataType:
        """The type of milliseconds since the Unix epoch."""
        return pa.int64()

    def of(self, entries: pa.Table, times: Mapping[int, int]) -> tuple[pa.Array, pa.Array]:
        """Return the entries' commit times, -1 (before all others) for expired snapshots, and their snapshot ids."""
        count = entries.num_rows
        commits = single_array(entries.column("snapshot_id")) if "snapshot_id" in entries.column_names else None
        if commits is None:
            commits = pa.nulls(count, pa.int64())
        known = pa.array(list(times), pa.int64())
        moments = pa.array(list(times.values()), pa.int64())
        return pc.fill_null(moments.take(pc.index_in(commits, value_set=known)), -1), commits

    def columns(self, sums: Mapping[str, pa.Array], order: pa.Array, snapshot_id: pa.Array) -> dict[str, pa.Array]:
        """Return all sums, the last commit's time, and its snapshot."""
        known = pc.if_else(pc.greater_equal(order, 0), order, pa.scalar(None, pa.int64()))
        updated = known.cast(pa.timestamp("ms", "UTC"))
        return {**sums, "last_updated_at": updated, "last_updated_snapshot_id": snapshot_id}


@dataclass(frozen=True, slots=True)
class ListRules:
    """The rules of one format.

    Attributes:
        row_projection: makes the row projection of a list of entries.
        manifest_columns: the columns of the list of manifests besides location and partitions, in their order; the
            first one comes before the partitions.
        cancels_entries: whether a manifest may cancel entries of another one, so that the live entries of a manifest
            differ between snapshots.
        partition_updates: determines the last updates in the list of partitions.
    """

    row_projection: Callable[[View, RequestedColumns], RowProjection]
    manifest_columns: Mapping[str, ManifestColumn] = field(default_factory=lambda: MANIFEST_COLUMNS)
    cancels_entries: bool = False
    partition_updates: PartitionUpdates = CommitTimes()


LIST_RULES: FormatRegistry[ListRules] = FormatRegistry()


def row_projection_of(view: View, wanted: RequestedColumns) -> RowProjection:
    """Return the row projection of a view's format."""
    return LIST_RULES.of(view.table).row_projection(view, wanted)
