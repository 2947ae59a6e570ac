"""Project predicates on columns to predicates on partitions, through the partition transforms.

The *inclusive* projection holds for the partition of every row that matches the predicate. The *strict* projection
holds for no partition with a row that does not match.

Source: Iceberg spec, "Scan Planning" and "Partition Transforms"; ClickHouse issue 119579; ORC-763.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from lakemuster.metadata.partition import PartitionField
from lakemuster.metadata.transforms import (
    INSTANTS,
    INTEGER_BITS,
    SEQUENCES,
    other_bucket,
    parse_transform,
    transform_function,
    transformed_type,
)
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import PER_SECOND, scaled, unscaled
from lakemuster.predicates.tree import FALSE, Bound, BoundLeaf, Op, all_of, any_of

_HASHED_OTHERWISE = frozenset({Kind.UUID, Kind.DECIMAL})
"""Kinds of values whose partition need not tell their bucket, see ``other_bucket``."""


class _Moved(NamedTuple):
    """Where writers put rows of partitions before 1970.

    Iceberg Java up to 0.10 used the next higher partition for times and for years and months of dates, so that
    partitions up to 0 may also hold values of the one below. ClickHouse up to 26.9 uses 0, or for hours
    of the last day before 1970 those of the first one after it.

    Attributes:
        up: 1 if rows may be in the next higher partition, or 0.
        clamped: the partitions in which rows of all of them may be.
    """

    up: int
    clamped: list[int]

    @classmethod
    def of(cls, name: str, source: Primitive, leaf: BoundLeaf) -> _Moved | None:
        """Return it for a comparison of values, or of their partitions; None if rows are where they should be."""
        is_of_times = name in ("year", "month", "day", "hour")
        up = int(is_of_times and not (name == "day" and source.kind is Kind.DATE))
        is_early = any(isinstance(value, int) and value <= 0 for value in leaf.values)
        clamped = [*range(24 if name == "hour" else 1)] if is_of_times and (up or is_early) else []
        return cls(up, clamped) if up or clamped else None

    def past(self, partition: int) -> tuple[int, list[int]]:
        """Return the last partition in which rows up to those of one may be in order, and the others."""
        if partition >= max(0, len(self.clamped) - 1):
            return partition, []
        return partition + self.up if partition < 0 else partition, self.clamped

    def others(self, partitions: Iterable[object]) -> list[int]:
        """Return the other partitions in which rows of these may be."""
        early = [number for number in partitions if isinstance(number, int) and number < 0]
        return [*(number + 1 for number in early if self.up), *(self.clamped if early else ())]


def project(leaf: BoundLeaf, field: PartitionField, source: Primitive) -> Bound | None:
    """Return the inclusive projection of a leaf on the field's source column; None if TRUE is the best one.

    Args:
        leaf: a comparison of the column that the field is computed from.
        field: the partition field; the result's leaves have its id.
        source: the column's type.
    """
    return _projected(leaf, field, source, strict=False)


def project_strict(leaf: BoundLeaf, field: PartitionField, source: Primitive) -> Bound | None:
    """Return the strict projection of a leaf on the field's source column; None if FALSE is the best one.

    Args:
        leaf: a comparison of the column that the field is computed from.
        field: the partition field; the result's leaves have its id.
        source: the column's type.
    """
    return None if leaf.maybe else _projected(leaf, field, source, strict=True)


def _projected(leaf: BoundLeaf, field: PartitionField, source: Primitive, *, strict: bool) -> Bound | None:
    if len(field.source_ids) != 1 or field.source_ids[0] != leaf.field_id:
        return None
    name, parameter = parse_transform(field.transform)
    result = transformed_type(field.transform, source)
    if result is None or name == "void":
        return None
    moved = _Moved.of(name, source, leaf)
    if leaf.transform is not None and parse_transform(leaf.transform) != (name, parameter):
        return None
    target = replace(leaf, field_id=field.field_id, type=result, transform=None)
    if leaf.op in (Op.IS_NULL, Op.NOT_NULL):
        return target
    if name == "bucket" and source.kind in _HASHED_OTHERWISE and leaf.transform is not None:
        return None
    if name != "identity" and _may_be_a_second_early(name, source, leaf):
        return None
    if name == "identity" or ((name == "day" or leaf.transform is not None) and moved is None):
        return target
    function = (lambda value: value) if leaf.transform is not None else transform_function(field.transform, source)
    if function is None or leaf.op in (Op.IS_NAN, Op.NOT_NAN):
        return None
    if name == "bucket":
        others = (other_bucket(field.transform, source, value) for value in leaf.values)
        return _project_bucket(target, function, [one for one in others if one is not None], strict=strict)
    if source.kind in SEQUENCES:
        rule = _strict_prefix if strict else _inclusive_prefix
        return rule(target, function, parameter)
    if strict:
        return _strict_steps(target, source, function, parameter, moved)
    return _inclusive_steps(target, source, function, parameter, moved)


def _may_be_a_second_early(name: str, source: Primitive, leaf: BoundLeaf) -> bool:
    """Tell whether a comparison separates times that may be in one partition, the last one before 1970.

    ORC readers return the times of the last second before 1970 a second late, so their rows match as others do, and
    may be of any bucket.
    """
    if source.kind not in INSTANTS:
        return False
    if name == "bucket" and leaf.transform is not None:
        return True
    end = 1 if leaf.transform is not None else PER_SECOND[source.unit]
    return any(isinstance(value, int) and -1 <= value < end for value in leaf.values)


def _project_bucket(
    target: BoundLeaf, function: Callable[[object], object], others: list[int], *, strict: bool
) -> Bound | None:
    ops = (Op.NOT_EQ, Op.NOT_IN) if strict else (Op.EQ, Op.IN)
    return _among(target, [*map(function, target.values), *others]) if target.op in ops else None


def _inclusive_steps(
    target: BoundLeaf, source: Primitive, function: Callable[[object], object], width: int, moved: _Moved | None
) -> Bound | None:
    """Project a comparison of numbers or times, whose order the transform preserves."""
    op, values = target.op, target.values
    if op in (Op.EQ, Op.IN):
        found = [function(value) for value in values]
        if moved is not None:
            found += moved.others(found)
        return None if _is_beyond(target.type, found) else _among(target, found, _wrapped(source, width))
    if op in (Op.GT, Op.GT_EQ):
        return _bounded(target, Op.GT_EQ, function(_next(source, values[0], 1 if op is Op.GT else 0)))
    if op in (Op.LT, Op.LT_EQ):
        high = function(_next(source, values[0], -1 if op is Op.LT else 0))
        others = [*_wrapped(source, width).values()]
        if moved is not None and isinstance(high, int):
            high, others = moved.past(high)
        below = _bounded(target, Op.LT_EQ, high)
        if below is None or not others:
            return below
        return any_of((below, _among(replace(target, op=Op.IN), others)), target.text)
    return None


def _strict_steps(
    target: BoundLeaf, source: Primitive, function: Callable[[object], object], width: int, moved: _Moved | None
) -> Bound | None:
    op, values = target.op, target.values
    wrapped = _wrapped(source, width)
    if op in (Op.LT, Op.LT_EQ):
        return _bounded(target, Op.LT, function(_next(source, values[0], 1 if op is Op.LT_EQ else 0)))
    if op in (Op.GT, Op.GT_EQ):
        low = function(_next(source, values[0], -1 if op is Op.GT_EQ else 0))
        others = [*wrapped.values()]
        if moved is not None and isinstance(low, int):
            low, others = moved.past(low)
        above = _bounded(target, Op.GT, low)
        if above is None or not others:
            return above
        return all_of((above, _among(replace(target, op=Op.NOT_IN, nulls=False), others)), target.text)
    if op in (Op.NOT_EQ, Op.NOT_IN):
        found = [function(value) for value in values]
        if moved is not None:
            found += moved.others(found)
        return None if _is_beyond(target.type, found) else _among(target, found, wrapped)
    return None


def _inclusive_prefix(target: BoundLeaf, function: Callable[[object], object], width: int) -> Bound | None:
    """Project a comparison of text or bytes, of which the transform takes at most the first ``width``."""
    op, values = target.op, target.values
    lengths = [len(value) for value in values if isinstance(value, str | bytes)]
    match op:
        case Op.EQ | Op.IN:
            return _among(target, map(function, values))
        case Op.LT | Op.LT_EQ:
            exact = op is Op.LT and lengths[0] <= width
            return replace(target, op=Op.LT if exact else Op.LT_EQ, values=(function(values[0]),))
        case Op.GT | Op.GT_EQ:
            exact = op is Op.GT and lengths[0] < width
            return replace(target, op=Op.GT if exact else Op.GT_EQ, values=(function(values[0]),))
        case Op.STARTS_WITH:
            return replace(target, op=op if lengths[0] < width else Op.EQ, values=(function(values[0]),))
        case Op.NOT_STARTS_WITH if lengths[0] <= width:
            return replace(target, op=op if lengths[0] < width else Op.NOT_EQ)
        case Op.NOT_EQ | Op.NOT_IN:
            short = [value for value, length in zip(values, lengths, strict=True) if length < width]
            return _among(target, short) if short else None
    return None


def _strict_prefix(target: BoundLeaf, function: Callable[[object], object], width: int) -> Bound | None:
    op, values = target.op, target.values
    lengths = [len(value) for value in values if isinstance(value, str | bytes)]
    match op:
        case Op.EQ | Op.IN:
            short = [value for value, length in zip(values, lengths, strict=True) if length < width]
            return _among(target, short) if short else None
        case Op.NOT_EQ | Op.NOT_IN:
            return _among(target, map(function, values))
        case Op.LT | Op.LT_EQ:
            exact = op is Op.LT_EQ and lengths[0] < width
            return replace(target, op=Op.LT_EQ if exact else Op.LT, values=(function(values[0]),))
        case Op.GT | Op.GT_EQ:
            exact = op is Op.GT_EQ and lengths[0] <= width
            return replace(target, op=Op.GT_EQ if exact else Op.GT, values=(function(values[0]),))
        case Op.STARTS_WITH if lengths[0] <= width:
            return replace(target, op=op if lengths[0] < width else Op.EQ)
        case Op.NOT_STARTS_WITH:
            return replace(target, op=op if lengths[0] < width else Op.NOT_EQ, values=(function(values[0]),))
    return None


def _among(target: BoundLeaf, values: Iterable[object], wrapped: Mapping[object, int] | None = None) -> Bound:
    """Return ``target`` with other values, and with those that writers may have wrapped them to."""
    found = set(values)
    if wrapped:
        found = {v for v in found if _fits(target.type, v)} | {wrapped[v] for v in found if v in wrapped}
    positive = target.op in (Op.EQ, Op.IN)
    if len(found) == 1:
        return replace(target, op=Op.EQ if positive else Op.NOT_EQ, values=tuple(found))
    ordered = tuple(sorted(found))  # type: ignore[type-var]
    return replace(target, op=Op.IN if positive else Op.NOT_IN, values=ordered)


def _bounded(target: BoundLeaf, op: Op, value: object) -> Bound | None:
    """Return ``target`` with another bound; folded where every value of the result type is on one side of it."""
    if _fits(target.type, value):
        return replace(target, op=op, values=(value,))
    if not isinstance(value, int):
        return None  # writers store decimals beyond their precision
    if (value < 0) is (op in (Op.LT, Op.LT_EQ)):
        return FALSE
    return replace(target, op=Op.NOT_NULL, values=())


def _is_beyond(of: Primitive, values: Iterable[object]) -> bool:
    """Tell whether truncation made a decimal of more digits than the type has."""
    return any(isinstance(value, Decimal) and not _fits(of, value) for value in values)


def _fits(of: Primitive, value: object) -> bool:
    match value:
        case int():
            bits = INTEGER_BITS.get(of.kind, 32)
            return bool(-(1 << bits - 1) <= value < 1 << bits - 1)
        case Decimal():
            return abs(unscaled(value, of.scale)) < int(10**of.precision)
    return True


def _wrapped(source: Primitive, width: int) -> dict[object, int]:
    """Return truncated values below their type's minimum, with the values that Java's arithmetic wraps them to.

    A column of 64 bits may have had 32 bits when files were written.
    """
    bits = INTEGER_BITS.get(source.kind)
    if bits is None or not width:
        return {}
    found: dict[object, int] = {}
    for size in {bits, 32} if source.kind is Kind.LONG else {bits}:
        least = -(1 << size - 1)
        if least % width:
            found[least - least % width] = least - least % width + (1 << size)
    return found


def _next(source: Primitive, value: object, steps: int) -> object:
    """Return the value that is ``steps`` smallest steps of the type away."""
    if isinstance(value, Decimal):
        return scaled(unscaled(value, source.scale) + steps, source.scale)
    assert isinstance(value, int)
    return value + steps
