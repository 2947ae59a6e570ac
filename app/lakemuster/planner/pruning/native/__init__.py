"""Values of IN among keys by machine code, see ``kernels``."""

from __future__ import annotations

from lakemuster.planner.pruning.native.searching import any_between

__all__ = ["any_between"]
