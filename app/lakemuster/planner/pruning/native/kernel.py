"""The inner loop of IN: find for many files whether a value lies between the file's two keys; see ``kernels``.

The range of the values is divided into equal cells, and a table has the first value at or after each cell's start.
The first value at or above a file's lower key decides. It is nearly always the cell's or one of the next two.
"""

from __future__ import annotations

from lakemuster.kernels.words import N0, N1, Ints, Octets, Word


def any_between(values: Ints, starts: Ints, shift: Word, lower: Ints, upper: Ints, sure: Octets, ties: Octets) -> int:
    """Find for each file whether a value is between its lower and upper key, inclusive.

    Args:
        values: at least one, distinct, ascending, followed by the largest number, which means none.
        starts: (cells + 1,) the index of the first value at or after each cell's start, then the number of values.
        shift: the number of bits of a key's distance from the first value that lie within a cell.
        lower, upper: (N,).
        sure: (N,); set to whether there is no value between the keys.
        ties: (N,); set to whether there is one, but only at the keys themselves.

    Returns:
        the number of ties.
    """
    rows, cells, first = Word(len(lower)), Word(len(starts)) - N1, Word(values[N0])
    end = Word(values[Word(starts[cells])])
    row = tied = N0
    while row < rows:
        low, high = Word(lower[row]), Word(upper[row])
        cell = min((max(low, first) - first) >> shift, cells)
        place = Word(starts[cell])
        # Two steps without a branch, which would be mispredicted often.
        place += N1 if Word(values[place]) < low else N0
        place += N1 if Word(values[place]) < low else N0
        if Word(values[place]) < low:
            place = first_from(values, place, Word(starts[cell + N1]), low)
        value, none, tie = Word(values[place]), N1, N0
        if value <= high and value != end:
            none = N0
            if value == high or (value == low and Word(values[place + N1]) >= high):
                tie = N1
        sure[row] = none
        ties[row] = tie
        tied += tie
        row += N1
    return int(tied)


def first_from(values: Ints, place: Word, end: Word, low: Word) -> Word:
    """Return the index in [place, end) of the first value at or above ``low``, or ``end``, by binary search."""
    while place < end:
        middle = (place + end) >> N1
        if Word(values[middle]) < low:
            place = middle + N1
        else:
            end = middle
    return place
