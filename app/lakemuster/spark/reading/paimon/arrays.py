"""Convert arrays as stored in files to Spark's form of their type.

Nested arrays are rebuilt with the members of the requested type, in its order: a member that the file does not have is
null, other members are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, Type
from lakemuster.spark.reading.int96 import instants, is_int96
from lakemuster.spark.reading.paimon.schemas import COUNT, is_multiset, spark_field, spark_type


class NotOfType(Exception):
    """Stored values do not conform to the type in the table's metadata."""


def stored(values: pa.Array, of: Type) -> pa.Array:
    """Convert a file's values to the type that the file's schema declares.

    Args:
        values: as the file's reader returns them; members of structs are found by name.
        of: the type in the file's schema.

    Raises:
        NotOfType: they cannot be values of that type.
    """
    values = _plain(values)
    if isinstance(of, Primitive):
        try:
            return _primitive(values, of)
        except (pa.ArrowException, ValueError) as error:
            raise NotOfType(f"{values.type} where {of.text} is expected") from error
    if pa.types.is_null(values.type):
        return pa.nulls(len(values), spark_type(of))
    match of:
        case StructType(fields=fields):
            _expect(pa.types.is_struct(values.type), values, of)
            members = {values.type.field(i).name: values.field(i) for i in range(values.type.num_fields)}
            return struct_of(values, fields, {field.name: _member(members, field, len(values)) for field in fields})
        case MapType(key=key, value=value):
            return _map(values, key.type, value.type, of)
        case ListType(element=element) if is_multiset(of):
            return _map(values, element.type, COUNT, of)
        case ListType(element=element):
            _expect(_is_list(values.type), values, of)
            if pa.types.is_fixed_size_list(values.type):
                values = values.cast(pa.list_(values.type.value_type))
            return list_of(values, of, stored(values.values, element.type))


def of_metadata(value: object, of: Type) -> pa.Array:
    """Return an array of one value from the metadata, such as a partition value, in Spark's form of its type.

    Raises:
        NotOfType: it cannot be a value of that type.
    """
    # Arrow would take a float of Python for a double, which is not the stored form of FLOAT.
    is_float = isinstance(of, Primitive) and of.kind is Kind.FLOAT
    return stored(pa.array([value], pa.float32() if is_float else None), of)


def without_padding(values: pa.Array, of: Type) -> pa.Array:
    """Strip the blanks with which ORC pads CHAR values, at every nesting level, as ORC's Java readers do.

    Args:
        values: as :func:`stored` returns them for the type.
    """
    if not _has_char(of):
        return values
    match of:
        case StructType(fields=fields):
            members = {
                field.name: without_padding(values.field(place), field.type) for place, field in enumerate(fields)
            }
            return struct_of(values, fields, members)
        case MapType(key=key, value=value):
            return map_of(values, of, without_padding(values.keys, key.type), without_padding(values.items, value.type))
        case ListType(element=element) if is_multiset(of):
            return map_of(values, of, without_padding(values.keys, element.type), values.items)
        case ListType(element=element):
            return list_of(values, of, without_padding(values.values, element.type))
    return pc.utf8_rtrim(values, " ")


def struct_of(values: pa.StructArray, fields: tuple[Field, ...], members: Mapping[str, pa.Array]) -> pa.StructArray:
    """Build structs of the given members, null where ``values`` are null."""
    form = [spark_field(field) for field in fields]
    if not form:
        return pa.array([None if null else {} for null in values.is_null().to_pylist()], pa.struct([]))
    children = [members[field.name] for field in fields]
    return pa.StructArray.from_arrays(children, fields=form, mask=values.is_null())


def list_of(values: pa.ListArray, of: ListType, elements: pa.Array) -> pa.ListArray:
    """Return the lists of ``values`` with ``elements`` in place of ``values.values``."""
    return pa.ListArray.from_arrays(_offsets(values), elements, type=spark_type(of), mask=values.is_null())


def map_of(values: pa.MapArray | pa.ListArray, of: MapType | ListType, keys: pa.Array, items: pa.Array) -> pa.MapArray:
    """Return the maps of ``values`` with other keys and items, which replace all of its stored ones."""
    return pa.MapArray.from_arrays(_offsets(values), keys, items, type=spark_type(of), mask=values.is_null())


def has_nulls_against(field: pa.Field, values: pa.Array) -> bool:
    """Return whether a required column, or a required field nested in it, contains nulls."""
    if values.null_count:
        if not field.nullable:
            return True
        values = values.filter(values.is_valid())
    of = field.type
    if pa.types.is_struct(of):
        return any(has_nulls_against(of.field(place), values.field(place)) for place in range(of.num_fields))
    if pa.types.is_list(of):
        return has_nulls_against(of.value_field, values.flatten())
    if pa.types.is_map(of):
        return has_nulls_against(of.key_field, _plain(values).keys) or has_nulls_against(
            of.item_field, _plain(values).items
        )
    return False


def _has_char(of: Type) -> bool:
    match of:
        case StructType(fields=fields):
            return any(_has_char(field.type) for field in fields)
        case MapType(key=key, value=value):
            return _has_char(key.type) or _has_char(value.type)
        case ListType(element=element):
            return _has_char(element.type)
    return of.text.startswith("CHAR(")


def _map(values: pa.Array, key: Type, value: Type, of: MapType | ListType) -> pa.MapArray:
    if _is_list(values.type) and pa.types.is_struct(values.type.value_type) and values.type.value_type.num_fields == 2:
        # Maps of Avro files are lists of pairs, whatever the type of their keys.
        pairs = values.values
        keys, items = stored(pairs.field(0), key), stored(pairs.field(1), value)
        return map_of(values, of, keys, items)
    _expect(pa.types.is_map(values.type), values, of)
    return map_of(values, of, stored(values.keys, key), stored(values.items, value))


def _member(members: Mapping[str, pa.Array], field: Field, count: int) -> pa.Array:
    values = members.get(field.name)
    if values is None:
        return pa.nulls(count, spark_type(field.type))
    return stored(values, field.type)


def _plain(values: pa.Array) -> pa.Array:
    """Return the values without an offset into their buffers, dictionary-decoded."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return pa.concat_arrays([values]) if values.offset else values


def _offsets(values: pa.ListArray | pa.MapArray) -> pa.Array:
    offsets = values.offsets
    return offsets if offsets.type == pa.int32() else offsets.cast(pa.int32())


def _primitive(values: pa.Array, of: Primitive) -> pa.Array:
    target = spark_type(of)
    if values.type == target and of.unit != "ns":
        return values
    if pa.types.is_timestamp(values.type) and of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
        if of.unit == "ns":
            _check_fine(values)
        return _instants(values, target)
    if is_int96(values.type) and of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
        return _instants(instants(values), target)
    if of.kind is Kind.TIME and pa.types.is_time32(values.type):
        return values.cast(pa.time32("ms")).cast(pa.int32())
    if of.kind is Kind.TIME and pa.types.is_time64(values.type):
        return values.cast(pa.time32("ms"), safe=False).cast(pa.int32())
    allowed = _STORED_AS.get(of.kind)
    if not pa.types.is_null(values.type) and (allowed is None or not allowed(values.type)):
        raise NotOfType(f"{values.type} where {of.text} is expected")
    return values.cast(target)


def _check_fine(values: pa.Array) -> None:
    """Refuse ambiguous timestamps of more than six digits.

    Paimon writes those before 1970 with negative nanoseconds of the day, which Arrow reads as unsigned numbers.
    """
    numbers = values.cast(pa.int64())
    is_moved = pc.and_(pc.greater(numbers, 2**63 // 1000), pc.less_equal(numbers, 2**64 // 1000))
    if values.type.unit == "us" and pc.any(is_moved).as_py():
        raise NotOfType("a timestamp of more than six digits before 1970, or after 2262")


def _instants(values: pa.Array, target: pa.TimestampType) -> pa.Array:
    """Convert timestamps of any unit to microseconds; the zone is the table type's, whatever the file records."""
    numbers = values.cast(pa.int64())
    if values.type.unit == "ns":
        valid = numbers.is_valid().to_numpy(zero_copy_only=False)
        floored = np.floor_divide(numbers.fill_null(0).to_numpy(zero_copy_only=False), 1000)
        numbers = pa.array(floored, pa.int64(), mask=~valid)
        return numbers.cast(target)
    return numbers.cast(pa.timestamp(values.type.unit, target.tz)).cast(target)


_STORED_AS = {
    Kind.TINYINT: pa.types.is_integer,
    Kind.SMALLINT: pa.types.is_integer,
    Kind.INT: pa.types.is_integer,
    Kind.LONG: pa.types.is_integer,
    Kind.TIME: pa.types.is_integer,
    Kind.DATE: lambda form: pa.types.is_date(form) or pa.types.is_int32(form),
    Kind.DOUBLE: pa.types.is_float32,
    Kind.DECIMAL: pa.types.is_decimal,
    Kind.STRING: lambda form: pa.types.is_large_string(form) or pa.types.is_binary(form) or _is_view(form),
    Kind.BINARY: lambda form: pa.types.is_large_binary(form) or pa.types.is_fixed_size_binary(form) or _is_view(form),
}


def _is_view(form: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(form) or pa.types.is_binary_view(form))


def _is_list(form: pa.DataType) -> bool:
    return bool(pa.types.is_list(form) or pa.types.is_large_list(form) or pa.types.is_fixed_size_list(form))


def _expect(holds: bool, values: pa.Array, of: Type) -> None:
    if not holds:
        raise NotOfType(f"{values.type} where {of.text} is expected")
