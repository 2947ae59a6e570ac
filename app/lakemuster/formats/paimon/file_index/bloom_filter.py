"""Bloom filter indexes: whether a column may hold a value.

``int hash functions | bits``. A function's position is the hash's low half plus a multiple of its high half, in 32
bits.

Source: Paimon ``BloomFilterFileIndex``, ``BloomFilter64``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lakemuster.caching import cached, nbytes
from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.file_index.cursor import Cursor
from lakemuster.formats.paimon.file_index.fast_hash import wang_hash, xxh64
from lakemuster.formats.paimon.file_index.keys import INTEGERS, TEMPORAL, float_bits
from lakemuster.metadata.types import Kind, Primitive

_MOST_FUNCTIONS = 127


def value_hash(of: Primitive, value: object) -> int | None:
    """Return the hash of a value in internal form; None for types and values that filters do not support."""
    match value:
        case bool():
            return None
        case int() if of.kind in INTEGERS or of.kind in TEMPORAL:
            number = value // 1000 if of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) and of.unit == "ns" else value
            return wang_hash(number) if -(1 << 63) <= number < 1 << 63 else None
        case float() if of.kind in (Kind.FLOAT, Kind.DOUBLE):
            bits = float_bits(of, value)
            return None if bits is None else wang_hash(bits)
        case str() if of.kind is Kind.STRING:
            return xxh64(value.encode("utf-8", "surrogatepass"))
        case bytes() if of.kind is Kind.BINARY and of.text != "BLOB":
            return xxh64(value)
    return None


def may_hold_any(data: bytes, start: int, length: int, hashes: tuple[int, ...]) -> bool:
    """Return whether a column may hold a value with one of the hashes.

    Args:
        data: bytes that contain the filter at ``start``, with ``length`` bytes.

    Raises:
        MetadataCorrupt: not a bloom filter.
    """
    cursor = Cursor(data, start, start + length)
    functions = cursor.integer()
    size = cursor.end - cursor.at
    if not 1 <= functions <= _MOST_FUNCTIONS or not size:
        raise MetadataCorrupt("a bloom filter without bits or hash functions")
    places, masks = _places(hashes, functions, size * 8)
    bits = np.frombuffer(data, np.uint8, size, cursor.at)
    return bool(((bits[places] & masks) != 0).all(axis=1).any())


def which_may_hold_any(
    data: NDArray[np.uint8], starts: NDArray[np.int64], length: int, hashes: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Like :func:`may_hold_any`, for many filters of one length in one buffer.

    True also where the number of hash functions differs from that of the first filter.

    Args:
        starts: (N,) offsets of the filters, all of which are complete.
    """
    found = np.ones(len(starts), np.bool_)
    size = length - 4
    if not len(starts) or size < 1:
        return found
    stated = data[starts[:, None] + np.arange(4)]
    functions = int.from_bytes(stated[0].tobytes(), "big")
    if not 1 <= functions <= _MOST_FUNCTIONS:
        return found
    alike = (stated == stated[0]).all(axis=1)
    places, masks = _places(hashes, functions, size * 8)
    bits = starts[alike] + 4
    held = np.zeros(len(bits), np.bool_)
    for own_places, own_masks in zip(places, masks, strict=True):
        held |= ((data[bits[:, None] + own_places] & own_masks) != 0).all(axis=1)
    found[alike] = held
    return found


@cached("bloom filters", nbytes)
def _places(hashes: Sequence[int], functions: int, bits: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return (V, F) the byte offset and the bit mask of each hash and function."""
    low = (np.array(hashes, np.uint64) & np.uint64(0xFFFFFFFF)).astype(np.int64)[:, None]
    high = (np.array(hashes, np.uint64) >> np.uint64(32)).astype(np.int64)[:, None]
    added = (low + high * np.arange(1, functions + 1)) & 0xFFFFFFFF
    # As a signed 32-bit number; negative ones are inverted.
    positions = np.where(added >> 31, added ^ 0xFFFFFFFF, added) % bits
    return positions >> 3, (1 << (positions & 7)).astype(np.uint8)
