"""Poll for an effect of another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

PAUSE_SECONDS = 0.02

T = TypeVar("T")


def until(holds: Callable[[], T], seconds: float = 60.0) -> T:
    """Call ``holds`` until its result is true, and return that; fail after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(PAUSE_SECONDS)
    return found
