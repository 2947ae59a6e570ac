"""Decode the records of Avro blocks to columns: the inner loop, in the subset of Python that numba compiles.

Tests run it as plain Python over numpy arrays, which checks all array bounds. Decoders run ``kernel.ll``, see
``kernels``.

The bytes are untrusted. Every number is a ``uint64`` (numba converts mixed types to floats). Every read is preceded by
a comparison with the remaining bytes, every write by one with the room of its column. No exception is raised; the
caller discards the values of a block that is not completely decoded.

A *program* is a record's schema as rows of (operation, column, argument, argument); ``program.py`` makes them:

* ``NULLABLE``: a column of flags; the first operation after the subtree; the index of null's branch;
* ``LONG``, ``INT``: a column;
* ``BYTES``: a column of ends; the next column holds the bytes;
* ``FIXED``: a column of bytes; bytes of a value;
* ``ARRAY``: a column of ends; the first operation after its ``END``; the fewest bytes of an item. The next column
  has no memory and counts items;
* ``END``: its ``ARRAY``'s column; the first operation of the item; the fewest bytes of an item;
* ``LONGS``, ``BLOBS``: a whole array of (int, long) or (int, bytes) records, such as Iceberg's statistics:
  a column of ends, the count of items, keys, values (or their ends, and then their bytes);
* ``KEYED``: the same, but with a column for each key, see ``kernel_keyed``: a column without memory that counts rows;
  the first slot; the number of keys that have slots.

Source: Avro specification 1.12, "Binary Encoding".
"""

from __future__ import annotations

from typing import Annotated

from lakemuster.formats.avro.native.kernel_keyed import NEEDS, NEW_KEY, NO_ROOM, read_keyed
from lakemuster.formats.avro.native.kernel_reading import (
    BAD,
    LAST_INT,
    copy,
    read_count,
    read_number,
    read_wide,
    signed,
)
from lakemuster.kernels.words import N0, N1, N2, N3, Ints, Octets, Word, Words

Blocks = Annotated[Words, (None, 2)]
Program = Annotated[Words, (None, 4)]
Slots = Annotated[Words, (None, 8)]

LONG, INT, FIXED, BYTES, LONGS, BLOBS, KEYED, NULLABLE, ARRAY, END = (Word(number) for number in range(10))
DONE, FULL, CORRUPT, NEW, OTHER = 0, 1, 2, 3, 4


def run(
    data: Octets,
    blocks: Blocks,
    program: Program,
    octets: Octets,
    ints: Ints,
    longs: Words,
    starts: Words,
    rooms: Words,
    used: Words,
    stack: Words,
    slots: Slots,
) -> int:
    """Append the records of blocks to columns.

    Args:
        data: the inflated blocks, concatenated.
        blocks: (blocks, 2): the recorded number of records of each, and where it ends.
        program: (operations, 4).
        octets, ints, longs: one memory, seen in three widths, unsigned.
        starts, rooms, used: for each column, where it begins in its array, how many values it may hold, and how
            many it holds; in units of its own width.
        stack: (nesting of arrays + 1,) numbers. The first one is set to the number of the full column or corrupt block.
        slots: (slots, 8), see ``kernel_keyed``.

    Returns:
        ``DONE``; ``FULL``: a column has no room; ``NEW``: a map has a key without a slot; ``OTHER``: slots have
        ``NEEDS``; ``CORRUPT``: the bytes are not exactly these records.
    """
    position = block = N0
    while block < Word(len(blocks)):
        stack[N0] = block
        verdict, position = read_block(
            data, position, blocks[block, N0], program, octets, ints, longs, starts, rooms, used, stack, slots
        )
        if verdict != DONE:
            return verdict
        if position != blocks[block, N1]:
            return CORRUPT
        block += N1
    return OTHER if len(slots) > 0 and slots[N0, NEEDS] != N0 else DONE


def read_block(
    data: Octets,
    position: Word,
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
) -> tuple[int, Word]:
    """Read ``records`` records; return the verdict, and the position after them."""
    operations = Word(len(program))
    record = N0
    while record < records:
        record += N1
        at = depth = null_until = N0
        while at < operations:
            kind, column, argument = program[at, N0], program[at, N1], program[at, N2]
            place, size = starts[column] + used[column], argument if kind == FIXED else N1
            if used[column] + size > rooms[column]:
                stack[N0] = column
                return FULL, position
            if kind >= ARRAY:
                null_until = N0 if kind == END else null_until
                at, depth, position = go_through(
                    data, position, program, at, depth, bool(at < null_until), place, ints, used, stack
                )
                if position == BAD:
                    return CORRUPT, position
                continue
            if kind == KEYED:
                head, many, row = argument, program[at, N3], used[column]
                is_null = bool(at < null_until)
                position = read_keyed(
                    data, position, is_null, head, many, row, slots, octets, ints, longs, starts, rooms, used, stack
                )
            elif at < null_until:
                fill(kind, column, size, place, octets, ints, longs, used)
            elif kind == NULLABLE:
                branch, position = read_number(data, position)
                if branch > N2 or branch & N1:
                    return CORRUPT, position
                is_null = branch >> N1 == program[at, N3]
                octets[place] = N0 if is_null else N1
                null_until = argument if is_null else null_until
            elif kind == LONGS:
                position = read_longs(data, position, column, ints, longs, starts, rooms, used, stack)
                ints[place] = used[column + N1]
            elif kind == BLOBS:
                position = read_blobs(data, position, column, octets, ints, starts, rooms, used, stack)
                ints[place] = used[column + N1]
            elif kind == BYTES:
                position = read_bytes(data, position, column + N1, octets, starts, rooms, used, stack)
                ints[place] = used[column + N1]
            else:
                position = read_plain(data, position, kind, place, size, octets, ints, longs)
            if position >= NEW_KEY:
                return verdict_of(position), position
            used[column] += size
            at += N1
    return DONE, position


def verdict_of(position: Word) -> int:
    """Return the verdict that a special position stands for."""
    return FULL if position == NO_ROOM else NEW if position == NEW_KEY else CORRUPT


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
    """Begin an array or end an item; return the next operation, the number of open arrays, and the position."""
    kind, column, target = program[at, N0], program[at, N1], program[at, N2]
    if kind == END:
        used[column + N1] += N1
        stack[depth] -= N1
        if stack[depth] > N0:
            return target, depth, position
        depth -= N1
    count = N0
    if not is_null:
        count, position = read_count(data, position, program[at, N3])
    if count > N0:
        depth += N1
        stack[depth] = count
        return target if kind == END else at + N1, depth, position
    ints[place] = used[column + N1]
    used[column] += N1
    return at + N1 if kind == END else target, depth, position


def fill(
    kind: Word, column: Word, size: Word, place: Word, octets: Octets, ints: Ints, longs: Words, used: Words
) -> None:
    """Write the placeholder of a column whose enclosing record is null."""
    if kind == LONG:
        longs[place] = 0
    elif kind == INT:
        ints[place] = 0
    elif kind == NULLABLE:
        octets[place] = 0
    elif kind == FIXED:
        while size > N0:
            size -= N1
            octets[place + size] = 0
    else:
        # An end, of bytes or of items.
        ints[place] = used[column + N1]


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
    """Read an array of (int, long); return the position after it."""
    keys, values = column + N2, column + N3
    while True:
        count, position = read_count(data, position, N2)
        if position == BAD:
            return BAD
        if count == N0:
            used[column + N1] = used[keys]
            return position
        full = values if used[values] + count > rooms[values] else keys
        if used[full] + count > rooms[full]:
            stack[N0] = full
            return NO_ROOM
        key_at, value_at = starts[keys] + used[keys], starts[values] + used[values]
        used[keys] += count
        used[values] += count
        while count > N0:
            key, position = read_number(data, position)
            if position == BAD or key > LAST_INT:
                return BAD
            value, position = read_wide(data, position)
            if position == BAD:
                return BAD
            ints[key_at], longs[value_at] = signed(key) & LAST_INT, signed(value)
            key_at, value_at, count = key_at + N1, value_at + N1, count - N1


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
    """Read an array of (int, bytes); return the position after it."""
    keys, values = column + N2, column + N3
    while True:
        count, position = read_count(data, position, N2)
        if position == BAD:
            return BAD
        if count == N0:
            used[column + N1] = used[keys]
            return position
        full = values if used[values] + count > rooms[values] else keys
        if used[full] + count > rooms[full]:
            stack[N0] = full
            return NO_ROOM
        key_at, value_at = starts[keys] + used[keys], starts[values] + used[values]
        used[keys] += count
        used[values] += count
        while count > N0:
            key, position = read_number(data, position)
            if position == BAD or key > LAST_INT:
                return BAD
            position = read_bytes(data, position, values + N1, octets, starts, rooms, used, stack)
            if position >= NO_ROOM:
                return position
            ints[key_at], ints[value_at] = signed(key) & LAST_INT, used[values + N1]
            key_at, value_at, count = key_at + N1, value_at + N1, count - N1


def read_bytes(
    data: Octets, position: Word, column: Word, octets: Octets, starts: Words, rooms: Words, used: Words, stack: Words
) -> Word:
    """Append a length-prefixed byte string to a column; return the position after it."""
    number, position = read_number(data, position)
    size = number >> N1
    # An odd number is a negative length.
    if position == BAD or number & N1 or size > Word(len(data)) - position:
        return BAD
    if used[column] + size > rooms[column]:
        stack[N0] = column
        return NO_ROOM
    copy(octets, starts[column] + used[column], data, position, size)
    used[column] += size
    return position + size


def read_plain(
    data: Octets, position: Word, kind: Word, place: Word, size: Word, octets: Octets, ints: Ints, longs: Words
) -> Word:
    """Read a number, or ``size`` bytes, to a place with room for them; return the position after them."""
    if kind == FIXED:
        if size > Word(len(data)) - position:
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
