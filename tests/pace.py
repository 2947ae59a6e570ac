"""CPU time limits that are independent of the machine's speed and load."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

REFERENCE_SECONDS = 0.02
"""CPU time of either loop of :func:`slowness` on an idle reference machine."""
_WIDE = json.dumps({f"k{n}": 1 for n in range(70_000)})


def assert_takes_less(work: Callable[[], object], seconds: float, times: int = 3) -> None:
    """Fail if each of ``times`` runs takes ``seconds`` of CPU time or more, scaled by the machine's slowness."""
    taken = []
    for _ in range(times):
        taken.append(process_seconds(work))
        if taken[-1] < seconds or taken[-1] < seconds * slowness():
            return
    raise AssertionError(f"{taken} seconds of CPU instead of {seconds}, the machine {slowness():.1f} times slower")


def slowness() -> float:
    """Return the current slowdown against the reference, in arithmetic or memory access; at least 1."""
    works: list[Callable[[], object]] = [
        lambda: sum(number * number for number in range(300_000)),
        lambda: json.loads(_WIDE),
    ]
    return max(1.0, *(min(process_seconds(work) for _ in range(3)) / REFERENCE_SECONDS for work in works))


def process_seconds(work: Callable[[], object]) -> float:
    """Run ``work``, and return the CPU seconds of this process."""
    started = time.process_time()
    work()
    return time.process_time() - started
