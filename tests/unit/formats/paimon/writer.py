"""Manifest lists, manifests and index manifests in the layouts of other writers."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from lakemuster.formats.avro import read_table
from lakemuster.formats.paimon.table_metadata import assemble, parse_schema
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import TableMetadata
from tests.unit.formats.paimon.rows import EMPTY, binary_row

Record = dict[str, Any]


def nullable(of: object) -> list[object]:
    return ["null", of]


def stats_type(name: str) -> Record:
    counts = nullable({"type": "array", "items": nullable("long")})
    members = [("_MIN_VALUES", "bytes"), ("_MAX_VALUES", "bytes"), ("_NULL_COUNTS", counts)]
    return {"type": "record", "name": name, "fields": [{"name": n, "type": t} for n, t in members]}


TEXTS = {"type": "array", "items": "string"}
CREATED = {"type": "long", "logicalType": "timestamp-millis"}

FILE_MEMBERS: dict[str, object] = {
    "_FILE_NAME": "string",
    "_FILE_SIZE": "long",
    "_ROW_COUNT": "long",
    "_MIN_KEY": "bytes",
    "_MAX_KEY": "bytes",
    "_KEY_STATS": stats_type("record_KEY_STATS"),
    "_VALUE_STATS": stats_type("record_VALUE_STATS"),
    "_MIN_SEQUENCE_NUMBER": "long",
    "_MAX_SEQUENCE_NUMBER": "long",
    "_SCHEMA_ID": "long",
    "_LEVEL": "int",
    "_EXTRA_FILES": TEXTS,
    "_CREATION_TIME": nullable(CREATED),
    "_DELETE_ROW_COUNT": nullable("long"),
    "_EMBEDDED_FILE_INDEX": nullable("bytes"),
    "_FILE_SOURCE": nullable("int"),
    "_VALUE_STATS_COLS": nullable(TEXTS),
    "_EXTERNAL_PATH": nullable("string"),
    "_FIRST_ROW_ID": nullable("long"),
    "_WRITE_COLS": nullable(TEXTS),
    "_WRITE_COLS_SEQUENCES": nullable({"type": "array", "items": "long"}),
}
"""The fields of ``_FILE`` in the order of their addition: 13 in 0.4, 16 in 0.9, 21 in 2.1."""

LIST_MEMBERS: dict[str, object] = {
    "_VERSION": "int",
    "_FILE_NAME": "string",
    "_FILE_SIZE": "long",
    "_NUM_ADDED_FILES": "long",
    "_NUM_DELETED_FILES": "long",
    "_PARTITION_STATS": stats_type("record_PARTITION_STATS"),
    "_SCHEMA_ID": "long",
    "_MIN_BUCKET": nullable("int"),
    "_MAX_BUCKET": nullable("int"),
    "_MIN_LEVEL": nullable("int"),
    "_MAX_LEVEL": nullable("int"),
    "_MIN_ROW_ID": nullable("long"),
    "_MAX_ROW_ID": nullable("long"),
    "_TOTAL_BUCKETS": nullable("int"),
    "_EXTRA_FILES": nullable(TEXTS),
}
"""The fields of a manifest list: 7 in 0.4, 11 in 1.1, 13 in 1.4, 15 in 2.1."""

INDEX_MEMBERS: dict[str, object] = {
    "_VERSION": "int",
    "_KIND": "int",
    "_PARTITION": "bytes",
    "_BUCKET": "int",
    "_INDEX_TYPE": "string",
    "_FILE_NAME": "string",
    "_FILE_SIZE": "long",
    "_ROW_COUNT": "long",
    "_DELETIONS_VECTORS_RANGES": nullable(
        {
            "type": "array",
            "items": {
                "type": "record",
                "name": "record_RANGE",
                "fields": [
                    {"name": "f0", "type": "string"},
                    {"name": "f1", "type": "int"},
                    {"name": "f2", "type": "int"},
                    {"name": "_CARDINALITY", "type": nullable("long"), "default": None},
                ],
            },
        }
    ),
    "_EXTERNAL_PATH": nullable("string"),
    "_GLOBAL_INDEX": nullable(
        {
            "type": "record",
            "name": "record_GLOBAL_INDEX",
            "fields": [
                {"name": "_ROW_RANGE_START", "type": "long"},
                {"name": "_ROW_RANGE_END", "type": "long"},
                {"name": "_INDEX_FIELD_ID", "type": "int"},
                {"name": "_EXTRA_FIELD_IDS", "type": nullable({"type": "array", "items": "int"}), "default": None},
                {"name": "_INDEX_META", "type": nullable("bytes"), "default": None},
            ],
        }
    ),
}
"""The fields of an index manifest: 8 before deletion vectors, 9 in 0.8, 10 in 1.3, 11 in 1.4."""


def schema(
    fields: Mapping[str, object],
    *,
    schema_id: int = 0,
    partition: Sequence[str] = (),
    primary: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
    ids: Sequence[int] | None = None,
) -> Schema:
    """Return a schema parsed from its JSON; field ids count from 0 unless given."""
    members = [{"id": ids[i] if ids else i, "name": name, "type": of} for i, (name, of) in enumerate(fields.items())]
    document = {
        "version": 3,
        "id": schema_id,
        "fields": members,
        "highestFieldId": len(members),
        "partitionKeys": list(partition),
        "primaryKeys": list(primary),
        "options": dict(options or {}),
        "timeMillis": 1,
    }
    return parse_schema(json.dumps(document).encode())


def table_of(*schemas: Schema, **branches: Sequence[Schema]) -> TableMetadata:
    return assemble("/t", {"main": schemas, **branches}, [])


def stats(
    types: Sequence[str] = (), lower: Sequence[object] = (), upper: Sequence[object] = (), nulls: object = ()
) -> Record:
    return {
        "_MIN_VALUES": binary_row(types, lower),
        "_MAX_VALUES": binary_row(types, upper),
        "_NULL_COUNTS": None if nulls is None else list(nulls),  # type: ignore[call-overload]
    }


def entry(name: str = "data-0.parquet", **changes: Any) -> Record:
    """Return an ADD of an append table's file; ``changes`` are fields of the entry or of its ``_FILE``."""
    file: Record = {
        "_FILE_NAME": name,
        "_FILE_SIZE": 10,
        "_ROW_COUNT": 3,
        "_MIN_KEY": EMPTY,
        "_MAX_KEY": EMPTY,
        "_KEY_STATS": stats(),
        "_VALUE_STATS": stats(),
        "_MIN_SEQUENCE_NUMBER": 0,
        "_MAX_SEQUENCE_NUMBER": 2,
        "_SCHEMA_ID": 0,
        "_LEVEL": 0,
        "_EXTRA_FILES": [],
        "_CREATION_TIME": 1_700_000_000_123,
        "_DELETE_ROW_COUNT": 0,
        "_EMBEDDED_FILE_INDEX": None,
        "_FILE_SOURCE": 0,
        "_VALUE_STATS_COLS": [],
        "_EXTERNAL_PATH": None,
        "_FIRST_ROW_ID": None,
        "_WRITE_COLS": None,
        "_WRITE_COLS_SEQUENCES": None,
    }
    record: Record = {"_VERSION": 2, "_KIND": 0, "_PARTITION": EMPTY, "_BUCKET": 0, "_TOTAL_BUCKETS": -1}
    for key, value in changes.items():
        (file if key in file else record)[key] = value
    return record | {"_FILE": file}


def listed(name: str = "manifest-0", **changes: Any) -> Record:
    """Return a row of a manifest list."""
    record: Record = {
        "_VERSION": 2,
        "_FILE_NAME": name,
        "_FILE_SIZE": 100,
        "_NUM_ADDED_FILES": 1,
        "_NUM_DELETED_FILES": 0,
        "_PARTITION_STATS": stats(),
        "_SCHEMA_ID": 0,
    }
    return record | dict.fromkeys(list(LIST_MEMBERS)[7:]) | changes


def indexed(name: str = "index-0", **changes: Any) -> Record:
    """Return a row of an index manifest."""
    record: Record = {
        "_VERSION": 1,
        "_KIND": 0,
        "_PARTITION": EMPTY,
        "_BUCKET": 0,
        "_INDEX_TYPE": "HASH",
        "_FILE_NAME": name,
        "_FILE_SIZE": 8,
        "_ROW_COUNT": 2,
    }
    return record | dict.fromkeys(list(INDEX_MEMBERS)[8:]) | changes


def record_type(members: Mapping[str, object], name: str = "record") -> Record:
    fields = [
        {"name": key, "type": of} | ({"default": None} if isinstance(of, list) else {}) for key, of in members.items()
    ]
    return {"type": "record", "name": name, "fields": fields}


def manifest_type(file_members: int = 21) -> Record:
    """Return the Avro schema of a manifest whose ``_FILE`` has the first ``file_members`` fields."""
    file = record_type(dict(list(FILE_MEMBERS.items())[:file_members]), "record__FILE")
    own = {"_VERSION": "int", "_KIND": "int", "_PARTITION": "bytes", "_BUCKET": "int", "_TOTAL_BUCKETS": "int"}
    return record_type({**own, "_FILE": file})


def avro(of: Any, records: Sequence[Record], codec: str = "null") -> bytes:
    data = io.BytesIO()
    fastavro.writer(data, of, records, codec=codec)
    return data.getvalue()


def manifest(*records: Record, file_members: int = 21, codec: str = "null") -> bytes:
    return avro(manifest_type(file_members), records, codec)


def manifest_list(*records: Record, members: int = 15, codec: str = "null") -> bytes:
    return avro(record_type(dict(list(LIST_MEMBERS.items())[:members])), records, codec)


def index_manifest(*records: Record, members: int = 11, codec: str = "null") -> bytes:
    return avro(record_type(dict(list(INDEX_MEMBERS.items())[:members])), records, codec)


def as_rust_writes(of: Record) -> list[object]:
    """Return a schema as pypaimon-rust writes it: a top-level union and nullable statistics."""

    def loosened(record: Record) -> Record:
        fields = []
        for field in record["fields"]:
            inner = field["type"]
            if isinstance(inner, dict) and inner.get("type") == "record":
                inner = loosened(inner)
                if field["name"].endswith("_STATS"):
                    inner = nullable(inner)
            fields.append({"name": field["name"], "type": inner})
        return record | {"fields": fields}

    return nullable(loosened(of))


def arrow_of(data: bytes) -> pa.Table:
    """Return the records of an Avro file as an Arrow table, to be written in other file formats."""
    return read_table(data)[1]


def orc_of(table: pa.Table, compression: str = "zstd") -> bytes:
    out = io.BytesIO()
    orc.write_table(table, out, compression=compression)
    return out.getvalue()


def parquet_of(table: pa.Table, compression: str = "zstd") -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, compression=compression)
    return out.getvalue()


CONTAINERS = {
    "avro": lambda data: data,
    "orc": lambda data: orc_of(arrow_of(data)),
    "parquet": lambda data: parquet_of(arrow_of(data)),
}
