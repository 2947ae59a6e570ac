"""Which files have a value of IN between their keys."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from lakemuster.kernels.loading import POINTER, WORD, load, text_of
from lakemuster.planner.pruning.native import kernel

Mask = NDArray[np.bool_]
Narrow = NDArray[np.uint32]

VALUES_OF_A_WORD = 2.5
"""Of 64 cells, on average; fewer are found sooner, if the cells do not leave the cache for it."""

LEAST_WORDS, MOST_WORDS = 512, 1 << 14

_ARGUMENTS = (
    *(POINTER, WORD, POINTER, POINTER, WORD),  # values, how many, lower, upper, how many
    *(POINTER, POINTER, WORD, POINTER, POINTER),  # cells, starts, words of cells, sure, ties
)

Search = Callable[..., int]
"""``kernel.any_between``."""


def any_between(values: Narrow, lower: Narrow, upper: Narrow, search: Search | None = None) -> tuple[Mask, Mask] | None:
    """Where no value is from ``lower`` to ``upper``; and where there is one, but at these themselves only.

    None where machine code does not load.

    Args:
        values: ascending, at least one; made distinct in place.
        search: the kernel to use, the compiled one by default.
    """
    if search is None and _compiled() is None:
        return None
    words = min(max(int(len(values) / VALUES_OF_A_WORD), LEAST_WORDS), MOST_WORDS)
    cells, starts = np.empty(words, np.uint64), np.empty(words + 1, np.uint32)
    sure, ties = np.empty(len(lower), np.bool_), np.empty(len(lower), np.bool_)
    (search or _search_compiled)(values, lower, upper, cells, starts, sure.view(np.uint8), ties.view(np.uint8))
    return sure, ties


def _search_compiled(
    values: Narrow,
    lower: Narrow,
    upper: Narrow,
    cells: NDArray[np.uint64],
    starts: NDArray[np.uint32],
    sure: NDArray[np.uint8],
    ties: NDArray[np.uint8],
) -> int:
    function = _compiled()
    assert function is not None
    verdict = ctypes.c_int64()
    return function(
        *(ctypes.addressof(verdict), None),
        *(values.ctypes.data, len(values), lower.ctypes.data, upper.ctypes.data, len(lower)),
        *(cells.ctypes.data, starts.ctypes.data, len(cells), sure.ctypes.data, ties.ctypes.data),
    )


@cache
def _compiled() -> Callable[..., int] | None:
    return load(text_of(kernel.__file__), kernel.NAME, *_ARGUMENTS)
