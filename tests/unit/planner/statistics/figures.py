"""Statistics computed file by file in plain Python: quantiles, histograms, overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


def quantiles(values: Iterable[int]) -> dict[str, int] | None:
    """Return quantiles by nearest rank, or None without values."""
    ordered = sorted(values)
    if not ordered:
        return None
    shares = {"p50": Fraction(1, 2), "p90": Fraction(9, 10), "p99": Fraction(99, 100)}
    ranks = {name: ordered[max(math.ceil(len(ordered) * share), 1) - 1] for name, share in shares.items()}
    return {"min": ordered[0], **ranks, "max": ordered[-1]}


def histogram(sizes: Iterable[int]) -> dict[int, tuple[int, int, int]]:
    """Return the end, files and bytes of each bucket, by its begin."""
    found: dict[int, tuple[int, int, int]] = {}
    for size in sizes:
        begin = 0 if size == 0 else 1 << size.bit_length() - 1
        _, files, whole = found.get(begin, (0, 0, 0))
        found[begin] = (max(2 * begin, 1), files + 1, whole + size)
    return found


@dataclass(frozen=True)
class Bounds:
    """One file's bounds of a column, None where missing; ``holds`` tells whether it may have non-null values."""

    lower: Any
    upper: Any
    holds: bool = True

    def contains(self, value: Any) -> bool:
        below = self.lower is None or self.lower <= value
        return self.holds and below and (self.upper is None or value <= self.upper)

    @property
    def is_reversed(self) -> bool:
        return self.lower is not None and self.upper is not None and self.upper < self.lower


def overlap(files: Sequence[Bounds]) -> dict[str, Any]:
    """Return figures of the depth of files at each lower bound."""
    held = [file for file in files if file.holds and not file.is_reversed]
    sampled = sorted(file.lower for file in held if file.lower is not None)
    depths = [sum(file.contains(value) for file in held) for value in sampled]
    found = quantiles(depths)
    return {
        "samples": len(sampled),
        "unbounded": sum(file.lower is None and file.upper is None for file in held),
        "mean": sum(depths) / len(depths) if depths else None,
        "p99": None if found is None else found["p99"],
        "max": None if found is None else found["max"],
        "max_at": None if found is None else sampled[depths.index(found["max"])],
    }
