"""A manifest's entries as aligned columns: the shape that both formats decode to and that segments hold.

Row *i* is entry *i* of the manifest: no entry is left out, no value is inherited or rewritten. The columns:

* the entry's own fields, see :data:`ICEBERG_COLUMNS`, :data:`PAIMON_COLUMNS` and :data:`PAIMON_INDEX_COLUMNS`;
* per partition field, ``partition.<field id>``;
* per column with statistics, ``lower.<id>``, ``upper.<id>`` (typed, see ``types.arrow_type``),
  ``value_count.<id>``, ``null_count.<id>``, ``nan_count.<id>``, ``column_size.<id>`` (:func:`count_type`);
* ``lower_raw.<id>`` and ``upper_raw.<id>`` (binary) only where a raw bound is *not* the canonical
  serialisation of the typed one: promoted types, types without an order, bounds that do not parse or prove
  nothing (their typed value is null), lower bounds padded with zero bytes;
* Paimon: ``min_key.<id>``, ``max_key.<id>``, and ``key_lower.<id>``, ``key_upper.<id>``, ``key_null_count.<id>``.

A statistic is null when the writer did not record it: null is *unknown*. A column in which every
row is null is left out. Where the files of one Paimon manifest disagree on a column's type, the
first type found has the plain name and each further one ``lower.<id>@<type text>``.

Every typed column carries the text of its type in its Arrow field metadata under ``type``
(the ``Primitive.text`` of the schema that it was decoded with).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import pyarrow as pa

ExpiredKind = Literal[
    "data",
    "position-deletes",
    "equality-deletes",
    "changelog",
    "index",
    "manifest",
    "manifest-list",
    "statistics",
    "snapshot",
]
"""Kinds of files that an expiry of snapshots removes."""

EXISTING, ADDED, DELETED = 0, 1, 2
"""Values of ``status``. Paimon's ADD is ``ADDED``, its DELETE is ``DELETED``."""

DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2
"""Values of ``content`` (Iceberg)."""

_I8, _I32, _I64 = pa.int8(), pa.int32(), pa.int64()
_TEXT, _BYTES, _BOOL = pa.string(), pa.binary(), pa.bool_()

ICEBERG_COLUMNS: dict[str, pa.DataType] = {
    "status": _I8,
    "snapshot_id": _I64,
    "sequence_number": _I64,
    "file_sequence_number": _I64,
    "content": _I8,
    "file_path": _TEXT,
    "file_format": _TEXT,
    "record_count": _I64,
    "file_size_in_bytes": _I64,
    "key_metadata": _BYTES,
    "split_offsets": pa.list_(_I64),
    "equality_ids": pa.list_(_I32),
    "sort_order_id": _I32,
    "first_row_id": _I64,
    "referenced_data_file": _TEXT,
    "content_offset": _I64,
    "content_size_in_bytes": _I64,
}

PAIMON_COLUMNS: dict[str, pa.DataType] = {
    "status": _I8,
    "bucket": _I32,
    "total_buckets": _I32,
    "file_name": _TEXT,
    "file_size_in_bytes": _I64,
    "record_count": _I64,
    "min_sequence_number": _I64,
    "max_sequence_number": _I64,
    "schema_id": _I64,
    "level": _I32,
    "extra_files": pa.list_(_TEXT),
    "creation_time": pa.timestamp("ms"),
    "delete_row_count": _I64,
    "embedded_file_index": _BYTES,
    "file_source": _I8,
    "value_stats_cols": pa.list_(_TEXT),
    "external_path": _TEXT,
    "first_row_id": _I64,
    "write_cols": pa.list_(_TEXT),
    "write_cols_sequences": pa.list_(_I64),
}
"""``file_source``: 0 APPEND, 1 COMPACT. ``creation_time`` is wall-clock time of the writer's zone."""

PAIMON_INDEX_COLUMNS: dict[str, pa.DataType] = {
    "status": _I8,
    "bucket": _I32,
    "index_type": _TEXT,
    "file_name": _TEXT,
    "file_size_in_bytes": _I64,
    "row_count": _I64,
    "deletion_vectors": pa.list_(
        pa.struct([("data_file", _TEXT), ("offset", _I64), ("length", _I64), ("cardinality", _I64)])
    ),
    "external_path": _TEXT,
    "global_index": pa.struct(
        [
            ("row_range_start", _I64),
            ("row_range_end", _I64),
            ("index_field_id", _I32),
            ("extra_field_ids", pa.list_(_I32)),
            ("index_meta", _BYTES),
            ("source_meta", _BYTES),
        ]
    ),
}

SPARSE = b"sparse"
"""The Arrow metadata key that marks structs with members by column name, where null means "not recorded"."""

_COUNT_LIMITS = tuple((of, 1 << of.bit_width - 1) for of in (_I8, pa.int16(), _I32, _I64))


def column(kind: str, field_id: int) -> str:
    """Return the name of a per-field column: ``lower.5``, ``partition.1000``."""
    return f"{kind}.{field_id}"


@lru_cache(maxsize=1 << 13)
def split_column(name: str) -> tuple[str, int, str] | None:
    """Split a per-field column's name into kind, field id, and type text or ""; None for an entry's own column."""
    kind, dot, rest = name.partition(".")
    if not dot:
        return None
    number, _, variant = rest.partition("@")
    return kind, int(number), variant


def count_type(least: int, most: int) -> pa.DataType:
    """Return the narrowest of int8, int16, int32 and int64 that holds counts from ``least`` to ``most``.

    Most columns of a segment are counts. Readers compute with them as int64.
    """
    return next(of for of, limit in _COUNT_LIMITS if -limit <= least and most < limit)


INSTANT = "instant"
"""The type text of our own timestamps: they end in ``Z``, as all timestamps of the API do except values of columns."""


def typed_field(name: str, values: pa.DataType, type_text: str) -> pa.Field:
    """Return an Arrow field that carries the text of its type."""
    return pa.field(name, values, metadata={b"type": type_text.encode()})
