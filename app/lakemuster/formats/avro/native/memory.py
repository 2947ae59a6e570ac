"""The columns that the kernel writes to: one memory for all of them, which grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lakemuster.formats.avro.native.kernel import SLACK

COUNTER, OCTETS, INTS, LONGS, ENDS = 0, 1, 4, 8, -4
"""What a column holds: nothing (it is counted in), bytes, 4 or 8 byte numbers, ends of slices with a 0 before them."""

_FEW = 1 << 14
"""Values that a column has room for at first: those of a block as writers make them. Memory is used when written to."""
_ALIGNED = 64


class Memory:
    """Columns side by side in one array.

    Attributes:
        octets: all of it, as bytes.
        starts, rooms, used: uint64 by column, in units of the column's own width.
    """

    def __init__(self, kinds: Sequence[int]) -> None:
        self._kinds = kinds
        self.rooms = np.full(len(kinds), _FEW, np.uint64)
        self.used = np.zeros(len(kinds), np.uint64)
        self.starts, self.octets = self._laid_out()

    def grow(self, column: int) -> None:
        """Twice the room for a column."""
        self.rooms[column] *= np.uint64(2)
        self._move()

    def expect(self, factor: float) -> None:
        """Make room for so many times what is there now."""
        wanted = (self.used * factor).astype(np.uint64)
        if (wanted > self.rooms).any():
            np.maximum(self.rooms, wanted, out=self.rooms)
            self._move()

    def column(self, column: int) -> NDArray[np.uint8]:
        """The bytes of a column's values, the 0 before ends among them."""
        width, before = _width(self._kinds[column]), int(self._kinds[column] == ENDS)
        begin, count = int(self.starts[column]) - before, int(self.used[column]) + before
        return self.octets[begin * width : (begin + count) * width]

    def _move(self) -> None:
        held = [self.column(column) for column in range(len(self._kinds))]
        self.starts, self.octets = self._laid_out()
        for column, values in enumerate(held):
            self.column(column)[:] = values

    def _laid_out(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        starts = np.zeros(len(self._kinds), np.uint64)
        zeros, size = [], 0
        for column, kind in enumerate(self._kinds):
            width, before = _width(kind), int(kind == ENDS)
            if width == 0:
                continue
            if before:
                zeros.append(size)
            starts[column] = size // width + before
            size += -(-((int(self.rooms[column]) + before) * width + SLACK) // _ALIGNED) * _ALIGNED
        octets = np.empty(size, np.uint8)
        for place in zeros:
            octets[place : place + 4] = 0
        return starts, octets


def _width(kind: int) -> int:
    return abs(kind)
