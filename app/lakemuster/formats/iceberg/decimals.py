"""Convert decimals between big-endian two's complement of any length and columns of 128-bit integers.

A column is a pair of arrays: the high halves (signed) and the low ones (unsigned). The
canonical bytes are the fewest that hold the value; zero is one byte.

Source: Iceberg spec, appendix D.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
High = NDArray[np.int64]
Low = NDArray[np.uint64]

WIDTH = 16
"""The most bytes of a value that is read without a loop."""

_MASK = 2**64 - 1


def join(head: High, tail: Low, lengths: NDArray[np.int64]) -> tuple[High, Low]:
    """Return the integers whose big-endian bytes are left-aligned in 16 bytes.

    Args:
        head, tail: the first and the second 8 bytes from where each value begins, big-endian;
            bytes after the value are shifted out.
        lengths: bytes of each value, 1 to 16.
    """
    shift = WIDTH * 8 - 8 * lengths
    near, far = np.minimum(shift, 63), np.maximum(shift - 64, 0)
    # A shift by 64 is undefined, so it is done in two steps.
    low_near = (tail >> near.astype(np.uint64)) | (
        (head.view(np.uint64) << np.uint64(1)) << (63 - near).astype(np.uint64)
    )
    long = shift < 64
    low = np.where(long, low_near, (head >> far).view(np.uint64))
    return np.where(long, head >> near, head >> 63), low


def is_minimal(head: High, lengths: NDArray[np.int64]) -> Mask:
    """Return whether a value has no byte that only repeats its sign."""
    leading = head >> 55
    minimal: Mask = (lengths == 1) | ((leading != 0) & (leading != -1))
    return minimal


def fits(high: High, low: Low, precision: int) -> Mask:
    """Return whether a value has at most ``precision`` digits."""
    limit = 10**precision
    top, bottom = np.int64(limit >> 64), np.uint64(limit & _MASK)
    least, least_low = np.int64(-limit >> 64), np.uint64(-limit & _MASK)
    below: Mask = (high < top) | ((high == top) & (low < bottom))
    above: Mask = (high > least) | ((high == least) & (low > least_low))
    return np.logical_and(below, above)


def read_long(
    high: High, low: Low, rows: NDArray[np.int64], bytes_of: Callable[[int], bytes], precision: int
) -> NDArray[np.int64]:
    """Read values of more than 16 bytes into ``high`` and ``low``; return the rows whose values fit."""
    limit, kept = 10**precision, []
    for row in rows.tolist():
        value = int.from_bytes(bytes_of(row), "big", signed=True)
        if -limit < value < limit:
            high[row], low[row] = value >> 64, value & _MASK
            kept.append(row)
    return np.array(kept, np.int64)


def decimal_array(high: High, low: Low, valid: Mask | None, of: pa.DataType) -> pa.Array:
    """Return the Arrow array of decimals from their halves."""
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    halves = np.empty((len(high), 2), "<u8")
    halves[:, 0], halves[:, 1] = low, high.view(np.uint64)
    return pa.Array.from_buffers(of, len(high), [bits, pa.py_buffer(halves)])


def canonical_bytes(array: pa.Decimal128Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return offsets and bytes of the canonical serialisation of every slot, null ones too."""
    count = len(array)
    stored = np.frombuffer(array.buffers()[1], np.uint8)[array.offset * WIDTH : (array.offset + count) * WIDTH]
    wide = stored.reshape(count, WIDTH)[:, ::-1]
    sign = np.where(wide[:, :1] >= 0x80, np.uint8(0xFF), np.uint8(0))
    telling = wide != sign
    first = np.where(telling.any(axis=1), telling.argmax(axis=1), WIDTH - 1)
    # The first significant byte must show the sign in its top bit; otherwise one more byte is needed.
    shown = (wide[np.arange(count), first] ^ sign[:, 0]) < 0x80
    first = first - ~shown
    offsets = np.zeros(count + 1, np.int32)
    np.cumsum(WIDTH - first, out=offsets[1:])
    return offsets, wide[np.arange(WIDTH) >= first[:, None]]
