"""An encoder of file indexes as Paimon's writers produce them, independent of the code under test."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence

from pyroaring import BitMap

Raw = int | float | bytes | bool
"""A value as an index stores it: times and decimals as integers, text as UTF-8."""
Values = Sequence[Raw | None]

FORMS = {
    "boolean": ">?",
    "tinyint": ">b",
    "smallint": ">h",
    "int": ">i",
    "long": ">q",
    "float": ">f",
    "double": ">d",
}


def container(columns: Mapping[str, Mapping[str, bytes | None]], *, version: int = 1, more: bytes = b"") -> bytes:
    """Return a container of indexes by column and kind; None is an index of nulls only. ``more`` ends the head."""

    def head(start: int) -> tuple[bytes, bytes]:
        said, body = struct.pack(">i", len(columns)), b""
        for name, indexes in columns.items():
            said += text(name) + struct.pack(">i", len(indexes))
            for kind, data in indexes.items():
                place = (-1, 0) if data is None else (start + len(body), len(data))
                said += text(kind) + struct.pack(">ii", *place)
                body += data or b""
        return said + struct.pack(">i", len(more)) + more, body

    length = 16 + len(head(0)[0])
    said, body = head(length)
    return struct.pack(">qii", 1493475289347502, version, length) + said + body


def text(name: str) -> bytes:
    units = name.encode("utf-16-be", "surrogatepass")
    raw = b"".join(
        chr(unit).encode("utf-8", "surrogatepass") if unit else b"\xc0\x80"
        for (unit,) in struct.iter_unpack(">H", units)
    )
    return struct.pack(">H", len(raw)) + raw


def value(kind: str, raw: Raw) -> bytes:
    """Return the bytes of a value."""
    if kind == "string":
        assert isinstance(raw, bytes)
        return struct.pack(">i", len(raw)) + raw
    if isinstance(raw, float) and math.isnan(raw):
        return struct.pack(">I", 0x7FC00000) if kind == "float" else struct.pack(">Q", 0x7FF8000000000000)
    return struct.pack(FORMS[kind], raw)


def order(raw: Raw) -> tuple[object, ...]:
    """Return a sort key for Java's order of values: -0.0 before 0.0, NaN last."""
    if isinstance(raw, float):
        return (1, 0.0, 0) if math.isnan(raw) else (0, raw, 0 if math.copysign(1, raw) < 0 else 1)
    return (0, raw, 0)


def rows_by_value(values: Values) -> list[tuple[Raw, BitMap]]:
    """Return the distinct values in order, with the rows of each."""
    found: dict[tuple[object, ...], tuple[Raw, BitMap]] = {}
    for row, raw in enumerate(values):
        if raw is not None:
            found.setdefault(order(raw), (raw, BitMap()))[1].add(row)
    return [found[key] for key in sorted(found)]  # type: ignore[type-var]


def roaring(rows: BitMap, *, runs: bool = False) -> bytes:
    rows = rows.copy()
    if runs:
        rows.run_optimize()
    return bytes(rows.serialize())


def bloom_filter(hashes: Sequence[int], *, bits: int = 512, functions: int = 4) -> bytes:
    """Return a bloom filter of 64-bit hashes."""
    data = bytearray(bits // 8)
    for code in hashes:
        low, high = code & 0xFFFFFFFF, code >> 32
        for number in range(1, functions + 1):
            (place,) = struct.unpack(">i", struct.pack(">I", (low + number * high) % 2**32))
            place = (-place - 1 if place < 0 else place) % bits
            data[place // 8] |= 1 << place % 8
    return struct.pack(">i", functions) + bytes(data)


def bitmap(kind: str, values: Values, *, version: int = 2, block: int = 64, runs: bool = False) -> bytes:
    nulls = BitMap(row for row, raw in enumerate(values) if raw is None)
    body = roaring(nulls, runs=runs) if len(nulls) > 1 else b""
    null_length = len(body)
    entries: list[tuple[bytes, int, int]] = []
    for raw, rows in rows_by_value(values):
        data = roaring(rows, runs=runs)
        if len(rows) == 1:
            entries.append((value(kind, raw), -1 - rows[0], -1))
        else:
            entries.append((value(kind, raw), len(body), len(data)))
            body += data
    head = struct.pack(">bii?", version, len(values), len(entries), bool(nulls))
    if nulls:
        head += struct.pack(">i", -1 - nulls[0] if len(nulls) == 1 else 0)
    if version == 1:
        return head + b"".join(raw + struct.pack(">i", place) for raw, place, _ in entries) + body
    if nulls:
        head += struct.pack(">i", null_length)
    blocks: list[list[tuple[bytes, int, int]]] = []
    for entry in entries:
        if not blocks or 4 + sum(8 + len(raw) for raw, *_ in [*blocks[-1], entry]) > block:
            blocks.append([])
        blocks[-1].append(entry)
    firsts, said = b"", b""
    for some in blocks:
        firsts += some[0][0] + struct.pack(">i", len(said))
        said += struct.pack(">i", len(some)) + b"".join(raw + struct.pack(">ii", *place) for raw, *place in some)
    return head + struct.pack(">i", len(blocks)) + firsts + struct.pack(">i", len(said)) + said + body


def bsi(values: Sequence[int | None], *, least: int = 0, runs: bool = False) -> bytes:
    """Return a bit-sliced index; ``least``, at most the smallest magnitude, is subtracted from each magnitude."""

    def amounts(of: Mapping[int, int]) -> bytes:
        if not of:
            return b"\0"
        digits = max(of.values()) - least
        slices = [BitMap(r for r, n in of.items() if n - least >> at & 1) for at in range(digits.bit_length())]
        return (
            struct.pack(">?bqq", True, 1, least, max(of.values()))
            + roaring(BitMap(of), runs=runs)
            + struct.pack(">i", len(slices))
            + b"".join(roaring(one, runs=runs) for one in slices)
        )

    positive = {row: n for row, n in enumerate(values) if n is not None and n >= 0}
    negative = {row: -n for row, n in enumerate(values) if n is not None and n < 0}
    return struct.pack(">bi", 1, len(values)) + amounts(positive) + amounts(negative)


def range_bitmap(kind: str, values: Values, *, chunk: int = 40, runs: bool = False) -> bytes:
    known = rows_by_value(values)
    raws = [value(kind, raw) for raw, _ in known]
    dictionary = _dictionary(raws, chunk, texts=kind == "string")
    slices = [
        BitMap().union(*(rows for number, (_, rows) in enumerate(known) if number >> at & 1))
        for at in range(max((len(known) - 1).bit_length(), 1))
    ]
    present = roaring(BitMap().union(*(rows for _, rows in known)), runs=runs)
    places, body = b"", b""
    for one in slices:
        data = roaring(one, runs=runs)
        places += struct.pack(">ii", len(body), len(data))
        body += data
    said = struct.pack(">bbii", 1, len(slices), len(present), len(places)) + places
    bits = struct.pack(">i", len(said)) + said + present + body
    ends = raws[0] + raws[-1] if raws else b""
    head = struct.pack(">bii", 1, len(values), len(raws)) + ends + struct.pack(">i", len(dictionary))
    return struct.pack(">i", len(head)) + head + dictionary + bits


def _dictionary(raws: Sequence[bytes], chunk: int, *, texts: bool) -> bytes:
    chunks: list[list[bytes]] = []
    for raw in raws:
        room = chunk >= sum(map(len, [*chunks[-1][1:], raw])) if chunks else False
        if not room or (texts and 4 * len(chunks[-1]) > chunk):
            chunks.append([])
        chunks[-1].append(raw)
    starts, heads, keys, number = b"", b"", b"", 0
    for first, *others in chunks:
        starts += struct.pack(">i", len(heads))
        joined = b"".join(others)
        heads += b"\1" + first + struct.pack(">iii", number, len(keys), len(others))
        if texts:
            own = b"".join(struct.pack(">i", sum(map(len, others[:at]))) for at in range(len(others)))
            heads += struct.pack(">ii", len(own), len(joined))
            keys += own + joined
        else:
            heads += struct.pack(">ii", len(joined), len(first))
            keys += joined
        number += 1 + len(others)
    said = struct.pack(">biii", 1, len(chunks), len(starts), len(heads))
    return struct.pack(">i", len(said)) + said + starts + heads + keys
