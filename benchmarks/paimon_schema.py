"""The Avro records of Paimon's manifests and manifest lists, as Java 1.3 writes them to file headers."""

from __future__ import annotations

from typing import Any

_ROOT = "record"


def _optional(name: str, kind: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", kind], "default": None}


def _stats(name: str, path: str) -> dict[str, Any]:
    counts = _optional("_NULL_COUNTS", {"type": "array", "items": ["null", "long"]})
    fields = [{"name": "_MIN_VALUES", "type": "bytes"}, {"name": "_MAX_VALUES", "type": "bytes"}, counts]
    return {"name": name, "type": {"type": "record", "name": path + name, "fields": fields}}


def _plain(kind: str, *names: str) -> list[dict[str, Any]]:
    return [{"name": name, "type": kind} for name in names]


def _record(fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "record", "name": _ROOT, "namespace": "org.apache.paimon.avro.generated", "fields": fields}


_TEXTS = {"type": "array", "items": "string"}
_FILE = [
    *_plain("string", "_FILE_NAME"),
    *_plain("long", "_FILE_SIZE", "_ROW_COUNT"),
    *_plain("bytes", "_MIN_KEY", "_MAX_KEY"),
    _stats("_KEY_STATS", "record__FILE_"),
    _stats("_VALUE_STATS", "record__FILE_"),
    *_plain("long", "_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER", "_SCHEMA_ID"),
    *_plain("int", "_LEVEL"),
    {"name": "_EXTRA_FILES", "type": _TEXTS},
    _optional("_CREATION_TIME", {"type": "long", "logicalType": "timestamp-millis"}),
    _optional("_DELETE_ROW_COUNT", "long"),
    _optional("_EMBEDDED_FILE_INDEX", "bytes"),
    _optional("_FILE_SOURCE", "int"),
    _optional("_VALUE_STATS_COLS", _TEXTS),
    _optional("_EXTERNAL_PATH", "string"),
    _optional("_FIRST_ROW_ID", "long"),
    _optional("_WRITE_COLS", _TEXTS),
]

MANIFEST = _record(
    [
        *_plain("int", "_VERSION", "_KIND"),
        *_plain("bytes", "_PARTITION"),
        *_plain("int", "_BUCKET", "_TOTAL_BUCKETS"),
        {"name": "_FILE", "type": {"type": "record", "name": "record__FILE", "fields": _FILE}},
    ]
)

MANIFEST_LIST = _record(
    [
        *_plain("int", "_VERSION"),
        *_plain("string", "_FILE_NAME"),
        *_plain("long", "_FILE_SIZE", "_NUM_ADDED_FILES", "_NUM_DELETED_FILES"),
        _stats("_PARTITION_STATS", "record_"),
        *_plain("long", "_SCHEMA_ID"),
        *(_optional(name, "int") for name in ("_MIN_BUCKET", "_MAX_BUCKET", "_MIN_LEVEL", "_MAX_LEVEL")),
    ]
)
