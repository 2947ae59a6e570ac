"""Whether a value of IN lies between two keys, many files at once: the inner loop, see ``kernels``.

The span of the values is cut into equal cells: a bit for each says whether there is a value in it, and a place for
each word of bits which value is the first from there on. Bits tell for most files, however many values there are;
where only the cells of the keys themselves have values, those of a word or two are searched.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NAME = "lakemuster_any_between"

Word = np.uint64
Words = NDArray[np.uint64]
Ints = NDArray[np.uint32]
Octets = NDArray[np.uint8]

_U = np.uint64
_0, _1, _6, _63 = _U(0), _U(1), _U(6), _U(63)
_ALL = _U(2**64 - 1)


def any_between(values: Ints, lower: Ints, upper: Ints, cells: Words, starts: Ints, sure: Octets, ties: Octets) -> int:
    """Tell of each file whether a value is from its lower to its upper key.

    Args:
        values: ascending, at least one; made distinct in place.
        lower, upper: (N,).
        cells: room for bits, at least a word; the more, the less is searched.
        starts: room for a place for each of those words, and one.
        sure: (N,); set to whether there is no value between the keys.
        ties: (N,); set to whether there is one, but at the keys themselves only.

    Returns:
        how many ties there are.
    """
    rows, count = _U(len(lower)), distinct(values)
    shift = fill(values, count, cells, starts)
    first, last = _U(values[_0]), _U(values[count - _1])
    row = tied = _0
    while row < rows:
        low, high = _U(lower[row]), _U(upper[row])
        none, tie = _1, _0
        if low <= last and first <= high:
            begin, end = (max(low, first) - first) >> shift, (min(high, last) - first) >> shift
            word, final = begin >> _6, end >> _6
            left, right = _ALL << (begin & _63), _ALL >> (_63 - (end & _63))
            if word < final:
                within = (cells[word] & (left << _1)) | (cells[final] & (right >> _1))
                within |= _U(starts[word + _1]) ^ _U(starts[final])
                near = within | (cells[word] & left) | (cells[final] & right)
            else:
                near = cells[word] & left & right
                within = near & (left << _1) & (right >> _1)
            if within != _0:
                none = _0
            elif near != _0:
                place = first_from(values, _U(starts[word]), _U(starts[final + _1]), low)
                if place < count and _U(values[place]) <= high:
                    none = _0
                    place += _1 if _U(values[place]) == low else _0
                    tie = _1 if place == count or _U(values[place]) >= high else _0
        sure[row] = none
        ties[row] = tie
        tied += tie
        row += _1
    return int(tied)


def distinct(values: Ints) -> Word:
    """Move one of each value to the front; how many there are."""
    place = count = _1
    while place < _U(len(values)):
        if values[place] != values[count - _1]:
            values[count] = values[place]
            count += _1
        place += _1
    return count


def fill(values: Ints, count: Word, cells: Words, starts: Ints) -> Word:
    """Set the cells, and the place of the first value that is not before each word of them.

    Returns:
        how many bits of a key's distance from the first value lie within a cell.
    """
    words, first, shift = _U(len(cells)), _U(values[_0]), _0
    while (_U(values[count - _1]) - first) >> (shift + _6) >= words:
        shift += _1
    word = _0
    while word < words:
        cells[word] = _0
        word += _1
    place = word = _0
    while place < count:
        cell = (_U(values[place]) - first) >> shift
        cells[cell >> _6] |= _1 << (cell & _63)
        while word <= cell >> _6:
            starts[word] = place
            word += _1
        place += _1
    while word <= words:
        starts[word] = count
        word += _1
    return shift


def first_from(values: Ints, place: Word, end: Word, low: Word) -> Word:
    """The place of the first value that is not below a key, among some; else their end."""
    while place < end:
        middle = (place + end) >> _1
        if _U(values[middle]) < low:
            place = middle + _1
        else:
            end = middle
    return place
