"""Read numbers and bytes of Avro's encoding, within the data's bounds: part of ``kernel``, whose rules it follows."""

from __future__ import annotations

from lakemuster.kernels.words import ALL, N0, N1, N2, N4, N7, N8, N16, N56, N63, Octets, Word, load, store

SLACK = 16
"""Bytes after a column of bytes that may be overwritten."""

BAD = ALL
"""Returned in place of a position: the bytes are corrupt."""
LAST_INT = Word(2**32 - 1)
_MORE, _LOW = Word(0x80), Word(0x7F)
MORES, _LOWS = Word(0x8080808080808080), Word(0x7F7F7F7F7F7F7F7F)
PLACES = Word(0x0001020304050607)
_HIGH_1, _LOW_1 = Word(0x7F007F007F007F00), Word(0x007F007F007F007F)
_HIGH_2, _LOW_2 = Word(0x3FFF00003FFF0000), Word(0x00003FFF00003FFF)
_HIGH_4, _LOW_4 = Word(0x0FFFFFFF00000000), Word(0x000000000FFFFFFF)


def read_count(data: Octets, position: Word, fewest: Word) -> tuple[Word, Word]:
    """Return how many items follow, 0 at an array's end, and the position after the number."""
    number, position = read_number(data, position)
    count = number >> N1
    if position != BAD and number & N1:
        # The items' size in bytes follows a negative count; a reader needs neither.
        count += N1
        _, position = read_number(data, position)
    left = Word(len(data)) - position
    # Both factors are below 2 ** 32: the size of a block, and the fewest bytes of a type.
    if position == BAD or count > left or count * fewest > left:
        return N0, BAD
    return count, position


def read_number(data: Octets, position: Word) -> tuple[Word, Word]:
    """Read a varint, most likely of one byte; return it and the position after it."""
    if position < Word(len(data)):
        number = Word(data[position])
        if number < _MORE:
            return number, position + N1
    return read_wide(data, position)


def read_wide(data: Octets, position: Word) -> tuple[Word, Word]:
    """Read a varint of any length, one of up to 8 bytes without a loop; return it and the position after it."""
    if position < Word(len(data)) and Word(len(data)) - position >= N8:
        word = load(data, position)
        stops = ~word & MORES
        if stops:
            last = stops & (~stops + N1)
            return without_marks(word & (last - N1)), position + ((last >> N7) * PLACES >> N56) + N1
    return read_long_varint(data, position)


def without_marks(word: Word) -> Word:
    """Return the number of a varint's bytes: the lowest seven bits of each."""
    word &= _LOWS
    word = (word & _HIGH_1) >> N1 | word & _LOW_1
    word = (word & _HIGH_2) >> N2 | word & _LOW_2
    return (word & _HIGH_4) >> N4 | word & _LOW_4


def read_long_varint(data: Octets, position: Word) -> tuple[Word, Word]:
    """Read a varint byte by byte; return it and the position after it."""
    number = shift = N0
    while position < Word(len(data)):
        byte = Word(data[position])
        position += N1
        number |= (byte & _LOW) << shift
        if byte < _MORE:
            return (N0, BAD) if shift == N63 and byte > N1 else (number, position)
        shift += N7
        if shift > N63:
            break
    return N0, BAD


def signed(number: Word) -> Word:
    """Return a zig-zag number as two's complement: columns are read as signed numbers."""
    return number >> N1 ^ (~(number & N1) + N1)


def copy(to: Octets, place: Word, data: Octets, position: Word, size: Word) -> None:
    """Copy bytes. Up to 16 are copied as 16, which is faster: bytes after the last one of a column are not read."""
    if size <= N16 and Word(len(data)) - position >= N16:
        first, second = load(data, position), load(data, position + N8)
        store(to, place, first)
        store(to, place + N8, second)
    else:
        done = N0
        while done < size:
            to[place + done] = data[position + done]
            done += N1
