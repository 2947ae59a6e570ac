"""Tell which files have a value of IN between their bound codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lakemuster.kernels.loading import Kernel
from lakemuster.planner.pruning.native import kernel

Mask = NDArray[np.bool_]
Narrow = NDArray[np.uint32]

CELLS_OF_A_VALUE = 2
"""More cells are faster to search, as long as they fit the CPU cache."""

LEAST_CELLS, MOST_CELLS = 1 << 10, 1 << 16

_END = np.uint32(2**32 - 1)

search_compiled = Kernel(kernel.any_between)


@dataclass(frozen=True, slots=True)
class Cells:
    """Values, prepared for searching.

    Attributes:
        values, starts, shift: the arguments of ``kernel.any_between``.
    """

    values: Narrow
    starts: Narrow
    shift: int

    @classmethod
    def of(cls, values: Narrow) -> Cells:
        """Prepare ascending values: at least one, none of them the largest 32-bit number."""
        new = np.ones(len(values), np.bool_)
        np.not_equal(values[1:], values[:-1], out=new[1:])
        values = values[new]
        span = int(values[-1]) - int(values[0])
        cells = min(max(len(values) * CELLS_OF_A_VALUE, LEAST_CELLS), MOST_CELLS)
        shift = max(0, span.bit_length() - cells.bit_length() + 1)
        of_values = (values - values[0]) >> np.uint32(shift)
        starts = np.zeros((span >> shift) + 2, np.uint32)
        np.cumsum(np.bincount(of_values), out=starts[1:])
        return cls(np.append(values, _END), starts, shift)


def any_between(
    cells: Cells, lower: Narrow, upper: Narrow, search: Callable[..., int] = search_compiled
) -> tuple[Mask, Mask] | None:
    """Mark where no value is from ``lower`` to ``upper``, and where values only equal one of these.

    None where machine code does not load.

    Args:
        search: the kernel to use.
    """
    if not search_compiled.is_available():
        return None
    sure, ties = np.empty(len(lower), np.bool_), np.empty(len(lower), np.bool_)
    shift = np.uint64(cells.shift)
    search(cells.values, cells.starts, shift, lower, upper, sure.view(np.uint8), ties.view(np.uint8))
    return sure, ties
