"""Write columns as JSON text, row by row: the inner loop, in the subset of Python that numba compiles.

Tests run it as plain Python over numpy arrays, which checks all array bounds. Writers run ``kernel.ll``, see
``native``. Every read and every write is preceded by a comparison with its array's bounds.

A *program* describes the parts of each row, as rows of (operation, argument, flags, argument). Flags are 0 if no row
is null, else one more than the index at which the rows' flags begin, which are 0 for null:

* ``CONSTANT``: the same bytes in every row: where they begin, and where they end;
* ``TEXT``, ``QUOTED``, ``ESCAPED``: a column of texts, unchanged, in quotation marks, or as JSON strings: the index of
  the first of its rows + 1 ends among the numbers;
* ``INTEGER``: a column of signed numbers: the index of the first; the least magnitude that is written as a string;
* ``DATE``: a column of days since 1970-01-01, in years of four digits: the index of the first;
* ``INTEGERS``: a column of lists of signed numbers: the index of the first of its rows + 1 ends, which are themselves
  indexes of numbers; the same magnitude.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from lakemuster.kernels.words import ALL, N0, N1, N2, N3, N4, N5, N6, N8, N10, N12, N16, Ints, Octets, Word, Words

Program = Annotated[Words, (None, 4)]

CONSTANT, TEXT, QUOTED, ESCAPED, INTEGER, DATE, INTEGERS = (Word(number) for number in range(7))
DONE, BEYOND = 0, 1
"""Verdicts: all rows are written, or a read or write would have been out of an array's bounds."""
FIRST_DAY, LAST_DAY = -719_528, 2_932_896
"""0000-01-01 and 9999-12-31."""

WIDEST = 22
"""The most bytes of an integer in quotation marks."""
_WIDEST, _DIGITS = Word(WIDEST), Word(20)
MOST_ESCAPED = 6
"""The most bytes that one byte becomes when it is escaped."""

_CENTURY, _DAYS_OF_400_YEARS, _DAYS_OF_4_YEARS = Word(100), Word(146_097), Word(1_461)
_SINCE_MARCH = Word(719_468 + 146_097)
"""Days from the first of March 400 years before the year 0 to 1970."""
_DAYS = Word(719_468 + 146_097 + LAST_DAY)
_SIGN = Word(2**63)
_BAD = ALL
"""Returned in place of a position: out of bounds."""
_DIGIT, _MINUS, _QUOTE, _ESCAPE, _COMMA = (np.uint8(ord(text)) for text in '0-"\\,')
_HYPHEN = _MINUS
_OPEN, _CLOSE, _LETTER_U, _LETTER_A = (np.uint8(ord(text)) for text in "[]ua")
_N, _L = np.uint8(ord("n")), np.uint8(ord("l"))
_SPACE = np.uint8(0x20)
_B, _T, _F, _R = (np.uint8(ord(text)) for text in "btfr")


def join(texts: Octets, words: Words, flags: Octets, program: Program, rows: Word, octets: Octets, ends: Ints) -> int:
    """Write all rows, one after the other.

    Args:
        texts: the bytes of all texts.
        words: all numbers.
        flags: all flags.
        program: (operations, 4).
        octets: room for the rows.
        ends: (rows + 1,); set to where each row begins, and where the last one ends.

    Returns:
        ``DONE`` or ``BEYOND``.
    """
    at = row = N0
    ends[N0] = 0
    # Comparisons with lengths use differences: sums could overflow.
    while row < rows:
        operation = N0
        while operation < Word(program.shape[0]):
            kind, first = program[operation, N0], program[operation, N1]
            flag, last = program[operation, N2], program[operation, N3]
            is_null = False
            if flag != N0:
                if flag > Word(len(flags)) or row > Word(len(flags)) - flag:
                    return BEYOND
                is_null = flags[flag - N1 + row] == 0
            if is_null:
                at = put_null(octets, at)
            elif kind == CONSTANT:
                at = put(texts, first, last, octets, at)
            else:
                is_single = kind in (INTEGER, DATE)
                needed = row + (N1 if is_single else N2)
                if first >= Word(len(words)) or needed > Word(len(words)) - first:
                    return BEYOND
                begin = words[first + row]
                if kind == INTEGER:
                    at = put_integer(begin, last, octets, at)
                elif kind == DATE:
                    at = put_date(begin, octets, at)
                elif kind == INTEGERS:
                    at = put_integers(words, begin, words[first + row + N1], last, octets, at)
                elif kind == ESCAPED:
                    at = put_escaped(texts, begin, words[first + row + N1], octets, at)
                else:
                    at = put_quote(octets, at) if kind == QUOTED else at
                    at = put(texts, begin, words[first + row + N1], octets, at) if at != _BAD else at
                    at = put_quote(octets, at) if kind == QUOTED and at != _BAD else at
            if at == _BAD:
                return BEYOND
            operation += N1
        row += N1
        ends[row] = at
    return DONE


def put(texts: Octets, begin: Word, end: Word, octets: Octets, at: Word) -> Word:
    """Write bytes unchanged; return the position after them."""
    if begin > end or end > Word(len(texts)) or end - begin > Word(len(octets)) - at:
        return _BAD
    while begin < end:
        octets[at] = texts[begin]
        begin += N1
        at += N1
    return at


def put_null(octets: Octets, at: Word) -> Word:
    """Write ``null``; return the position after it."""
    if Word(len(octets)) - at < N4:
        return _BAD
    octets[at], octets[at + N1], octets[at + N2], octets[at + N3] = _N, _LETTER_U, _L, _L
    return at + N4


def put_quote(octets: Octets, at: Word) -> Word:
    """Write a quotation mark; return the position after it."""
    if at >= Word(len(octets)):
        return _BAD
    octets[at] = _QUOTE
    return at + N1


def put_integer(number: Word, quoted_from: Word, octets: Octets, at: Word) -> Word:
    """Write a signed number, as a string if its magnitude is at least ``quoted_from``; return the position after it."""
    if Word(len(octets)) - at < _WIDEST:
        return _BAD
    is_negative = number >= _SIGN
    magnitude = (ALL - number) + N1 if is_negative else number
    is_quoted = magnitude >= quoted_from
    if is_quoted:
        octets[at] = _QUOTE
        at += N1
    if is_negative:
        octets[at] = _MINUS
        at += N1
    digits, bound = N1, N10
    while magnitude >= bound and digits < _DIGITS:
        digits += N1
        bound = bound * N10 if digits < _DIGITS else ALL
    place = at + digits
    while place > at:
        place -= N1
        octets[place] = _DIGIT + np.uint8(magnitude % N10)
        magnitude //= N10
    at += digits
    if is_quoted:
        octets[at] = _QUOTE
        at += N1
    return at


def put_date(days: Word, octets: Octets, at: Word) -> Word:
    """Write a day in quotation marks; return the position after it.

    Source: Neri and Schneider, "Euclidean affine functions and their application to calendar algorithms" (2022).
    """
    days += _SINCE_MARCH
    if days > _DAYS or Word(len(octets)) - at < N12:
        return _BAD
    quarters = N4 * days + N3
    century, rest = quarters // _DAYS_OF_400_YEARS, quarters % _DAYS_OF_400_YEARS
    quarters = rest | N3
    year, day = quarters // _DAYS_OF_4_YEARS, quarters % _DAYS_OF_4_YEARS // N4
    months = Word(2141) * day + Word(197913)
    month, day = months >> N16, (months & Word(0xFFFF)) // Word(2141) + N1
    year += _CENTURY * century
    if month > N12:
        month -= N12
        year += N1
    year -= Word(400)
    octets[at] = _QUOTE
    put_pair(year // _CENTURY, octets, at + N1)
    put_pair(year % _CENTURY, octets, at + N3)
    octets[at + N5] = _HYPHEN
    put_pair(month, octets, at + N6)
    octets[at + N8] = _HYPHEN
    put_pair(day, octets, at + Word(9))
    octets[at + Word(11)] = _QUOTE
    return at + N12


def put_pair(number: Word, octets: Octets, at: Word) -> None:
    """Write a number as two digits."""
    octets[at] = _DIGIT + np.uint8(number // N10)
    octets[at + N1] = _DIGIT + np.uint8(number % N10)


def put_integers(words: Words, begin: Word, end: Word, quoted_from: Word, octets: Octets, at: Word) -> Word:
    """Write numbers in brackets; return the position after them."""
    if begin > end or end > Word(len(words)) or at >= Word(len(octets)):
        return _BAD
    octets[at] = _OPEN
    at += N1
    first = begin
    while begin < end:
        if begin > first:
            if at >= Word(len(octets)):
                return _BAD
            octets[at] = _COMMA
            at += N1
        at = put_integer(words[begin], quoted_from, octets, at)
        if at == _BAD:
            return _BAD
        begin += N1
    if at >= Word(len(octets)):
        return _BAD
    octets[at] = _CLOSE
    return at + N1


def put_escaped(texts: Octets, begin: Word, end: Word, octets: Octets, at: Word) -> Word:
    """Write a JSON string; return the position after it."""
    if begin > end or end > Word(len(texts)):
        return _BAD
    at = put_quote(octets, at)
    if at != _BAD and is_plain(texts, begin, end):
        at = put(texts, begin, end, octets, at)
        begin = end
    while begin < end and at != _BAD:
        octet = texts[begin]
        begin += N1
        if Word(len(octets)) - at < N6:
            return _BAD
        if octet >= _SPACE and octet not in (_QUOTE, _ESCAPE):
            octets[at] = octet
            at += N1
        else:
            octets[at] = _ESCAPE
            short = short_of(octet)
            if short != 0:
                octets[at + N1] = short
                at += N2
            else:
                octets[at + N1], octets[at + N2], octets[at + N3] = _LETTER_U, _DIGIT, _DIGIT
                octets[at + N4] = _DIGIT + np.uint8(octet >> 4)
                low = np.uint8(octet & 15)
                octets[at + N4 + N1] = _DIGIT + low if low < 10 else _LETTER_A + low - np.uint8(10)
                at += N6
    return put_quote(octets, at) if at != _BAD else at


def is_plain(texts: Octets, begin: Word, end: Word) -> bool:
    """Return whether no byte needs an escape; examines every byte, so that compilers can vectorize the loop."""
    special = np.uint8(0)
    while begin < end:
        octet = texts[begin]
        special |= np.uint8(octet < _SPACE) | np.uint8(octet == _QUOTE) | np.uint8(octet == _ESCAPE)
        begin += N1
    return bool(special == 0)


def short_of(octet: np.uint8) -> np.uint8:
    """Return the letter of a byte's two-character escape; 0 if there is none."""
    if octet in (_QUOTE, _ESCAPE):
        return octet
    if octet == 8:
        return _B
    if octet == 9:
        return _T
    if octet == 10:
        return _N
    if octet == 12:
        return _F
    if octet == 13:
        return _R
    return np.uint8(0)
