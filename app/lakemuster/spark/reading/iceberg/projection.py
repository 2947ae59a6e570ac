"""Project a file's columns to a table's, by field id at every nesting level; missing fields are filled in.

There are two steps: :func:`leaves_of` selects the leaves to read, and :func:`projection` returns functions that turn
the batches read into columns of the table. Both raise errors before a row is read.

Source: Iceberg spec, "Column Projection", "Default values".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from lakemuster.metadata.types import Field, ListType, MapType, Primitive, StructType
from lakemuster.spark.reading.iceberg.casts import IncompatibleTypeError, cast
from lakemuster.spark.reading.iceberg.defaults import NoValueError, missing_value
from lakemuster.spark.reading.iceberg.file_columns import FileColumn, is_list
from lakemuster.spark.reading.iceberg.schema import UnknownTypeError, arrow_field, arrow_type

Convert = Callable[[pa.Array], pa.Array]
Column = Callable[[pa.RecordBatch], pa.Array]
Constants = Mapping[int, object]
"""Constant values of fields in a file, by field id: identity partition values, as Python values."""


class NotProjectedError(Exception):
    """A file's columns cannot be projected to a table's column; the message is human-readable."""


def leaves_of(fields: Sequence[Field], columns: Sequence[FileColumn]) -> set[int]:
    """Return the leaves of a file that must be read for the fields."""
    found: set[int] = set()
    for field in fields:
        column = _by_id(columns, field.field_id)
        if column is not None:
            found |= _leaves(field, column)
    return found


def _leaves(field: Field, column: FileColumn) -> set[int]:
    match field.type:
        case StructType(fields=fields):
            # If the file has none of the requested members, read any one: it tells which structs are null.
            return leaves_of(fields, column.children) or set(list(column.leaves)[:1])
        case ListType(element=element) if column.children:
            return _leaves(element, column.children[0])
        case MapType(key=key, value=value) if len(column.children) == 2:
            return _leaves(key, column.children[0]) | _leaves(value, column.children[1])
    return set(column.leaves)


def projection(fields: Sequence[Field], columns: Sequence[FileColumn], constants: Constants) -> tuple[Column, ...]:
    """Return, for each field, a function that makes its column from a batch with the columns ``columns``.

    Raises:
        NotProjectedError: a column's type cannot be promoted, or a required column is missing and has no default.
    """
    return tuple(_top(field, columns, constants) for field in fields)


def _top(field: Field, columns: Sequence[FileColumn], constants: Constants) -> Column:
    column = _by_id(columns, field.field_id)
    if column is None:
        fill = _missing(field, constants, field.name)
        return lambda batch: fill(batch.num_rows)
    convert = _convert(field, column, constants, field.name)
    place = list(columns).index(column)
    return lambda batch: convert(_storage(batch.column(place)))


def _by_id(columns: Sequence[FileColumn], field_id: int) -> FileColumn | None:
    found = [column for column in columns if column.field_id == field_id]
    if len(found) > 1:
        raise NotProjectedError(f"its columns {found[0].name} and {found[1].name} are both field {field_id}")
    return found[0] if found else None


def _missing(field: Field, constants: Constants, path: str) -> Callable[[int], pa.Array]:
    try:
        value = missing_value(field, constants)
        return lambda length: pa.nulls(length, value.type) if not value.is_valid else pa.repeat(value, length)
    except (NoValueError, UnknownTypeError, pa.ArrowException, ValueError, TypeError) as cause:
        raise NotProjectedError(f"column {path} is not in the file: {cause}") from cause


def _convert(field: Field, column: FileColumn, constants: Constants, path: str) -> Convert:
    of, source = field.type, column.type
    try:
        match of:
            case Primitive():
                convert = cast(source, of)
                return lambda array: _named(convert, array, path)
            case StructType() if pa.types.is_struct(source):
                return _struct(of, column, constants, path)
            case ListType(element=element) if is_list(source):
                inner = _convert(element, column.children[0], constants, f"{path}.element")
                target = arrow_type(of)
                return lambda array: _list(array, inner, target)
            case MapType(key=key, value=value) if pa.types.is_map(source):
                keys = _convert(key, column.children[0], constants, f"{path}.key")
                values = _convert(value, column.children[1], constants, f"{path}.value")
                target = arrow_type(of)
                return lambda array: _map(array, keys, values, target)
    except IncompatibleTypeError as cause:
        raise NotProjectedError(f"column {path} has another type: {cause}") from cause
    except UnknownTypeError as cause:
        raise NotProjectedError(f"column {path} is {cause}, which cannot be read") from cause
    raise NotProjectedError(f"column {path} has another type: it holds {source}, not {of.text}")


def _named(convert: Convert, array: pa.Array, path: str) -> pa.Array:
    try:
        return convert(array)
    except (IncompatibleTypeError, pa.ArrowException) as cause:
        raise NotProjectedError(f"column {path} holds other values than its type has: {cause}") from cause


def _struct(of: StructType, column: FileColumn, constants: Constants, path: str) -> Convert:
    if of.fields and column.children and all(child.field_id is None for child in column.children):
        raise NotProjectedError(f"column {path} has members without field ids")
    members: list[tuple[int, Convert] | Callable[[int], pa.Array]] = []
    for field in of.fields:
        child = _by_id(column.children, field.field_id)
        inside = f"{path}.{field.name}"
        if child is None:
            members.append(_missing(field, constants, inside))
        else:
            members.append((column.children.index(child), _convert(field, child, constants, inside)))
    fields = [arrow_field(field) for field in of.fields]

    def convert(array: pa.Array) -> pa.Array:
        arrays = [
            member[1](_storage(array.field(member[0]))) if isinstance(member, tuple) else member(len(array))
            for member in members
        ]
        mask = array.is_null() if array.null_count else None
        if not fields:
            return pa.array([{} if is_valid else None for is_valid in array.is_valid().to_pylist()], pa.struct([]))
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)

    return convert


def _list(array: pa.Array, element: Convert, target: pa.DataType) -> pa.Array:
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    offsets, start, end = _offsets(array)
    values = element(_storage(array.values.slice(start, end - start)))
    return pa.ListArray.from_arrays(offsets, values, type=target, mask=_mask(array))


def _map(array: pa.Array, key: Convert, value: Convert, target: pa.DataType) -> pa.Array:
    offsets, start, end = _offsets(array)
    keys = key(_storage(array.keys.slice(start, end - start)))
    values = value(_storage(array.items.slice(start, end - start)))
    return pa.MapArray.from_arrays(offsets, keys, values, type=target, mask=_mask(array))


def _offsets(array: pa.Array) -> tuple[pa.Array, int, int]:
    """Return the offsets of a list or map array, rebased to 0, and the range of its values that they cover."""
    offsets = array.offsets.to_numpy(zero_copy_only=False)
    start, end = int(offsets[0]), int(offsets[-1])
    return pa.array((offsets - start).astype(np.int32), pa.int32()), start, end


def _mask(array: pa.Array) -> pa.Array | None:
    return array.is_null() if array.null_count else None


def _storage(array: pa.Array) -> pa.Array:
    return array.storage if isinstance(array, pa.ExtensionArray) else array
