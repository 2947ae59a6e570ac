"""The outcome of converting a comparison to a column's type, and the conversion for types with a smallest step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal as OneOf

from lakemuster.predicates.tree import Op

Always = OneOf["always", "perhaps", "never"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``op`` with a value of the type; ``maybe`` as in ``BoundLeaf``."""

    op: Op
    value: object
    maybe: bool = False


Outcome = Comparison | Always
"""``always``, ``perhaps`` (some engines say always) and ``never`` apply to values that are neither null nor NaN."""


def stepped(op: Op, floor: int, exact: bool, low: int, high: int, value: Callable[[int], object]) -> Outcome:
    """Compare with the value of ``floor`` steps or, if not ``exact``, with one between it and the next step."""
    if op in (Op.EQ, Op.NOT_EQ):
        if not exact or not low <= floor <= high:
            return "never" if op is Op.EQ else "always"
        return Comparison(op, value(floor))
    if not exact:
        op = {Op.LT: Op.LT_EQ, Op.GT_EQ: Op.GT}.get(op, op)
    below, above = floor < low, floor > high
    if op is Op.LT:
        below = floor <= low
    elif op is Op.LT_EQ or op is Op.GT:
        above = floor >= high
    elif op is Op.GT_EQ:
        below = floor <= low
    if below:
        return "never" if op in (Op.LT, Op.LT_EQ) else "always"
    if above:
        return "always" if op in (Op.LT, Op.LT_EQ) else "never"
    return Comparison(op, value(floor))


def stepped_beyond(op: Op, floor: int, exact: bool, low: int, high: int) -> Outcome:
    """Like :func:`stepped`, for a type with values below ``low`` and above ``high`` that its internal form cannot hold.

    Statistics of files with such values are unknown: a comparison with the nearest value that the form holds excludes
    files without them, and proves nothing of the others. ``=`` may become ``<`` or ``>``.
    """
    if low <= floor <= high:
        return stepped(op, floor, exact, low - 1, high + 1, int)
    if op is Op.NOT_EQ or op in ((Op.GT, Op.GT_EQ) if floor < low else (Op.LT, Op.LT_EQ)):
        return "perhaps"
    return Comparison(Op.LT, low, maybe=True) if floor < low else Comparison(Op.GT, high, maybe=True)
