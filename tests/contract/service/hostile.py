"""Small metadata files that exhaust the memory, stack or CPU time of a reader without limits."""

from __future__ import annotations

import io
import json
import zlib

import zstandard

SYNC = bytes(range(16))


def zigzag(value: int) -> bytes:
    """Return an Avro long."""
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value & ~0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def container(schema: object, codec: str, blocks: list[tuple[int, bytes]]) -> bytes:
    """Return an Avro object container with the given encoded blocks."""
    out = io.BytesIO()
    out.write(b"Obj\x01")
    metadata = {"avro.schema": json.dumps(schema).encode(), "avro.codec": codec.encode()}
    out.write(zigzag(len(metadata)))
    for key, value in metadata.items():
        out.write(zigzag(len(key)) + key.encode() + zigzag(len(value)) + value)
    out.write(b"\x00" + SYNC)
    for count, body in blocks:
        out.write(zigzag(count) + zigzag(len(body)) + body + SYNC)
    return out.getvalue()


def record(fields: list[tuple[str, object]], name: str = "r") -> dict[str, object]:
    """Return a record schema."""
    return {"type": "record", "name": name, "fields": [{"name": field, "type": kind} for field, kind in fields]}


def bombs() -> dict[str, bytes]:
    """Return the files by name; each is a few kilobytes at most."""
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = raw.compress(bytes(1 << 30)) + raw.flush()
    deep = json.dumps({"type": "record", "name": "leaf", "fields": []})
    for level in range(5000):
        deep = f'{{"type":"record","name":"r{level}","fields":[{{"name":"f","type":{deep}}}]}}'
    header = b"Obj\x01" + zigzag(1) + zigzag(11) + b"avro.schema" + zigzag(len(deep)) + deep.encode() + b"\x00" + SYNC
    return {
        "deflate bomb": container(record([("f", "bytes")]), "deflate", [(1, deflated)]),
        "zstd bomb": container(
            record([("f", "bytes")]), "zstandard", [(1, zstandard.ZstdCompressor(level=19).compress(bytes(1 << 29)))]
        ),
        "over-deep schema": header,
        "endless nulls": container("null", "null", [(2**40, b"")]),
        "array of nulls": container({"type": "array", "items": "null"}, "null", [(1, zigzag(2**27) + b"\x00")]),
        "negative count": container(record([("f", "long")]), "null", [(-3, b"\x02\x04\x06")]),
        "recursive": container(record([("next", ["null", "r"])]), "null", [(1, b"\x02" * 4000 + b"\x00")]),
    }
