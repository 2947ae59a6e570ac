"""The figures of a table, and the components of its health, as columns, the same for both formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

_LONG, _DOUBLE, _TEXT, _INSTANT = pa.int64(), pa.float64(), pa.string(), pa.timestamp("ms", tz="UTC")


def _struct(names: str, *more: tuple[str, pa.DataType]) -> pa.StructType:
    return pa.struct([*((name, _LONG) for name in names.split()), *more])


_SUMS = _struct("files records bytes")
_QUANTILES = _struct("min p50 p90 p99 max")
_KIND = _struct("count files records bytes")
_KINDS = [(name, _KIND) for name in ("position_deletes", "equality_deletes", "deletion_vectors")]
_ROWS = _struct("lower upper", ("exact", pa.bool_()), ("reason", _TEXT))
STATS = pa.schema(
    [
        ("snapshot_id", _LONG),
        ("computed_at", _INSTANT),
        ("stale", _TEXT),
        ("totals", _struct("data_files records bytes files_without_records files_without_size")),
        ("file_size_histogram", pa.list_(_struct("from_bytes to_bytes files bytes"))),
        ("small_files", _struct("files bytes target_bytes least_bytes", ("rule", _TEXT))),
        ("partitions", _struct("count", ("files", _QUANTILES), ("bytes", _QUANTILES))),
        ("file_formats", pa.list_(pa.struct([("file_format", _TEXT), *_SUMS]))),
        ("specs", pa.list_(pa.struct([("spec_id", _LONG), *_SUMS]))),
        ("sort_orders", pa.list_(pa.struct([("sort_order_id", _LONG), *_SUMS]))),
        (
            "deletes",
            pa.struct([*_KINDS, ("data_files", _LONG), ("rows_deleted", _ROWS), ("dangling", pa.struct(_KINDS))]),
        ),
        ("levels", pa.list_(pa.struct([("level", _LONG), *_SUMS]))),
        ("sorted_runs", _struct("buckets", ("per_bucket", _QUANTILES))),
        ("merging", _struct("files records bytes sections unread_files delete_rows")),
    ]
)
"""The columns of ``metadata(…, "stats")``: the members of ``/stats`` without a filter."""
_GAIN = pa.struct([(name, _ROWS) for name in ("files", "bytes", "merges", "manifests", "snapshots")])
HEALTH = pa.schema(
    [
        ("name", _TEXT),
        ("value", _DOUBLE),
        ("unit", _TEXT),
        ("threshold", pa.struct([("warning", _DOUBLE), ("critical", _DOUBLE)])),
        ("status", _TEXT),
        ("since", _INSTANT),
        ("reason", _TEXT),
        ("remedy", _TEXT),
        ("gain", _GAIN),
        ("computed_at", _INSTANT),
    ]
)
"""The columns of ``metadata(…, "health")``: the members of the components of a table's ``/health``."""


def stats_table(figures: Mapping[str, Any]) -> pa.Table:
    """Return the figures of one snapshot as one row of :data:`STATS`; members unknown to this version are left out."""
    return _table([figures], STATS)


def health_table(health: Mapping[str, Any]) -> pa.Table:
    """Return the components of a table's health as rows of :data:`HEALTH`; none while it is not computed yet."""
    return _table(health["components"], HEALTH)


def _table(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    values = [{field.name: _value(row.get(field.name), field.type) for field in schema} for row in rows]
    return pa.Table.from_pylist(values, schema)


def _value(given: object, of: pa.DataType) -> object:
    """Convert a JSON value to the form that Arrow takes: integers may be strings, timestamps are."""
    match given:
        case Mapping() if pa.types.is_struct(of):
            return {field.name: _value(given.get(field.name), field.type) for field in of}
        case str() if pa.types.is_integer(of):
            return int(given)
        case str() if pa.types.is_timestamp(of):
            return datetime.fromisoformat(given)
        case Sequence() if pa.types.is_list(of):
            return [_value(item, of.value_type) for item in given]
    return given
