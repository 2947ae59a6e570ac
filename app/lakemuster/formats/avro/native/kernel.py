"""The records of an Avro block to columns: the inner loop, in the part of Python that numba compiles.

Plain Python over numpy arrays: it runs as it stands, slowly, and that is how tests hold it to the bounds of its
arrays. What decoders run is ``kernel.ll``, see ``formats.native``.

The bytes are hostile. Every number is a ``uint64`` (numba makes floats of mixed ones), every read stands behind a
comparison with the bytes that are left, every write behind one with the room of its column. Nothing is raised;
whoever calls throws away what a block that is not whole has written.

A *program* is a record's schema as rows of (operation, column, argument, argument); ``program.py`` makes them:

* ``NULLABLE``: a column of flags; the first operation after the subtree; the index of null's branch;
* ``LONG``, ``INT``: a column;
* ``BYTES``: a column of ends, its bytes are the next one;
* ``FIXED``: a column of bytes; bytes of a value;
* ``ARRAY``: a column of ends; the first operation after its ``END``; the fewest bytes of an item. The next column
  has no memory, it counts items;
* ``END``: its ``ARRAY``'s column; the first operation of the item; the fewest bytes of an item;
* ``LONGS``, ``BLOBS``: a whole array of (int, long) or (int, bytes) records, which is what Iceberg's statistics
  are: a column of ends, the count of items, keys, values (or their ends, and then their bytes).

Source: Avro specification 1.12, "Binary Encoding".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_U = np.uint64

NAME = "lakemuster_avro_run"

LONG, INT, FIXED, BYTES, LONGS, BLOBS, NULLABLE, ARRAY, END = (_U(number) for number in range(9))
DONE, FULL, CORRUPT = 0, 1, 2

SLACK = 16
"""Bytes behind a column of bytes that may be overwritten."""

_0, _1, _2, _3, _4, _7, _8, _16 = (_U(number) for number in (0, 1, 2, 3, 4, 7, 8, 16))
_24, _32, _40, _48, _56, _63 = (_U(number) for number in (24, 32, 40, 48, 56, 63))
_BAD, _FULL = _U(2**64 - 1), _U(2**64 - 2)
"""What stands for a position where there is none."""
_LAST_INT = _U(2**32 - 1)
_MORE, _LOW = _U(0x80), _U(0x7F)
_MORES, _LOWS = _U(0x8080808080808080), _U(0x7F7F7F7F7F7F7F7F)
_PLACES = _U(0x0001020304050607)
_HIGH_1, _LOW_1 = _U(0x7F007F007F007F00), _U(0x007F007F007F007F)
_HIGH_2, _LOW_2 = _U(0x3FFF00003FFF0000), _U(0x00003FFF00003FFF)
_HIGH_4, _LOW_4 = _U(0x0FFFFFFF00000000), _U(0x000000000FFFFFFF)

Words = NDArray[np.uint64]
Octets = NDArray[np.uint8]
Ints = NDArray[np.uint32]
Word = np.uint64


def run(
    data: Octets,
    records: Word,
    program: Words,
    octets: Octets,
    ints: Ints,
    longs: Words,
    starts: Words,
    rooms: Words,
    used: Words,
    stack: Words,
) -> int:
    """Append the records of one block to columns.

    Args:
        data: the inflated block.
        records: how many it says that it has.
        program: (operations, 4).
        octets, ints, longs: one memory, seen in three widths, unsigned.
        starts, rooms, used: of each column, where it begins in its array, how many values it may hold, and how
            many it has; in units of its own width.
        stack: room for one number more than arrays are nested. Its first tells which column is full.

    Returns:
        ``DONE``; ``FULL``: a column has no room; ``CORRUPT``: not such records, or not exactly in these bytes.
    """
    end, operations = _U(len(data)), _U(len(program))
    position = record = _0
    while record < records:
        record += _1
        at = depth = null_until = _0
        while at < operations:
            kind, column, argument = program[at, _0], program[at, _1], program[at, _2]
            place, size = starts[column] + used[column], argument if kind == FIXED else _1
            if used[column] + size > rooms[column]:
                stack[_0] = column
                return FULL
            if kind >= ARRAY:
                null_until = _0 if kind == END else null_until
                at, depth, position = go_through(
                    data, position, program, at, depth, bool(at < null_until), place, ints, used, stack
                )
                if position == _BAD:
                    return CORRUPT
                continue
            if at < null_until:
                fill(kind, column, size, place, octets, ints, longs, used)
            elif kind == NULLABLE:
                branch, position = read_number(data, position)
                if branch > _2 or branch & _1:
                    return CORRUPT
                is_null = branch >> _1 == program[at, _3]
                octets[place] = _0 if is_null else _1
                null_until = argument if is_null else null_until
            elif kind == LONGS:
                position = read_longs(data, position, column, ints, longs, starts, rooms, used, stack)
                ints[place] = used[column + _1]
            elif kind == BLOBS:
                position = read_blobs(data, position, column, octets, ints, starts, rooms, used, stack)
                ints[place] = used[column + _1]
            elif kind == BYTES:
                position = read_bytes(data, position, column + _1, octets, starts, rooms, used, stack)
                ints[place] = used[column + _1]
            else:
                position = read_plain(data, position, kind, place, size, octets, ints, longs)
            if position >= _FULL:
                return FULL if position == _FULL else CORRUPT
            used[column] += size
            at += _1
    return DONE if position == end else CORRUPT


def go_through(
    data: Octets,
    position: Word,
    program: Words,
    at: Word,
    depth: Word,
    is_null: bool,
    place: Word,
    ints: Ints,
    used: Words,
    stack: Words,
) -> tuple[Word, Word, Word]:
    """One step of an array: the next operation, how many arrays are open, and the position."""
    kind, column, target = program[at, _0], program[at, _1], program[at, _2]
    if kind == END:
        used[column + _1] += _1
        stack[depth] -= _1
        if stack[depth] > _0:
            return target, depth, position
        depth -= _1
    count = _0
    if not is_null:
        count, position = read_count(data, position, program[at, _3])
    if count > _0:
        depth += _1
        stack[depth] = count
        return target if kind == END else at + _1, depth, position
    ints[place] = used[column + _1]
    used[column] += _1
    return at + _1 if kind == END else target, depth, position


def fill(
    kind: Word, column: Word, size: Word, place: Word, octets: Octets, ints: Ints, longs: Words, used: Words
) -> None:
    """What stands in a column where a record around it is null."""
    if kind == LONG:
        longs[place] = 0
    elif kind == INT:
        ints[place] = 0
    elif kind == NULLABLE:
        octets[place] = 0
    elif kind == FIXED:
        while size > _0:
            size -= _1
            octets[place + size] = 0
    else:
        # An end, of bytes or of items.
        ints[place] = used[column + _1]


def read_longs(
    data: Octets,
    position: Word,
    column: Word,
    ints: Ints,
    longs: Words,
    starts: Words,
    rooms: Words,
    used: Words,
    stack: Words,
) -> Word:
    """An array of (int, long); the position after it."""
    keys, values = column + _2, column + _3
    while True:
        count, position = read_count(data, position, _2)
        if position == _BAD:
            return _BAD
        if count == _0:
            used[column + _1] = used[keys]
            return position
        full = values if used[values] + count > rooms[values] else keys
        if used[full] + count > rooms[full]:
            stack[_0] = full
            return _FULL
        key_at, value_at = starts[keys] + used[keys], starts[values] + used[values]
        used[keys] += count
        used[values] += count
        while count > _0:
            key, position = read_number(data, position)
            if position == _BAD or key > _LAST_INT:
                return _BAD
            value, position = read_wide(data, position)
            if position == _BAD:
                return _BAD
            ints[key_at], longs[value_at] = signed(key) & _LAST_INT, signed(value)
            key_at, value_at, count = key_at + _1, value_at + _1, count - _1


def read_blobs(
    data: Octets,
    position: Word,
    column: Word,
    octets: Octets,
    ints: Ints,
    starts: Words,
    rooms: Words,
    used: Words,
    stack: Words,
) -> Word:
    """An array of (int, bytes); the position after it."""
    keys, values = column + _2, column + _3
    while True:
        count, position = read_count(data, position, _2)
        if position == _BAD:
            return _BAD
        if count == _0:
            used[column + _1] = used[keys]
            return position
        full = values if used[values] + count > rooms[values] else keys
        if used[full] + count > rooms[full]:
            stack[_0] = full
            return _FULL
        key_at, value_at = starts[keys] + used[keys], starts[values] + used[values]
        used[keys] += count
        used[values] += count
        while count > _0:
            key, position = read_number(data, position)
            if position == _BAD or key > _LAST_INT:
                return _BAD
            position = read_bytes(data, position, values + _1, octets, starts, rooms, used, stack)
            if position >= _FULL:
                return position
            ints[key_at], ints[value_at] = signed(key) & _LAST_INT, used[values + _1]
            key_at, value_at, count = key_at + _1, value_at + _1, count - _1


def read_bytes(
    data: Octets, position: Word, column: Word, octets: Octets, starts: Words, rooms: Words, used: Words, stack: Words
) -> Word:
    """A length and as many bytes, appended to a column; the position after them."""
    number, position = read_number(data, position)
    size = number >> _1
    # An odd number is a negative length.
    if position == _BAD or number & _1 or size > _U(len(data)) - position:
        return _BAD
    if used[column] + size > rooms[column]:
        stack[_0] = column
        return _FULL
    copy(octets, starts[column] + used[column], data, position, size)
    used[column] += size
    return position + size


def read_plain(
    data: Octets, position: Word, kind: Word, place: Word, size: Word, octets: Octets, ints: Ints, longs: Words
) -> Word:
    """A number, or so many bytes, to a place that has room for them; the position after them."""
    if kind == FIXED:
        if size > _U(len(data)) - position:
            return _BAD
        copy(octets, place, data, position, size)
        return position + size
    number, position = read_number(data, position)
    if kind == LONG:
        longs[place] = signed(number)
    elif number <= _LAST_INT:
        ints[place] = signed(number) & _LAST_INT
    else:
        return _BAD
    return position


def read_count(data: Octets, position: Word, fewest: Word) -> tuple[Word, Word]:
    """How many items follow, 0 at an array's end, and the position after the number."""
    number, position = read_number(data, position)
    count = number >> _1
    if position != _BAD and number & _1:
        # The items' size in bytes follows a negative count; a reader needs neither.
        count += _1
        _, position = read_number(data, position)
    left = _U(len(data)) - position
    # Both factors are below 2 ** 32: a block is, and so is what a schema's type takes.
    if position == _BAD or count > left or count * fewest > left:
        return _0, _BAD
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
        stops = ~word & _MORES
        if stops:
            last = stops & (~stops + _1)
            word &= (last - _1) & _LOWS
            word = (word & _HIGH_1) >> _1 | word & _LOW_1
            word = (word & _HIGH_2) >> _2 | word & _LOW_2
            word = (word & _HIGH_4) >> _4 | word & _LOW_4
            return word, position + ((last >> _7) * _PLACES >> _56) + _1
    return read_long_varint(data, position)


def read_long_varint(data: Octets, position: Word) -> tuple[Word, Word]:
    """A varint, byte by byte, and the position after it."""
    number = shift = _0
    while position < _U(len(data)):
        byte = _U(data[position])
        position += _1
        number |= (byte & _LOW) << shift
        if byte < _MORE:
            return (_0, _BAD) if shift == _63 and byte > _1 else (number, position)
        shift += _7
        if shift > _63:
            break
    return _0, _BAD


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
