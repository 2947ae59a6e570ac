"""Find the end of a JSON array or object in a text that is not parsed, by blocks of bytes in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FIRST_BLOCK_BYTES = 2**12
LARGEST_BLOCK_BYTES = 2**20
"""Blocks double up to this size, so that a short value at the start of a large document is found in one short block."""
_QUOTE, _BACKSLASH = b'"\\'
_STEP = np.zeros(256, np.int8)
"""How a byte outside of strings changes the depth."""
_STEP[list(b"{[")] = 1
_STEP[list(b"}]")] = -1
_IS_MARK = bytes(byte in b'"\\{}[]' for byte in range(256))

_Places = NDArray[np.intp]
_Bytes = NDArray[np.uint8]


def end_of_nested(text: bytes, start: int) -> int | None:
    """Return the position after an array or object; None if it does not end.

    Only its nesting and its strings are read: a text that is not JSON may have an end, too.

    Args:
        start: the position of its opening bracket.
    """
    depth, is_in_string, is_escaped, size = 0, False, False, FIRST_BLOCK_BYTES
    while start < len(text):
        part = text[start : start + size]
        block = np.frombuffer(part, np.uint8)
        places = np.flatnonzero(np.frombuffer(part.translate(_IS_MARK), np.bool_))
        places, is_escaped = _without_escaped(block, places, is_escaped)
        marks = block[places]
        is_quote = marks == _QUOTE
        # A byte is in a string if the number of quotes before it is odd; the sums wrap, which keeps them odd or even.
        quotes = np.cumsum(is_quote, dtype=np.uint8) + np.uint8(is_in_string)
        brackets = np.flatnonzero(~is_quote & (quotes % 2 == 0))
        depths = depth + np.cumsum(_STEP[marks[brackets]], dtype=np.intp)
        ends = brackets[depths == 0]
        if len(ends):
            return start + int(places[ends[0]]) + 1
        if len(places):
            is_in_string = bool(quotes[-1] % 2)
        if len(depths):
            depth = int(depths[-1])
        start += len(part)
        size = min(2 * size, LARGEST_BLOCK_BYTES)
    return None


def _without_escaped(block: _Bytes, places: _Places, is_escaped: bool) -> tuple[_Places, bool]:
    """Return the places without backslashes and what they escape, and whether they escape the next block's first byte.

    Args:
        places: the positions of quotes, backslashes and brackets in the block.
        is_escaped: whether the block's first byte is escaped.
    """
    is_backslash = block[places] == _BACKSLASH
    if not (is_escaped or is_backslash.any()):
        return places, False
    backslashes = places[is_backslash]
    if is_escaped and len(backslashes) and backslashes[0] == 0:
        backslashes = backslashes[1:]
    # In each run of backslashes, the first, the third, … escape the byte after them.
    firsts = np.flatnonzero(np.diff(backslashes, prepend=-2) != 1)
    lengths = np.diff(firsts, append=len(backslashes))
    in_run = np.arange(len(backslashes)) - np.repeat(firsts, lengths)
    escaped = np.zeros(len(block) + 1, np.bool_)
    escaped[0] = is_escaped
    escaped[backslashes[in_run % 2 == 0] + 1] = True
    return places[~(is_backslash | escaped[places])], bool(escaped[-1])
