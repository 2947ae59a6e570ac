"""Read Avro object container files: the header, and the blocks, without trusting any number in them.

Every length and count is compared with the remaining bytes before it is used. Blocks are returned
inflated, so that decoders see plain records and no decompression bomb.

Source: Avro specification 1.12, "Object Container Files".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from lakemuster.errors import FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.avro.codecs import inflate

MAX_FILE_BYTES = 512 << 20
MAX_HEADER_BYTES = 16 << 20
MAX_SCHEMA_BYTES = 1 << 20
MAX_INFLATED_BYTES = 4 << 30
"""The total of all blocks of one file."""

_MAGIC = b"Obj\x01"
_ENCRYPTED = b"AGS1"
"""The magic bytes of files that Iceberg encrypts; source: Iceberg, "AES GCM Stream file format"."""
_SYNC_BYTES = 16
_VARINT_BYTES = 10


@dataclass(frozen=True, slots=True)
class AvroHeader:
    """The header of a container.

    Attributes:
        schema: the writer's schema, parsed JSON, untouched.
        codec: Avro's name of the compression, ``null`` when none.
        metadata: every key of the header with its raw value.
        sync: the 16 bytes that end every block.
        data_offset: where the first block starts.
    """

    schema: object
    codec: str
    metadata: Mapping[str, bytes]
    sync: bytes
    data_offset: int


class Block(NamedTuple):
    """One inflated block: ``records`` records in ``data``; ``offset`` and ``end`` are its place in the file."""

    records: int
    data: bytes
    offset: int
    end: int = 0


def read_header(data: bytes) -> AvroHeader:
    """Parse the header of a container.

    Raises:
        MetadataCorrupt: not Avro, cut short, or without a schema.
        FormatUnsupported: encrypted.
        LimitExceeded: the file, the header or the schema is larger than what we decode.
    """
    if len(data) > MAX_FILE_BYTES:
        raise LimitExceeded("an Avro file larger than the limit", bytes=len(data), limit=MAX_FILE_BYTES)
    if data[:4] == _ENCRYPTED:
        raise FormatUnsupported("the file is encrypted (AES GCM Stream): encrypted metadata is not supported")
    if data[:4] != _MAGIC:
        raise MetadataCorrupt("not an Avro file: its magic bytes are missing")
    end = min(len(data), MAX_HEADER_BYTES)
    metadata: dict[str, bytes] = {}
    position = 4
    while True:
        count, position = read_long(data, position, end)
        if count == 0:
            break
        if count < 0:
            # The block's size in bytes follows a negative count; a reader needs neither.
            count = -count
            _, position = read_long(data, position, end)
        if count > (end - position) // 2:
            raise _header_short(data)
        for _ in range(count):
            key, position = _read_bytes(data, position, end)
            value, position = _read_bytes(data, position, end)
            metadata[_text(key)] = value
    offset = position + _SYNC_BYTES
    if offset > end:
        raise _header_short(data)
    return AvroHeader(
        schema=_schema(metadata),
        codec=_text(metadata.get("avro.codec", b"null")) or "null",
        metadata=metadata,
        sync=data[position:offset],
        data_offset=offset,
    )


def read_blocks(data: bytes, header: AvroHeader) -> Iterator[Block]:
    """Yield the inflated blocks, up to the last byte of the file.

    Raises:
        MetadataCorrupt: a block is cut short, lacks its sync marker, has a negative count or does not inflate.
        LimitExceeded: a block, or the file, inflates to more than we decode.
        FormatUnsupported: an unknown codec.
    """
    view = memoryview(data)
    position, end, total = header.data_offset, len(data), 0
    while position < end:
        start = position
        count, position = read_long(data, position, end)
        size, position = read_long(data, position, end)
        if count < 0 or size < 0:
            raise MetadataCorrupt("a block with a negative count or size", offset=start, count=count, bytes=size)
        stop = position + size
        if stop + _SYNC_BYTES > end:
            raise MetadataCorrupt("a block that the file cuts short", offset=start, bytes=size)
        if data[stop : stop + _SYNC_BYTES] != header.sync:
            raise MetadataCorrupt("a block without its sync marker", offset=start)
        try:
            plain = inflate(header.codec, view[position:stop])
        except MetadataCorrupt as error:
            raise type(error)(error.message, **{**error.context, "offset": start}) from error.__cause__
        total += len(plain)
        if total > MAX_INFLATED_BYTES:
            raise LimitExceeded("a file that inflates to more than the limit", limit=MAX_INFLATED_BYTES)
        position = stop + _SYNC_BYTES
        yield Block(count, plain, start, position)


def read_long(data: bytes, position: int, end: int) -> tuple[int, int]:
    """Read a zig-zag varint; return the value and the position after it.

    Raises:
        MetadataCorrupt: it runs past ``end`` or past 64 bits.
    """
    start, number = position, 0
    while position < end:
        byte = data[position]
        number |= (byte & 0x7F) << (7 * (position - start))
        position += 1
        if byte < 0x80:
            if number >> 64:
                break
            return (number >> 1) ^ -(number & 1), position
        if position - start == _VARINT_BYTES:
            break
    raise MetadataCorrupt("a number that is cut short or longer than 64 bits", offset=start)


def write_long(number: int) -> bytes:
    """Encode a non-negative number as a zig-zag varint."""
    number <<= 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_bytes(data: bytes, position: int, end: int) -> tuple[bytes, int]:
    size, position = read_long(data, position, end)
    if not 0 <= size <= end - position:
        raise _header_short(data)
    return data[position : position + size], position + size


def _header_short(data: bytes) -> MetadataCorrupt:
    if len(data) > MAX_HEADER_BYTES:
        return LimitExceeded("an Avro header larger than the limit", limit=MAX_HEADER_BYTES)
    return MetadataCorrupt("an Avro header that is cut short", bytes=len(data))


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise MetadataCorrupt("an Avro header with text that is not UTF-8") from error


def _schema(metadata: Mapping[str, bytes]) -> object:
    raw = metadata.get("avro.schema")
    if raw is None:
        raise MetadataCorrupt("an Avro header without a schema")
    if len(raw) > MAX_SCHEMA_BYTES:
        raise LimitExceeded("an Avro schema larger than the limit", bytes=len(raw), limit=MAX_SCHEMA_BYTES)
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise MetadataCorrupt("an Avro schema that is not JSON, or nested too deep") from error
