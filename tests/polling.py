"""Poll for what happens in another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PAUSE_SECONDS = 0.02

T = TypeVar("T")


def until(holds: Callable[[], T], seconds: float = 60.0) -> T:
    """Ask until the answer is true, and return it. After the limit, the test fails."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(PAUSE_SECONDS)
    return found
