"""Parse integers that other writers store as text: in table properties, summaries of snapshots and headers of files."""

from __future__ import annotations

import re

MAX_SIZE = 10**18
"""Sizes and numbers from this on are not believed: sums and products of others stay 64-bit integers."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")


def parse_int64(text: str) -> int | None:
    """Return a decimal 64-bit integer, as Java's ``Long.parseLong`` reads it; None: the text is none.

    Blanks around it are ignored.
    """
    text = text.strip()
    number = int(text) if _INTEGER.fullmatch(text) else 2**63
    return number if -(2**63) <= number < 2**63 else None


def parse_size(text: str) -> int | None:
    """Return a decimal integer above 0 and below ``MAX_SIZE``; None: the text is none."""
    number = parse_int64(text)
    return number if number is not None and 0 < number < MAX_SIZE else None
