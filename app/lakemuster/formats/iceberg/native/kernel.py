"""Decode single-value bytes to numbers, many columns of many files at once: the inner loop, see ``kernels``.

Items are read row by row, as manifests hold them. Only canonical bytes are decoded here; any other item makes its
column irregular, and ``slices`` decodes irregular columns.

Source: Iceberg spec, appendix D, "Binary single-value serialization".
"""

from __future__ import annotations

from typing import Annotated

from lakemuster.kernels.words import (
    ALL,
    N0,
    N1,
    N2,
    N3,
    N4,
    N5,
    N6,
    N7,
    N8,
    N16,
    N24,
    N32,
    N40,
    N48,
    N56,
    N63,
    N64,
    Ints,
    Octets,
    Word,
    Words,
    load,
    load_int,
)

Items = Annotated[Words, (None, None)]
Forms = Annotated[Words, (None, 6)]
Regular = Annotated[Octets, (None, None)]

_BYTE = Word(0xFF)


def read_bounds(
    data: Octets, offsets: Ints, items: Items, forms: Forms, ints: Ints, longs: Words, regular: Regular
) -> int:
    """Read the items that a matrix of their numbers selects.

    Args:
        data: the bytes of all items.
        offsets: where each item begins, and where the last one ends.
        items: (columns, rows).
        forms: (columns, 6): bytes of the canonical form, 16 for decimals of any length; where the column's first
            value is placed, in its own width; for decimals, the high and low half of the first number that has too
            many digits, upwards and downwards.
        ints, longs: one memory, seen in two widths, for the values.
        regular: (columns, rows); set to whether the item has its canonical form.

    Returns:
        0.
    """
    columns, rows = Word(items.shape[0]), Word(items.shape[1])
    row = N0
    while row < rows:
        column = N0
        while column < columns:
            form, place, item = forms[column, N0], forms[column, N1], items[column, row]
            begin = end = N0
            if item + N1 < Word(len(offsets)):
                begin, end = Word(offsets[item]), Word(offsets[item + N1])
            size = end - begin
            good = begin <= end and end <= Word(len(data)) and (size == form or (form == N16 and N0 < size < N16))
            if form == N4:
                ints[place + row] = load_int(data, begin) if good else N0
            elif form == N8:
                longs[place + row] = load(data, begin) if good else N0
            else:
                high = low = N0
                if good:
                    high, low = load_decimal(data, begin, size)
                    good = is_minimal(data, begin, size)
                    good = good and is_less(high, low, forms[column, N2], forms[column, N3])
                    good = good and is_less(forms[column, N4], forms[column, N5], high, low)
                longs[place + N2 * row] = low
                longs[place + N2 * row + N1] = high
            regular[column, row] = 1 if good else 0
            column += N1
        row += N1
    return 0


def load_decimal(data: Octets, at: Word, size: Word) -> tuple[Word, Word]:
    """Return a big-endian number of 1 to 16 bytes as its two halves."""
    sign = ALL if data[at] & Word(0x80) else N0
    if size > N8:
        return load_some(data, at, size - N8, sign), load_big(data, at + size - N8)
    if Word(len(data)) - at >= N8:
        return sign, load_some(data, at, size, sign)
    low, last = sign, at + size
    while at < last:
        low = low << N8 | Word(data[at])
        at += N1
    return sign, low


def load_some(data: Octets, at: Word, size: Word, sign: Word) -> Word:
    """Return the first 1 to 8 of eight big-endian bytes, extended by the bits of a sign."""
    bits = size << N3
    return load_big(data, at) >> (N64 - bits) | sign << (bits - N1)


def load_big(data: Octets, at: Word) -> Word:
    """Read eight bytes as a big-endian number; compilers make two instructions of it."""
    return (
        Word(data[at]) << N56
        | Word(data[at + N1]) << N48
        | Word(data[at + N2]) << N40
        | Word(data[at + N3]) << N32
        | Word(data[at + N4]) << N24
        | Word(data[at + N5]) << N16
        | Word(data[at + N6]) << N8
        | Word(data[at + N7])
    )


def is_minimal(data: Octets, at: Word, size: Word) -> bool:
    """Return whether the first byte does more than repeat the sign of the second."""
    if size == N1:
        return True
    first, sign = Word(data[at]), Word(data[at + N1]) >> N7
    return not ((first == N0 and sign == N0) or (first == _BYTE and sign == N1))


def is_less(high: Word, low: Word, other_high: Word, other_low: Word) -> bool:
    """Return whether a number of two halves is less than another one."""
    sign = N1 << N63
    # With the sign bit inverted, signed halves have the order of unsigned ones.
    high, other_high = high ^ sign, other_high ^ sign
    return bool(high < other_high or (high == other_high and low < other_low))
