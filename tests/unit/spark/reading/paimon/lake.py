"""An in-memory lake of data files in each format and deletion vectors, and the server's metadata of them."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc
from pyroaring import BitMap, BitMap64

from lakemuster.spark.reading import paimon
from lakemuster.spark.reading.model import Split, TableToRead

ARROW = {
    "TINYINT": pa.int8(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "STRING": pa.string(),
    "TIMESTAMP(3)": pa.timestamp("ms"),
    "TIMESTAMP(6)": pa.timestamp("us"),
    "BYTES": pa.binary(),
}
AVRO: Mapping[str, Any] = {
    "TINYINT": "int",
    "INT": "int",
    "BIGINT": "long",
    "DOUBLE": "double",
    "STRING": "string",
    "TIMESTAMP(3)": {"type": "long", "logicalType": "timestamp-millis"},
    "BYTES": "bytes",
}


class MemoryLake:
    """In-memory objects by location, with a list of the opened ones."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.opened: list[str] = []

    def open(self, location: str, size: int | None = None) -> pa.NativeFile:
        self.opened.append(location)
        return pa.BufferReader(self.objects[location])

    def read(self, location: str, offset: int = 0, length: int | None = None) -> bytes:
        found = self.objects[location][offset : None if length is None else offset + length]
        if length is not None and len(found) != length:
            raise OSError(f"{location} ends before")
        return found

    def write(self, location: str, data: bytes) -> str:
        self.objects[location] = data
        return location

    def vector(self, positions: Iterable[int], *, wide: bool = False, cardinality: bool = True) -> dict[str, Any]:
        """Write an index file of one deletion vector and return its location and range."""
        marked = list(positions)
        bits: BitMap | BitMap64 = BitMap64(marked) if wide else BitMap(marked)
        magic = struct.pack("<i", 1681511377) if wide else struct.pack(">i", 1581511376)
        payload = magic + bits.serialize()
        around = struct.pack(">i", len(payload)) + payload + struct.pack(">I", zlib.crc32(payload))
        path = self.write(f"index-{len(self.objects)}", b"\1" + b"other" + around)
        length = len(payload) + 8 * wide
        return {"file_path": path, "offset": 6, "length": length, "cardinality": len(marked) if cardinality else None}


def file_bytes(form: str, columns: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], group: int = 1000) -> bytes:
    """Return the bytes of a data file.

    Args:
        columns: types by name in the file; a ROW is a nested mapping.
        rows: values by name in the file.
        group: the maximum size of a row group (rows), or the target size of a stripe or block (bytes).
    """
    out = io.BytesIO()
    if form == "avro":
        schema = {"type": "record", "name": "r", "fields": _avro_fields(columns, "r")}
        fastavro.writer(out, fastavro.parse_schema(schema), list(rows), codec="deflate", sync_interval=group)
        return out.getvalue()
    arrays = [pa.array([row[name] for row in rows], arrow(of)) for name, of in columns.items()]
    table = pa.table(arrays, names=list(columns))
    if form == "orc":
        orc.write_table(table, out, stripe_size=group)
    else:
        pq.write_table(table, out, row_group_size=group)
    return out.getvalue()


def arrow(of: Any) -> pa.DataType:
    if isinstance(of, Mapping):
        return pa.struct([(name, arrow(inner)) for name, inner in of.items()])
    return ARROW[of] if isinstance(of, str) else of


def _avro_fields(columns: Mapping[str, Any], above: str) -> list[dict[str, Any]]:
    fields = []
    for name, of in columns.items():
        inner = AVRO[of] if isinstance(of, str) else None
        if inner is None:
            inner = {"type": "record", "name": f"{above}_{name}", "fields": _avro_fields(of, f"{above}_{name}")}
        fields.append({"name": name, "type": ["null", inner], "default": None})
    return fields


def schema_row(
    schema_id: int,
    fields: Sequence[Mapping[str, Any]],
    *,
    primary: Sequence[str] = (),
    partition: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a schema as the server lists it."""
    return {
        "schema_id": schema_id,
        "branch": "main",
        "current": False,
        "fields": list(fields),
        "primary_keys": list(primary),
        "partition_keys": list(partition),
        "options": dict(options or {}),
    }


def field_row(field_id: int, name: str, of: Any, *, required: bool = False) -> dict[str, Any]:
    """Return a column as the server lists it."""
    return {"id": field_id, "name": name, "type": of, "required": required}


def planned(path: str, data: bytes, rows: int, **more: Any) -> dict[str, Any]:
    """Return a file's row of a plan; by default, the file is read without merging."""
    return {
        "content": "data",
        "file_path": path,
        "file_name": path.rsplit("/", 1)[-1],
        "file_format": path.rsplit(".", 1)[-1],
        "file_size_in_bytes": len(data),
        "record_count": rows,
        "schema_id": 0,
        "partition": {},
        "bucket": 0,
        "level": 0,
        "raw_convertible": True,
        "section": None,
        "deletion_vector": None,
        "delete_row_count": 0,
        "file_source": "append",
        "min_sequence_number": 0,
        "max_sequence_number": 0,
        "first_row_id": None,
        "write_cols": None,
        "write_cols_sequences": None,
        "min_key": None,
        "max_key": None,
        "deletes": [],
        **more,
    }


def to_read(schemas: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None, **options: str) -> TableToRead:
    """Return a table that is read by the last of its schemas."""
    last = schemas[-1]
    return TableToRead(
        name="db.t",
        format="paimon",
        schema=last,
        schemas=tuple(schemas),
        specs=(),
        properties={**last["options"], **options},
        rewrites=(),
        columns=tuple(field["name"] for field in last["fields"]) if columns is None else tuple(columns),
    )


def rows_of(table: TableToRead, files: Sequence[Mapping[str, Any]], lake: MemoryLake) -> list[dict[str, Any]]:
    """Return the rows read from a split, and check their schema."""
    found: list[dict[str, Any]] = []
    schema = paimon.read_schema(table)
    for batch in paimon.read(table, Split(tuple(files)), lake):
        assert batch.schema.equals(schema)
        batch.validate(full=True)
        found += batch.to_pylist() if schema.names else [{}] * batch.num_rows
    return found
