"""Build structs by column name from a segment's per-field columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from uuid import UUID

import pyarrow as pa

from lakemuster.metadata.files import SPARSE, split_column, typed_field
from lakemuster.metadata.partition import PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import ListType, MapType, StructType, Type, arrow_type

COUNTS = frozenset({"value_count", "null_count", "nan_count", "column_size", "key_null_count"})


def column_name(names: Mapping[int, str], field_id: int) -> str:
    """Return a column's dotted name; ``#id`` for a field that is in no schema of the table."""
    return names.get(field_id) or f"#{field_id}"


def field_struct(
    table: pa.Table | pa.RecordBatch,
    kind: str,
    names: Mapping[int, str],
    wanted: frozenset[int] | None = None,
    unordered: frozenset[int] = frozenset(),
) -> pa.Array:
    """Build the struct of one kind of per-field columns: members named by column, in the table's types; counts int64.

    Args:
        table: entries in the shape of ``metadata.files``.
        kind: ``lower``, ``partition`` …
        names: column names by field id.
        wanted: the field ids to take; None for all.
        unordered: ids of fields whose bounds cannot be compared; their raw bounds are used.
    """
    fields, arrays = [], []
    for index, name in enumerate(table.column_names):
        split = split_column(name)
        if split is None or (wanted is not None and split[1] not in wanted):
            continue
        if split[0] != (f"{kind}_raw" if split[1] in unordered and kind in ("lower", "upper") else kind):
            continue
        values, field = single_array(table.column(index)), table.schema.field(index)
        if kind in COUNTS:
            values, field = values.cast(pa.int64()), field.with_type(pa.int64())
        fields.append(field.with_name(column_name(names, split[1])))
        arrays.append(values)
    return struct(arrays, fields, table.num_rows)


def struct(arrays: Sequence[pa.Array], fields: Sequence[pa.Field], length: int) -> pa.Array:
    """Build a struct array, also one without members."""
    if not fields:
        return pa.array([{}] * length, pa.struct([]))
    return pa.StructArray.from_arrays(list(arrays), fields=list(fields))


def single_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a table's or batch's column as one array; a single chunk is not copied."""
    if isinstance(column, pa.Array):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def repeated(value: int | str | None, kind: pa.DataType, count: int) -> pa.Array:
    """Repeat one short value or null; up to a batch's rows, as a slice of a cached array."""
    if count <= _REPEATED_ROWS:
        return _repeated(value, kind).slice(0, count)
    return pa.nulls(count, kind) if value is None else pa.repeat(pa.scalar(value, kind), count)


_REPEATED_ROWS = (1 << 13) + 1


@lru_cache(maxsize=128)
def _repeated(value: int | str | None, kind: pa.DataType) -> pa.Array:
    return pa.nulls(_REPEATED_ROWS, kind) if value is None else pa.repeat(pa.scalar(value, kind), _REPEATED_ROWS)


def sparse(name: str, kind: pa.DataType) -> pa.Field:
    """Return the field of a struct by column name whose null members mean "not recorded"."""
    return pa.field(name, kind, metadata={SPARSE: b"1"})


def statistics_type(schemas: Sequence[Schema], kind: str, wanted: frozenset[int] | None = None) -> pa.DataType:
    """Return the struct type of one statistic for all columns of all schemas, structs excepted.

    A field's name and type are those of the first schema that has it. Columns whose values cannot
    be compared have binary bounds.
    """
    seen: dict[int, pa.Field] = {}
    for schema in schemas:
        for field_id, field in schema.by_id.items():
            if (
                isinstance(field.type, StructType)
                or field_id in seen
                or (wanted is not None and field_id not in wanted)
            ):
                continue
            seen[field_id] = _statistic_field(schema.names[field_id], field.type, kind)
    return pa.struct(_distinct(seen.values()))


def repeated_fields(schemas: Sequence[Schema]) -> frozenset[int]:
    """Return the field ids of lists and maps; the first schema that has a field gives its type."""
    types: dict[int, Type] = {}
    for schema in schemas:
        for field_id, field in schema.by_id.items():
            types.setdefault(field_id, field.type)
    return frozenset(field_id for field_id, of in types.items() if isinstance(of, ListType | MapType))


def _statistic_field(path: str, of: Type, kind: str) -> pa.Field:
    if kind in COUNTS:
        return pa.field(path, pa.int64())
    if kind.endswith("_raw"):
        return pa.field(path, pa.binary())
    return typed_field(path, arrow_type(of) or pa.binary(), of.text)


def partition_type(specs: Sequence[PartitionSpec], schemas: Sequence[Schema]) -> pa.DataType:
    """Return the struct type of partition values over all specs: a member for each name that a field has or had.

    A name may have been dropped and used again for another field: its type is that of the oldest one. Values of an
    unknown type, such as that of a column which no schema has any more, are texts.
    """
    fields = []
    for spec in sorted(specs, key=lambda spec: spec.spec_id):
        for field in spec.fields:
            of = result_type(field, tuple(schemas))
            fields.append(typed_field(field.name, arrow_type(of) or pa.string(), of.text))
    return pa.struct(_distinct(fields))


def _distinct(fields: Iterable[pa.Field]) -> list[pa.Field]:
    """Keep the first of fields that share a name: a name may have been dropped and used again."""
    by_name: dict[str, pa.Field] = {}
    for field in fields:
        by_name.setdefault(field.name, field)
    return list(by_name.values())


def partition_names(specs: Sequence[PartitionSpec]) -> dict[int, str]:
    """Return partition field names by field id; the newest spec's name wins."""
    return {field.field_id: field.name for spec in sorted(specs, key=lambda s: s.spec_id) for field in spec.fields}


def partition_struct(
    table: pa.Table | pa.RecordBatch, spec: PartitionSpec | None, names: Mapping[int, str]
) -> pa.Array:
    """Build the struct of partition values by name: exactly the fields of the manifest's spec, nulls included."""
    if spec is None:
        return field_struct(table, "partition", names)
    fields, arrays = [], []
    schema = table.schema
    for field in spec.fields:
        if (index := schema.get_field_index(f"partition.{field.field_id}")) >= 0:
            fields.append(schema.field(index).with_name(field.name))
            arrays.append(single_array(table.column(index)))
        else:
            fields.append(pa.field(field.name, pa.null()))
            arrays.append(pa.nulls(table.num_rows))
    return struct(arrays, fields, table.num_rows)


def names_of_codes(codes: pa.Array, names: Sequence[str]) -> pa.Array:
    """Replace small codes with their names; a code without a name becomes null."""
    if len(codes) and not codes.null_count and codes.slice(1).equals(codes.slice(0, len(codes) - 1)):
        return repeated(names[codes[0].as_py()], pa.string(), len(codes))  # the usual case
    return pa.array(names, pa.string()).take(codes.cast(pa.int32()))


def internal_array(values: Sequence[object], target: pa.DataType) -> pa.Array:
    """Convert internal forms (see ``metadata.types``) to an Arrow array of their type."""
    if pa.types.is_temporal(target):
        width = pa.int32() if target.bit_width == 32 else pa.int64()
        return pa.array(values, width).view(target)
    plain = [value.bytes if isinstance(value, UUID) else value for value in values]
    return pa.array(plain, target)
