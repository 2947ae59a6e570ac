"""Columns to JSON text, row by row: the inner loop, in the part of Python that numba compiles.

Plain Python over numpy arrays: it runs as it stands, slowly, and that is how tests hold it to the bounds of its
arrays. What writers run is ``kernel.ll``, see ``native``. Every read and every write stands behind a comparison.

A *program* is what each row is made of, as rows of (operation, argument, flags, argument). Flags are 0 where no row
is null, else one more than where the rows' flags begin, which are 0 for null:

* ``CONSTANT``: the same bytes in every row: where they begin, 0, where they end;
* ``TEXT``, ``QUOTED``, ``ESCAPED``: a column of texts, as they are, in quotation marks, or as a JSON string: where
  the first of its rows + 1 ends stands among the numbers;
* ``INTEGER``: a column of signed numbers: where the first stands; the least magnitude that is written as a string;
* ``DATE``: a column of days since 1970-01-01, of years of four digits;
* ``INTEGERS``: a column of lists of them: where the first of its rows + 1 ends stands, which are places among the
  numbers; the same magnitude.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NAME = "lakemuster_wire_join"

Word = np.uint64
Words = NDArray[np.uint64]
Ints = NDArray[np.uint32]
Octets = NDArray[np.uint8]

_U = np.uint64
CONSTANT, TEXT, QUOTED, ESCAPED, INTEGER, DATE, INTEGERS = (_U(number) for number in range(7))
DONE, BEYOND = 0, 1
"""Verdicts: all rows are written, or something would have been read or written beyond its array."""
FIRST_DAY, LAST_DAY = -719_528, 2_932_896
"""0000-01-01 and 9999-12-31."""

WIDEST = 22
"""Bytes of an integer in quotation marks."""
MOST_ESCAPED = 6
"""Bytes that one byte may become."""

_0, _1, _2, _3, _4, _5, _6, _8, _9 = (_U(number) for number in (0, 1, 2, 3, 4, 5, 6, 8, 9))
_10, _11, _12, _16, _20, _22, _100, _400 = (_U(number) for number in (10, 11, 12, 16, 20, 22, 100, 400))
_DAYS_OF_400_YEARS, _DAYS_OF_4_YEARS = _U(146_097), _U(1_461)
_SINCE_MARCH = _U(719_468 + 146_097)
"""Days from the first of March 400 years before the year 0 to 1970."""
_DAYS = _U(719_468 + 146_097 + LAST_DAY)
_ALL, _SIGN = _U(2**64 - 1), _U(2**63)
_BAD = _ALL
"""What stands for a position where there is none."""
_DIGIT, _MINUS, _QUOTE, _ESCAPE, _COMMA = (np.uint8(ord(text)) for text in '0-"\\,')
_HYPHEN = _MINUS
_OPEN, _CLOSE, _LETTER_U, _LETTER_A = (np.uint8(ord(text)) for text in "[]ua")
_N, _L = np.uint8(ord("n")), np.uint8(ord("l"))
_SPACE = np.uint8(0x20)
_B, _T, _F, _R = (np.uint8(ord(text)) for text in "btfr")


def join(texts: Octets, words: Words, flags: Octets, program: Words, rows: Word, octets: Octets, ends: Ints) -> int:
    """Write all rows, one behind the other.

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
    at = row = _0
    ends[_0] = 0
    while row < rows:
        operation = _0
        while operation < _U(program.shape[0]):
            kind, first = program[operation, _0], program[operation, _1]
            flag, last = program[operation, _2], program[operation, _3]
            is_null = False
            if flag != _0:
                if flag - _1 + row >= _U(len(flags)):
                    return BEYOND
                is_null = flags[flag - _1 + row] == 0
            if is_null:
                at = put_null(octets, at)
            elif kind == CONSTANT:
                at = put(texts, first, last, octets, at)
            else:
                is_single = kind in (INTEGER, DATE)
                if first + row + _1 >= _U(len(words)) + (_1 if is_single else _0):
                    return BEYOND
                begin = words[first + row]
                if kind == INTEGER:
                    at = put_integer(begin, last, octets, at)
                elif kind == DATE:
                    at = put_date(begin, octets, at)
                elif kind == INTEGERS:
                    at = put_integers(words, begin, words[first + row + _1], last, octets, at)
                elif kind == ESCAPED:
                    at = put_escaped(texts, begin, words[first + row + _1], octets, at)
                else:
                    at = put_quote(octets, at) if kind == QUOTED else at
                    at = put(texts, begin, words[first + row + _1], octets, at) if at != _BAD else at
                    at = put_quote(octets, at) if kind == QUOTED and at != _BAD else at
            if at == _BAD:
                return BEYOND
            operation += _1
        row += _1
        ends[row] = at
    return DONE


def put(texts: Octets, begin: Word, end: Word, octets: Octets, at: Word) -> Word:
    """Bytes as they are; where the next ones go."""
    if begin > end or end > _U(len(texts)) or end - begin > _U(len(octets)) - at:
        return _BAD
    while begin < end:
        octets[at] = texts[begin]
        begin += _1
        at += _1
    return at


def put_null(octets: Octets, at: Word) -> Word:
    """The word."""
    if _U(len(octets)) - at < _4:
        return _BAD
    octets[at], octets[at + _1], octets[at + _2], octets[at + _3] = _N, _LETTER_U, _L, _L
    return at + _4


def put_quote(octets: Octets, at: Word) -> Word:
    """A quotation mark."""
    if at >= _U(len(octets)):
        return _BAD
    octets[at] = _QUOTE
    return at + _1


def put_integer(number: Word, quoted_from: Word, octets: Octets, at: Word) -> Word:
    """A signed number, as a string from a magnitude on."""
    if _U(len(octets)) - at < _22:
        return _BAD
    is_negative = number >= _SIGN
    magnitude = (_ALL - number) + _1 if is_negative else number
    is_quoted = magnitude >= quoted_from
    if is_quoted:
        octets[at] = _QUOTE
        at += _1
    if is_negative:
        octets[at] = _MINUS
        at += _1
    digits, bound = _1, _10
    while magnitude >= bound and digits < _20:
        digits += _1
        bound = bound * _10 if digits < _20 else _ALL
    place = at + digits
    while place > at:
        place -= _1
        octets[place] = _DIGIT + np.uint8(magnitude % _10)
        magnitude //= _10
    at += digits
    if is_quoted:
        octets[at] = _QUOTE
        at += _1
    return at


def put_date(days: Word, octets: Octets, at: Word) -> Word:
    """A day in quotation marks.

    Source: Neri and Schneider, "Euclidean affine functions and their application to calendar algorithms" (2022).
    """
    days += _SINCE_MARCH
    if days > _DAYS or _U(len(octets)) - at < _12:
        return _BAD
    quarters = _4 * days + _3
    century, rest = quarters // _DAYS_OF_400_YEARS, quarters % _DAYS_OF_400_YEARS
    quarters = rest | _3
    year, day = quarters // _DAYS_OF_4_YEARS, quarters % _DAYS_OF_4_YEARS // _4
    months = _U(2141) * day + _U(197913)
    month, day = months >> _16, (months & _U(0xFFFF)) // _U(2141) + _1
    year += _100 * century
    if month > _12:
        month -= _12
        year += _1
    year -= _400
    octets[at] = _QUOTE
    put_pair(year // _100, octets, at + _1)
    put_pair(year % _100, octets, at + _3)
    octets[at + _5] = _HYPHEN
    put_pair(month, octets, at + _6)
    octets[at + _8] = _HYPHEN
    put_pair(day, octets, at + _9)
    octets[at + _11] = _QUOTE
    return at + _12


def put_pair(number: Word, octets: Octets, at: Word) -> None:
    """Two digits."""
    octets[at] = _DIGIT + np.uint8(number // _10)
    octets[at + _1] = _DIGIT + np.uint8(number % _10)


def put_integers(words: Words, begin: Word, end: Word, quoted_from: Word, octets: Octets, at: Word) -> Word:
    """Numbers in brackets."""
    if begin > end or end > _U(len(words)) or at >= _U(len(octets)):
        return _BAD
    octets[at] = _OPEN
    at += _1
    first = begin
    while begin < end:
        if begin > first:
            if at >= _U(len(octets)):
                return _BAD
            octets[at] = _COMMA
            at += _1
        at = put_integer(words[begin], quoted_from, octets, at)
        if at == _BAD:
            return _BAD
        begin += _1
    if at >= _U(len(octets)):
        return _BAD
    octets[at] = _CLOSE
    return at + _1


def put_escaped(texts: Octets, begin: Word, end: Word, octets: Octets, at: Word) -> Word:
    """A JSON string."""
    if begin > end or end > _U(len(texts)):
        return _BAD
    at = put_quote(octets, at)
    if at != _BAD and is_plain(texts, begin, end):
        at = put(texts, begin, end, octets, at)
        begin = end
    while begin < end and at != _BAD:
        octet = texts[begin]
        begin += _1
        if _U(len(octets)) - at < _6:
            return _BAD
        if octet >= _SPACE and octet not in (_QUOTE, _ESCAPE):
            octets[at] = octet
            at += _1
        else:
            octets[at] = _ESCAPE
            short = short_of(octet)
            if short != 0:
                octets[at + _1] = short
                at += _2
            else:
                octets[at + _1], octets[at + _2], octets[at + _3] = _LETTER_U, _DIGIT, _DIGIT
                octets[at + _4] = _DIGIT + np.uint8(octet >> 4)
                low = np.uint8(octet & 15)
                octets[at + _4 + _1] = _DIGIT + low if low < 10 else _LETTER_A + low - np.uint8(10)
                at += _6
    return put_quote(octets, at) if at != _BAD else at


def is_plain(texts: Octets, begin: Word, end: Word) -> bool:
    """Whether nothing needs an escape; looks at every byte, which many at once take less time for."""
    special = np.uint8(0)
    while begin < end:
        octet = texts[begin]
        special |= np.uint8(octet < _SPACE) | np.uint8(octet == _QUOTE) | np.uint8(octet == _ESCAPE)
        begin += _1
    return bool(special == 0)


def short_of(octet: np.uint8) -> np.uint8:
    """The letter that escapes a byte in two; 0 where there is none."""
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
