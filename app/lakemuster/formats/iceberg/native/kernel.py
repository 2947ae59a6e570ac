"""Single-value bytes to numbers, many columns of many files at once: the inner loop, see ``kernels``.

Row by row, since that is how manifests hold them. Only the canonical bytes of a value are read here; any others
make their column irregular, and irregular columns are decoded the careful way.

Source: Iceberg spec, appendix D, "Binary single-value serialization".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NAME = "lakemuster_iceberg_read_bounds"

Word = np.uint64
Words = NDArray[np.uint64]
Ints = NDArray[np.uint32]
Octets = NDArray[np.uint8]

_U = np.uint64
_0, _1, _2, _3, _4, _5, _7, _8, _16 = (_U(number) for number in (0, 1, 2, 3, 4, 5, 7, 8, 16))
_24, _56, _63 = _U(24), _U(56), _U(63)
_ALL, _BYTE = _U(2**64 - 1), _U(0xFF)


def read_bounds(
    data: Octets, offsets: Ints, items: Words, forms: Words, ints: Ints, longs: Words, regular: Octets
) -> int:
    """Read the items that a matrix of their numbers tells.

    Args:
        data: the bytes of all items.
        offsets: where each item begins, and where the last one ends.
        items: (columns, rows).
        forms: (columns, 6): bytes of the canonical form, 16 for decimals of any length; where the column's first
            value is placed, in its own width; for decimals, the high and low half of the first number that has too
            many digits, upwards and downwards.
        ints, longs: one memory, seen in two widths, for the values.
        regular: (columns, rows); set to whether the item was of its canonical form.

    Returns:
        0.
    """
    columns, rows = _U(items.shape[0]), _U(items.shape[1])
    row = _0
    while row < rows:
        column = _0
        while column < columns:
            form, place, item = forms[column, _0], forms[column, _1], items[column, row]
            begin = end = _0
            if item + _1 < _U(len(offsets)):
                begin, end = _U(offsets[item]), _U(offsets[item + _1])
            size = end - begin
            good = begin <= end and end <= _U(len(data)) and (size == form or (form == _16 and _0 < size < _16))
            if form == _4:
                ints[place + row] = load_int(data, begin) if good else _0
            elif form == _8:
                longs[place + row] = load_long(data, begin) if good else _0
            else:
                high = low = _0
                if good:
                    high, low = load_decimal(data, begin, size)
                    good = is_minimal(data, begin, size)
                    good = good and is_less(high, low, forms[column, _2], forms[column, _3])
                    good = good and is_less(forms[column, _4], forms[column, _5], high, low)
                longs[place + _2 * row] = low
                longs[place + _2 * row + _1] = high
            regular[column, row] = 1 if good else 0
            column += _1
        row += _1
    return 0


def load_int(data: Octets, at: Word) -> Word:
    """Four bytes, little-endian."""
    return _U(data[at]) | _U(data[at + _1]) << _8 | _U(data[at + _2]) << _16 | _U(data[at + _3]) << _24


def load_long(data: Octets, at: Word) -> Word:
    """Eight bytes, little-endian."""
    return load_int(data, at) | load_int(data, at + _4) << _U(32)


def load_decimal(data: Octets, at: Word, size: Word) -> tuple[Word, Word]:
    """A big-endian number of 1 to 16 bytes, as its two halves."""
    low = high = _ALL if data[at] & _U(0x80) else _0
    last = at + size
    while at < last:
        high = high << _8 | low >> _56
        low = low << _8 | _U(data[at])
        at += _1
    return high, low


def is_minimal(data: Octets, at: Word, size: Word) -> bool:
    """Whether the first byte says more than the sign of the second."""
    if size == _1:
        return True
    first, sign = _U(data[at]), _U(data[at + _1]) >> _7
    return not ((first == _0 and sign == _0) or (first == _BYTE and sign == _1))


def is_less(high: Word, low: Word, other_high: Word, other_low: Word) -> bool:
    """Compare numbers of two halves."""
    sign = _1 << _63
    # With the sign's bit turned over, signed halves have the order of unsigned ones.
    high, other_high = high ^ sign, other_high ^ sign
    return bool(high < other_high or (high == other_high and low < other_low))
