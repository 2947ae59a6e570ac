"""Rows by the binary digits of a number that each has, and how they compare with one.

Source: P. O'Neil, D. Quass, "Improved Query Performance with Variant Indexes", algorithm 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyroaring import BitMap


@dataclass(frozen=True, slots=True)
class Split:
    """The rows whose value is below, equal to and above a given one. No two share a row; nulls are in none."""

    below: BitMap
    equal: BitMap
    above: BitMap


@dataclass(frozen=True, slots=True)
class Slices:
    """Numbers of rows, none negative.

    Attributes:
        present: the rows that have one.
        digits: per binary digit, from the least, the rows in whose number it is 1.
    """

    present: BitMap
    digits: Sequence[BitMap]

    def split(self, number: int) -> Split:
        """Rows as their number compares with one."""
        if number < 0:
            return Split(BitMap(), BitMap(), self.present)
        if number >> len(self.digits):
            return Split(self.present, BitMap(), BitMap())
        below, equal, above = BitMap(), self.present, BitMap()
        for place in reversed(range(len(self.digits))):
            ones = self.digits[place]
            if number >> place & 1:
                below, equal = below | (equal - ones), equal & ones
            else:
                above, equal = above | (equal & ones), equal - ones
        return Split(below, equal, above)


NOTHING = Slices(BitMap(), ())
