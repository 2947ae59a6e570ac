"""Convert partition tuples to typed columns, by partition field id.

Values have the result type of their field's transform. Writers differ in how they store it
(``day`` as int or date, timestamps with and without their logical type), so the Avro column is
converted where that cannot change a value, and otherwise left unchanged.

Source: Iceberg spec, "Partition Transforms".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.types as kinds

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg.avro_fields import Member
from lakemuster.metadata.files import column, typed_field
from lakemuster.metadata.partition import UNKNOWN, PartitionField, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Primitive, arrow_type

_NAMES = {
    pa.bool_(): "boolean",
    pa.int32(): "int",
    pa.int64(): "long",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.date32(): "date",
    pa.time64("us"): "time",
    pa.timestamp("ms"): "timestamp",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("ns"): "timestamp_ns",
    pa.string(): "string",
    pa.binary(): "binary",
}
_UNITS = ("s", "ms", "us", "ns")


def partition_columns(
    tuples: Callable[[str], pa.Array | None],
    record: Member,
    fields: Mapping[int, PartitionField],
    schemas: Sequence[Schema],
) -> Iterator[tuple[pa.Field, pa.Array]]:
    """Yield one column per partition field that has a value.

    Args:
        tuples: gives the Avro column of a member by its name in the file.
        record: the Avro record of the tuple.
        fields: the known partition fields, by id.
        schemas: for the types of source columns, the preferred one first.

    Raises:
        MetadataCorrupt: a time outside of the day, or a decimal with more digits than its type has.
    """
    by_name = {field.name: field.field_id for field in reversed(list(fields.values()))}
    for member in record.members:
        field_id = by_name.get(member.name) if member.field_id is None else member.field_id
        stored = tuples(member.name)
        if field_id is None or stored is None:
            continue
        field = fields.get(field_id)
        values, text = typed(stored, UNKNOWN if field is None else result_type(field, tuple(schemas)))
        _check_range(values, member.name)
        if values.null_count < len(values):
            yield typed_field(column("partition", field_id), values.type, text), values


def _check_range(values: pa.Array, name: str) -> None:
    if kinds.is_time(values.type) or kinds.is_decimal(values.type):
        try:
            values.validate(full=True)
        except pa.ArrowInvalid as cause:
            raise MetadataCorrupt(f"a value of partition field {name} is out of its type's range") from cause


def typed(values: pa.Array, of: Primitive) -> tuple[pa.Array, str]:
    """Convert values to the Arrow type of ``of`` if possible; return them with the name of their type."""
    target = arrow_type(of)
    if target is not None:
        try:
            return _convert(values, target), of.text
        except (pa.ArrowException, TypeError):
            pass
    return values, _name(values.type)


def _convert(values: pa.Array, target: pa.DataType) -> pa.Array:
    source = values.type
    if source == target:
        return values
    if kinds.is_integer(source) and kinds.is_temporal(target):
        return values.cast(pa.int32() if target.bit_width == 32 else pa.int64()).view(target)
    if kinds.is_timestamp(source) and kinds.is_timestamp(target):
        if _UNITS.index(source.unit) > _UNITS.index(target.unit):
            raise TypeError("a finer unit than the type's")
        return values.cast(pa.timestamp(target.unit)).view(target)
    if _widens(source, target):
        return values.cast(target)
    raise TypeError(f"{source} is not stored for {target}")


def _widens(source: pa.DataType, target: pa.DataType) -> bool:
    if kinds.is_decimal128(source) and kinds.is_decimal128(target):
        return bool(source.scale == target.scale)
    return (
        (kinds.is_integer(source) and kinds.is_integer(target))
        or (kinds.is_float32(source) and kinds.is_float64(target))
        or (kinds.is_date32(source) and kinds.is_timestamp(target) and target.tz is None)
        or (kinds.is_date32(source) and kinds.is_int32(target))
        or (kinds.is_binary(source) and kinds.is_string(target))
        or (kinds.is_fixed_size_binary(source) and kinds.is_binary(target))
        or (kinds.is_binary(source) and kinds.is_fixed_size_binary(target) and not kinds.is_decimal(target))
    )


def _name(of: pa.DataType) -> str:
    if kinds.is_decimal128(of):
        return f"decimal({of.precision}, {of.scale})"
    if kinds.is_fixed_size_binary(of):
        return f"fixed[{of.byte_width}]"
    return _NAMES.get(of, str(of))
