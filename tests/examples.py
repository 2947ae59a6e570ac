"""How many examples a property tries: fewer where only the versions of Python or of packages differ."""

from __future__ import annotations

import os

SHARE = float(os.environ.get("MUSTER_EXAMPLES", "1"))


def examples(count: int) -> int:
    """The number of examples, of so many in ``make whole``; at least ten."""
    return max(min(count, 10), round(count * SHARE))
