"""Statistics as writers record them: full, counts only, truncated, wider, padded or inverted bounds, or none."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Primitive
from tests.unit.planner.oracle.model import Recorded, Row, leaves
from tests.unit.planner.oracle.values import POOLS, chance, is_nan

_ANY = ["counts", "none", "gaps", "wide"]
_FLOATS = ["inverted", *_ANY, "nan", "uncounted"]
_TEXTS = ["truncate", *_ANY, "padded", "inverted"]
_MODES = {"float": _FLOATS, "double": _FLOATS, "string": _TEXTS, "binary": _TEXTS}
"""The metrics modes of types that have their own."""


class Writer:
    """A writer that records one file's statistics in random metrics modes."""

    def __init__(self, rng: Random, *, full: int = 55) -> None:
        self.rng = rng
        self.full = full

    def statistics(self, schema: Schema, rows: list[Row]) -> dict[int, Recorded]:
        found = {}
        for column in schema.fields:
            own = list(leaves((column,)))
            counted = rows if isinstance(column.type, Primitive) else self.counted(rows, [i for i, _, _ in own])
            for field_id, _, of in own:
                recorded = self.column(of, [row[field_id] for row in counted])
                if len(counted) < len(rows):
                    recorded = replace(recorded, exact=False, uncounted=False)
                if recorded != Recorded():
                    found[field_id] = recorded
        return found

    def counted(self, rows: list[Row], members: list[int]) -> list[Row]:
        """Return the rows that are counted for a struct's members; some writers leave out rows whose struct is null."""
        if chance(self.rng, 60):
            return rows
        return [row for row in rows if any(row[member] is not None for member in members)]

    def column(self, of: Primitive, values: list[Any]) -> Recorded:
        rng = self.rng
        ordered = sorted(value for value in values if value is not None and not is_nan(value))
        exact = Recorded(
            self._zero(ordered[0]) if ordered else None,
            self._zero(ordered[-1]) if ordered else None,
            sum(value is None for value in values),
            sum(map(is_nan, values)) if of.text in ("float", "double") else None,
            len(values),
            exact=not ordered or not ends_in_zero(ordered[0]),
        )
        if chance(rng, self.full):
            return exact
        mode = rng.choice(_MODES.get(of.text, ["whole", *_ANY, "whole", "inverted"]))
        inexact = replace(exact, exact=False)
        match mode:
            case "none":
                return Recorded()
            case "counts":  # without nulls among the values, as StarRocks wrote them
                return replace(inexact, lower=None, upper=None, values=sum(value is not None for value in values))
            case "truncate":
                width = rng.choice([1, 2])
                return replace(inexact, lower=shortened(exact.lower, width), upper=raised(exact.upper, width))
            case "inverted" if ordered and ordered[0] != ordered[-1]:
                return replace(inexact, lower=exact.upper, upper=exact.lower)
            case "padded" if ordered and of.text == "string":
                return replace(inexact, lower=exact.lower + "\0\0", upper=exact.upper + "\0\0")
            case "gaps":
                gone: dict[str, Any] = {
                    kind: None for kind in ("lower", "upper", "nulls", "nans", "values") if chance(rng, 50)
                }
                return replace(inexact, **gone)
            case "wide" if ordered:
                pool = POOLS[of.text]
                lower = rng.choice([value for value in pool if value <= exact.lower] or [exact.lower])
                upper = rng.choice([value for value in pool if value >= exact.upper] or [exact.upper])
                return replace(inexact, lower=lower, upper=upper)
            case "nan" if exact.nans:
                side: dict[str, Any] = {rng.choice(["lower", "upper"]): math.nan} if chance(rng, 50) else {}
                nans = None if chance(rng, 70) else exact.nans
                return replace(inexact, nans=nans, uncounted=not side and nans is None, **side)
            case "uncounted":
                return replace(inexact, nans=None, uncounted=True)
        return inexact

    def _zero(self, bound: Any) -> Any:
        """Return the bound; a zero bound may have either sign, as writers record both."""
        return -bound if isinstance(bound, float) and bound == 0 and chance(self.rng, 50) else bound


def ends_in_zero(value: Any) -> bool:
    """Return whether a lower bound may be a padded one."""
    return isinstance(value, str) and value.endswith("\0")


def shortened(value: Any, width: int) -> Any:
    return None if value is None else value[:width]


def raised(value: Any, width: int) -> Any:
    """Return a value's upper bound of at most ``width`` units, as writers truncate it, or None without one."""
    if isinstance(value, str) and len(value) > width:
        points = [ord(letter) for letter in value[:width]]
        while points:
            points[-1] += 1
            if points[-1] == 0xD800:
                points[-1] = 0xE000
            if points[-1] <= 0x10FFFF:
                return "".join(map(chr, points))
            points.pop()
        return None
    if isinstance(value, bytes) and len(value) > width:
        kept = value[:width].rstrip(b"\xff")
        return kept[:-1] + bytes([kept[-1] + 1]) if kept else None
    return value
