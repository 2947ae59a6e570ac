"""Whether a value of IN lies between two keys, many files at once: the inner loop, see ``kernels``.

The span of the values is cut into equal cells, and a table tells the first value from each cell's start on. The first
value that is not below a file's lower key is that of its cell or one of the next two, nearly always, and it decides.
"""

from __future__ import annotations

from lakemuster.kernels.words import N0, N1, Ints, Octets, Word


def any_between(values: Ints, starts: Ints, shift: Word, lower: Ints, upper: Ints, sure: Octets, ties: Octets) -> int:
    """Tell of each file whether a value is from its lower to its upper key.

    Args:
        values: ascending and distinct, at least one, and the largest number of all, which stands for none, behind them.
        starts: (cells + 1,) the place of the first value that is not before each cell, and how many there are.
        shift: how many bits of a key's distance from the first value lie within a cell.
        lower, upper: (N,).
        sure: (N,); set to whether there is no value between the keys.
        ties: (N,); set to whether there is one, but at the keys themselves only.

    Returns:
        how many ties there are.
    """
    rows, cells, first = Word(len(lower)), Word(len(starts)) - N1, Word(values[N0])
    end = Word(values[Word(starts[cells])])
    row = tied = N0
    while row < rows:
        low, high = Word(lower[row]), Word(upper[row])
        cell = min((max(low, first) - first) >> shift, cells)
        place = Word(starts[cell])
        # Twice without a jump, which would be foreseen badly.
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
    """The place of the first value that is not below a key, among some; else their end."""
    while place < end:
        middle = (place + end) >> N1
        if Word(values[middle]) < low:
            place = middle + N1
        else:
            end = middle
    return place
