"""Items of a binary array as columns of numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.formats.iceberg.native import kernel
from lakemuster.kernels.loading import POINTER, WORD, load, text_of

DECIMAL = 16
"""Bytes of a decimal in Arrow."""

_ARGUMENTS = (
    *(POINTER, WORD, POINTER, WORD),  # data, its bytes, offsets, how many
    *(POINTER, WORD, WORD, POINTER),  # items, columns, rows, forms
    *(POINTER, POINTER, WORD, POINTER),  # ints, longs, their bytes, regular
)
_HALF = 2**64 - 1

Read = Callable[..., int]
"""``kernel.read_bounds``."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a column's bytes are: 4 or 8 little-endian ones, or a ``DECIMAL`` of that many digits."""

    width: int
    precision: int = 0


def is_available() -> bool:
    """Whether this process can read bounds with the kernel; loads it."""
    return _compiled() is not None


def read_bounds(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int32],
    items: NDArray[np.int64],
    forms: Sequence[Form],
    read: Read | None = None,
) -> tuple[list[pa.Buffer], NDArray[np.bool_]]:
    """Read a matrix of items, those of their column's canonical form.

    Args:
        data, offsets: of a binary array.
        items: (columns, rows), numbers of its items.
        forms: by column.
        read: the kernel to use, the compiled one by default.

    Returns:
        the values of each column, 0 or any where an item is not of the form; and bool (columns, rows): whether it is.
    """
    columns, rows = items.shape
    described, size = np.zeros((columns, 6), np.uint64), 0
    for column, form in enumerate(forms):
        # Decimals are placed in halves.
        described[column, :2] = form.width, size // min(form.width, 8)
        if form.width == DECIMAL:
            limit = 10**form.precision
            described[column, 2:] = limit >> 64, limit & _HALF, (-limit >> 64) & _HALF, -limit & _HALF
        size += -(-rows * form.width // 8) * 8
    values, regular = np.empty(size, np.uint8), np.empty((columns, rows), np.uint8)
    (read or _read_compiled)(
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


def _read_compiled(
    data: NDArray[np.uint8],
    offsets: NDArray[np.uint32],
    items: NDArray[np.uint64],
    forms: NDArray[np.uint64],
    ints: NDArray[np.uint32],
    longs: NDArray[np.uint64],
    regular: NDArray[np.uint8],
) -> int:
    function = _compiled()
    assert function is not None
    verdict = ctypes.c_int64()
    return function(
        *(ctypes.addressof(verdict), None),
        *(data.ctypes.data, len(data), offsets.ctypes.data, len(offsets)),
        *(items.ctypes.data, *items.shape, forms.ctypes.data),
        *(ints.ctypes.data, longs.ctypes.data, longs.nbytes, regular.ctypes.data),
    )


@cache
def _compiled() -> Callable[..., int] | None:
    return load(text_of(kernel.__file__), kernel.NAME, *_ARGUMENTS)
