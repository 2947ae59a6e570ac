"""JSON models of the figures of a snapshot's files."""

from __future__ import annotations

from pydantic import Field

from lakemuster.wire.model import Id, InstantText, Long, SingleValue, WireModel
from lakemuster.wire.native.pages import SnapshotListPage
from lakemuster.wire.native.plans import NotAppliedOut
from lakemuster.wire.native.rows import Integer, Values


class TotalsOut(WireModel):
    """Sums over data files. A file without a recorded number adds nothing to its sum."""

    data_files: int
    records: Long
    bytes: Long
    files_without_records: int = Field(description="Data files whose rows are not recorded; usually 0.")
    files_without_size: int = Field(description="Data files whose bytes are not recorded; usually 0.")


class SizeBucketOut(WireModel):
    """The data files of `from_bytes` to less than `to_bytes` bytes."""

    from_bytes: Long
    to_bytes: Long
    files: int
    bytes: Long


class SmallFilesOut(WireModel):
    """The data files that are small beside the table's target size."""

    files: int
    bytes: Long
    target_bytes: Long = Field(description="Size that the table's data files should have.")
    least_bytes: Long = Field(description="A file with fewer bytes is small.")
    rule: str = Field(
        examples=["smaller than 75 % of 536870912 bytes: the default of write.target-file-size-bytes"],
        description="How `least_bytes` follows from the target, and where the target is from.",
    )


class QuantilesOut(WireModel):
    """Quantiles by nearest rank: each is one of the numbers."""

    min: Long
    p50: Long
    p90: Long
    p99: Long
    max: Long


class PartitionFiguresOut(WireModel):
    """The partitions that have data files, as distributions. Partitions of different specs are different ones."""

    count: int = Field(description="Number of partitions; an unpartitioned table has one.")
    files: QuantilesOut | None = Field(description="Data files of a partition; null without data files.")
    bytes: QuantilesOut | None = Field(description="Bytes of a partition's data files; null without data files.")


class _Sums(WireModel):
    files: int
    records: Long
    bytes: Long


class FormatFilesOut(_Sums):
    """The data files of one file format."""

    file_format: str | None = Field(description="In lower case; null if not known.")


class SpecFilesOut(_Sums):
    """The data files of one partition spec."""

    spec_id: int


class SortOrderFilesOut(_Sums):
    """The data files of one sort order."""

    sort_order_id: int | None = Field(description="0 is the order of unsorted files; null if not recorded.")


class LevelFilesOut(_Sums):
    """The data files of one level of the merge trees."""

    level: int | None


class DeleteKindOut(WireModel):
    """Delete files of one kind."""

    count: int = Field(description="Entries: delete files, or deletion vectors, several of which may share a file.")
    files: int = Field(description="Distinct files.")
    records: Long | None = Field(
        description="Rows of the files, or rows that the vectors delete; null if some are not recorded."
    )
    bytes: Long = Field(description="Bytes of the files, or of the vectors within theirs.")


class DeletesByKindOut(WireModel):
    """Delete files by kind."""

    position_deletes: DeleteKindOut
    equality_deletes: DeleteKindOut
    deletion_vectors: DeleteKindOut


class RowsDeletedOut(WireModel):
    """How many rows of the data files are deleted: exactly, or between two limits."""

    lower: Long
    upper: Long | None = Field(description="Null if there is no limit, since rows of a data file are not recorded.")
    exact: bool = Field(description="Whether `lower` and `upper` are the number.")
    reason: str = Field(description="Why the number is exact, or why it is not.")


class DeletesOut(DeletesByKindOut):
    """The delete files of the snapshot; with a filter, those that apply to the data files."""

    data_files: int = Field(description="Data files that delete files apply to.")
    rows_deleted: RowsDeletedOut
    dangling: DeletesByKindOut | None = Field(
        description="Live delete files that apply to no live data file. Null with a filter, and for tables that read "
        "partitions of a second branch."
    )


class SortedRunsOut(WireModel):
    """The sorted runs of buckets: each file on level 0, and each higher level that has files."""

    buckets: int = Field(description="Buckets of partitions that have data files.")
    per_bucket: QuantilesOut | None


class MergingOut(WireModel):
    """The files that a read merges with others; the rest it reads alone."""

    files: int
    records: Long
    bytes: Long
    sections: int = Field(description="Groups of files that are merged with each other.")
    unread_files: int = Field(description="Live data files that a read leaves out, such as those not compacted yet.")
    delete_rows: Long | None = Field(description="Rows of data files that delete a key; null if not recorded.")


class StatsOut(WireModel):
    """The figures of the data files of a snapshot, and of the delete files that apply to them."""

    snapshot_id: Id | None = Field(description="Null for a table without snapshots.")
    computed_at: InstantText = Field(
        description="Time when the figures were computed, RFC 3339. Those of one snapshot never change."
    )
    stale: str | None = Field(
        description="Why the figures are not of the table's newest state; null if they are, or if the request pins a "
        "snapshot."
    )
    not_applied: list[NotAppliedOut] | None = Field(
        description="With a filter: its conjuncts that cannot prune. The figures are of files that may hold matches."
    )
    totals: TotalsOut
    file_size_histogram: list[SizeBucketOut] = Field(
        description="Data files by size, in powers of two; without gaps from the smallest file to the largest."
    )
    small_files: SmallFilesOut | None = Field(description="Null if the table's format has no target size.")
    partitions: PartitionFiguresOut
    file_formats: list[FormatFilesOut]
    specs: list[SpecFilesOut]
    sort_orders: list[SortOrderFilesOut]
    deletes: DeletesOut
    levels: list[LevelFilesOut] | None = Field(description="Paimon: data files by level.")
    sorted_runs: SortedRunsOut | None = Field(description="Paimon tables with a primary key.")
    merging: MergingOut | None = Field(description="Paimon: the files that a read merges.")


class OverlapOut(WireModel):
    """How many live data files' bounds contain a value, counted at the lower bound of each file.

    Files without bounds count at every value, files that hold only nulls at none.
    """

    samples: int = Field(description="Files with a lower bound.")
    unbounded_files: int = Field(description="Files without any bound; they count at every value.")
    mean: float | None = Field(description="Mean over the samples; null without samples, as are the next ones.")
    p99: int | None = Field(description="99th percentile of the samples, by nearest rank.")
    max: int | None
    max_at: SingleValue = Field(description="The least sampled value at which `max` files overlap.")


class ColumnOut(WireModel):
    """What the live data files of a snapshot record of a column. Each count comes with how many files it is of."""

    column: str = Field(description="Full name: `a`, `place.lat`, `tags.element`, `m.key`.")
    field_id: int
    type: str = Field(description="Name of the type in the table's own format.")
    files: Integer = Field(description="Live data files.")
    value_files: Integer = Field(description="Files that may hold a value that is neither null nor NaN.")
    value_count: Integer | None = Field(description="Values, null and NaN included; null if no file records it.")
    value_count_files: Integer
    null_count: Integer | None
    null_count_files: Integer
    nan_count: Integer | None
    nan_count_files: Integer
    column_size: Integer | None = Field(description="Bytes of the column.")
    column_size_files: Integer
    lower_bound: SingleValue = Field(description="The least lower bound; null if no file records one.")
    lower_bound_files: Integer
    upper_bound: SingleValue = Field(description="The greatest upper bound; null if no file records one.")
    upper_bound_files: Integer
    bounds_hold: bool = Field(
        description="Whether all files that may hold a value record both bounds, so that every value that is neither "
        "null nor NaN is between `lower_bound` and `upper_bound`. Bounds need not be values of the column."
    )
    overlap: OverlapOut | None = Field(description="Null for types without an order.")


class ColumnsPage(SnapshotListPage):
    """A page of a snapshot's columns, in the order of the schema."""

    columns: list[ColumnOut]


class PartitionOverlapOut(WireModel):
    """How many data files of a partition contain a value of the column, counted at the lower bound of each file."""

    partition: Values
    spec_id: int
    file_count: Integer = Field(description="Live data files.")
    samples: Integer = Field(description="Files with a lower bound.")
    unbounded_files: Integer = Field(
        description="Files without any bound that may hold a value; they count at every value."
    )
    mean: float | None = Field(description="Mean over the samples; null without samples, as is `max`.")
    max: Integer | None


class OverlapPage(SnapshotListPage):
    """A page of partitions with the overlap of their files."""

    overlap: list[PartitionOverlapOut]


class BoundsGroupOut(WireModel):
    """Files that follow each other in the order of their lower bounds."""

    files: int
    kept: int = Field(description="Files of the filter's plan. Of files with equal bounds, the first ones count.")
    lower_bound: SingleValue = Field(description="The least lower bound.")
    last_lower_bound: SingleValue = Field(description="The greatest lower bound.")
    median_upper_bound: SingleValue = Field(description="Median of the upper bounds, by nearest rank.")
    upper_bound: SingleValue = Field(description="The greatest upper bound.")


class BoundsOut(WireModel):
    """The live data files of a snapshot as intervals of a column, in groups of equally many files."""

    column: str
    type: str = Field(description="Name of the type in the table's own format.")
    snapshot_id: Id | None = Field(description="Null for a table without snapshots.")
    stale: str | None = Field(
        description="Why it is not of the table's newest state; null if it is, or if the request pins a snapshot."
    )
    files: int = Field(description="Live data files.")
    kept_files: int = Field(description="Those of the filter's plan; all without a filter.")
    open_files: int = Field(description="Files that lack a bound, and may hold any value on its side; in no group.")
    kept_open_files: int
    empty_files: int = Field(
        description="Files that hold only nulls and NaN, or whose bounds are the wrong way round; in no group."
    )
    kept_empty_files: int
    groups: list[BoundsGroupOut] = Field(
        description="The files with both bounds, in the order of their lower bounds. A group has one file where there "
        "are no more files than groups."
    )
