"""Convert views of strings and bytes, as which some writers' Parquet files are read, to plain columns.

Arrow has no kernels to filter or take views.

Source: Arrow's columnar format, "Variable-size Binary View Layout".
"""

from __future__ import annotations

import pyarrow as pa


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema with plain types in place of view types; the metadata of fields is retained."""
    return pa.schema([_plain_field(field) for field in schema])


def plain_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch with plain columns in place of views."""
    schema = plain_schema(batch.schema)
    if all(own.type == field.type for own, field in zip(batch.schema, schema, strict=True)):
        return batch
    columns = [values.cast(field.type) for values, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _plain_field(field: pa.Field) -> pa.Field:
    return field.with_type(_plain(field.type))


def _plain(of: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_string_view(of):
        return pa.string()
    if types.is_binary_view(of):
        return pa.binary()
    if types.is_struct(of):
        return pa.struct([_plain_field(field) for field in of])
    if types.is_map(of):
        return pa.map_(_plain_field(of.key_field), _plain_field(of.item_field))
    if types.is_list(of):
        return pa.list_(_plain_field(of.value_field))
    if types.is_large_list(of):
        return pa.large_list(_plain_field(of.value_field))
    if types.is_fixed_size_list(of):
        return pa.list_(_plain_field(of.value_field), of.list_size)
    return of
