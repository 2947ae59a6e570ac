"""Decode a whole Avro file to an Arrow table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Literal

import orjson
import pyarrow as pa

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.avro.arrow import arrow_schema, to_columns
from lakemuster.formats.avro.container import AvroHeader, Block, read_blocks, read_header
from lakemuster.formats.avro.native import (
    Columns,
    Path,
    Program,
    Slots,
    Widths,
    can_be_keyed,
    decode_keyed,
    decode_native,
    is_available,
)
from lakemuster.formats.avro.reference import Framing, decode_fastavro
from lakemuster.formats.avro.schema import Node, parse_schema

Engine = Literal["auto", "native", "fastavro"]

_CHUNK_BYTES = 8 << 20
"""Inflated bytes that fastavro decodes at a time: limits the data that is in memory twice."""
_NATIVE_CHUNK_BYTES = 1 << 30
"""The same for the native decoder, which inflates one block at a time: its offsets have 32 bits."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything derived from a schema alone; cached, because the manifests of a table share a schema.

    Attributes:
        row: the record of a row.
        schema: of the table.
        framing: the input of fastavro.
        program: the input of the native decoder.
        keyed: its input with keyed maps, by their paths.
    """

    row: Node
    schema: pa.Schema
    framing: Framing
    program: Program
    keyed: dict[tuple[Path, ...], _Keyed] = field(default_factory=dict)


@dataclass(slots=True)
class _Keyed:
    """A plan with keyed maps, and the slots of the last file, which the next one is likely to need."""

    program: Program
    schema: pa.Schema
    slots: Slots | None = None


def read_table(data: bytes, *, engine: Engine = "auto") -> tuple[AvroHeader, pa.Table]:
    """Decode all records of an Avro file.

    Columns have Avro's names in the schema's order. A top-level union with null is unwrapped; null types and
    empty records are left out; a map is a list of key and value structs; dates, times, timestamps (without
    zone, in their unit), decimals and uuids (16 bytes) have Arrow's types, enums are strings. A column is
    nullable where it is a union with null. The table may have several chunks.

    Args:
        data: the file.
        engine: ``auto`` takes the native decoder; where that does not load, and within ``kernels_disabled``, fastavro,
            the reference.

    Raises:
        MetadataCorrupt: the bytes break the format; each block must be used to its last byte.
        LimitExceeded: larger, deeper or more numerous than what we decode.
        FormatUnsupported: rows that are not records, unions of several types, unknown codecs.
    """
    header = read_header(data)
    return header, _read(data, header, engine)


def _read(data: bytes, header: AvroHeader, engine: Engine) -> pa.Table:
    plan = _plan(header.metadata["avro.schema"])
    if engine == "auto":
        engine = "native" if is_available() else "fastavro"
    size = _NATIVE_CHUNK_BYTES if engine == "native" else _CHUNK_BYTES
    batches = [
        batch
        for chunk in _chunks(_counted(plan.row, read_blocks(data, header)), size)
        for batch in _decode(plan, chunk, engine, len(data))
    ]
    return pa.Table.from_batches(batches, plan.schema)


def read_keyed(
    data: bytes, header: AvroHeader, maps: Mapping[tuple[str, ...], Widths | None]
) -> tuple[pa.Table, dict[tuple[str, ...], Columns]]:
    """Decode like ``read_table``, but maps from int to long or bytes to one column per key.

    This takes a fraction of the time and memory of lists of keys and values that are sorted into columns later. It
    needs the native decoder: where that does not load, all maps are columns of the table.

    Args:
        data: the file.
        header: of the file; its ``avro.schema`` may be another one, to decode with in place of the file's.
        maps: by the path of names to a map: for bytes, the expected bytes of each key's values, 4 or 8; for longs,
            None.

    Returns:
        the table without those maps, and the maps' columns. If a map holds a key twice, its last value counts. A
        member that is not such a map stays a column of the table.

    Raises:
        As ``read_table``. LimitExceeded: too many different keys.
    """
    plan = _plan(header.metadata["avro.schema"])
    paths = {_path(plan.row, names): names for names in maps}
    chosen = tuple(can_be_keyed(plan.row, {path: maps[names] is not None for path, names in paths.items() if path}))
    if not chosen or not is_available():
        return _read(data, header, "auto"), {}
    keyed = plan.keyed.get(chosen)
    if keyed is None:
        program = Program.of(plan.row, chosen)
        keyed = plan.keyed[chosen] = _Keyed(program, arrow_schema(program.row))
    widths = {path: width_of for path in chosen if (width_of := maps[paths[path]]) is not None}
    batches: list[pa.RecordBatch] = []
    pieces: list[tuple[int, dict[Path, Columns]]] = []
    for chunk in _chunks(_counted(plan.row, read_blocks(data, header)), _NATIVE_CHUNK_BYTES):
        rows, columns, keyed.slots = decode_keyed(
            keyed.program, plan.program, widths, chunk, keyed.slots, end=len(data)
        )
        batches += _shaped(keyed.program.row, keyed.schema, [rows])
        pieces.append((len(rows), columns))
    return pa.Table.from_batches(batches, keyed.schema), {paths[path]: _joined(pieces, path) for path in chosen}


def _path(row: Node, names: tuple[str, ...]) -> Path:
    """Return the path of members' numbers for a path of their names; empty if a name is missing."""
    path: list[int] = []
    for name in names:
        number = next((number for number, (found, _) in enumerate(row.children) if found == name), None)
        if number is None:
            return ()
        path.append(number)
        row = row.children[number][1]
    return tuple(path)


def _joined(pieces: list[tuple[int, dict[Path, Columns]]], path: Path) -> Columns:
    """Concatenate the columns of several chunks, which may lack keys and differ in their types."""
    if len(pieces) == 1:
        return pieces[0][1][path]
    types: dict[int, pa.DataType] = {}
    for _, columns in pieces:
        for key, values in columns[path].items():
            if types.setdefault(key, values.type) != values.type:
                types[key] = pa.int64() if pa.types.is_integer(values.type) else pa.binary()
    try:
        return {
            key: pa.concat_arrays(
                [
                    columns[path][key].cast(of) if key in columns[path] else pa.nulls(rows, of)
                    for rows, columns in pieces
                ]
            )
            for key, of in types.items()
        }
    except pa.ArrowException as cause:
        raise LimitExceeded("a column of a file is larger than an Arrow array") from cause


def checked_schema(text: bytes) -> object:
    """Return the JSON of a file's schema. Raises: as :func:`parse_schema`, if it cannot be decoded with."""
    schema: object = orjson.loads(text)
    parse_schema(schema)
    return schema


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


def _chunks(blocks: Iterable[Block], most: int) -> Iterator[Iterable[Block]]:
    """Split the blocks into chunks; each must be consumed before the next."""
    rest = iter(blocks)
    for first in rest:
        yield _chunk(chain([first], rest), most)


def _chunk(blocks: Iterable[Block], most: int) -> Iterator[Block]:
    size = 0
    for block in blocks:
        yield block
        size += len(block.data)
        if size >= most:
            return


def _decode(plan: _Plan, blocks: Iterable[Block], engine: Engine, end: int) -> list[pa.RecordBatch]:
    if engine == "native":
        return _shaped(plan.row, plan.schema, [decode_native(plan.program, blocks, end=end)])
    return _shaped(plan.row, plan.schema, decode_fastavro(plan.framing, list(blocks)))


def _shaped(row: Node, schema: pa.Schema, arrays: Iterable[pa.Array]) -> list[pa.RecordBatch]:
    batches = []
    for array in arrays:
        if array.null_count:
            raise MetadataCorrupt("a row that is null")
        batches.append(pa.RecordBatch.from_arrays(to_columns(row, array), schema=schema))
    return batches
