"""Convert JSON documents to Arrow rows: a column for each known key, nested values as JSON text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence

import orjson
import pyarrow as pa

from lakemuster.wire.instants import parse_instant
from lakemuster.wire.model import json_integer

Document = Mapping[str, object]

EXTRA = "extra"
"""The column for keys without a column of their own."""

_INSTANT = pa.timestamp("ms", "UTC")
_TEXTS = pa.map_(pa.string(), pa.string())

_FIGURES = [
    ("total_records", pa.int64()),
    ("data_files", pa.int64()),
    ("total_bytes", pa.int64()),
    ("delete_files", pa.int64()),
    ("snapshots", pa.int64()),
    ("last_committed_at", _INSTANT),
]
TABLES = pa.schema(
    [
        ("name", pa.string()),
        ("format", pa.string()),
        ("location", pa.string()),
        ("uuid", pa.string()),
        ("format_version", pa.int32()),
        ("metadata_location", pa.string()),
        ("current_snapshot_id", pa.int64()),
        ("last_updated_at", _INSTANT),
        ("checked_at", _INSTANT),
        ("stale", pa.string()),
        *_FIGURES,
        ("health", pa.string()),
        (EXTRA, pa.string()),
    ]
)
NAMESPACES = pa.schema(
    [
        ("name", pa.string()),
        ("catalog", pa.string()),
        ("tables", pa.int64()),
        ("unknown_tables", pa.int64()),
        *_FIGURES,
        (EXTRA, pa.string()),
    ]
)
CATALOGS = pa.schema(
    [
        ("name", pa.string()),
        ("type", pa.string()),
        ("auth", pa.string()),
        ("reachable", pa.bool_()),
        ("tables", pa.int64()),
        ("synced_at", _INSTANT),
        ("error", pa.string()),
    ]
)
WEBHOOKS = pa.schema(
    [
        ("name", pa.string()),
        ("url", pa.string()),
        ("types", pa.list_(pa.string())),
        ("namespaces", pa.list_(pa.string())),
        ("state", pa.string()),
        ("last_event_id", pa.string()),
        ("lag_events", pa.int64()),
        ("lag_seconds", pa.float64()),
        ("delivered", pa.int64()),
        ("tries", pa.int64()),
        ("failures_in_a_row", pa.int64()),
        ("last_status", pa.int32()),
        ("last_error", pa.string()),
        ("last_try_at", _INSTANT),
        ("last_success_at", _INSTANT),
        ("next_try_at", _INSTANT),
        ("dead_letters", pa.int64()),
    ]
)
SNAPSHOTS = pa.schema(
    [
        ("snapshot_id", pa.int64()),
        ("parent_id", pa.int64()),
        ("branch", pa.string()),
        ("sequence_number", pa.int64()),
        ("committed_at", _INSTANT),
        ("operation", pa.string()),
        ("schema_id", pa.int64()),
        ("summary", _TEXTS),
        ("state", pa.string()),
        ("error", pa.string()),
        ("warnings", pa.list_(pa.string())),
        ("refs", pa.list_(pa.string())),
        ("manifest_lists", pa.string()),
        (EXTRA, pa.string()),
    ]
)
REFS = pa.schema(
    [
        ("name", pa.string()),
        ("type", pa.string()),
        ("snapshot_id", pa.int64()),
        ("branch", pa.string()),
        (EXTRA, pa.string()),
    ]
)
SCHEMAS = pa.schema(
    [
        ("schema_id", pa.int64()),
        ("branch", pa.string()),
        ("current", pa.bool_()),
        ("fields", pa.string()),
        ("created_at", _INSTANT),
        (EXTRA, pa.string()),
    ]
)
READY_PARTITIONS = pa.schema(
    [
        ("partition", pa.string()),
        ("rule", pa.string()),
        ("ready_at", _INSTANT),
        ("time_end", _INSTANT),
        ("snapshot_id", pa.int64()),
        ("record_count", pa.int64()),
        ("file_count", pa.int64()),
        (EXTRA, pa.string()),
    ]
)
SPECS = pa.schema([("spec_id", pa.int32()), ("default", pa.bool_()), ("fields", pa.string()), (EXTRA, pa.string())])


def dumps(document: object) -> bytes:
    """Serialize a document as UTF-8 JSON; lone surrogates, which UTF-8 cannot encode, become U+FFFD."""
    try:
        return orjson.dumps(document)
    except TypeError:
        return orjson.dumps(plain(document))


def exact(document: object) -> bytes:
    """Like :func:`dumps`, but integers of any size stay numbers, for documents where text is a different constant."""
    try:
        return orjson.dumps(document)
    except TypeError:
        return json.dumps(plain(document, integers=False), separators=(",", ":"), ensure_ascii=False).encode()


def plain(value: object, *, integers: bool = True) -> object:
    """Convert a value of a foreign document to our JSON: NaN, infinities and integers beyond 2**53 become text.

    Args:
        integers: False leaves integers as they are.
    """
    match value:
        case None | bool():
            return value
        case int():
            return json_integer(value) if integers else value
        case float():
            return value if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity")
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case bytes():
            return value.hex()
        case Mapping():
            return {str(plain(str(key))): plain(item, integers=integers) for key, item in value.items()}
        case Iterable():
            return [plain(item, integers=integers) for item in value]
        case _:
            return str(value)


def document_batch(documents: Sequence[Document], schema: pa.Schema) -> pa.RecordBatch:
    """Convert each document to a row; keys without a column go to the column ``extra`` as one JSON object."""
    arrays = []
    for field in schema:
        values = [
            _rest(document, schema) if field.name == EXTRA else _cell(document.get(field.name), field.type)
            for document in documents
        ]
        arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _rest(document: Document, schema: pa.Schema) -> str | None:
    rest = {key: value for key, value in document.items() if key not in schema.names}
    return dumps(rest).decode() if rest else None


def _cell(value: object, kind: pa.DataType) -> object:
    if value is None:
        return None
    if pa.types.is_integer(kind):
        return int(str(value))
    if pa.types.is_timestamp(kind):
        return parse_instant(str(value))
    if pa.types.is_map(kind) and isinstance(value, Mapping):
        return list(value.items())
    if pa.types.is_string(kind) and not isinstance(value, str):
        return dumps(value).decode()
    return value
