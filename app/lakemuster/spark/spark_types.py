"""Convert Arrow types to Spark types, independent of the session's timestamp settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from lakemuster.spark.reading.variants import is_variant

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType


def struct_type(
    schema: pa.Schema | pa.StructType, comments: Mapping[str, str] | None = None, *, keeps_required: bool = False
) -> StructType:
    """Return the Spark schema of Arrow columns.

    Timestamps with a zone are ``timestamp``, those without ``timestamp_ntz``.

    Args:
        comments: the fields' comments, by dotted path.
        keeps_required: keep required fields required; otherwise every field becomes nullable.

    Raises:
        TypeError: Spark has no such type.
    """
    return _Conversion(comments or {}, keeps_required).struct(schema, "")


class _Conversion:
    def __init__(self, comments: Mapping[str, str], keeps_required: bool) -> None:
        self._comments = comments
        self._keeps_required = keeps_required

    def struct(self, of: pa.Schema | pa.StructType, above: str) -> StructType:
        from pyspark.sql import types as spark_types  # noqa: PLC0415

        fields = []
        for field in of:
            path = above + field.name
            metadata = {"comment": self._comments[path]} if path in self._comments else None
            made = self._type(field.type, path)
            fields.append(spark_types.StructField(field.name, made, self._is_nullable(field), metadata))
        return spark_types.StructType(fields)

    def _is_nullable(self, field: pa.Field) -> bool:
        return field.nullable or not self._keeps_required

    def _type(self, of: pa.DataType, path: str) -> DataType:
        # PySpark's own conversion applies the session's setting to timestamps without a zone.
        from pyspark.sql import types as spark_types  # noqa: PLC0415

        if is_variant(of):
            return _of_name("VariantType", of)  # Spark 4.0 or newer
        if pa.types.is_struct(of):
            return self.struct(of, f"{path}.")
        if pa.types.is_list(of):
            inner = self._type(of.value_type, f"{path}.element")
            return spark_types.ArrayType(inner, self._is_nullable(of.value_field))
        if pa.types.is_map(of):
            key, value = self._type(of.key_type, f"{path}.key"), self._type(of.item_type, f"{path}.value")
            return spark_types.MapType(key, value, self._is_nullable(of.item_field))
        if pa.types.is_decimal(of):
            return spark_types.DecimalType(of.precision, of.scale)
        if pa.types.is_timestamp(of):
            return spark_types.TimestampNTZType() if of.tz is None else spark_types.TimestampType()
        return _of_name(_SIMPLE.get(of, ""), of)


def _of_name(name: str, of: pa.DataType) -> DataType:
    from pyspark.sql import types as spark_types  # noqa: PLC0415

    if not hasattr(spark_types, name):
        raise TypeError(f"no Spark type for {of}")
    simple: DataType = getattr(spark_types, name)()
    return simple


_SIMPLE = {
    pa.bool_(): "BooleanType",
    pa.int8(): "ByteType",
    pa.int16(): "ShortType",
    pa.int32(): "IntegerType",
    pa.int64(): "LongType",
    pa.float32(): "FloatType",
    pa.float64(): "DoubleType",
    pa.string(): "StringType",
    pa.large_string(): "StringType",
    pa.binary(): "BinaryType",
    pa.large_binary(): "BinaryType",
    pa.date32(): "DateType",
    pa.null(): "NullType",
}
