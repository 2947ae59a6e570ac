"""Write selected rows of a batch as JSON text, repeatedly: the batch is converted for the kernel once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.wire.json_kernel.columns import RowPart
from lakemuster.wire.json_kernel.inputs import KernelInput, RowSelection, input_of, own_bytes
from lakemuster.wire.json_kernel.native import is_available, written
from lakemuster.wire.texts import merged


class RowWriter:
    """Writes rows of a batch as text.

    Args:
        pieces: the pieces that begin each row.
        batch: the batch of the rows, or the one that it was computed from: its buffers do not count as own bytes.

    Attributes:
        own_bytes: the bytes that it retains besides the batch's buffers.

    Raises:
        SegmentCorrupt: texts of a column are not UTF-8, or exceed it.
    """

    def __init__(self, pieces: Sequence[RowPart], batch: pa.RecordBatch) -> None:
        self._inputs = [input_of(piece) for piece in merged(pieces)]
        shared = {buffer.address for column in batch.columns for buffer in column.buffers() if buffer}
        self.own_bytes = sum(own_bytes(given, shared) for given in self._inputs)

    is_available = staticmethod(is_available)
    """Tell whether row writers can be used: they need the compiled kernel."""

    def write(self, chosen: NDArray[np.int64], after: Sequence[RowPart]) -> memoryview:
        """Write some rows, concatenated.

        Args:
            chosen: row numbers in the batch, ascending, at least one.
            after: the pieces that end each row; columns have one value for each chosen row.

        Raises:
            SegmentCorrupt: texts of a column are not UTF-8, or exceed it.
            pa.ArrowCapacityError: the texts exceed the capacity of an Arrow array.
        """
        count, first = len(chosen), int(chosen[0])
        of: RowSelection = slice(first, first + count) if int(chosen[-1]) - first == count - 1 else chosen
        kernel_input = KernelInput(count)
        for given in self._inputs:
            kernel_input.add(given, of)
        for piece in merged(after):
            kernel_input.add(input_of(piece), slice(0, count))
        octets, ends = written(kernel_input)
        return octets[: int(ends[-1])].data
