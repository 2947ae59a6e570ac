"""Convert Arrow tables to DataFrames, with types that every supported version of Spark has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lakemuster.spark.spark_types import struct_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def frame(spark: SparkSession, table: pa.Table) -> DataFrame:
    """Return a DataFrame of the rows of ``table``, after :func:`without_voids` and :func:`fitted`.

    Timestamps with a zone are ``timestamp``, those without ``timestamp_ntz``, independent of the session's settings.
    """
    import pyspark  # noqa: PLC0415

    table = fitted(without_voids(table))
    schema = struct_type(table.schema)
    if int(pyspark.__version__.partition(".")[0]) >= 4:
        return spark.createDataFrame(table, schema)
    return spark.createDataFrame(rows(table), schema)


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """Return the rows as tuples, structs and maps as dictionaries, for Spark versions that take no Arrow tables."""
    columns = [column.to_pylist(maps_as_pydicts="strict") for column in table.columns]
    return list(zip(*columns, strict=True)) if columns else []


def fitted(table: pa.Table) -> pa.Table:
    """Cast the table to types that Spark has.

    Times of day and nanosecond timestamps become strings, fixed-size binary becomes binary; other types stay.
    """
    return table.cast(pa.schema([field.with_type(_fitted(field.type)) for field in table.schema]))


def without_voids(table: pa.Table) -> pa.Table:
    """Drop structs without members, which Spark cannot store: ``partition`` of an unpartitioned table."""
    return table.select(
        [field.name for field in table.schema if not pa.types.is_struct(field.type) or field.type.num_fields]
    )


def _fitted(of: pa.DataType) -> pa.DataType:
    if pa.types.is_time(of) or (pa.types.is_timestamp(of) and of.unit == "ns"):
        return pa.string()
    if pa.types.is_fixed_size_binary(of):
        return pa.binary()
    if pa.types.is_struct(of):
        return pa.struct([field.with_type(_fitted(field.type)) for field in of])
    if pa.types.is_map(of):
        return pa.map_(_fitted(of.key_type), _fitted(of.item_type))
    if pa.types.is_list(of):
        return pa.list_(of.value_field.with_type(_fitted(of.value_type)))
    return of
