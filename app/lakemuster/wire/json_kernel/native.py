"""Join pieces of rows to JSON text with the compiled kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import SegmentCorrupt
from lakemuster.kernels.loading import Kernel
from lakemuster.wire.json_kernel import kernel
from lakemuster.wire.json_kernel.columns import RowPart
from lakemuster.wire.json_kernel.inputs import KernelInput, input_of

run_compiled = Kernel(kernel.join)
is_available = run_compiled.is_available
"""Whether this process can run the compiled kernel; loads it."""


def join_native(pieces: Sequence[RowPart], rows: int, run: Callable[..., int] = run_compiled) -> pa.StringArray:
    """Concatenate the pieces' texts row by row.

    Args:
        pieces: columns of ``rows`` values each, and constant texts.
        run: the kernel to use.

    Raises:
        SegmentCorrupt: texts exceed their column.
        pa.ArrowCapacityError: the texts exceed the capacity of an Arrow array.
    """
    kernel_input = KernelInput(rows)
    for piece in pieces:
        kernel_input.add(input_of(piece), slice(0, rows))
    octets, ends = written(kernel_input, run)
    return pa.StringArray.from_buffers(rows, pa.py_buffer(ends), pa.py_buffer(octets))


def written(
    kernel_input: KernelInput, run: Callable[..., int] = run_compiled
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Run the kernel; return the rows' text, concatenated, and (rows + 1,) the offsets of the rows in it.

    Raises:
        SegmentCorrupt: texts exceed their column.
        pa.ArrowCapacityError: the texts exceed the capacity of an Arrow array.
    """
    if kernel_input.room >= 2**31:
        raise pa.ArrowCapacityError("texts of more than 2 GiB")
    octets, ends = np.empty(kernel_input.room, np.uint8), np.empty(kernel_input.rows + 1, np.uint32)
    if run(*kernel_input.arrays, np.uint64(kernel_input.rows), octets, ends) != kernel.DONE:
        raise SegmentCorrupt("texts exceed their column")
    return octets, ends
