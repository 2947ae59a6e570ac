"""CPU time as a machine with nothing else to do would take it: tests run beside others, and machines differ."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

REFERENCE_SECONDS = 0.02
"""That such a machine takes for either of the loops of :func:`slowness`."""
_WIDE = json.dumps({f"k{n}": 1 for n in range(70_000)})


def assert_takes_less(work: Callable[[], object], seconds: float, times: int = 3) -> None:
    """Fail if each of some runs takes as much CPU time, although a machine that is slower at that moment has more."""
    taken = []
    for _ in range(times):
        taken.append(process_seconds(work))
        if taken[-1] < seconds or taken[-1] < seconds * slowness():
            return
    raise AssertionError(f"{taken} seconds of CPU instead of {seconds}, the machine {slowness():.1f} times slower")


def slowness() -> float:
    """How much slower the machine is now, in reckoning or in memory; at least 1."""
    works: list[Callable[[], object]] = [
        lambda: sum(number * number for number in range(300_000)),
        lambda: json.loads(_WIDE),
    ]
    return max(1.0, *(min(process_seconds(work) for _ in range(3)) / REFERENCE_SECONDS for work in works))


def process_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process."""
    started = time.process_time()
    work()
    return time.process_time() - started
