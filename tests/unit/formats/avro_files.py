"""Avro files for tests: real files, and containers built byte by byte."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import fastavro
import orjson

from lakemuster.formats.avro import Engine, read_table
from lakemuster.formats.avro.container import AvroHeader, read_blocks, read_header, write_long

SYNC = bytes(range(16))


def real_files(lakes: Path) -> list[Path]:
    """Return every file below the folder of real tables that has Avro's magic bytes."""
    return sorted(path for path in lakes.rglob("*") if path.is_file() and path.open("rb").read(4) == b"Obj\x01")


def container(schema: object, blocks: Iterable[tuple[int, bytes]], codec: str = "null") -> bytes:
    """Return a container of (record count, stored bytes) blocks, without checks."""
    text = schema if isinstance(schema, bytes) else orjson.dumps(schema)
    entries = {b"avro.schema": text, b"avro.codec": codec.encode()}
    parts = [b"Obj\x01", write_long(len(entries))]
    parts += [sized(part) for entry in entries.items() for part in entry]
    parts += [b"\0", SYNC]
    for records, stored in blocks:
        parts += [write_long(records), sized(stored), SYNC]
    return b"".join(parts)


def sized(data: bytes) -> bytes:
    """Return Avro's encoding of ``bytes``: the length, then the data."""
    return write_long(len(data)) + data


def record(*fields: tuple[str, object], name: str = "r") -> dict[str, object]:
    """Return the schema of an Avro record."""
    return {"type": "record", "name": name, "fields": [{"name": each, "type": kind} for each, kind in fields]}


def written(schema: Any, rows: Sequence[object], codec: str = "null", block_bytes: int = 16000) -> bytes:
    """Return a container written by fastavro."""
    file = io.BytesIO()
    fastavro.writer(file, schema, rows, codec=codec, sync_interval=block_bytes)
    return file.getvalue()


def reference_rows(data: bytes) -> list[object]:
    """Return the records as fastavro reads them, after this package's reader inflates the blocks."""
    header: AvroHeader = read_header(data)
    blocks = [(block.records, block.data) for block in read_blocks(data, header)]
    return list(fastavro.reader(io.BytesIO(container(header.metadata["avro.schema"], blocks))))


def rows_of(data: bytes, engine: Engine = "auto") -> int:
    """Return the number of rows of a file; a task for a worker process."""
    rows: int = read_table(data, engine=engine)[1].num_rows
    return rows
