"""The records of an Avro block to columns: the inner loop, in the part of Python that numba compiles.

Plain Python over numpy arrays: it runs as it stands, slowly, and that is how tests hold it to the bounds of its
arrays. What decoders run is ``kernel.ll``, see ``kernels``.

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
  are: a column of ends, the count of items, keys, values (or their ends, and then their bytes);
* ``KEYED``: the same, but with a column for each key, see ``kernel_keyed``: a column without memory that counts rows;
  the first slot; how many keys have slots.

Source: Avro specification 1.12, "Binary Encoding".
"""

from __future__ import annotations

import numpy as np

from lakemuster.formats.avro.native.kernel_keyed import NEW_KEY, NO_ROOM, read_keyed
from lakemuster.formats.avro.native.kernel_reading import (
    BAD,
    LAST_INT,
    Ints,
    Octets,
    Word,
    Words,
    copy,
    read_count,
    read_number,
    read_wide,
    signed,
)

_U = np.uint64

NAME = "lakemuster_avro_run"

LONG, INT, FIXED, BYTES, LONGS, BLOBS, KEYED, NULLABLE, ARRAY, END = (_U(number) for number in range(10))
DONE, FULL, CORRUPT, NEW = 0, 1, 2, 3

_0, _1, _2, _3 = (_U(number) for number in (0, 1, 2, 3))


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
    slots: Words,
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
        slots: (slots, 8), see ``kernel_keyed``.

    Returns:
        ``DONE``; ``FULL``: a column has no room; ``NEW``: a map has a key without a slot; ``CORRUPT``: not such
        records, or not exactly in these bytes.
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
                if position == BAD:
                    return CORRUPT
                continue
            if kind == KEYED:
                head, many, row = argument, program[at, _3], used[column]
                is_null = bool(at < null_until)
                position = read_keyed(
                    data, position, is_null, head, many, row, slots, octets, ints, longs, starts, rooms, used, stack
                )
            elif at < null_until:
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
            if position >= NEW_KEY:
                return FULL if position == NO_ROOM else NEW if position == NEW_KEY else CORRUPT
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
        if position == BAD:
            return BAD
        if count == _0:
            used[column + _1] = used[keys]
            return position
        full = values if used[values] + count > rooms[values] else keys
        if used[full] + count > rooms[full]:
            stack[_0] = full
            return NO_ROOM
        key_at, value_at = starts[keys] + used[keys], starts[values] + used[values]
        used[keys] += count
        used[values] += count
        while count > _0:
            key, position = read_number(data, position)
            if position == BAD or key > LAST_INT:
                return BAD
            value, position = read_wide(data, position)
            if position == BAD:
                return BAD
            ints[key_at], longs[value_at] = signed(key) & LAST_INT, signed(value)
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
        if position == BAD:
            return BAD
        if count == _0:
            used[column + _1] = used[keys]
            return position
        full = values if used[values] + count > rooms[values] else keys
        if used[full] + count > rooms[full]:
            stack[_0] = full
            return NO_ROOM
        key_at, value_at = starts[keys] + used[keys], starts[values] + used[values]
        used[keys] += count
        used[values] += count
        while count > _0:
            key, position = read_number(data, position)
            if position == BAD or key > LAST_INT:
                return BAD
            position = read_bytes(data, position, values + _1, octets, starts, rooms, used, stack)
            if position >= NO_ROOM:
                return position
            ints[key_at], ints[value_at] = signed(key) & LAST_INT, used[values + _1]
            key_at, value_at, count = key_at + _1, value_at + _1, count - _1


def read_bytes(
    data: Octets, position: Word, column: Word, octets: Octets, starts: Words, rooms: Words, used: Words, stack: Words
) -> Word:
    """A length and as many bytes, appended to a column; the position after them."""
    number, position = read_number(data, position)
    size = number >> _1
    # An odd number is a negative length.
    if position == BAD or number & _1 or size > _U(len(data)) - position:
        return BAD
    if used[column] + size > rooms[column]:
        stack[_0] = column
        return NO_ROOM
    copy(octets, starts[column] + used[column], data, position, size)
    used[column] += size
    return position + size


def read_plain(
    data: Octets, position: Word, kind: Word, place: Word, size: Word, octets: Octets, ints: Ints, longs: Words
) -> Word:
    """A number, or so many bytes, to a place that has room for them; the position after them."""
    if kind == FIXED:
        if size > _U(len(data)) - position:
            return BAD
        copy(octets, place, data, position, size)
        return position + size
    number, position = read_number(data, position)
    if kind == LONG:
        longs[place] = signed(number)
    elif number <= LAST_INT:
        ints[place] = signed(number) & LAST_INT
    else:
        return BAD
    return position
