"""Write selected rows of a batch as JSON text, repeatedly: the batch is converted for the kernel once."""

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
        pieces: the pieces that begin each row.
        batch: the batch, or the batch that it was made from.

    Attributes:
        own_bytes: the bytes that it retains besides the batch's buffers.

    Raises:
        SegmentCorrupt: texts of a column are not UTF-8, or do not lie within it.
    """

    def __init__(self, pieces: Sequence[Piece], batch: pa.RecordBatch) -> None:
        self._inputs = [input_of(piece) for piece in merged(pieces)]
        kept = {buffer.address for column in batch.columns for buffer in column.buffers() if buffer}
        self.own_bytes = sum(own_bytes(given, kept) for given in self._inputs)

    is_available = staticmethod(is_available)
    """Tell whether row writers can be used: they need the compiled kernel."""

    def write(self, chosen: NDArray[np.int64], after: Sequence[Piece]) -> memoryview:
        """Write some rows, concatenated.

        Args:
            chosen: row numbers in the batch, ascending, at least one.
            after: the pieces that end each row; columns have one value for each chosen row.

        Raises:
            SegmentCorrupt: texts of a column are not UTF-8, or do not lie within it.
            pa.ArrowCapacityError: the texts exceed the capacity of an Arrow array.
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
