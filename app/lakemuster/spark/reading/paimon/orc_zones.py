"""Instants of ORC files, which Paimon's Java writes and reads as local times of the process's time zone.

A TIMESTAMP WITH LOCAL TIME ZONE of 05:30 UTC is written in Shanghai as 05:30 there, and ORC stores that as an instant,
21:30 UTC. The zone is in the footer of each stripe. Before 1900, Java has other offsets than the time zone database in
some zones. With ``orc.timestamp-ltz.legacy.type`` false, instants are stored as they are.

Source: Paimon ``FieldWriterFactory``, ``OrcTimestampColumnVector``; ORC specification, "File Tail", "Stripe Footer".
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import orc

_STRIPES = 3
_OFFSET, _INDEX_LENGTH, _DATA_LENGTH, _FOOTER_LENGTH = 1, 2, 3, 4
_WRITER_ZONE = 3
_UTC = frozenset({"", "UTC", "GMT", "Z", "Etc/UTC", "Etc/GMT"})


def has_instants(of: pa.DataType) -> bool:
    """Return whether a type is a timestamp with a zone or contains one."""
    zoned = pa.types.is_timestamp(of) and of.tz is not None
    return zoned or any(has_instants(of.field(at).type) for at in range(of.num_fields))


def writer_zone(source: pa.NativeFile, file: orc.ORCFile) -> str | None:
    """Return the time zone of a file's writer; None if it is UTC, or the file has no rows.

    Raises:
        ArrowInvalid: the footers cannot be decoded.
    """
    if not file.nstripes:
        return None
    try:
        end = file.file_length - 1 - file.file_postscript_length
        footer = _section(source, file, end - file.file_footer_length, file.file_footer_length)
        first = next(content for number, _, content in _fields(footer) if number == _STRIPES)
        stripe = {number: value for number, value, _ in _fields(first)}
        start = sum(stripe.get(name, 0) for name in (_OFFSET, _INDEX_LENGTH, _DATA_LENGTH))
        members = _fields(_section(source, file, start, stripe[_FOOTER_LENGTH]))
        zone = next((content for number, _, content in members if number == _WRITER_ZONE), b"").decode()
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError, zlib.error) as problem:
        raise pa.ArrowInvalid("the footers of the ORC file cannot be decoded") from problem
    if zone in _UTC:
        return None
    return zone[3:] if zone.startswith(("GMT+", "GMT-")) else zone


def intended(values: pa.Array, zone: str) -> pa.Array:
    """Return timestamps with a zone, and those inside of nested values, as the writer in ``zone`` had them."""
    of = values.type
    if not has_instants(of):
        return values
    if pa.types.is_timestamp(of):
        return pc.assume_timezone(pc.local_timestamp(values.cast(pa.timestamp(of.unit, zone))), "UTC")
    if pa.types.is_struct(of):
        members = [intended(values.field(at), zone) for at in range(of.num_fields)]
        fields = [of.field(at).with_type(member.type) for at, member in enumerate(members)]
        return pa.StructArray.from_arrays(members, fields=fields, mask=values.is_null())
    mask = values.is_null() if values.null_count else None
    if pa.types.is_map(of):
        keys, items = intended(values.keys, zone), intended(values.items, zone)
        return pa.MapArray.from_arrays(values.offsets, keys, items, mask=mask)
    return pa.ListArray.from_arrays(values.offsets, intended(values.values, zone), mask=mask)


def _section(source: pa.NativeFile, file: orc.ORCFile, start: int, length: int) -> bytes:
    """Read a compressed section: chunks, each after three bytes of its length and whether it is stored as it is."""
    source.seek(start)
    data: bytes = source.read(length)
    decompress = _DECOMPRESS[file.compression]
    if decompress is None:
        return data
    parts, at = [], 0
    while at < len(data):
        header = int.from_bytes(data[at : at + 3], "little")
        chunk = data[at + 3 : at + 3 + (header >> 1)]
        parts.append(chunk if header & 1 else decompress(chunk, file.compression_size))
        at += 3 + (header >> 1)
    return b"".join(parts)


def _fields(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the fields of a protobuf message: their number, and their value as an integer or as bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
            yield key >> 3, value, b""
        elif key & 7 == 2:
            length, at = _varint(data, at)
            yield key >> 3, 0, data[at : at + length]
            at += length
        else:
            at += {1: 8, 5: 4}[key & 7]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _zlib(chunk: bytes, limit: int) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(chunk, limit)


def _zstd(chunk: bytes, limit: int) -> bytes:
    found: bytes = pa.CompressedInputStream(pa.BufferReader(chunk), "zstd").read(limit)
    return found


def _snappy(chunk: bytes, limit: int) -> bytes:
    found: bytes = pa.decompress(chunk, min(_varint(chunk, 0)[0], limit), "snappy", asbytes=True)
    return found


def _lz4(chunk: bytes, limit: int) -> bytes:
    """Decompress a block; Arrow's decoder needs to know its exact size."""
    found, at = bytearray(), 0

    def length(first: int) -> int:
        nonlocal at
        total, more = first, first == 15
        while more:
            total, more, at = total + chunk[at], chunk[at] == 255, at + 1
        return total

    while len(found) <= limit:
        token, at = chunk[at], at + 1
        count = length(token >> 4)
        found += chunk[at : at + count]
        at += count
        if at >= len(chunk):
            break
        back, at = int.from_bytes(chunk[at : at + 2], "little"), at + 2
        start = len(found) - back
        for place in range(start, start + min(length(token & 15) + 4, limit)):
            found.append(found[place])
    return bytes(found)


_DECOMPRESS: dict[str, Callable[[bytes, int], bytes] | None] = {
    "UNCOMPRESSED": None,
    "ZLIB": _zlib,
    "ZSTD": _zstd,
    "SNAPPY": _snappy,
    "LZ4": _lz4,
}
