"""Values of IN among keys by machine code, see ``kernels``."""

from __future__ import annotations

from lakemuster.planner.pruning.native.searching import Cells, any_between

__all__ = ["Cells", "any_between"]
