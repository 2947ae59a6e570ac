"""Bit slices: rows by the binary digits of their number, for comparing all rows with one number.

Source: P. O'Neil, D. Quass, "Improved Query Performance with Variant Indexes", algorithm 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyroaring import BitMap


@dataclass(frozen=True, slots=True)
class ComparedRows:
    """The rows whose value is below, equal to and above a given one: three disjoint sets without the null rows."""

    below: BitMap
    equal: BitMap
    above: BitMap


@dataclass(frozen=True, slots=True)
class Slices:
    """The non-negative numbers of rows, as bit slices.

    Attributes:
        present: the rows that have a number.
        digits: for each binary digit, lowest first, the rows whose number has a 1.
    """

    present: BitMap
    digits: Sequence[BitMap]

    def split(self, number: int) -> ComparedRows:
        """Split the rows by comparing their numbers with ``number``."""
        if number < 0:
            return ComparedRows(BitMap(), BitMap(), self.present)
        if number >> len(self.digits):
            return ComparedRows(self.present, BitMap(), BitMap())
        below, equal, above = BitMap(), self.present, BitMap()
        for place in reversed(range(len(self.digits))):
            ones = self.digits[place]
            if number >> place & 1:
                below, equal = below | (equal - ones), equal & ones
            else:
                above, equal = above | (equal & ones), equal - ones
        return ComparedRows(below, equal, above)


NOTHING = Slices(BitMap(), ())
