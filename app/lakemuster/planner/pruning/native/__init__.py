"""Search the values of IN among bound codes in machine code, see ``kernels``."""

from __future__ import annotations

from lakemuster.planner.pruning.native.searching import Cells, any_between

__all__ = ["Cells", "any_between"]
