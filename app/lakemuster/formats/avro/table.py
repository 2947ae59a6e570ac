"""A whole Avro file to an Arrow table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import orjson
import pyarrow as pa

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.arrow import arrow_schema, to_columns
from lakemuster.formats.avro.container import AvroHeader, Block, read_blocks, read_header
from lakemuster.formats.avro.engines import Framing, decode_datafusion, decode_fastavro
from lakemuster.formats.avro.native import Program, decode_native, is_available
from lakemuster.formats.avro.schema import Node, parse_schema

Engine = Literal["auto", "native", "datafusion", "fastavro"]

_CHUNK_BYTES = 8 << 20
"""Inflated bytes that others decode at a time: bounds what exists twice."""
_NATIVE_CHUNK_BYTES = 64 << 20
"""The same of the native decoder, which needs no copy of them: columns in one piece need not be joined."""
_SMALL_BYTES = 24 << 10
"""Below this, fastavro is done before DataFusion has started."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is derived from a schema alone: the same for the manifests of a table.

    Attributes:
        row: the record of a row.
        schema: of the table.
        framing: what DataFusion and fastavro are given.
        program: what the native decoder is given.
    """

    row: Node
    schema: pa.Schema
    framing: Framing
    program: Program


def read_table(data: bytes, *, engine: Engine = "auto") -> tuple[AvroHeader, pa.Table]:
    """Decode all records of an Avro file.

    Columns have Avro's names in the schema's order. A top-level union with null is unwrapped; null types and
    empty records are left out; a map is a list of key and value structs; dates, times, timestamps (without
    zone, in their unit), decimals and uuids (16 bytes) have Arrow's types, enums are strings. A column is
    nullable where it is a union with null. The table may have several chunks.

    Args:
        data: the file.
        engine: ``auto`` takes the native decoder. Where that does not load: DataFusion for bulk, fastavro for small
            files and for what DataFusion refuses.

    Raises:
        MetadataCorrupt: the bytes break the format; each block must be used to its last byte.
        LimitExceeded: larger, deeper or more numerous than what we decode.
        FormatUnsupported: rows that are no records, unions of several types, unknown codecs.
    """
    header = read_header(data)
    plan = _plan(header.metadata["avro.schema"])
    if engine == "auto" and is_available():
        engine = "native"
    size = _NATIVE_CHUNK_BYTES if engine == "native" else _CHUNK_BYTES
    batches = [
        batch
        for chunk in _chunks(_counted(plan.row, read_blocks(data, header)), size)
        for batch in _decode(plan, chunk, engine)
    ]
    return header, pa.Table.from_batches(batches, plan.schema)


@lru_cache(maxsize=16)
def _plan(schema: bytes) -> _Plan:
    row = parse_schema(orjson.loads(schema))
    return _Plan(row, arrow_schema(row), Framing.of(row), Program.of(row))


def _counted(row: Node, blocks: Iterable[Block]) -> Iterator[Block]:
    fewest = max(1, row.fewest_bytes)
    for block in blocks:
        if block.data and not block.records:
            raise MetadataCorrupt("a block of bytes without records", offset=block.offset)
        if block.records * fewest > len(block.data):
            raise MetadataCorrupt("a block of more records than its bytes can hold", offset=block.offset)
        yield block


def _chunks(blocks: Iterable[Block], most: int) -> Iterator[list[Block]]:
    chunk: list[Block] = []
    size = 0
    for block in blocks:
        chunk.append(block)
        size += len(block.data)
        if size >= most:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _decode(plan: _Plan, chunk: list[Block], engine: Engine) -> list[pa.RecordBatch]:
    if engine == "native":
        return _shaped(plan, [decode_native(plan.program, chunk)])
    if engine == "auto":
        if sum(len(block.data) for block in chunk) < _SMALL_BYTES:
            engine = "fastavro"
        else:
            try:
                return _shaped(plan, decode_datafusion(plan.framing, chunk))
            except MetadataCorrupt:
                engine = "fastavro"
    decoder = decode_datafusion if engine == "datafusion" else decode_fastavro
    return _shaped(plan, decoder(plan.framing, chunk))


def _shaped(plan: _Plan, arrays: Iterable[pa.Array]) -> list[pa.RecordBatch]:
    batches = []
    for array in arrays:
        if array.null_count:
            raise MetadataCorrupt("a row that is null")
        batches.append(pa.RecordBatch.from_arrays(to_columns(plan.row, array), schema=plan.schema))
    return batches
