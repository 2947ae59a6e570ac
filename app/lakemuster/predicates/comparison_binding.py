"""Bind one comparison: convert its constants to the column's type, and decide whether null and NaN match."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lakemuster.errors import FilterInvalid
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.predicates.instants import IncomparableTypesError
from lakemuster.predicates.literals import compare, members
from lakemuster.predicates.nan import NanMode, Verdict, of_nan, of_nan_with_nan, of_numbers_with_nan
from lakemuster.predicates.outcomes import Outcome
from lakemuster.predicates.tree import (
    FALSE,
    NEGATED,
    NEGATIVE,
    SYMBOLS,
    TRUE,
    Bound,
    BoundLeaf,
    Leaf,
    Literal,
    Op,
    all_of,
    any_of,
)

FLOATS = (Kind.FLOAT, Kind.DOUBLE)


@dataclass(frozen=True, slots=True)
class ComparisonBinder:
    """One comparison of a column.

    Attributes:
        bare: the bound leaf without values; its operator is already negated if ``negated``.
        of: the compared type: the column's, or its transform's result type.
        nulls: whether null matches negations.
    """

    bare: BoundLeaf
    of: Primitive
    leaf: Leaf
    negated: bool
    nulls: bool
    nan: NanMode

    def bound(self) -> Bound:
        """Bind the comparison, or its negation.

        Raises:
            FilterInvalid: a constant of an incompatible type, or the wrong number of constants for the operator.
            UndecidedError: engines disagree on what it means.
        """
        op = self.bare.op
        literals = self.leaf.literals
        if op not in (Op.IN, Op.NOT_IN) and len(literals) != 1:
            raise refused(self.leaf, f"{SYMBOLS[self.leaf.op]} takes one constant, not {len(literals)}")
        known = [literal for literal in literals if literal.kind != "null"]
        missing = len(known) < len(literals)
        if op in (Op.IN, Op.NOT_IN):
            plain = members(known, self.of)
            outcomes = (
                [self._outcome(Op.EQ, literal, at) for at, literal in enumerate(known, 1)] if plain is None else []
            )
            return FALSE if missing and op is Op.NOT_IN else self._listed(outcomes, plain or ())
        if missing:
            return FALSE
        return self._one(self._outcome(op, known[0]))

    def _outcome(self, op: Op, literal: Literal, item: int = 0) -> Outcome:
        try:
            return compare(op, literal, self.of)
        except IncomparableTypesError as cause:
            where = literal.where or self.leaf.where + (f", constant {item} of the list" if item else "")
            raise FilterInvalid(
                f"column {self.bare.name!r:.100}: {cause}" + (f" ({where})" if where else ""),
                column=self.bare.name,
                type=self.of.text,
                position=where,
            ) from cause

    def _one(self, outcome: Outcome) -> Bound:
        if isinstance(outcome, str):
            return self._folded(outcome)
        asked = NEGATED[self.bare.op] if self.negated else self.bare.op
        if _is_nan(outcome.value):
            numbers = of_numbers_with_nan(asked, self.nan, negated=self.negated)
            return self._by_kind(numbers, of_nan_with_nan(asked, self.nan, negated=self.negated))
        nulls = self.nulls and outcome.op in NEGATIVE
        main = replace(self.bare, op=outcome.op, values=(outcome.value,), maybe=outcome.maybe, nulls=nulls)
        if self.of.kind not in FLOATS or outcome.op is Op.NOT_EQ:
            return main
        return self._or_nan(main, of_nan(asked, self.nan, negated=self.negated))

    def _listed(self, outcomes: Sequence[Outcome], plain: Iterable[object]) -> Bound:
        """Bind IN or NOT IN, given the outcome of ``=`` for each constant, or ``plain`` values of the type."""
        found = [outcome for outcome in outcomes if not isinstance(outcome, str)]
        maybe = any(outcome.maybe for outcome in found)
        beyond = [self._one(outcome) for outcome in found if outcome.op is not Op.EQ]
        if self.bare.op is Op.NOT_IN:  # by another reading, the value is not that constant
            found = [outcome for outcome in found if not outcome.maybe]
        elif beyond:
            rest: list[Outcome] = [outcome for outcome in found if outcome.op is Op.EQ]
            return any_of((self._listed(rest, plain), *beyond), self.leaf.text)
        values = sorted({*plain, *(outcome.value for outcome in found if not _is_nan(outcome.value))})  # type: ignore[type-var]
        positive = self.bare.op is Op.IN
        nan: Verdict = "never" if positive else "always"
        if any(_is_nan(outcome.value) for outcome in found):
            nan = of_nan_with_nan(Op.EQ, self.nan, negated=not positive)
        if not values:
            if positive or nan != "always":
                return self._by_kind("never" if positive else "maybe" if maybe else "always", nan)
            return self._folded("perhaps" if maybe else "always")
        main = replace(
            self.bare,
            op=(Op.EQ if positive else Op.NOT_EQ) if len(values) == 1 else self.bare.op,
            values=tuple(values),
            maybe=maybe or (nan == "maybe" and not positive),
            nulls=self.nulls and not positive,
        )
        if positive:
            return self._or_nan(main, nan)
        return all_of((main, self._unary(Op.NOT_NAN)), self.leaf.text) if nan == "never" else main

    def _or_nan(self, main: Bound, nan: Verdict) -> Bound:
        if nan == "never":
            return main
        return any_of((main, self._unary(Op.IS_NAN, maybe=nan == "maybe")), self.leaf.text)

    def _by_kind(self, numbers: Verdict, nan: Verdict) -> Bound:
        """Return a comparison with one verdict for all numbers, and one for NaN."""
        null = self._unary(Op.IS_NULL) if self.nulls and self.bare.op in NEGATIVE else FALSE
        if numbers == "never":
            return any_of((null, self._or_nan(FALSE, nan)), self.leaf.text)
        if nan != "never":
            return self._everything(maybe="maybe" in (numbers, nan))
        if null is not FALSE:
            return self._unary(Op.NOT_NAN, maybe=numbers == "maybe")
        both = (self._unary(op, maybe=numbers == "maybe") for op in (Op.NOT_NULL, Op.NOT_NAN))
        return all_of(both, self.leaf.text)

    def _folded(self, always: str) -> Bound:
        """Return a comparison that holds for every value, or for none; nulls follow ``self.nulls``."""
        if always == "never":
            return self._unary(Op.IS_NULL) if self.nulls and self.bare.op in NEGATIVE else FALSE
        return self._everything(maybe=always == "perhaps")

    def _everything(self, *, maybe: bool) -> Bound:
        if not (self.nulls and self.bare.op in NEGATIVE):
            return self._unary(Op.NOT_NULL, maybe=maybe)
        return any_of((self._unary(Op.IS_NULL), self._unary(Op.NOT_NULL, maybe=True))) if maybe else TRUE

    def _unary(self, op: Op, *, maybe: bool = False) -> BoundLeaf:
        return replace(self.bare, op=op, maybe=maybe, transform=None)


def refused(leaf: Leaf, message: str) -> FilterInvalid:
    """Return the error for a comparison that its column does not support."""
    at = f" ({leaf.where})" if leaf.where else ""
    return FilterInvalid(message + at, column=leaf.name, position=leaf.where)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
