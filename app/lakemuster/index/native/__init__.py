"""Machine code for the zones of many columns at once; see ``kernels``."""

from __future__ import annotations

from lakemuster.index.native.zoning import NONE, ZoneProgram, can_zone, is_available, zones_of

__all__ = ["NONE", "ZoneProgram", "can_zone", "is_available", "zones_of"]
