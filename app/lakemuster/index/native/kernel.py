"""The zones of many columns at once: what the values of each zone lie within, and their sums; see ``kernels``.

Columns are rows of a table of numbers, at the places ``VALID`` …: the number of the bit that says whether the first
value is there (``NONE``: all are), the place of the first value in bytes (of ``BIT``: in bits; of ``TEXT``: of its
offset), of ``TEXT`` where the offsets count from, a form, and of
``FIXED`` the bytes of a value. Numbers in memory are
aligned to their width.

Numbers are compared as words that have their order; of floats -0 is before 0, and NaN is as good as missing.
"""

from __future__ import annotations

from typing import Annotated

from lakemuster.index.native.kernel_texts import AFTER, BEFORE, head, order
from lakemuster.kernels.words import ALL, N0, N1, N2, N3, N4, N7, N8, N32, N48, N56, N63, N64, Ints, Octets, Word, Words

Columns = Annotated[Words, (None, 5)]
Bounds = Annotated[Words, (None, 5)]
Totals = Annotated[Words, (None, 3)]
Unknown = Annotated[Octets, (None, None)]

VALID, DATA, BASE, FORM, SIZE = N0, N1, N2, N3, N4
"""Of a column."""
COLUMN, WANTED, PLACE, NULLS, VALUES = N0, N1, N2, N3, N4
"""Of bounds; the first and the third of totals, whose second is ``PROVES``."""
PROVES = N1
NONE = ALL
"""Instead of a bit's number, or of a column's."""

I1, I2, I4, I8, F4, F8, BIT, D8, D16, TEXT, FIXED = (Word(number) for number in range(11))
"""Forms: signed numbers and floats of so many bytes; a bit; signed numbers of 16 bytes whose upper half is only the
sign, and others; texts; bytes of one length."""

SIGN = N1 << N63
INFINITY, SHORT_INFINITY = Word(0x7FF0000000000000), Word(0x7F800000 << 32)
_OCTET, _LAST_INT = Word(0xFF), Word(2**32 - 1)


def zones_of(
    octets: Octets,
    ints: Ints,
    longs: Words,
    columns: Columns,
    bounds: Bounds,
    totals: Totals,
    starts: Words,
    found_octets: Octets,
    found_ints: Ints,
    found_longs: Words,
    unknown: Unknown,
) -> int:
    """Write the extremes and the sums of each zone.

    Args:
        octets, ints, longs: the memory of all columns, seen in three widths.
        bounds: (B, 5): a column; ``BEFORE`` for the least, ``AFTER`` for the most; where that of the first zone is put,
            in its own width (of ``I2`` in bytes, of ``D8`` in words; of the forms behind that it is a word for the
            number of the entry that has it); the columns of the entries' nulls and values, by which a missing bound is
            proven to be of nothing but nulls, or ``NONE``.
        totals: (T, 3): a column of counts; whether 0 is as good as missing; where the sum of the first zone is put,
            in words: negative when a count of the zone is.
        starts: (Z + 1,) the first entry of each zone, and the number of entries.
        found_octets, found_ints, found_longs: one memory for what is found.
        unknown: (B, Z); set to whether a zone's extreme is unknown. What was put for it is 0.

    Returns:
        nothing that matters.
    """
    zones, number = Word(len(starts)) - N1, N0
    while number < Word(len(totals)):
        zone, place = N0, totals[number, PLACE]
        while zone < zones:
            found_longs[place + zone] = sum_of(
                octets,
                ints,
                longs,
                columns,
                totals[number, COLUMN],
                starts[zone],
                starts[zone + N1],
                totals[number, PROVES] != N0,
            )
            zone += N1
        number += N1
    number = N0
    while number < Word(len(bounds)):
        zone, place, form = N0, bounds[number, PLACE], columns[bounds[number, COLUMN], FORM]
        while zone < zones:
            if form >= D16:
                found, is_known = place_of(
                    octets, ints, longs, columns, bounds, number, starts[zone], starts[zone + N1], starts[zones]
                )
            else:
                found, is_known = number_of(
                    octets, ints, longs, columns, bounds, number, starts[zone], starts[zone + N1]
                )
            unknown[number, zone] = N0 if is_known else N1
            if form == D8:
                found_longs[place + N2 * zone] = found
                found_longs[place + N2 * zone + N1] = ALL if found >= SIGN else N0
            elif form >= D16 or form == I8 or form == F8:  # noqa: PLR1714, SIM109 - numba makes sets of tuples.
                found_longs[place + zone] = found
            elif form == I4 or form == F4:  # noqa: PLR1714, SIM109
                found_ints[place + zone] = found & _LAST_INT
            elif form == I2:
                found_octets[place + N2 * zone] = found & _OCTET
                found_octets[place + N2 * zone + N1] = found >> N8 & _OCTET
            else:
                found_octets[place + zone] = found & _OCTET
            zone += N1
        number += N1
    return 0


def sum_of(
    octets: Octets, ints: Ints, longs: Words, columns: Words, column: Word, row: Word, end: Word, proves: bool
) -> Word:
    """The sum of some counts; ``ALL`` if one is negative or missing, or is 0 and that proves nothing."""
    form, data, total, seen, least = columns[column, FORM], columns[column, DATA], N0, N0, ALL
    # One loop for each width, since compilers make many values at a time of these.
    if columns[column, VALID] != NONE:
        while row < end:
            count = count_of(octets, ints, longs, columns, column, row)
            total, seen, least, row = total + count, seen | count, min(least, count), row + N1
    elif form == I1:
        while row < end:
            count = Word(octets[data + row])
            total, seen, least, row = total + count, seen | count << N56, min(least, count), row + N1
    elif form == I2:
        while row < end:
            count = Word(octets[data + N2 * row]) | Word(octets[data + N2 * row + N1]) << N8
            total, seen, least, row = total + count, seen | count << N48, min(least, count), row + N1
    elif form == I4:
        data = data >> N2
        while row < end:
            count = Word(ints[data + row])
            total, seen, least, row = total + count, seen | count << N32, min(least, count), row + N1
    else:
        data = data >> N3
        while row < end:
            count = longs[data + row]
            total, seen, least, row = total + count, seen | count, min(least, count), row + N1
    return ALL if seen >= SIGN or (proves and least == N0) else total


def number_of(
    octets: Octets, ints: Ints, longs: Words, columns: Words, bounds: Words, number: Word, row: Word, end: Word
) -> tuple[Word, bool]:
    """The least or the most of some numbers, and whether it is known."""
    column, form = bounds[number, COLUMN], columns[bounds[number, COLUMN], FORM]
    # The most is the least of what is turned over.
    turned, least = ALL if bounds[number, WANTED] == AFTER else N0, ALL
    if columns[column, VALID] == NONE and form == I8:
        data, turned = columns[column, DATA] >> N3, turned ^ SIGN
        while row < end:
            least, row = min(least, longs[data + row] ^ turned), row + N1
        return least ^ turned, True
    if columns[column, VALID] == NONE and form == D8:
        data, turned = columns[column, DATA] >> N3, turned ^ SIGN
        while row < end:
            least, row = min(least, longs[data + N2 * row] ^ turned), row + N1
        return least ^ turned, True
    if columns[column, VALID] == NONE and form == I4:
        data, turned = columns[column, DATA] >> N2, turned ^ SIGN
        while row < end:
            least, row = min(least, Word(ints[data + row]) << N32 ^ turned), row + N1
        return (least ^ turned) >> N32, True
    some = False
    while row < end:
        word = raw(octets, ints, longs, columns, column, row)
        if has(octets, columns, column, row) and not is_nan(word, form):
            least, some = min(least, ordered(word, form) ^ turned), True
        elif not is_blank(octets, ints, longs, columns, bounds, number, row):
            return N0, False
        row += N1
    if not some:
        return N0, False
    word = least ^ turned
    word ^= SIGN if form < F4 or form > F8 or word >= SIGN else ALL
    return word >> N32 if form == F4 else word, True


def place_of(
    octets: Octets,
    ints: Ints,
    longs: Words,
    columns: Words,
    bounds: Words,
    number: Word,
    row: Word,
    end: Word,
    rows: Word,
) -> tuple[Word, bool]:
    """The row of the least or the most of some values, and whether it is known."""
    column, wanted = bounds[number, COLUMN], bounds[number, WANTED]
    form, data, base, size = columns[column, FORM], columns[column, DATA], columns[column, BASE], columns[column, SIZE]
    last = data + size * rows if form == FIXED else base + Word(ints[(data >> N2) + rows]) if form == TEXT else N0
    best = best_at = best_length = best_head = N0
    some = False
    while row < end:
        if has(octets, columns, column, row):
            is_better = not some
            if form == D16:
                at, length, own = (data >> N3) + row + row, N0, longs[(data >> N3) + row + row + N1] ^ SIGN
                if own == best_head and not is_better:
                    is_better = (longs[at] < longs[best_at]) == (wanted == BEFORE) and longs[at] != longs[best_at]
            else:
                at, length = data + size * row, size
                if form == TEXT:
                    at = Word(ints[(data >> N2) + row])
                    length = Word(ints[(data >> N2) + row + N1]) - at
                    at += base
                own = head(octets, at, length, last)
                if own == best_head and not is_better:
                    is_better = order(octets, at, length, best_at, best_length, last) == wanted
            if own != best_head and not is_better:
                is_better = (own < best_head) == (wanted == BEFORE)
            if is_better:
                best, best_at, best_length, best_head, some = row, at, length, own, True
        elif not is_blank(octets, ints, longs, columns, bounds, number, row):
            return N0, False
        row += N1
    return best, some


def is_blank(octets: Octets, ints: Ints, longs: Words, columns: Words, bounds: Words, number: Word, row: Word) -> bool:
    """Whether a missing bound is of nothing but nulls: their count, and that of values, say so."""
    nulls, values = bounds[number, NULLS], bounds[number, VALUES]
    if nulls == NONE or values == NONE:  # noqa: PLR1714
        return False
    count = count_of(octets, ints, longs, columns, values, row)
    return bool(N0 < count < SIGN) and count_of(octets, ints, longs, columns, nulls, row) == count


def count_of(octets: Octets, ints: Ints, longs: Words, columns: Words, column: Word, row: Word) -> Word:
    """A count of some width; ``ALL`` where there is none."""
    return raw(octets, ints, longs, columns, column, row) if has(octets, columns, column, row) else ALL


def has(octets: Octets, columns: Words, column: Word, row: Word) -> bool:
    """Whether a column has a value in a row."""
    if columns[column, VALID] == NONE:
        return True
    bit = columns[column, VALID] + row
    return bool(Word(octets[bit >> N3]) >> (bit & N7) & N1 != N0)


def raw(octets: Octets, ints: Ints, longs: Words, columns: Words, column: Word, row: Word) -> Word:
    """A number as a word: signed ones extended, floats of four bytes in its upper half."""
    form, data = columns[column, FORM], columns[column, DATA]
    if form == I8 or form == F8:  # noqa: PLR1714, SIM109 - numba makes sets of tuples.
        return Word(longs[(data >> N3) + row])
    if form == D8:
        return Word(longs[(data >> N3) + N2 * row])
    if form == I4 or form == F4:  # noqa: PLR1714, SIM109
        word = Word(Word(ints[(data >> N2) + row]) << N32)
        return word if form == F4 else extended(word, N32)
    if form == BIT:
        return Word(Word(octets[(data + row) >> N3]) >> ((data + row) & N7) & N1)
    if form == I1:
        return extended(Word(octets[data + row]) << N56, N56)
    return extended((Word(octets[data + N2 * row]) | Word(octets[data + N2 * row + N1]) << N8) << N48, N48)


def extended(word: Word, bits: Word) -> Word:
    """All but the lowest bits of a word, as a signed number."""
    return word >> bits | (ALL << (N64 - bits) if word >= SIGN else N0)


def is_nan(word: Word, form: Word) -> bool:
    """Whether a float is none."""
    return bool((form == F8 and word & ~SIGN > INFINITY) or (form == F4 and word & ~SIGN > SHORT_INFINITY))


def ordered(word: Word, form: Word) -> Word:
    """A word that stands to others as their numbers do."""
    return word ^ (ALL if (form == F4 or form == F8) and word >= SIGN else SIGN)  # noqa: PLR1714, SIM109
