"""Decoder of SimpleStats: the bounds and null counts of a manifest's files, as typed columns by field id.

The columns of a file's value statistics are given by its ``_VALUE_STATS_COLS`` (a dense list, or an empty one for
"none"), else by its ``_WRITE_COLS``, else by its schema. Files are grouped by these, so similar files of a manifest
are decoded in one pass. Names are resolved to field ids in the file's own schema; renaming or moving a column does
not change its id.

If the arity of the serialized row is not the expected number of columns, neither the columns nor their bounds are
known. Unknown is null, and null never prunes a file.

Source: Paimon ``SimpleStats``, ``SimpleStatsConverter``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.binary_row import Misfit, SerializedRows
from lakemuster.formats.paimon.columns import Columns, Index, combine, groups, value_codes
from lakemuster.formats.paimon.options import sorts_by_clustering
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, ListType, Primitive

Schemas = Mapping[int, Schema]
"""The schemas of a table or branch, by id."""

_SYSTEM_COLUMNS = frozenset({"_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "_ROW_ID", "rowkind"})

_NAME_END = "\x00"


@dataclass(frozen=True, slots=True)
class Stats:
    """One SimpleStats column: serialized bounds, and null counts by position."""

    minima: SerializedRows
    maxima: SerializedRows
    null_counts: pa.ListArray

    @classmethod
    def of(cls, column: pa.StructArray) -> Stats:
        """Read the column; a null struct has null members.

        Raises:
            MetadataCorrupt: a member is missing or of another type, or a row breaks its layout.
        """
        members = dict(zip((field.name for field in column.type), column.flatten(), strict=True))
        try:
            return cls(
                SerializedRows.of(members["_MIN_VALUES"]),
                SerializedRows.of(members["_MAX_VALUES"]),
                members["_NULL_COUNTS"].cast(pa.list_(pa.int64())),
            )
        except (KeyError, pa.ArrowException) as error:
            raise MetadataCorrupt("statistics of a manifest have an unexpected shape") from error


def add_value_statistics(
    into: Columns, column: pa.StructArray, schema_ids: pa.Array, dense: pa.Array, written: pa.Array, schemas: Schemas
) -> None:
    """Decode ``_VALUE_STATS`` into ``lower.<id>``, ``upper.<id>`` and ``null_count.<id>``.

    Args:
        into: the builder to add the columns to.
        column: ``_VALUE_STATS``.
        schema_ids: ``_SCHEMA_ID`` of each file.
        dense: ``_VALUE_STATS_COLS``, lists of names.
        written: ``_WRITE_COLS``, lists of names.
        schemas: the schemas of the manifest's branch, by id.
    """
    stats = Stats.of(column)
    codes = combine(schema_ids.to_numpy(zero_copy_only=False), _list_codes(dense), _list_codes(written))
    for rows in groups(codes):
        first = int(rows[0])
        schema = schema_of(schemas, schema_ids[first].as_py())
        names = dense[first].as_py()
        if names is None:
            names = written[first].as_py()
        _add(into, stats, rows, _candidates(schema, names), ("value", "lower", "upper", "null_count"))


def add_key_statistics(into: Columns, column: pa.StructArray, schema_ids: pa.Array, schemas: Schemas) -> None:
    """Decode ``_KEY_STATS`` into ``key_lower.<id>``, ``key_upper.<id>`` and ``key_null_count.<id>``."""
    stats = Stats.of(column)
    for rows in groups(schema_ids.to_numpy(zero_copy_only=False)):
        keys = trimmed_primary_key(schema_of(schemas, schema_ids[int(rows[0])].as_py()))
        _add(into, stats, rows, [keys], ("key", "key_lower", "key_upper", "key_null_count"))


def add_keys(
    into: Columns, minima: pa.Array, maxima: pa.Array, schema_ids: pa.Array, levels: pa.Array, schemas: Schemas
) -> None:
    """Decode ``_MIN_KEY`` and ``_MAX_KEY`` into ``min_key.<id>`` and ``max_key.<id>``.

    With ``pk-clustering-override``, compacted files are sorted by the clustering columns, and these members hold values
    of those: the keys are unknown.
    """
    least, greatest = SerializedRows.of(minima), SerializedRows.of(maxima)
    compacted = levels.to_numpy(zero_copy_only=False) > 0
    for rows in groups(schema_ids.to_numpy(zero_copy_only=False)):
        schema = schema_of(schemas, schema_ids[int(rows[0])].as_py())
        keyed = rows[~compacted[rows]] if sorts_by_clustering(dict(schema.options)) else rows
        keys = trimmed_primary_key(schema)
        _add_bounds(into, least, keyed, [keys], "keys", "min_key")
        _add_bounds(into, greatest, keyed, [keys], "keys", "max_key")


def schema_of(schemas: Schemas, schema_id: int) -> Schema:
    """Return the schema of a file.

    Raises:
        MetadataCorrupt: the table has no schema with that id.
    """
    schema = schemas.get(schema_id)
    if schema is None:
        raise MetadataCorrupt("a manifest names a schema that the table does not have", schema_id=schema_id)
    return schema


def trimmed_primary_key(schema: Schema) -> list[Field | None]:
    """Return the primary key without the partition keys, in its own order."""
    columns = {field.name: field for field in schema.fields}
    return [columns[name] for name in schema.primary_keys if name not in schema.partition_keys]


def _candidates(schema: Schema, names: Sequence[str] | None) -> list[list[Field | None]]:
    """Return the possible lists of fields of a statistics row; its arity selects one.

    A system column, or a name missing in the schema, is None.
    """
    if names is not None:
        columns = {field.name: field for field in schema.fields}
        places = [columns.get(name) for name in names]
        # pypaimon records no statistics for the system columns that it writes.
        own = [field for name, field in zip(names, places, strict=True) if field or not _is_system(name)]
        return [places, own] if len(own) < len(places) else [places]
    every: list[Field | None] = list(schema.fields)
    inline = [field for field in every if field is not None and not _stored_apart(field)]
    return [every, list(inline)] if len(inline) < len(every) else [every]


def _is_system(name: str) -> bool:
    return name in _SYSTEM_COLUMNS or name.startswith("_KEY_")


def _stored_apart(field: Field) -> bool:
    """Return whether data-evolution tables may store the column in separate files: blobs and vectors."""
    return field.type.text == "BLOB" or (isinstance(field.type, ListType) and field.type.text.startswith("VECTOR"))


def _add(
    into: Columns, stats: Stats, rows: Index, candidates: list[list[Field | None]], names: tuple[str, str, str, str]
) -> None:
    family, lower, upper, null_count = names
    _add_bounds(into, stats.minima, rows, candidates, family, lower)
    _add_bounds(into, stats.maxima, rows, candidates, family, upper)
    lengths = pc.fill_null(pc.list_value_length(stats.null_counts), -1).to_numpy(zero_copy_only=False)
    offsets = stats.null_counts.offsets.to_numpy()[:-1].astype(np.int64)
    for fields in candidates:
        some = rows[lengths[rows] == len(fields)]
        if not fields or not len(some):
            continue
        for i, field in enumerate(fields):
            if field is not None:
                counts = stats.null_counts.values.take(pa.array(offsets[some] + i))
                known = pc.if_else(pc.greater_equal(counts, 0), counts, pa.scalar(None, pa.int64()))
                into.add(family, null_count, field.field_id, None, some, known)


def _add_bounds(
    into: Columns, bounds: SerializedRows, rows: Index, candidates: list[list[Field | None]], family: str, kind: str
) -> None:
    for fields in candidates:
        some = rows[bounds.arity[rows] == len(fields)]
        if not fields or not len(some):
            continue
        types = [field.type if field is not None and isinstance(field.type, Primitive) else None for field in fields]
        for field, of, values in zip(fields, types, bounds.take(some).decode(types, Misfit.NULL), strict=True):
            if field is not None and of is not None and values is not None:
                into.add(family, kind, field.field_id, of, some, values)


def _list_codes(lists: pa.Array) -> Index:
    """Return one code per distinct list of names; null and empty lists are distinct.

    Raises:
        MetadataCorrupt: a name is null or contains the separator used here.
    """
    values = lists.flatten()
    if values.null_count or pc.any(pc.match_substring(values, _NAME_END)).as_py():
        raise MetadataCorrupt("a list of column names has other items")
    wide = pa.large_string()  # the joined names can exceed 2 GiB
    end = pa.scalar(_NAME_END, wide)
    texts = pc.binary_join(lists.cast(pa.list_(wide)), end)
    return value_codes(pc.binary_join_element_wise(pc.list_value_length(lists).cast(wide), texts, end))
