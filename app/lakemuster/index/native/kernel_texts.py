"""Texts as their bytes compare: part of ``kernel``, whose rules it follows."""

from __future__ import annotations

from lakemuster.kernels.words import N0, N1, N2, N3, N8, N16, N32, Octets, Word, load

BEFORE, EQUAL, AFTER = N0, N1, N2
OCTETS, PAIRS = Word(0x00FF00FF00FF00FF), Word(0x0000FFFF0000FFFF)
"""Every other octet, every other two, of a word."""


def order(data: Octets, at: Word, length: Word, other_at: Word, other_length: Word, last: Word) -> Word:
    """How a text stands to another that begins with the same eight bytes, or as many as it has."""
    done = N8
    while done < length and done < other_length:
        own = head(data, at + done, length - done, last)
        other = head(data, other_at + done, other_length - done, last)
        if own < other:
            return BEFORE
        if own > other:
            return AFTER
        done += N8
    if length < other_length:
        return BEFORE
    return AFTER if length > other_length else EQUAL


def head(data: Octets, at: Word, length: Word, last: Word) -> Word:
    """The first eight bytes of a text, most significant first, with zeros behind its end.

    Args:
        last: where the bytes of all texts end: none behind are looked at.
    """
    if length == N0:
        return N0
    left = N8 - min(length, N8)
    if at + N8 <= last:
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
