"""The number of examples of property tests, reduced where only versions of Python or packages differ."""

from __future__ import annotations

import os

SHARE = float(os.environ.get("MUSTER_EXAMPLES", "1"))


def examples(count: int) -> int:
    """Return the number of examples to try, a share of ``count`` but at least ten."""
    return max(min(count, 10), round(count * SHARE))
