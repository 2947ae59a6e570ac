"""Numbers and bytes of Avro's encoding, within the bytes that there are: part of ``kernel``, whose rules it follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_U = np.uint64

SLACK = 16
"""Bytes behind a column of bytes that may be overwritten."""

_0, _1, _2, _3, _4, _7, _8, _16 = (_U(number) for number in (0, 1, 2, 3, 4, 7, 8, 16))
_24, _32, _40, _48, _56, _63 = (_U(number) for number in (24, 32, 40, 48, 56, 63))
BAD = _U(2**64 - 1)
"""What stands for a position where there is none."""
LAST_INT = _U(2**32 - 1)
_MORE, _LOW = _U(0x80), _U(0x7F)
MORES, _LOWS = _U(0x8080808080808080), _U(0x7F7F7F7F7F7F7F7F)
PLACES = _U(0x0001020304050607)
_HIGH_1, _LOW_1 = _U(0x7F007F007F007F00), _U(0x007F007F007F007F)
_HIGH_2, _LOW_2 = _U(0x3FFF00003FFF0000), _U(0x00003FFF00003FFF)
_HIGH_4, _LOW_4 = _U(0x0FFFFFFF00000000), _U(0x000000000FFFFFFF)

Words = NDArray[np.uint64]
Octets = NDArray[np.uint8]
Ints = NDArray[np.uint32]
Word = np.uint64


def read_count(data: Octets, position: Word, fewest: Word) -> tuple[Word, Word]:
    """How many items follow, 0 at an array's end, and the position after the number."""
    number, position = read_number(data, position)
    count = number >> _1
    if position != BAD and number & _1:
        # The items' size in bytes follows a negative count; a reader needs neither.
        count += _1
        _, position = read_number(data, position)
    left = _U(len(data)) - position
    # Both factors are below 2 ** 32: a block is, and so is what a schema's type takes.
    if position == BAD or count > left or count * fewest > left:
        return _0, BAD
    return count, position


def read_number(data: Octets, position: Word) -> tuple[Word, Word]:
    """A varint, most likely of one byte, and the position after it."""
    if position < _U(len(data)):
        number = _U(data[position])
        if number < _MORE:
            return number, position + _1
    return read_wide(data, position)


def read_wide(data: Octets, position: Word) -> tuple[Word, Word]:
    """A varint of any length, and the position after it. Of 8 bytes or less at one go: lengths are hard to foresee."""
    if position < _U(len(data)) and _U(len(data)) - position >= _8:
        word = load(data, position)
        stops = ~word & MORES
        if stops:
            last = stops & (~stops + _1)
            return without_marks(word & (last - _1)), position + ((last >> _7) * PLACES >> _56) + _1
    return read_long_varint(data, position)


def without_marks(word: Word) -> Word:
    """A varint's bytes as its number: the lowest seven bits of each."""
    word &= _LOWS
    word = (word & _HIGH_1) >> _1 | word & _LOW_1
    word = (word & _HIGH_2) >> _2 | word & _LOW_2
    return (word & _HIGH_4) >> _4 | word & _LOW_4


def read_long_varint(data: Octets, position: Word) -> tuple[Word, Word]:
    """A varint, byte by byte, and the position after it."""
    number = shift = _0
    while position < _U(len(data)):
        byte = _U(data[position])
        position += _1
        number |= (byte & _LOW) << shift
        if byte < _MORE:
            return (_0, BAD) if shift == _63 and byte > _1 else (number, position)
        shift += _7
        if shift > _63:
            break
    return _0, BAD


def signed(number: Word) -> Word:
    """A zig-zag number as two's complement: columns are read as signed numbers."""
    return number >> _1 ^ (~(number & _1) + _1)


def copy(to: Octets, place: Word, data: Octets, position: Word, size: Word) -> None:
    """Copy bytes; of a few, always 16, since that is quicker: what lies behind a column's last byte is no value."""
    if size <= _16 and _U(len(data)) - position >= _16:
        first, second = load(data, position), load(data, position + _8)
        store(to, place, first)
        store(to, place + _8, second)
    else:
        done = _0
        while done < size:
            to[place + done] = data[position + done]
            done += _1


def load(data: Octets, at: Word) -> Word:
    """Eight bytes as a little-endian number: compilers make one instruction of it."""
    return (
        _U(data[at])
        | _U(data[at + _1]) << _8
        | _U(data[at + _2]) << _16
        | _U(data[at + _3]) << _24
        | _U(data[at + _4]) << _32
        | _U(data[at + _U(5)]) << _40
        | _U(data[at + _U(6)]) << _48
        | _U(data[at + _7]) << _56
    )


def load_int(data: Octets, at: Word) -> Word:
    """Four bytes as a little-endian number."""
    return _U(data[at]) | _U(data[at + _1]) << _8 | _U(data[at + _2]) << _16 | _U(data[at + _3]) << _24


def store(to: Octets, at: Word, word: Word) -> None:
    """The eight bytes of ``load``."""
    to[at] = word & _U(0xFF)
    to[at + _1] = word >> _8 & _U(0xFF)
    to[at + _2] = word >> _16 & _U(0xFF)
    to[at + _3] = word >> _24 & _U(0xFF)
    to[at + _4] = word >> _32 & _U(0xFF)
    to[at + _U(5)] = word >> _40 & _U(0xFF)
    to[at + _U(6)] = word >> _48 & _U(0xFF)
    to[at + _7] = word >> _56
