"""Decode maps with int keys to one column per key, in one pass: part of ``kernel``, whose rules it follows.

Iceberg's statistics are such maps: a row of a wide table has a thousand items, nearly always with the same keys in the
same order. So each slot records the slot that followed it last time, and an item is first compared with that key's
encoded bytes: branches on the lengths of numbers are hard to predict.

Slots are rows of a table: for each map a head, which has no column, and then its keys' slots by ascending ``KEY``.

* ``CODE``: the encoded key as a little-endian number, followed by the length that ``AS_4`` and ``AS_8`` expect; the
  highest byte is the number of these bits;
* ``KEY``: the key as Avro's zig-zag number;
* ``KIND``: ``AS_INT``, ``AS_LONG``: numbers; ``AS_4``, ``AS_8``: values of that many bytes; ``AS_BYTES``: of any;
* ``COLUMN``: the column of the values (``AS_BYTES``: of ends; the next column holds the bytes);
* ``FLAGS``: whether the column before it marks the rows that have the key;
* ``NEXT``: the slot that followed this one last time;
* ``NEEDS``: set if a value could not be written: ``OTHER_KIND`` and, for rows without the key, ``FLAGS_TOO``; the
  first head has the needs of all slots;
* ``STAMP``: the last row that had the key, plus one.

A value is written at its row's number, so a block may be read again. If a map holds a key twice, the last value counts.
All these columns have the same room as their map's column, which ``run`` checks.
"""

from __future__ import annotations

from lakemuster.formats.avro.native.kernel_reading import (
    BAD,
    LAST_INT,
    MORES,
    PLACES,
    copy,
    read_count,
    read_number,
    read_wide,
    signed,
    without_marks,
)
from lakemuster.kernels.words import N0, N1, N2, N3, N4, N7, N8, N16, N64, Ints, Octets, Word, Words, load, load_int

AS_INT, AS_LONG, AS_4, AS_8, AS_BYTES = (Word(number) for number in range(5))
CODE, KEY, KIND, COLUMN, FLAGS, NEXT, NEEDS, STAMP = (Word(number) for number in range(8))
OTHER_KIND, FLAGS_TOO = Word(1), Word(2)

NO_ROOM, NEW_KEY = Word(2**64 - 2), Word(2**64 - 3)
"""Returned in place of a position: a column is full; an item's key has no slot."""


def read_keyed(
    data: Octets,
    position: Word,
    is_null: bool,
    head: Word,
    many: Word,
    row: Word,
    slots: Words,
    octets: Octets,
    ints: Ints,
    longs: Words,
    starts: Words,
    rooms: Words,
    used: Words,
    stack: Words,
) -> Word:
    """Read a map, or a null one, whose ``many`` keys have slots after ``head``; return the position after it."""
    stamp, met, slot = row + N1, N0, head
    while not is_null:
        count, position = read_count(data, position, N2)
        if position == BAD:
            return BAD
        if count == N0:
            break
        while count > N0:
            count -= N1
            slot, position, rest, bits = read_key(data, position, slot, head, many, slots)
            if position >= NEW_KEY:
                return position
            is_again = slots[slot, STAMP] == stamp
            met += N0 if is_again else N1
            slots[slot, STAMP] = stamp
            kind, column = slots[slot, KIND], slots[slot, COLUMN]
            place = starts[column] + row
            if slots[slot, FLAGS] != N0:
                octets[starts[column - N1] + row] = N1
            if kind <= AS_LONG:
                position = read_integer(data, position, rest, bits, slot, place, slots, ints, longs)
            elif bits != N0 and kind == AS_8:
                longs[place] = load(data, position)
                position += N8
            elif bits != N0 and kind == AS_4:
                ints[place] = load_int(data, position)
                position += N4
            else:
                position = read_blob(
                    data, position, slot, place, is_again, slots, octets, ints, longs, starts, rooms, used, stack
                )
            if position >= NEW_KEY:
                return position
    if met < many:
        leave_out(head, many, row, slots, octets, ints, longs, starts, used)
    return position


def read_key(
    data: Octets, position: Word, last: Word, head: Word, many: Word, slots: Words
) -> tuple[Word, Word, Word, Word]:
    """Return the slot of an item's key, and the position after the key; for the expected key also ``after_code``.

    The expected key is compared only if 16 bytes remain: its code and a value of 8 bytes take 14.
    """
    slot, rest, bits = slots[last, NEXT], N0, N0
    if slot != head and Word(len(data)) - position >= N16:
        rest, bits = after_code(load(data, position), slots[slot, CODE])
    if bits != N0:
        return slot, position + (bits >> N3), rest, bits
    key, position = read_number(data, position)
    if position == BAD or key > LAST_INT:
        return head, BAD, N0, N0
    slot = find(slots, head, many, key)
    if slot == head:
        return head, NEW_KEY, N0, N0
    slots[last, NEXT] = slot
    return slot, position, N0, N0


def after_code(word: Word, code: Word) -> tuple[Word, Word]:
    """Return what follows a code in eight bytes that begin with it, and the code's bits; else 0 and 0."""
    bits = code >> Word(56)
    if (word ^ code) << (N64 - bits) != N0:
        return N0, N0
    return word >> bits, bits


def short_number(rest: Word, bits: Word) -> tuple[Word, Word]:
    """Return the varint in ``rest``, which lacks its highest ``bits`` bits, and its length; 0 if it is not complete."""
    stops = ~rest & MORES
    last = stops & (~stops + N1)
    size = ((last >> N7) * PLACES >> Word(56)) + N1
    return without_marks(rest & (last - N1)), size if bits != N0 and (size << N3) + bits <= N64 else N0


def find(slots: Words, head: Word, many: Word, key: Word) -> Word:
    """Return the slot of a key; the head if it has none."""
    low, high = head + N1, head + many + N1
    while low < high:
        middle = (low + high) >> N1
        if slots[middle, KEY] < key:
            low = middle + N1
        else:
            high = middle
    if low <= head + many and slots[low, KEY] == key:
        return low
    return head


def read_integer(
    data: Octets,
    position: Word,
    rest: Word,
    bits: Word,
    slot: Word,
    place: Word,
    slots: Words,
    ints: Ints,
    longs: Words,
) -> Word:
    """Read a number to a place of its key's column; return the position after it."""
    number, size = short_number(rest, bits)
    if size == N0:
        number, position = read_wide(data, position)
        if position == BAD:
            return BAD
    if slots[slot, KIND] == AS_LONG:
        longs[place] = signed(number)
    else:
        if number > LAST_INT:
            need(slots, slot, OTHER_KIND)
        ints[place] = signed(number) & LAST_INT
    return position + size


def read_blob(
    data: Octets,
    position: Word,
    slot: Word,
    place: Word,
    is_again: bool,
    slots: Words,
    octets: Octets,
    ints: Ints,
    longs: Words,
    starts: Words,
    rooms: Words,
    used: Words,
    stack: Words,
) -> Word:
    """Read a length-prefixed byte string to a place of its key's column; return the position after it."""
    number, position = read_number(data, position)
    size = number >> N1
    # An odd number is a negative length.
    if position == BAD or number & N1 or size > Word(len(data)) - position:
        return BAD
    kind, blobs = slots[slot, KIND], slots[slot, COLUMN] + N1
    if kind == AS_BYTES:
        begin = Word(ints[place - N1]) if is_again else used[blobs]
        if begin + size > rooms[blobs]:
            stack[N0] = blobs
            return NO_ROOM
        copy(octets, starts[blobs] + begin, data, position, size)
        used[blobs] = begin + size
        ints[place] = begin + size
    elif kind == AS_8 and size == N8:
        longs[place] = load(data, position)
    elif kind == AS_4 and size == N4:
        ints[place] = load_int(data, position)
    else:
        need(slots, slot, OTHER_KIND)
    return position + size


def need(slots: Words, slot: Word, what: Word) -> None:
    """Record what a key's column needs."""
    slots[slot, NEEDS] |= what
    slots[N0, NEEDS] |= what


def leave_out(
    head: Word,
    many: Word,
    row: Word,
    slots: Words,
    octets: Octets,
    ints: Ints,
    longs: Words,
    starts: Words,
    used: Words,
) -> None:
    """Write the placeholders of the keys that a row lacks."""
    slot, last = head, head + many
    while slot < last:
        slot += N1
        if slots[slot, STAMP] == row + N1:
            continue
        kind, column = slots[slot, KIND], slots[slot, COLUMN]
        place = starts[column] + row
        if slots[slot, FLAGS] != N0:
            octets[starts[column - N1] + row] = N0
        else:
            need(slots, slot, FLAGS_TOO)
        if kind == AS_BYTES:
            ints[place] = used[column + N1]
        elif kind == AS_INT or kind == AS_4:  # noqa: PLR1714, SIM109 - numba makes sets of tuples.
            ints[place] = N0
        else:
            longs[place] = N0
