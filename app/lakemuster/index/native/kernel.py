"""The first or the last text of each zone, as their bytes compare: the inner loop, see ``kernels``."""

from __future__ import annotations

from lakemuster.kernels.words import N0, N1, N2, N3, N8, N16, N32, Ints, Octets, Word, Words, load

BEFORE, EQUAL, AFTER = N0, N1, N2
OCTETS, PAIRS = Word(0x00FF00FF00FF00FF), Word(0x0000FFFF0000FFFF)
"""Every other octet, every other two, of a word."""


def extremes_of(offsets: Ints, data: Octets, missing: Octets, starts: Words, wanted: Word, found: Words) -> int:
    """Tell the place of the first or the last text of each zone.

    Args:
        offsets: (N + 1,) where each text begins in the data.
        missing: (N,) whether it is none; or of no length: all are some.
        starts: (Z + 1,) the first text of each zone, and N.
        wanted: ``BEFORE`` for the first of each zone, ``AFTER`` for the last.
        found: (Z,); set to places; a zone in which all are missing has that of its first.

    Returns:
        nothing that matters.
    """
    zone, zones, all_there = N0, Word(len(found)), Word(len(missing)) == N0
    while zone < zones:
        row, end = Word(starts[zone]), Word(starts[zone + N1])
        best, best_at, best_length, best_head, known = row, N0, N0, N0, N0
        while row < end:
            if all_there or Word(missing[row]) == N0:
                at = Word(offsets[row])
                length = Word(offsets[row + N1]) - at
                own, is_better = head(data, at, length), known == N0
                if own != best_head:
                    is_better = is_better or (own < best_head) == (wanted == BEFORE)
                elif not is_better:
                    is_better = order(data, at, length, best_at, best_length) == wanted
                if is_better:
                    best, best_at, best_length, best_head, known = row, at, length, own, N1
            row += N1
        found[zone] = best
        zone += N1
    return 0


def order(data: Octets, at: Word, length: Word, other_at: Word, other_length: Word) -> Word:
    """How a text stands to another that begins with the same eight bytes, or as many as it has."""
    done = N8
    while done < length and done < other_length:
        own, other = head(data, at + done, length - done), head(data, other_at + done, other_length - done)
        if own < other:
            return BEFORE
        if own > other:
            return AFTER
        done += N8
    if length < other_length:
        return BEFORE
    return AFTER if length > other_length else EQUAL


def head(data: Octets, at: Word, length: Word) -> Word:
    """The first eight bytes of a text, most significant first, with zeros behind its end."""
    if length == N0:
        return N0
    left = N8 - min(length, N8)
    if at + N8 <= Word(len(data)):
        word = load(data, at)
        word = (word & OCTETS) << N8 | word >> N8 & OCTETS
        word = (word & PAIRS) << N16 | word >> N16 & PAIRS
        word = word << N32 | word >> N32
        return word >> (left << N3) << (left << N3)
    word, end = N0, at + N8 - left
    while at < end:
        word = word << N8 | Word(data[at])
        at += N1
    return word << (left << N3)
