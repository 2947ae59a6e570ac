"""Evaluate leaves on a column of many files by bound codes, and by marks for null and NaN, instead of statistics.

Pure. The verdicts are those of :mod:`~lakemuster.planner.pruning.prune`, as a property test checks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lakemuster.metadata.types import Primitive
from lakemuster.planner.pruning.bound_codes import (
    ABOVE,
    BELOW,
    NO_LOWER,
    NO_UPPER,
    BoundCodes,
    CodedValues,
    Narrow,
    as_bytes,
    code_after,
)
from lakemuster.planner.pruning.native import Cells, any_between
from lakemuster.planner.pruning.prune import FieldStats, Mask, cannot
from lakemuster.predicates import NEGATIVE, BoundLeaf, Op

Marks = NDArray[np.uint8]

MARKED = {op: np.uint8(1 << bit) for bit, op in enumerate((Op.IS_NULL, Op.NOT_NULL, Op.IS_NAN, Op.NOT_NAN))}
"""The tests that marks decide, each with the bit that is set where nothing matches."""

_MAX_TIES = 1 / 8


def marks_of(field: FieldStats, kind: Primitive, rows: int) -> Marks:
    """Evaluate the tests for null and NaN on the counts of N files: (N,) bits of :data:`MARKED`."""
    marks = np.zeros(rows, np.uint8)
    for op, bit in MARKED.items():
        marks[cannot(BoundLeaf(op, 0, "", kind), field, rows)] |= bit
    return marks


@dataclass(frozen=True, slots=True)
class CodedField:
    """A column of N files, compared by bound codes where its type has them, else by its bounds.

    Attributes:
        keys: computes the bound codes on demand; None for a type without codes.
        marks: computes the marks on demand.
        bounds: reads the statistics themselves, for the files at some places or (None) for all.
        values: a cache of leaves' values as codes, by the leaf's identity.
    """

    rows: int
    kind: Primitive
    keys: Callable[[], BoundCodes | None]
    marks: Callable[[], Marks]
    bounds: Callable[[NDArray[np.int64] | None], FieldStats]
    values: dict[int, CodedValues | None]

    def cannot(self, leaf: BoundLeaf) -> Mask:
        """Mark the files where no row can match."""
        if leaf.type != self.kind:
            return cannot(leaf, self.bounds(None), self.rows)
        if leaf.op in MARKED:
            return np.asarray(self.marks() & MARKED[leaf.op], np.bool_)
        if id(leaf) not in self.values:
            self.values[id(leaf)] = CodedValues.of(leaf)
        values = self.values[id(leaf)]
        keys = None if values is None else self.keys()
        if values is None or keys is None:
            return cannot(leaf, self.bounds(None), self.rows)
        sure, ties = self._nothing_else(leaf, values, keys) if leaf.op in NEGATIVE else outside(leaf, values, keys)
        if ties is not None and len(places := np.flatnonzero(ties & ~sure)):
            if len(places) > self.rows * _MAX_TIES:
                return cannot(leaf, self.bounds(None), self.rows)
            sure[places] = cannot(leaf, self.bounds(places), len(places))
        return sure

    def _nothing_else(self, leaf: BoundLeaf, values: CodedValues, keys: BoundCodes) -> tuple[Mask, Mask]:
        """Like :func:`outside`, for a negation: certain where all values are null and it does not match null."""
        ties = inside(leaf, values, keys)
        if leaf.nulls:
            return np.zeros(self.rows, np.bool_), ties
        return np.asarray(self.marks() & MARKED[Op.NOT_NULL], np.bool_), ties


def outside(leaf: BoundLeaf, values: CodedValues, keys: BoundCodes) -> tuple[Mask, Mask | None]:
    """Mark where a comparison certainly matches nothing, and where codes do not decide (None: nowhere)."""
    exact = values.exact and not keys.shift
    if leaf.op is Op.IN:
        sure, ties = search(values.cells(keys), keys.lower, keys.upper)
        return sure, None if exact else ties
    key = keys.narrowed(int(values.wide[0]))
    exact = exact or key in (BELOW, ABOVE)
    match leaf.op:
        case Op.LT:
            first, last = NO_LOWER, key - exact
        case Op.LT_EQ:
            first, last = NO_LOWER, key
        case Op.GT:
            first, last = key + exact, NO_UPPER
        case Op.GT_EQ:
            first, last = key, NO_UPPER
        case Op.EQ:
            first, last = key, key
        case _:
            after = code_after(as_bytes(leaf.values[0]))
            first, last, exact = key, NO_UPPER if after is None else keys.narrowed(after), False
    return _apart(keys, first, last, exact=exact)


def inside(leaf: BoundLeaf, values: CodedValues, keys: BoundCodes) -> Mask:
    """Mark where bounds may hold only what a negation excludes; elsewhere they certainly hold more."""
    match leaf.op:
        case Op.NOT_STARTS_WITH:
            after = code_after(as_bytes(leaf.values[0]))
            last = NO_UPPER if after is None else keys.narrowed(after)
            return np.asarray((keys.lower >= keys.narrowed(int(values.wide[0]))) & (keys.upper <= last))
        case Op.NOT_EQ:
            key = keys.narrowed(int(values.wide[0]))
            return np.asarray((keys.lower == key) & (keys.upper == key))
    single: Mask = keys.lower == keys.upper
    return single & ~search(values.cells(keys), keys.lower, keys.upper)[0] if single.any() else single


def _apart(keys: BoundCodes, first: int, last: int, *, exact: bool) -> tuple[Mask, Mask | None]:
    """Mark where no code is from ``first`` to ``last``, and, unless exact, where codes only touch that range."""
    if last == NO_UPPER:
        return keys.upper < first, None if exact else keys.upper == first
    if first == NO_LOWER:
        return keys.lower > last, None if exact else keys.lower == last
    if first == last and keys.lower is keys.upper:
        return keys.lower != first, None if exact else keys.lower == first
    sure = keys.lower > last
    sure |= keys.upper < first
    return sure, None if exact else (keys.lower == last) | (keys.upper == first)


def search(cells: Cells, lower: Narrow, upper: Narrow) -> tuple[Mask, Mask]:
    """Mark where no value is from ``lower`` to ``upper``, and where values only equal one of these."""
    if (found := any_between(cells, lower, upper)) is not None:
        return found
    values = cells.values[:-1]
    sure = ~_some_between(values, lower, upper)
    # Where the sum or the difference overflows 32 bits, no code is between them.
    return sure, ~sure & ~((lower < upper) & _some_between(values, lower + np.uint32(1), upper - np.uint32(1)))


def _some_between(values: Narrow, lower: Narrow, upper: Narrow) -> Mask:
    after = np.searchsorted(values, lower)
    return np.asarray((after < len(values)) & (values[np.minimum(after, len(values) - 1)] <= upper))
