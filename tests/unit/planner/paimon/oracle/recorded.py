"""Column statistics as a writer records them: in any metrics mode, sometimes incomplete or inverted."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.unit.planner.paimon.oracle.model import Statistics
from tests.unit.planner.paimon.oracle.values import chance, is_nan, ordered, place, truncated

MODES = ("full", "full", "full", "truncate(16)", "truncate(1)", "truncate(2)", "counts", "none")


def recorded(rng: Random, mode: str, of: str, values: list[Any]) -> Statistics:
    """Return statistics of a column's values."""
    if mode == "none" or of == "BLOB":
        return Statistics()
    held = [value for value in values if value is not None]
    nulls = None if chance(rng, 4) else len(values) - len(held)
    if mode == "counts" or not held:
        return Statistics(None, None, nulls)
    odd = rng.randrange(100)
    if odd >= 96 or (any(map(is_nan, held)) and chance(rng, 50)):
        return Statistics(None, None, nulls)
    lower, upper = ordered(held)
    if mode.startswith("truncate") and isinstance(lower, str):
        lower, upper = truncated(lower, upper, int(mode[9:-1]))
    if odd < 4 and upper is not None and place(lower) < place(upper):
        return Statistics(None, None, nulls, (upper, lower))
    return Statistics(lower, upper, nulls)
