"""The two decoders, each given inflated blocks and a plain schema; each proves that it used every byte.

A block is handed over as one array of its records with a random mark behind it::

    count, records ..., 0, mark

A decoder that stops before the last byte of the records, or runs past it, does not find the mark: it would
have to read the array's end and the 16 secret bytes in the right place. So neither a count too low (rows
silently missing) nor a value that swallows its neighbours passes, at no cost beyond decoding itself.
"""

from __future__ import annotations

import io
import os
import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import fastavro
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from datafusion import SessionConfig, SessionContext

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.container import Block, write_long
from lakemuster.formats.avro.schema import Node, plain_schema, raw_type

_MARK = secrets.token_bytes(16)
_VECTOR = 1024
"""Buffers per system call; the limit of POSIX."""


@dataclass(frozen=True, slots=True)
class Framing:
    """What decoders need to know of a file's rows.

    Attributes:
        rows: the Arrow type of one block's rows, as both decoders give it.
        header: an Avro container's header for a file of framed blocks.
        parsed: the same schema, as fastavro prepares it.
    """

    rows: pa.ListType
    header: bytes
    parsed: object

    @classmethod
    def of(cls, node: Node) -> Framing:
        """The framing of rows of ``node``, a top-level union with null already dealt with."""
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
            rows=pa.list_(raw_type(node)),
            header=b"Obj\x01" + write_long(len(entries)) + header + b"\0" + _MARK,
            parsed=fastavro.parse_schema(schema),
        )


def decode_datafusion(framing: Framing, blocks: Sequence[Block]) -> list[pa.Array]:
    """The rows of ``blocks`` as struct arrays of ``framing.rows``' values.

    Raises:
        MetadataCorrupt: DataFusion refuses them, or did not use every byte.
    """
    parts = [framing.header, write_long(len(blocks)), b""]
    for block in blocks:
        parts += [write_long(block.records), block.data, b"\0" + _MARK] if block.records else [b"\0" + _MARK]
    parts[2] = write_long(sum(map(len, parts[3:])))
    parts.append(_MARK)
    with _as_file(parts) as path:
        # A new context: one remembers the schema of a path, and paths come again.
        context = SessionContext(SessionConfig().with_target_partitions(1))
        try:
            batches = context.read_avro(path, file_extension="").collect()
        except Exception as error:  # DataFusion raises bare Exception.
            raise MetadataCorrupt("records that do not decode", decoder="datafusion") from error
    counts = pa.array([block.records for block in blocks], pa.int32())
    _check(counts, [batch.column(0) for batch in batches], [batch.column(1) for batch in batches])
    return [batch.column(0).values.cast(framing.rows.value_type) for batch in batches]


def decode_fastavro(framing: Framing, blocks: Sequence[Block]) -> list[pa.Array]:
    """The same as ``decode_datafusion``, record by record: slower, and quicker to start.

    Raises:
        MetadataCorrupt: fastavro refuses them, or did not use every byte.
    """
    arrays: list[pa.Array] = []
    for block in blocks:
        framed = (write_long(block.records) + block.data if block.records else b"") + b"\0" + _MARK
        try:
            found = fastavro.schemaless_reader(io.BytesIO(framed), framing.parsed)  # type: ignore[arg-type]
            rows = pa.array([found["rows"]], framing.rows)  # type: ignore[index, call-overload]
        except MemoryError:
            raise
        except Exception as error:  # Whatever a decoder without checks stumbles over.
            raise MetadataCorrupt("records that do not decode", decoder="fastavro", offset=block.offset) from error
        _check(pa.array([block.records], pa.int32()), [rows], [pa.array([found["mark"]])])  # type: ignore[index, call-overload]
        arrays.append(rows.values)
    return arrays


def prepare_decoders() -> None:
    """Start what the decoders keep: threads, caches. The first file in a process pays for it otherwise."""
    framing = Framing.of(Node("record", children=(("number", Node("int")),)))
    for decode in (decode_datafusion, decode_fastavro):
        decode(framing, [Block(1, b"\0", 0)])


def _check(counts: pa.Array, rows: Sequence[pa.Array], marks: Sequence[pa.Array]) -> None:
    lengths = pc.list_value_length(pa.chunked_array(rows, rows[0].type)).combine_chunks() if rows else pa.array([])
    if not lengths.equals(counts) or any(mark != _MARK for array in marks for mark in array.to_pylist()):
        raise MetadataCorrupt("a block whose records do not end where the block ends")


def _sized(part: bytes) -> bytes:
    return write_long(len(part)) + part


@contextmanager
def _as_file(parts: Sequence[bytes]) -> Iterator[str]:
    """A path to read ``parts`` from: memory on Linux, a temporary file elsewhere."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("avro")
        try:
            _write(descriptor, parts)
            yield f"/proc/{os.getpid()}/fd/{descriptor}"
        finally:
            os.close(descriptor)
    else:
        with tempfile.NamedTemporaryFile(suffix=".avro") as file:
            _write(file.fileno(), parts)
            yield file.name


def _write(descriptor: int, parts: Sequence[bytes]) -> None:
    for start in range(0, len(parts), _VECTOR):
        pending = [memoryview(part) for part in parts[start : start + _VECTOR]]
        while pending:
            written = os.writev(descriptor, pending)
            while pending and written >= len(pending[0]):
                written -= len(pending.pop(0))
            if pending:
                pending[0] = pending[0][written:]
