"""The memory that the kernel writes columns to: one array for all of them, which grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lakemuster.formats.avro.native.kernel_reading import SLACK

COUNTER, OCTETS, INTS, LONGS, ENDS = 0, 1, 4, 8, -4
"""Kinds of columns: a counter without values, bytes, 4 or 8 byte numbers, ends of slices with a 0 before them."""

_FEW = 1 << 14
"""The initial room of a column, in values: a block of usual size. Memory is used only when written to."""
_ALIGNED = 64
_LARGE = 16 << 20

Values = NDArray[np.uint8]


class Memory:
    """Columns side by side in one array.

    Attributes:
        kinds: the kind of each column.
        octets: the whole memory as bytes.
        starts, rooms, used: each column's start, room and number of values: uint64, in units of its width.
    """

    def __init__(self, kinds: Sequence[int]) -> None:
        self.kinds = np.array(kinds, np.int64)
        self.rooms = np.full(len(kinds), _FEW, np.uint64)
        self.used = np.zeros(len(kinds), np.uint64)
        self._lay_out({})

    def grow(self, column: int | None, factor: float, together: NDArray[np.int64], spare: float = 1.0) -> None:
        """Make room for ``factor`` times the values of each column.

        Args:
            column: a full column, whose room at least doubles.
            factor: of the values that each column holds.
            together: columns that must have room for the same number of values.
            spare: an additional factor for columns of bytes.
        """
        held = self._held(len(self.kinds))
        factors = np.where(self.kinds == OCTETS, factor * spare, factor)
        rooms = np.maximum(self.rooms, (self.used * factors).astype(np.uint64))
        if column is not None:
            rooms[column] = max(rooms[column], self.rooms[column] * np.uint64(2))
        if len(together):
            rooms[together] = rooms[together].max()
        if (rooms > self.rooms).any():
            self.rooms = rooms
            self._lay_out(held)

    def replace(self, first: int, kinds: Sequence[int], rooms: Sequence[int], held: Mapping[int, Values]) -> None:
        """Replace the columns from the ``first`` on.

        Args:
            first: the number of columns that are retained.
            kinds: of the new columns.
            rooms: the values that each new column has room for.
            held: the bytes of their values, by column; a column that is left out starts empty.
        """
        kept = self._held(first)
        self.kinds = np.concatenate([self.kinds[:first], np.array(kinds, np.int64)])
        self.rooms = np.concatenate([self.rooms[:first], np.array(rooms, np.uint64)])
        self.used = np.concatenate([self.used[:first], np.zeros(len(kinds), np.uint64)])
        for column, values in held.items():
            kind = int(self.kinds[column])
            self.used[column] = len(values) // abs(kind) - int(kind == ENDS)
        self._lay_out({**kept, **held})

    @property
    def held_bytes(self) -> int:
        """Bytes of all values, and one, so that it is never 0."""
        return 1 + int((self.used.astype(np.int64) * np.abs(self.kinds)).sum())

    def column(self, column: int) -> Values:
        """Return the bytes of a column's values, including the 0 before ends."""
        begin, size = self.span(column)
        return self.octets[begin : begin + size]

    def span(self, column: int) -> tuple[int, int]:
        """Return the offset and number of the bytes that :meth:`column` returns."""
        kind = int(self.kinds[column])
        width, before = abs(kind), int(kind == ENDS)
        return (int(self.starts[column]) - before) * width, (int(self.used[column]) + before) * width

    def spans(self) -> tuple[list[int], list[int]]:
        """Return the offsets and numbers of bytes of all columns, see :meth:`span`."""
        widths, before = np.abs(self.kinds), self.kinds == ENDS
        begins, sizes = self.starts.astype(np.int64) - before, self.used.astype(np.int64) + before
        return (begins * widths).tolist(), (sizes * widths).tolist()

    def _held(self, before: int) -> dict[int, Values]:
        some = (self.used[:before] > 0) & (self.kinds[:before] != COUNTER)
        return {column: self.column(column) for column in np.flatnonzero(some).tolist()}

    def _lay_out(self, held: Mapping[int, Values]) -> None:
        widths, before = np.abs(self.kinds), (self.kinds == ENDS).astype(np.int64)
        sizes = -(-((self.rooms.astype(np.int64) + before) * widths + SLACK) // _ALIGNED) * _ALIGNED * (widths > 0)
        begins = np.cumsum(sizes) - sizes
        # Large sizes are rounded up: the allocator is likely to reuse the memory for a next file of the same size.
        size = int(sizes.sum())
        octets = np.empty(-(-size // _LARGE) * _LARGE if size > _LARGE else size, np.uint8)
        octets.view(np.uint32)[begins[before > 0] // 4] = 0
        for column, values in held.items():
            begin = int(begins[column])
            octets[begin : begin + len(values)] = values
        self.starts = (begins // np.maximum(widths, 1) + before).astype(np.uint64) * (widths > 0)
        self.octets = octets
