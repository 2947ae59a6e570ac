"""Convert a column of a file to the table's current type of the column with the same field id.

Source: Paimon's ``SchemaEvolutionUtil``.
"""

from __future__ import annotations

import pyarrow as pa

from lakemuster.metadata.types import Field, ListType, MapType, Primitive, StructType, Type
from lakemuster.spark.reading.paimon.arrays import list_of, map_of, struct_of
from lakemuster.spark.reading.paimon.casts import cast_primitive
from lakemuster.spark.reading.paimon.schemas import is_multiset, spark_type


class NoCast(Exception):
    """An unsupported change of type."""


def check_evolution(source: Type, target: Type) -> None:
    """Check that :func:`evolved` supports the change of type.

    Raises:
        NoCast: it does not.
    """
    evolved(pa.nulls(0, spark_type(source)), source, target)


def evolved(values: pa.Array, source: Type, target: Type) -> pa.Array:
    """Cast a file's column to the table's column with the same field id.

    Args:
        values: in the Spark form of ``source``.

    Raises:
        NoCast: Paimon does not cast between the types, or its cast is not supported here.
        NotCastable: a value cannot be cast.
    """
    if source.text == target.text and not isinstance(source, StructType | ListType | MapType):
        return values
    match source, target:
        case StructType(), StructType():
            own = {field.field_id: (place, field) for place, field in enumerate(source.fields)}
            members = {field.name: _member(values, own.get(field.field_id), field) for field in target.fields}
            return struct_of(values, target.fields, members)
        case ListType(), ListType() if is_multiset(source) == is_multiset(target):
            if is_multiset(source):
                return map_of(
                    values, target, evolved(values.keys, source.element.type, target.element.type), values.items
                )
            return list_of(values, target, evolved(values.values, source.element.type, target.element.type))
        case MapType(), MapType():
            if source.key.type.text != target.key.type.text:
                raise NoCast(f"{source.text} to {target.text}")
            items = evolved(values.items, source.value.type, target.value.type)
            return map_of(values, target, evolved(values.keys, source.key.type, target.key.type), items)
        case Primitive(), Primitive():
            cast = cast_primitive(values, source, target)
            if cast is not None:
                return cast
    raise NoCast(f"{source.text} to {target.text}")


def _member(values: pa.StructArray, own: tuple[int, Field] | None, field: Field) -> pa.Array:
    if own is None:
        return pa.nulls(len(values), spark_type(field.type))
    place, source = own
    return evolved(values.field(place), source.type, field.type)
