"""Explain why a predicate keeps or drops one manifest or file: per comparison, with the bound that decides.

The verdicts are those of :mod:`~lakemuster.planner.pruning.prune` on the same statistics; this module describes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.metadata.values import json_value
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.pruning.partition_predicates import JointStatistics
from lakemuster.planner.pruning.prune import Counts, FieldStats, Statistics, can_match
from lakemuster.predicates import (
    AlwaysFalse,
    AlwaysTrue,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    Opaque,
    leaves,
    text_of,
)

Verdict = Literal["cannot match", "may match", "unknown"]


@dataclass(frozen=True, slots=True)
class Reason:
    """The verdict of the statistics of one column or partition field on one comparison.

    Attributes:
        filter: the comparison, as the caller wrote it.
        column: the column's or partition field's name; None where the comparison cannot be decided at all.
        verdict: ``unknown`` keeps, as ``may match`` does.
        bound: the recorded values: ``lower``, ``upper``, ``null_count``, ``nan_count``, ``value_count``, or
            a partition's ``value``; values in the JSON single-value form.
        reason: the verdict as a sentence.
    """

    filter: str
    column: str | None
    verdict: Verdict
    bound: Mapping[str, object]
    reason: str


def reasons(
    bound: Bound, statistics: JointStatistics, names: Mapping[int, str], *, partitions_only: bool = False
) -> Iterator[Reason]:
    """Explain every comparison of a predicate on one manifest or file.

    Args:
        bound: the predicate.
        statistics: the statistics of the manifest or file, one row.
        names: names of partition fields, by id.
        partitions_only: whether it is a manifest, for which a manifest list records partition summaries only.
    """
    match bound:
        case AlwaysTrue():
            return
        case AlwaysFalse():
            yield Reason(text_of(bound), None, "cannot match", {}, "the filter matches no row")
        case Opaque(text=text, reason=reason):
            yield Reason(text, None, "unknown", {}, reason)
        case BoundAnd(children=children) | BoundOr(children=children):
            for child in children:
                yield from reasons(child, statistics, names, partitions_only=partitions_only)
        case BoundLeaf():
            yield from _of_partition(bound, statistics, names)
            if not partitions_only:
                yield from _of_column(bound, statistics)


def _of_partition(leaf: BoundLeaf, statistics: JointStatistics, names: Mapping[int, str]) -> Iterator[Reason]:
    projected = statistics.projected(leaf)
    if projected is not None:
        yield from _partition(leaf, projected[0], projected[1], names)
    elif any(leaf.field_id in field.source_ids for field in statistics.projection.spec.fields):
        transforms = [f.transform for f in statistics.projection.spec.fields if leaf.field_id in f.source_ids]
        yield Reason(
            text_of(leaf), leaf.name, "unknown", {}, f"the partition's {', '.join(transforms)} cannot evaluate it"
        )


def _of_column(leaf: BoundLeaf, statistics: JointStatistics) -> Iterator[Reason]:
    field = None if leaf.transform is not None else statistics.field(leaf.field_id)
    if field is not None:
        yield _column(leaf, leaf.name, field)
    elif statistics.projected(leaf) is None:
        yield Reason(text_of(leaf), leaf.name, "unknown", {}, "no statistics are recorded for this column")


def _partition(leaf: BoundLeaf, bound: Bound, partitions: Statistics, names: Mapping[int, str]) -> Iterator[Reason]:
    kept = bool(can_match(bound, partitions)[0])
    for part in dict.fromkeys(leaves(bound)):
        field = partitions.field(part.field_id)
        name = names.get(part.field_id, f"#{part.field_id}")
        if field is None:
            yield Reason(text_of(leaf), name, "unknown", {}, "the manifest list has no summary of this partition field")
            continue
        recorded = _recorded(field, part.type)
        if "lower" in recorded and recorded["lower"] == recorded.get("upper") and recorded.get("value_count") == 1:
            recorded = {"value": recorded["lower"]}
        elif recorded.get("value_count") == 1 and recorded.get("null_count") == 1:
            recorded = {"value": None}
        verdict: Verdict = "may match" if kept else "cannot match"
        yield Reason(text_of(leaf), name, verdict, recorded, _partition_sentence(name, recorded, kept=kept))
    if isinstance(bound, AlwaysFalse):
        yield Reason(text_of(leaf), leaf.name, "cannot match", {}, "no partition can contain such a value")


def _partition_sentence(name: str, recorded: Mapping[str, object], *, kept: bool) -> str:
    if "value" in recorded:
        where = f"partition {name} = {_shown(recorded['value'])}"
        return f"{where} {'may contain such rows' if kept else 'contains no such row'}"
    lower, upper = _shown(recorded.get("lower", "?")), _shown(recorded.get("upper", "?"))
    where = f"partitions {name} from {lower} to {upper}"
    return f"{where} {'may contain such rows' if kept else 'contain no such row'}"


def _column(leaf: BoundLeaf, name: str, field: FieldStats) -> Reason:
    alone = _Alone(field, leaf.field_id)
    recorded = _recorded(field, leaf.type)
    if not can_match(leaf, alone)[0]:
        return Reason(text_of(leaf), name, "cannot match", recorded, _why_dropped(leaf, recorded))
    missing = _missing(leaf, recorded)
    if missing is not None:
        return Reason(text_of(leaf), name, "unknown", recorded, missing)
    return Reason(text_of(leaf), name, "may match", recorded, "its statistics do not exclude such a value")


@dataclass(frozen=True, slots=True)
class _Alone:
    """One field's statistics of one file, without partitions."""

    stats: FieldStats
    field_id: int
    rows: int = 1
    record_count: Counts | None = None

    def field(self, field_id: int) -> FieldStats | None:
        return self.stats if field_id == self.field_id else None

    def projected(self, leaf: BoundLeaf) -> None: ...


def _why_dropped(leaf: BoundLeaf, recorded: Mapping[str, object]) -> str:
    nulls, nans, values = (recorded.get(name) for name in ("null_count", "nan_count", "value_count"))
    match leaf.op:
        case Op.IS_NULL:
            return "no value is null"
        case Op.IS_NAN:
            return "no value is NaN"
        case Op.NOT_NAN:
            return "every value is NaN"
        case _ if values is not None and nulls == values:
            return "every value is null"
        case _ if values is not None and isinstance(nans, int) and (nulls or 0) + nans == values:  # type: ignore[operator]
            return "every value is null or NaN"
    bounds = f"values are between {_shown(recorded.get('lower', '?'))} and {_shown(recorded.get('upper', '?'))}"
    match leaf.op:
        case Op.LT | Op.LT_EQ:
            return f"every value is at least {_shown(recorded['lower'])}"
        case Op.GT | Op.GT_EQ:
            return f"every value is at most {_shown(recorded['upper'])}"
        case Op.NOT_EQ | Op.NOT_IN:
            return f"every value is {_shown(recorded['lower'])}"
    return bounds


def _missing(leaf: BoundLeaf, recorded: Mapping[str, object]) -> str | None:
    match leaf.op:
        case Op.IS_NULL | Op.NOT_NULL:
            wanted: tuple[str, ...] = ("null_count",)
        case Op.IS_NAN | Op.NOT_NAN:
            wanted = ("nan_count",)
        case Op.LT | Op.LT_EQ:
            wanted = ("lower",)
        case Op.GT | Op.GT_EQ:
            wanted = ("upper",)
        case _:
            wanted = ("lower", "upper")
    absent = [name for name in wanted if name not in recorded]
    if not absent:
        return None
    words = {
        "null_count": "count of nulls",
        "nan_count": "count of NaN",
        "lower": "lower bound",
        "upper": "upper bound",
    }
    return f"no usable {' and no '.join(words[name] for name in absent)} is recorded"


def _recorded(field: FieldStats, kind: Primitive) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, bounds in (("lower", field.lower), ("upper", field.upper)):
        value = None if bounds is None else _value(bounds, kind)
        if value is not None:
            found[name] = value
    for name, counts in (
        ("null_count", field.null_count),
        ("nan_count", field.nan_count),
        ("value_count", field.value_count),
    ):
        if counts is not None and counts[0] >= 0:
            found[name] = int(counts[0])
    return found


def _value(bounds: pa.Array, kind: Primitive) -> object:
    target = arrow_type(kind)
    cast = None if target is None else cast_or_none(bounds, target)
    if cast is None or not cast[0].is_valid:
        return None
    if pa.types.is_temporal(cast.type):
        cast = cast.view(pa.int32() if cast.type.bit_width == 32 else pa.int64())
    plain = cast[0].as_py()
    if pa.types.is_fixed_size_binary(cast.type) and not pa.types.is_decimal(cast.type):
        return plain.hex()
    return json_value(kind, plain)


def _shown(value: object) -> str:
    text = "null" if value is None else str(value)
    return text if len(text) <= 80 else text[:79] + "…"
