"""Rows that are written again and again, some at a time: what they are made of is looked at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.wire.json_kernel.columns import Piece
from lakemuster.wire.json_kernel.inputs import Program, Rows, input_of, own_bytes
from lakemuster.wire.json_kernel.native import is_available, written
from lakemuster.wire.texts import merged


class RowWriter:
    """Writes rows of a batch as text.

    Args:
        pieces: what each of its rows begins with.
        batch: the batch, or what it was made of.

    Attributes:
        own_bytes: what it keeps beside the batch's buffers.

    Raises:
        SegmentCorrupt: texts of a column are not UTF-8, or do not lie within it.
    """

    def __init__(self, pieces: Sequence[Piece], batch: pa.RecordBatch) -> None:
        self._inputs = [input_of(piece) for piece in merged(pieces)]
        kept = {buffer.address for column in batch.columns for buffer in column.buffers() if buffer}
        self.own_bytes = sum(own_bytes(given, kept) for given in self._inputs)

    is_available = staticmethod(is_available)
    """Whether there can be any: they need machine code."""

    def write(self, chosen: NDArray[np.int64], after: Sequence[Piece]) -> memoryview:
        """Some rows, one behind the other.

        Args:
            chosen: their places in the batch, ascending, at least one.
            after: what each of them ends with; of columns, a value for each of them.

        Raises:
            SegmentCorrupt: texts of a column are not UTF-8, or do not lie within it.
            pa.ArrowCapacityError: they are more than one Arrow array holds.
        """
        count, first = len(chosen), int(chosen[0])
        of: Rows = slice(first, first + count) if int(chosen[-1]) - first == count - 1 else chosen
        program = Program(count)
        for given in self._inputs:
            program.add(given, of)
        for piece in merged(after):
            program.add(input_of(piece), slice(0, count))
        octets, ends = written(program)
        return octets[: int(ends[-1])].data
