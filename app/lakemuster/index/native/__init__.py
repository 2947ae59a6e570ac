"""The first and the last of texts by machine code, see ``kernels``."""

from __future__ import annotations

from lakemuster.index.native.extremes import extremes, is_available

__all__ = ["extremes", "is_available"]
