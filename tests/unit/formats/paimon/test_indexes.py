"""Deletion vectors of both widths, and hash index files."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap, BitMap64

from lakemuster.errors import CatalogError, FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.indexes import VectorRange, parse_deletion_vectors


def payload_32(positions: set[int]) -> bytes:
    return struct.pack(">i", 1581511376) + BitMap(positions).serialize()


def payload_64(positions: set[int]) -> bytes:
    """Return a 64-bit vector's payload: a count, then for each high half its key and a 32-bit bitmap."""
    halves: dict[int, set[int]] = {}
    for position in positions:
        halves.setdefault(position >> 32, set()).add(position & 0xFFFFFFFF)
    bitmaps = b"".join(struct.pack("<i", key) + BitMap(low).serialize() for key, low in sorted(halves.items()))
    return struct.pack("<i", 1681511377) + struct.pack("<q", len(halves)) + bitmaps


def index_file(payloads: list[bytes]) -> tuple[bytes, list[tuple[int, int]]]:
    """Return a file of vectors, and the (offset, payload size) of each vector."""
    data, places = b"\x01", []
    for payload in payloads:
        places.append((len(data), len(payload)))
        data += struct.pack(">i", len(payload)) + payload + struct.pack(">I", zlib.crc32(payload))
    return data, places


POSITIONS = st.sets(st.integers(0, 2**31 - 1) | st.integers(0, 100), max_size=30)
WIDE = st.sets(st.integers(0, 2**62) | st.integers(0, 100), max_size=30)


@given(narrow=st.lists(POSITIONS, max_size=3), wide=st.lists(WIDE, max_size=3))
def test_vectors_of_both_widths_are_read_from_one_file(narrow, wide):
    data, places = index_file([*map(payload_32, narrow), *map(payload_64, wide)])
    ranges = [
        VectorRange(str(i), offset, size + (8 if i >= len(narrow) else 0), len(bits))
        for i, ((offset, size), bits) in enumerate(zip(places, [*narrow, *wide], strict=True))
    ]
    read = parse_deletion_vectors(data, ranges)
    assert [set(read[str(i)]) for i in range(len(ranges))] == [*narrow, *wide]
    assert all(isinstance(read[str(i)], BitMap if i < len(narrow) else BitMap64) for i in range(len(ranges)))


def test_only_the_wanted_vectors_are_read():
    data, places = index_file([payload_32({1}), payload_32({2, 3})])
    read = parse_deletion_vectors(data, [VectorRange("b", *places[1])])
    assert {name: set(bits) for name, bits in read.items()} == {"b": {2, 3}}


GOOD, ((OFFSET, SIZE),) = index_file([payload_32({1, 5, 70000})])
WIDE_GOOD, ((_, WIDE_SIZE),) = index_file([payload_64({1, 2**40})])


BROKEN = {
    "length of the other width": (GOOD, OFFSET, SIZE + 8, None),
    "length too short": (GOOD, OFFSET, SIZE - 1, None),
    "offset off by one": (GOOD, OFFSET + 1, SIZE, None),
    "offset of the version": (GOOD, 0, SIZE, None),
    "offset below zero": (GOOD, -1, SIZE, None),
    "offset at the end": (GOOD, len(GOOD), SIZE, None),
    "offset far behind": (GOOD, 10**12, SIZE, None),
    "another cardinality": (GOOD, OFFSET, SIZE, 2),
    "no length": (GOOD, OFFSET, 0, None),
    "no room for the checksum": (GOOD[:-1], OFFSET, SIZE, None),
    "another checksum": (GOOD[:-1] + b"\0", OFFSET, SIZE, None),
    "a changed bit": (GOOD[:20] + bytes([GOOD[20] ^ 1]) + GOOD[21:], OFFSET, SIZE, None),
    "length of the narrow width": (WIDE_GOOD, OFFSET, WIDE_SIZE, None),
    "no narrow bitmap": (index_file([struct.pack(">i", 1581511376) + b"not a bitmap"])[0], 1, 16, None),
    "no wide bitmap": (index_file([struct.pack("<i", 1681511377) + b"\xff" * 20])[0], 1, 32, None),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_vector_that_is_not_what_was_recorded_is_refused(case):
    data, offset, length, cardinality = BROKEN[case]
    with pytest.raises(MetadataCorrupt):
        parse_deletion_vectors(data, [VectorRange("a", offset, length, cardinality)])


@pytest.mark.parametrize("data", [b"", b"\x02" + GOOD[1:], index_file([b"\0" * 20])[0]])
def test_files_and_bitmaps_of_other_kinds_are_not_served(data):
    with pytest.raises(FormatUnsupported):
        parse_deletion_vectors(data, [VectorRange("a", 1, 20)])


@given(payload=st.binary(max_size=60), wide=st.booleans())
def test_any_bitmap_bytes_are_read_or_refused(payload, wide):
    payload = (struct.pack("<i", 1681511377) if wide else struct.pack(">i", 1581511376)) + payload
    data, ((offset, size),) = index_file([payload])
    try:
        parse_deletion_vectors(data, [VectorRange("a", offset, size + (8 if wide else 0))])
    except CatalogError:
        return
