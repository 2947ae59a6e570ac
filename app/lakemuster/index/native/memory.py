"""Memory addresses of Arrow columns, through the Arrow C data interface."""

from __future__ import annotations

import ctypes

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_GET_POINTER = ctypes.pythonapi.PyCapsule_GetPointer
_GET_POINTER.restype, _GET_POINTER.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
_WORDS = 10
_OFFSET, _MANY_BUFFERS, _MANY_CHILDREN, _BUFFERS, _CHILDREN = 2, 3, 4, 5, 6
"""Word positions in ``struct ArrowArray``."""

Addresses = NDArray[np.int64]


def addresses_of(batch: pa.RecordBatch) -> Addresses:
    """(C, 4) For each column: its offset in values, and the addresses of its first three buffers, or 0.

    Reads them from the Arrow C data interface; through Arrow's Python objects it takes ten times as long.
    """
    _, capsule = batch.__arrow_c_array__()
    (whole,) = _at(np.array([_GET_POINTER(capsule, b"arrow_array")]), _WORDS)
    if not whole[_MANY_CHILDREN]:
        return np.zeros((0, 4), np.int64)
    (pointers,) = _at(whole[_CHILDREN : _CHILDREN + 1], int(whole[_MANY_CHILDREN]))
    columns = _at(pointers, _WORDS)
    found = np.zeros((len(columns), 4), np.int64)
    found[:, 0] = columns[:, _OFFSET]
    for many in (1, 2, 3):
        own = np.flatnonzero(np.minimum(columns[:, _MANY_BUFFERS], 3) == many)
        if len(own):
            found[own, 1 : 1 + many] = _at(columns[own, _BUFFERS], many)
    return found


def _at(pointers: Addresses, words: int) -> Addresses:
    """(P, words): the words at each pointer."""
    first = int(pointers.min())
    memory = pa.foreign_buffer(first, int(pointers.max()) - first + 8 * words)
    places = (pointers - first) >> 3
    return np.asarray(np.frombuffer(memory, np.int64)[places[:, None] + np.arange(words)])
