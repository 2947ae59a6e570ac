"""Read items of a binary array as columns of numbers, with a compiled kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.iceberg.native import kernel
from lakemuster.kernels.loading import Kernel

DECIMAL = 16
"""Bytes of a decimal in Arrow."""

_HALF = 2**64 - 1

read_compiled = Kernel(kernel.read_bounds)
is_available = read_compiled.is_available
"""Whether this process can read bounds with the kernel; loads it."""


@dataclass(frozen=True, slots=True)
class Form:
    """The canonical form of a column's items: 4 or 8 little-endian bytes, or a ``DECIMAL`` of ``precision`` digits."""

    width: int
    precision: int = 0


def read_bounds(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    items: NDArray[np.int64],
    forms: Sequence[Form],
    read: Callable[..., int] = read_compiled,
) -> tuple[list[pa.Buffer], NDArray[np.bool_]]:
    """Read a matrix of items, as far as they are in the canonical form of their column.

    Args:
        data, offsets: of a binary array.
        items: (columns, rows), numbers of its items.
        forms: by column.
        read: the kernel to use.

    Returns:
        the values of each column, arbitrary where an item is not in the form; and bool (columns, rows): True if it is.
    """
    columns, rows = items.shape
    described, size = np.zeros((columns, 6), np.uint64), 0
    for column, form in enumerate(forms):
        # The kernel counts a decimal's place in halves of 8 bytes.
        described[column, :2] = form.width, size // min(form.width, 8)
        if form.width == DECIMAL:
            limit = 10**form.precision
            described[column, 2:] = limit >> 64, limit & _HALF, (-limit >> 64) & _HALF, -limit & _HALF
        size += -(-rows * form.width // 8) * 8
    values, regular = np.empty(size, np.uint8), np.empty((columns, rows), np.uint8)
    read(
        data,
        offsets.view(np.uint32),
        np.ascontiguousarray(items).view(np.uint64),
        described,
        values.view(np.uint32),
        values.view(np.uint64),
        regular,
    )
    whole, buffers, place = pa.py_buffer(values), [], 0
    for form in forms:
        buffers.append(whole.slice(place, rows * form.width))
        place += -(-rows * form.width // 8) * 8
    return buffers, regular.view(np.bool_)
