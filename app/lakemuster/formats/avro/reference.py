"""The reference decoder, fastavro, checked to use every byte of its input; it also decodes where no kernel loads.

It gets inflated blocks and a plain schema. A block is passed as one array of its records, followed by a random mark::

    count, records ..., 0, mark

A decoder that stops before the last byte of the records, or reads past it, does not find the mark: it would
have to read the array's end and the 16 secret bytes in the right place. So a count that is too low (rows
silently missing) and a value that swallows its neighbours are both detected, at no cost beyond decoding.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import fastavro
import pyarrow as pa

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.container import Block, write_long
from lakemuster.formats.avro.native import is_available
from lakemuster.formats.avro.schema import Node, plain_schema, raw_type

_MARK = secrets.token_bytes(16)
_END = b"\0" + _MARK
_OBJECT_BYTES = 1 << 20
"""Encoded bytes that exist as Python objects at a time; the objects are a hundred times as large."""


@dataclass(frozen=True, slots=True)
class Framing:
    """The schema of a file's rows, prepared for the decoder.

    Attributes:
        rows: the Arrow type of a row, as the decoder returns it.
        parsed: the schema of a marked block, parsed by fastavro.
    """

    rows: pa.StructType
    parsed: Any

    @classmethod
    def of(cls, node: Node) -> Framing:
        """Return the framing of rows of ``node``."""
        mark = {"type": "fixed", "name": "mark", "size": len(_MARK)}
        items = {"type": "array", "items": plain_schema(node)}
        fields = [{"name": "rows", "type": items}, {"name": "mark", "type": mark}]
        schema = {"type": "record", "name": "block", "fields": fields}
        return cls(rows=raw_type(node), parsed=fastavro.parse_schema(schema))


def decode_fastavro(framing: Framing, blocks: Sequence[Block]) -> list[pa.Array]:
    """Return the rows of ``blocks`` as struct arrays of ``framing.rows``.

    Raises:
        MetadataCorrupt: fastavro rejects them, or did not use every byte.
    """
    arrays: list[pa.Array] = []
    rows: list[object] = []
    size = 0
    for block in blocks:
        with _refusing():
            found: Any = fastavro.schemaless_reader(io.BytesIO(_framed(block)), framing.parsed)
        if found["mark"] != _MARK or len(found["rows"]) != block.records:
            raise MetadataCorrupt("a block whose records do not end where the block ends")
        rows += found["rows"]
        size += len(block.data)
        if size > _OBJECT_BYTES or block is blocks[-1]:
            with _refusing():
                arrays.append(pa.array(rows, framing.rows))
            rows, size = [], 0
    return arrays


def prepare_decoders() -> None:
    """Load the kernel, or warm up fastavro in its place, before the first file of a process."""
    if not is_available():
        decode_fastavro(Framing.of(Node("record", children=(("number", Node("int")),))), [Block(1, b"\0", 0)])


def _framed(block: Block) -> bytes:
    return b"".join((write_long(block.records), block.data, _END)) if block.records else _END


@contextmanager
def _refusing() -> Iterator[None]:
    """Raise ``MetadataCorrupt`` for any exception that the decoder raises on its input."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise MetadataCorrupt("records that do not decode", decoder="fastavro") from error
