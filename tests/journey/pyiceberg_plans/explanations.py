"""The causes of differences between two plans: each deviation of PyIceberg 0.12 has a proof that it applies.

A filter is split into its comparisons. For a file that Lakemuster drops and PyIceberg keeps, enough comparisons must be
proven false for every row to make the filter false: by PyIceberg itself, given that comparison alone, or by a rule
below. A file that Lakemuster keeps and PyIceberg drops must also be kept by PyIceberg once the comparisons that a rule
names are replaced by true.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import (
    AlwaysFalse,
    AlwaysTrue,
    And,
    BoundGreaterThan,
    BoundIn,
    BoundLessThan,
    BoundNotEqualTo,
    BoundNotIn,
    BoundNotStartsWith,
    BoundPredicate,
    BoundSetPredicate,
    EqualTo,
    In,
    IsNaN,
    IsNull,
    LessThan,
    LessThanOrEqual,
    NotNaN,
    Or,
)
from pyiceberg.expressions.visitors import IN_PREDICATE_LIMIT
from pyiceberg.manifest import DataFile
from pyiceberg.transforms import TimeTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    DoubleType,
    FixedType,
    FloatType,
    PrimitiveType,
    TimestampType,
    TimestamptzType,
    TimeType,
)

from lakemuster.formats.iceberg.timestamp_bounds import LAST_MILLISECOND
from tests.journey.pyiceberg_plans.planned import PlannedTable, Planner

APART = "partitions and statistics are looked at one after the other: what the one excludes may be saved by the other"
NEGATIONS = "!= and NOT IN are never decided by bounds, even where all values are one"
PREFIXES = "NOT STARTS WITH is not decided by bounds where the null count is known"
ENDS = "nothing is known to be beyond a type's least and greatest values"
MANY = "IN of more than 200 values is not decided by bounds"
OTHER = "what one conjunct says of NaN is not known to another"
EARLY = "times before 1970 are not looked for in the partition above, where old writers put them"
MILLISECONDS = "small timestamps of Parquet files are not taken for milliseconds, as some writers record them"
REQUIRED = "a required column is trusted to hold no null where no null count says so"
NULL_PARTITION = "the residual of a file with a null partition value cannot be made: None is compared"
EQUALITY = "equality deletes are refused"
ALL = {APART, NEGATIONS, PREFIXES, ENDS, MANY, OTHER, EARLY, MILLISECONDS, REQUIRED, NULL_PARTITION, EQUALITY}

_LAST_MOMENT = 86_399_999_999
_NOT_NAN = (LessThan, LessThanOrEqual, EqualTo, In, NotNaN, IsNull)


@dataclass(frozen=True)
class Known:
    """The statistics of one column in one file."""

    lower: Any
    upper: Any
    nulls: int | None
    nans: int | None
    floating: bool

    @classmethod
    def of(cls, leaf: BoundPredicate, file: DataFile) -> Known:
        """Return the statistics of the column of a comparison."""
        field = leaf.term.ref().field
        of = field.field_type

        def bound(bounds: dict[int, bytes] | None) -> Any:
            raw = (bounds or {}).get(field.field_id)
            return from_bytes(of, raw) if raw is not None and isinstance(of, PrimitiveType) else None

        def count(counts: dict[int, int] | None) -> int | None:
            return (counts or {}).get(field.field_id)

        return cls(
            bound(file.lower_bounds),
            bound(file.upper_bounds),
            count(file.null_value_counts),
            count(file.nan_value_counts),
            isinstance(of, FloatType | DoubleType),
        )

    @property
    def nothing_else(self) -> bool:
        """Whether the column is known to hold neither null nor NaN."""
        return self.nulls == 0 and (not self.floating or self.nans == 0)


def why_dropped(
    table: PlannedTable, expression: Any, file: DataFile, numbers: frozenset[str] = frozenset()
) -> set[str] | None:
    """Return the rules by which no row of the file matches; None if they do not prove it.

    Args:
        expression: an expression of PyIceberg without NOT.
        numbers: columns that are not NaN in a matching row.
    """
    match expression:
        case AlwaysTrue():
            return None
        case AlwaysFalse():
            return set()
        case And():
            conjuncts = list(_conjuncts(expression))
            numbers |= {_name(leaf) for leaf in conjuncts if isinstance(leaf, _NOT_NAN)}
            proofs = (why_dropped(table, conjunct, file, numbers) for conjunct in conjuncts)
            return next((proof for proof in proofs if proof is not None), None)
        case Or():
            left, right = (why_dropped(table, side, file, numbers) for side in (expression.left, expression.right))
            return None if left is None or right is None else left | right
    if not keeps(table, expression, file):
        return {APART}
    if isinstance(expression, IsNaN) and _name(expression) in numbers:
        return {OTHER}
    leaf = expression.bind(table.metadata.schema())
    if not isinstance(leaf, BoundPredicate):
        return why_dropped(table, leaf, file)
    return next(({name} for name, rule in _RULES.items() if rule(leaf, file, table)), None)


def why_kept(table: PlannedTable, expression: Any, file: DataFile) -> set[str] | None:
    """Return the rules without which PyIceberg would keep the file too; None if they do not explain it."""
    rules: set[str] = set()

    def opened(node: Any) -> Any:
        if isinstance(node, And | Or):
            return type(node)(opened(node.left), opened(node.right))
        if isinstance(node, IsNull):
            field = table.metadata.schema().find_field(_name(node))
            if field.required and field.field_id not in (file.null_value_counts or {}):
                rules.add(REQUIRED)
                return AlwaysTrue()
        return node

    found = opened(expression)
    if rules and keeps(table, found, file):
        return rules
    earlier = _one_earlier(table, file)
    if keeps(table, found, file, earlier):
        return {*rules, EARLY}
    loosened = _in_milliseconds(table, file)
    if keeps(table, found, loosened):
        return {*rules, MILLISECONDS}
    return {*rules, EARLY, MILLISECONDS} if keeps(table, found, loosened, earlier) else None


def keeps(table: PlannedTable, expression: Any, file: Any, partition: Record | None = None) -> bool:
    """Return whether PyIceberg keeps a file, or would keep it in another partition."""
    planner = Planner(table.metadata, table.io, expression)
    placed: Any = SimpleNamespace(partition=file.partition if partition is None else partition)
    return planner._build_partition_evaluator(file.spec_id)(placed) and planner._build_metrics_evaluator()(file)


def _one_earlier(table: PlannedTable, file: DataFile) -> Record:
    """Return the partition to which the file belongs if an old writer has written it."""
    return Record(
        *(
            value - 1 if isinstance(part.transform, TimeTransform) and value is not None and value <= 0 else value
            for part, value in zip(table.metadata.specs()[file.spec_id].fields, _values(file.partition), strict=True)
        )
    )


def _in_milliseconds(table: PlannedTable, file: DataFile) -> Any:
    """Return the file with the timestamps that its bounds are if they are milliseconds."""
    schema = table.metadata.schema()

    def bounds(given: dict[int, bytes] | None, *, is_lower: bool) -> dict[int, bytes]:
        found = dict(given or {})
        for field_id, raw in found.items():
            if isinstance(schema.find_type(field_id), TimestampType | TimestamptzType):
                (number,) = struct.unpack("<q", raw)
                if abs(number) <= LAST_MILLISECOND and (number < 0) is is_lower:
                    found[field_id] = struct.pack("<q", number * 1000)
        return found

    return SimpleNamespace(
        spec_id=file.spec_id,
        partition=file.partition,
        record_count=file.record_count,
        value_counts=file.value_counts,
        null_value_counts=file.null_value_counts,
        nan_value_counts=file.nan_value_counts,
        lower_bounds=bounds(file.lower_bounds, is_lower=True),
        upper_bounds=bounds(file.upper_bounds, is_lower=False),
    )


def _values(record: Record) -> list[Any]:
    return [record[at] for at in range(len(record))]


def _name(leaf: Any) -> str:
    return str(leaf.term.name)


def _conjuncts(expression: Any) -> Iterator[Any]:
    if isinstance(expression, And):
        yield from _conjuncts(expression.left)
        yield from _conjuncts(expression.right)
    else:
        yield expression


def _negation_by_bounds(leaf: BoundPredicate, file: DataFile, _: PlannedTable) -> bool:
    known = Known.of(leaf, file)
    if not isinstance(leaf, BoundNotEqualTo | BoundNotIn) or known.lower is None or known.lower != known.upper:
        return False
    return known.nothing_else and known.lower in _constants(leaf)


def _prefix_by_bounds(leaf: Any, file: DataFile, _: PlannedTable) -> bool:
    if not isinstance(leaf, BoundNotStartsWith):
        return False
    known, prefix = Known.of(leaf, file), leaf.literal.value
    within = all(bound is not None and bound.startswith(prefix) for bound in (known.lower, known.upper))
    return known.nothing_else and (within or not prefix)


def _beyond_the_ends(leaf: BoundPredicate, *_: Any) -> bool:
    if not isinstance(leaf, BoundLessThan | BoundGreaterThan):
        return False
    of, value = leaf.term.ref().field.field_type, leaf.literal.value
    if isinstance(leaf, BoundGreaterThan):
        return isinstance(of, TimeType) and value == _LAST_MOMENT
    return (
        value in ("", b"") or (isinstance(of, FixedType) and not any(value)) or (isinstance(of, TimeType) and not value)
    )


def _none_of_many(leaf: BoundPredicate, file: DataFile, _: PlannedTable) -> bool:
    known = Known.of(leaf, file)
    if not isinstance(leaf, BoundIn) or len(leaf.literals) <= IN_PREDICATE_LIMIT or known.lower is None:
        return False
    return not any(known.lower <= value <= known.upper for value in _constants(leaf))


_RULES: dict[str, Callable[[BoundPredicate, DataFile, PlannedTable], bool]] = {
    NEGATIONS: _negation_by_bounds,
    PREFIXES: _prefix_by_bounds,
    ENDS: _beyond_the_ends,
    MANY: _none_of_many,
}


def _constants(leaf: Any) -> set[Any]:
    literals = leaf.literals if isinstance(leaf, BoundSetPredicate) else {leaf.literal}
    return {literal.value for literal in literals}
