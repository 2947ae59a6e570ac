"""Which files have a value of IN between their keys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lakemuster.kernels.loading import Kernel
from lakemuster.planner.pruning.native import kernel

Mask = NDArray[np.bool_]
Narrow = NDArray[np.uint32]

VALUES_OF_A_WORD = 2.5
"""Of 64 cells, on average; fewer are found sooner, if the cells do not leave the cache for it."""

LEAST_WORDS, MOST_WORDS = 512, 1 << 14

search_compiled = Kernel(kernel.any_between)


def any_between(
    values: Narrow, lower: Narrow, upper: Narrow, search: Callable[..., int] = search_compiled
) -> tuple[Mask, Mask] | None:
    """Where no value is from ``lower`` to ``upper``; and where there is one, but at these themselves only.

    None where machine code does not load.

    Args:
        values: ascending, at least one; made distinct in place.
        search: the kernel to use.
    """
    if not search_compiled.is_available():
        return None
    words = min(max(int(len(values) / VALUES_OF_A_WORD), LEAST_WORDS), MOST_WORDS)
    cells, starts = np.empty(words, np.uint64), np.empty(words + 1, np.uint32)
    sure, ties = np.empty(len(lower), np.bool_), np.empty(len(lower), np.bool_)
    search(values, lower, upper, cells, starts, sure.view(np.uint8), ties.view(np.uint8))
    return sure, ties
