"""Metadata lists of many tables, of both formats, in one common schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa

from lakemuster.spark.figure_columns import HEALTH, STATS

_MAP = pa.map_(pa.string(), pa.string())
_INSTANT = pa.timestamp("ms", tz="UTC")
_OVERLAP = pa.struct(
    [
        ("samples", pa.int64()),
        ("unbounded_files", pa.int64()),
        ("mean", pa.float64()),
        ("p99", pa.int64()),
        ("max", pa.int64()),
        ("max_at", pa.string()),
    ]
)
_TYPES = {
    "text": pa.string(),
    "long": pa.int64(),
    "bytes": pa.binary(),
    "instant": _INSTANT,
    "local": pa.timestamp("ms"),
    "map": _MAP,
    "texts": pa.list_(pa.string()),
    "longs": pa.list_(pa.int64()),
    "truth": pa.bool_(),
    "overlap": _OVERLAP,
}

_FILE = """
snapshot_id long; sequence_number long; file_sequence_number long; content text; file_path text; file_name text;
file_format text; spec_id long; partition map; bucket long; total_buckets long; record_count long;
file_size_in_bytes long; file_source text; min_key map; max_key map; {statistics} min_sequence_number long;
max_sequence_number long; schema_id long; level long; extra_files texts; creation_time local; delete_row_count long;
embedded_file_index bytes; value_stats_cols texts; external_path text; key_metadata bytes; split_offsets longs;
equality_ids longs; sort_order_id long; first_row_id long; referenced_data_file text; content_offset long;
content_size_in_bytes long; write_cols texts; write_cols_sequences longs
"""
_STATISTICS = """
column_sizes map; value_counts map; null_value_counts map; nan_value_counts map; lower_bounds map; upper_bounds map;
lower_bounds_raw map; upper_bounds_raw map; key_null_value_counts map; key_lower_bounds map; key_upper_bounds map;
"""
_COLUMNS = {
    "snapshots": """
        snapshot_id long; parent_id long; branch text; sequence_number long; committed_at instant; operation text;
        schema_id long; summary map; state text; error text; warnings texts; refs texts;
        manifest_lists text; extra text
    """,
    "manifests": """
        manifest_path text; manifest_length long; list text; partitions map; partition_spec_id long; content text;
        sequence_number long; min_sequence_number long; added_snapshot_id long; added_files_count long;
        existing_files_count long; deleted_files_count long; added_rows_count long; existing_rows_count long;
        deleted_rows_count long; key_metadata bytes; first_row_id long; schema_id long; min_bucket long;
        max_bucket long; min_level long; max_level long; min_row_id long; max_row_id long; total_buckets long;
        extra_files texts
    """,
    "entries": "status text;" + _FILE.format(statistics=_STATISTICS) + "; manifest text",
    "files": _FILE.format(statistics=""),
    "partitions": """
        partition map; spec_id long; record_count long; file_count long; total_data_file_size_in_bytes long;
        position_delete_record_count long; position_delete_file_count long; equality_delete_record_count long;
        equality_delete_file_count long; last_updated_at text; last_updated_snapshot_id long
    """,
    "columns": """
        column text; field_id long; type text; files long; value_files long; value_count long; value_count_files long;
        null_count long; null_count_files long; nan_count long; nan_count_files long; column_size long;
        column_size_files long; lower_bound text; lower_bound_files long; upper_bound text; upper_bound_files long;
        bounds_hold truth; overlap overlap
    """,
    "timeline": """
        snapshot_id long; parent_id long; branch text; refs texts; committed_at instant; operation text;
        commit_kind text; state text; added_data_files long; added_delete_files long; added_records long;
        added_bytes long; removed_data_files long; removed_delete_files long; removed_records long;
        removed_bytes long; total_data_files long; total_delete_files long; total_records long; total_bytes long;
        partitions long; reason text; writer text; gap_before text; extra text
    """,
}
_FIGURES = {"stats": STATS, "health": HEALTH}
_NULLS_COUNT = frozenset({"partition", "min_key", "max_key"})


def lake_schema(kind: str) -> pa.Schema:
    """Return the columns of a list of many tables: ``table``, then the columns of both formats."""
    if kind in _FIGURES:
        return pa.schema([pa.field("table", pa.string()), *_FIGURES[kind]])
    words = [column.split() for column in _COLUMNS[kind].split(";")]
    return pa.schema([pa.field("table", pa.string()), *(pa.field(name, _TYPES[of]) for name, of in words)])


def lake_columns(kind: str, lists: Mapping[str, pa.Table]) -> pa.Table:
    """Return the rows of all lists in :func:`lake_schema`; ``lists`` are by table name.

    Columns that this version does not know, from a newer server, are left out.
    """
    schema = lake_schema(kind)
    parts = [_part(name, rows, schema) for name, rows in lists.items()]
    return pa.concat_tables([schema.empty_table(), *parts])


def _part(name: str, rows: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [pa.array([name] * rows.num_rows, pa.string())]
    for field in list(schema)[1:]:
        at = rows.schema.get_field_index(field.name)
        columns.append(pa.nulls(rows.num_rows, field.type) if at < 0 else _column(rows.column(at), field))
    return pa.table(columns, schema=schema)


def _column(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    if field.type == _MAP and pa.types.is_struct(column.type):
        keep = field.name in _NULLS_COUNT
        return pa.chunked_array([_map(chunk, keep_nulls=keep) for chunk in column.chunks], _MAP)
    if field.type == pa.string() and pa.types.is_timestamp(column.type):
        return pa.chunked_array([[text(value) for value in column.to_pylist()]], pa.string())
    return column.cast(field.type)


def _map(structs: pa.StructArray, *, keep_nulls: bool) -> pa.MapArray:
    rows = (
        None if row is None else [(key, text(value)) for key, value in row.items() if keep_nulls or value is not None]
        for row in structs.to_pylist()
    )
    return pa.array(list(rows), _MAP)


def text(value: object) -> str | None:
    """Return a value as text; None stays None."""
    plain = _plain(value)
    if plain is None or isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False)


def _plain(value: object) -> Any:
    match value:
        case float() if value != value or value in {float("inf"), float("-inf")}:  # noqa: PLR0124 - NaN
            return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")  # noqa: PLR0124
        case Decimal():
            return f"{value:f}"
        case bytes():
            return value.hex()
        case datetime() | date() | time():
            return value.isoformat()
        case dict():
            return {key: _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(inner) for inner in value]
    return value
