"""Whether a value of IN lies between two keys, many files at once: the inner loop, see ``kernels``.

The span of the values is cut into equal cells: a bit for each says whether there is a value in it, and a place for
each word of bits which value is the first from there on. Bits tell for most files, however many values there are;
where only the cells of the keys themselves have values, those of a word or two are searched.
"""

from __future__ import annotations

from lakemuster.kernels.words import ALL, N0, N1, N6, N63, Ints, Octets, Word, Words


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
    rows, count = Word(len(lower)), distinct(values)
    shift = fill(values, count, cells, starts)
    first, last = Word(values[N0]), Word(values[count - N1])
    row = tied = N0
    while row < rows:
        low, high = Word(lower[row]), Word(upper[row])
        none, tie = N1, N0
        if low <= last and first <= high:
            begin, end = (max(low, first) - first) >> shift, (min(high, last) - first) >> shift
            word, final = begin >> N6, end >> N6
            left, right = ALL << (begin & N63), ALL >> (N63 - (end & N63))
            if word < final:
                within = (cells[word] & (left << N1)) | (cells[final] & (right >> N1))
                within |= Word(starts[word + N1]) ^ Word(starts[final])
                near = within | (cells[word] & left) | (cells[final] & right)
            else:
                near = cells[word] & left & right
                within = near & (left << N1) & (right >> N1)
            if within != N0:
                none = N0
            elif near != N0:
                place = first_from(values, Word(starts[word]), Word(starts[final + N1]), low)
                if place < count and Word(values[place]) <= high:
                    none = N0
                    place += N1 if Word(values[place]) == low else N0
                    tie = N1 if place == count or Word(values[place]) >= high else N0
        sure[row] = none
        ties[row] = tie
        tied += tie
        row += N1
    return int(tied)


def distinct(values: Ints) -> Word:
    """Move one of each value to the front; how many there are."""
    place = count = N1
    while place < Word(len(values)):
        if values[place] != values[count - N1]:
            values[count] = values[place]
            count += N1
        place += N1
    return count


def fill(values: Ints, count: Word, cells: Words, starts: Ints) -> Word:
    """Set the cells, and the place of the first value that is not before each word of them.

    Returns:
        how many bits of a key's distance from the first value lie within a cell.
    """
    words, first, shift = Word(len(cells)), Word(values[N0]), N0
    while (Word(values[count - N1]) - first) >> (shift + N6) >= words:
        shift += N1
    word = N0
    while word < words:
        cells[word] = N0
        word += N1
    place = word = N0
    while place < count:
        cell = (Word(values[place]) - first) >> shift
        cells[cell >> N6] |= N1 << (cell & N63)
        while word <= cell >> N6:
            starts[word] = place
            word += N1
        place += N1
    while word <= words:
        starts[word] = count
        word += N1
    return shift


def first_from(values: Ints, place: Word, end: Word, low: Word) -> Word:
    """The place of the first value that is not below a key, among some; else their end."""
    while place < end:
        middle = (place + end) >> N1
        if Word(values[middle]) < low:
            place = middle + N1
        else:
            end = middle
    return place
