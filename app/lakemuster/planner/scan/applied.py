"""Report which conjuncts of a predicate prune, and why the others cannot. Every conjunct is reported.

A conjunct that NaN may match keeps every file whose NaN values were not counted, unless all of its values are null.
Where no file with bounds has a NaN count, the conjunct is reported as not applied. Where some have one, it is reported
as both applied and not applied: it did not prune the other files.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakemuster.metadata.types import Kind, arrow_type
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.predicates import (
    AlwaysFalse,
    AlwaysTrue,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    Opaque,
    conjuncts,
    text_of,
)

_COUNTED = frozenset({Op.IS_NULL, Op.NOT_NULL})
_COUNTED_NAN = frozenset({Op.IS_NAN, Op.NOT_NAN, Op.NOT_EQ, Op.NOT_IN})
_FLOATS = (Kind.FLOAT, Kind.DOUBLE)


@dataclass(frozen=True, slots=True)
class NotApplied:
    """A conjunct that keeps every file, or every file whose NaN values were not counted.

    Attributes:
        filter: the conjunct, as the caller wrote it.
        reason: why it cannot prune.
    """

    filter: str
    reason: str


def applied(scan: ScanIndex, bound: Bound) -> tuple[tuple[str, ...], tuple[NotApplied, ...]]:
    """Return the conjuncts that can prune files of the snapshot, and those that cannot prune, or not all files."""
    can: dict[str, None] = {}
    cannot: dict[str, str] = {}
    partly: dict[str, str] = {}
    for conjunct in conjuncts(bound):
        text = text_of(conjunct)
        if (reason := why_not(scan, conjunct)) is not None:
            cannot.setdefault(text, reason)
            continue
        can[text] = None
        if (reason := _why_not_all(scan, conjunct)) is not None:
            partly[text] = reason
    cannot = {text: reason for text, reason in cannot.items() if text not in can} | partly
    return tuple(can), tuple(NotApplied(text, reason) for text, reason in cannot.items())


def why_not(scan: ScanIndex, bound: Bound) -> str | None:
    """Return why a predicate keeps every file of the snapshot; None when it may drop some."""
    match bound:
        case AlwaysTrue() | AlwaysFalse():
            return None
        case Opaque(reason=reason):
            return reason
        case BoundLeaf():
            return _why_not_leaf(scan, bound)
        case BoundAnd(children=children):
            reasons = [why_not(scan, child) for child in children]
            return None if None in reasons else reasons[0]
        case BoundOr(children=children):
            return next((why for child in children if (why := why_not(scan, child)) is not None), None)


def _why_not_all(scan: ScanIndex, bound: Bound) -> str | None:
    """Return why a predicate that may drop files keeps those without NaN counts; None when it does not."""
    match bound:
        case BoundLeaf() if not _by_partition(scan, bound) and _needs_nan_counts(bound):
            if scan.nan_counts(bound.field_id) == "some":
                return f"NaN may match, and some files have no NaN count for {bound.name}"
        case BoundAnd(children=children):
            reasons = [_why_not_all(scan, child) for child in children]
            return None if None in reasons else reasons[0]
        case BoundOr(children=children):
            return next((why for child in children if (why := _why_not_all(scan, child)) is not None), None)
    return None


def _by_partition(scan: ScanIndex, leaf: BoundLeaf) -> bool:
    return not scan.specs or any(spec.projection.inclusive(leaf) is not None for spec in scan.specs)


def _needs_nan_counts(leaf: BoundLeaf) -> bool:
    """Return whether only files known to hold no NaN, or only NaN, are dropped."""
    return leaf.type.kind in _FLOATS and leaf.transform is None and leaf.op in _COUNTED_NAN


def _why_not_leaf(scan: ScanIndex, leaf: BoundLeaf) -> str | None:
    if _by_partition(scan, leaf):
        return None
    if leaf.transform is not None:
        return f"no partition field applies {leaf.transform} to {leaf.name}"
    if (reason := scan.rules.why_not(leaf)) is not None:
        return reason
    if scan.has_indexes and scan.rules.is_indexed(leaf):
        return None
    if arrow_type(leaf.type) is None and leaf.op not in _COUNTED:
        return f"bounds of type {leaf.type.text} cannot be compared"
    if not scan.has_column(leaf.field_id):
        return f"no file has statistics for {leaf.name}"
    if _needs_nan_counts(leaf) and scan.nan_counts(leaf.field_id) == "none":
        return f"NaN may match, and no file has a NaN count for {leaf.name}"
    return None
