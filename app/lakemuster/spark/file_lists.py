"""The files that a query must read, as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.client import Client
from lakemuster.client.choices import Where
from lakemuster.spark.frames import frame, without_voids

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def files(
    spark: SparkSession,
    uri: str,
    table: str,
    where: Where = None,
    *,
    nan: str | None = None,
    stats: Iterable[str] | None = None,
    snapshot_id: int | str | None = None,
    ref: str | None = None,
    as_of: datetime | str | None = None,
    token: str | None = None,
) -> DataFrame:
    """Return the files that a query must read: one row per data file, with the columns of the server's plans.

    ``deletes`` are the delete files that apply to the file, as structs of their columns (one that applies to several
    files is repeated in each row); Paimon's ``deletion_vector`` is a struct. ``residual`` is the condition that still
    has to be evaluated on the file's rows. All rows are of one snapshot.

    Args:
        where: what rows must match: a SQL condition, or an Iceberg expression as a dictionary.
        nan: what comparisons with NaN mean, as for :meth:`Table.plan`; Spark's own meaning is ``greatest``.
        stats: columns whose statistics to show; ``["*"]`` for all.
        snapshot_id, ref, as_of: which snapshot, at most one of the three; the current one otherwise.
        token: a bearer token, for servers that require one; it stays on the driver.

    Raises:
        ClientError: the server refused or failed, or its response is incomplete; a partial list is never returned.
    """
    with Client(uri, token) as client:
        plan = client.table(table).plan(
            where, nan=nan, stats=stats, snapshot_id=snapshot_id, ref=ref, as_of=as_of, page_size=1
        )
        return frame(spark, with_deletes(plan.to_arrow(), plan.deletes_to_arrow()))


_OF_DELETES = (
    "content", "file_path", "file_format", "spec_id", "partition", "record_count", "file_size_in_bytes", "snapshot_id",
    "sequence_number", "file_sequence_number", "equality_ids", "referenced_data_file", "content_offset",
    "content_size_in_bytes", "split_offsets", "key_metadata",
)  # fmt: skip


def with_deletes(files: pa.Table, deletes: pa.Table) -> pa.Table:
    """Replace the indices in ``files.deletes`` with the rows of ``deletes`` that they refer to."""
    at = files.schema.get_field_index("deletes")
    places = files.column(at).combine_chunks()
    deletes = without_voids(deletes.select([name for name in _OF_DELETES if name in deletes.column_names]))
    rows = deletes.take(pc.list_flatten(places)).combine_chunks()
    structs = pa.StructArray.from_arrays([column.combine_chunks() for column in rows.columns], fields=list(rows.schema))
    lengths = pc.fill_null(pc.list_value_length(places), 0)
    offsets = pc.cumulative_sum(pa.concat_arrays([pa.array([0], lengths.type), lengths]))
    return files.set_column(at, "deletes", pa.ListArray.from_arrays(offsets, structs))
