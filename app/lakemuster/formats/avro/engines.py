"""The fallback decoders, DataFusion and fastavro, each checked to use every byte of its input.

They get inflated blocks and a plain schema. A block is passed as one array of its records, followed by a
random mark::

    count, records ..., 0, mark

A decoder that stops before the last byte of the records, or reads past it, does not find the mark: it would
have to read the array's end and the 16 secret bytes in the right place. So a count that is too low (rows
silently missing) and a value that swallows its neighbours are both detected, at no cost beyond decoding.
"""

from __future__ import annotations

import io
import os
import secrets
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import fastavro
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from datafusion import SessionConfig, SessionContext

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.container import Block, write_long
from lakemuster.formats.avro.native import is_available
from lakemuster.formats.avro.schema import Node, plain_schema, raw_type

_MARK = secrets.token_bytes(16)
_END = b"\0" + _MARK
_OBJECT_BYTES = 1 << 20
"""Encoded bytes that exist as Python objects at a time; the objects are a hundred times as large."""
_KEPT_BYTES = 16 << 20
"""Bytes that a memory file retains when it is reused for the next blocks."""
_VECTOR = 1024
"""Buffers per system call; the limit of POSIX."""


@dataclass(frozen=True, slots=True)
class Framing:
    """The schema of a file's rows, prepared for both decoders.

    Attributes:
        rows: the Arrow type of a row, as both decoders return it.
        header: the header of an Avro container of framed blocks.
        parsed: the same schema, parsed by fastavro.
    """

    rows: pa.StructType
    header: bytes
    parsed: Any

    @classmethod
    def of(cls, node: Node) -> Framing:
        """The framing of rows of ``node``."""
        mark = {"type": "fixed", "name": "mark", "size": len(_MARK)}
        items = {"type": "array", "items": plain_schema(node)}
        schema = {
            "type": "record",
            "name": "block",
            "fields": [{"name": "rows", "type": items}, {"name": "mark", "type": mark}],
        }
        entries = [(b"avro.schema", orjson.dumps(schema)), (b"avro.codec", b"null")]
        header = b"".join(_sized(part) for entry in entries for part in entry)
        return cls(
            rows=raw_type(node),
            header=b"Obj\x01" + write_long(len(entries)) + header + b"\0" + _MARK,
            parsed=fastavro.parse_schema(schema),
        )


def decode_datafusion(framing: Framing, blocks: Sequence[Block]) -> list[pa.Array]:
    """The rows of ``blocks`` as struct arrays of ``framing.rows``.

    Raises:
        MetadataCorrupt: DataFusion rejects them, or did not use every byte.
    """
    framed = [part for block in blocks for part in _framed(block)]
    parts = [framing.header, write_long(len(blocks)), write_long(sum(map(len, framed))), *framed, _MARK]
    with _as_file(parts) as path:
        # A new context: contexts cache the schema of a path, and paths are reused. Its batch takes every block
        # and no more: past the last one, DataFusion 55 loops for ever over remaining bytes.
        config = SessionConfig().with_target_partitions(1).with_batch_size(len(blocks))
        with _refusing("datafusion"):
            stream = SessionContext(config).read_avro(path, file_extension="").execute_stream()
            batch = next(stream).to_pyarrow()
    found, marks = batch.columns
    if pc.list_value_length(found).to_pylist() != [block.records for block in blocks]:
        raise _misplaced_end()
    if any(mark != _MARK for mark in marks.to_pylist()):
        raise _misplaced_end()
    return [found.values.cast(framing.rows)]


def decode_fastavro(framing: Framing, blocks: Sequence[Block]) -> list[pa.Array]:
    """Like ``decode_datafusion``, record by record: slower, but quicker to start.

    Raises:
        MetadataCorrupt: fastavro rejects them, or did not use every byte.
    """
    arrays: list[pa.Array] = []
    rows: list[object] = []
    size = 0
    for block in blocks:
        with _refusing("fastavro"):
            framed = io.BytesIO(b"".join(_framed(block)))
            found: Any = fastavro.schemaless_reader(framed, framing.parsed)
        if found["mark"] != _MARK or len(found["rows"]) != block.records:
            raise _misplaced_end()
        rows += found["rows"]
        size += len(block.data)
        if size > _OBJECT_BYTES or block is blocks[-1]:
            with _refusing("fastavro"):
                arrays.append(pa.array(rows, framing.rows))
            rows, size = [], 0
    return arrays


def prepare_decoders() -> None:
    """Warm up the decoders' threads and caches, so that the first file in a process does not pay for them."""
    if is_available():
        return
    framing = Framing.of(Node("record", children=(("number", Node("int")),)))
    for decode in (decode_datafusion, decode_fastavro):
        decode(framing, [Block(1, b"\0", 0)])


def _framed(block: Block) -> tuple[bytes, ...]:
    if block.records:
        return write_long(block.records), block.data, _END
    return (_END,)


@contextmanager
def _refusing(decoder: str) -> Iterator[None]:
    """Raise ``MetadataCorrupt`` for whatever a decoder raises over its input, Rust panics included."""
    try:
        yield
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise MetadataCorrupt("records that do not decode", decoder=decoder) from error


def _misplaced_end() -> MetadataCorrupt:
    return MetadataCorrupt("a block whose records do not end where the block ends")


def _sized(part: bytes) -> bytes:
    return write_long(len(part)) + part


@contextmanager
def _as_file(parts: Sequence[bytes]) -> Iterator[str]:
    """A path to read ``parts`` from: memory on Linux, a temporary file elsewhere."""
    if hasattr(os, "memfd_create"):
        file = _memory.file()
        try:
            _write(file.descriptor, parts)
            yield file.path
        finally:
            if os.fstat(file.descriptor).st_size > _KEPT_BYTES:
                os.ftruncate(file.descriptor, _KEPT_BYTES)
    else:
        with tempfile.NamedTemporaryFile(suffix=".avro") as temporary:
            _write(temporary.fileno(), parts)
            yield temporary.name


class _MemoryFile:
    def __init__(self) -> None:
        self.descriptor = os.memfd_create("avro")
        self.process = os.getpid()
        self.path = f"/proc/{self.process}/fd/{self.descriptor}"

    def __del__(self) -> None:
        os.close(self.descriptor)


class _Memory(threading.local):
    """A memory file per thread, reused: allocating memory takes four times as long as writing to it."""

    kept: _MemoryFile | None = None

    def file(self) -> _MemoryFile:
        if self.kept is None or self.kept.process != os.getpid():
            self.kept = _MemoryFile()
        return self.kept


_memory = _Memory()


def _write(descriptor: int, parts: Sequence[bytes]) -> None:
    """Replace the content of a file by ``parts``."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.ftruncate(descriptor, min(os.fstat(descriptor).st_size, sum(map(len, parts))))
    for start in range(0, len(parts), _VECTOR):
        pending = [memoryview(part) for part in parts[start : start + _VECTOR]]
        while pending:
            written = os.writev(descriptor, pending)
            while pending and written >= len(pending[0]):
                written -= len(pending.pop(0))
            if pending:
                pending[0] = pending[0][written:]
