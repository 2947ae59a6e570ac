"""Evaluate a SQL condition (the option ``filter``) on the rows of Arrow batches, with Spark's semantics.

Logic is three-valued: a comparison with null is neither true nor false, and a row matches if the whole condition is
true. NaN equals itself and is above every number, as in Spark. Conditions that cannot be evaluated exactly so are
refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from typing import NoReturn
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import FilterInvalid
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, StructType
from lakemuster.predicates import (
    NEGATED,
    NEGATIVE,
    UNARY,
    AlwaysFalse,
    AlwaysTrue,
    And,
    Bound,
    BoundLeaf,
    BoundOr,
    Leaf,
    Not,
    Op,
    Opaque,
    Or,
    Predicate,
    Unknown,
    bind,
)
from lakemuster.predicates.sql import parse_sql
from lakemuster.spark.reading.column_stats import StatsOf, outcomes
from lakemuster.spark.reading.formats import format_reader
from lakemuster.spark.reading.model import NotReadable, TableToRead

_UNKNOWN = pa.scalar(None, pa.bool_())
_INSTANTS = (Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
_COMPARED = {Op.LT: pc.less, Op.LT_EQ: pc.less_equal, Op.GT: pc.greater, Op.GT_EQ: pc.greater_equal}


@dataclass(frozen=True)
class RowFilter:
    """A condition on the rows of a table.

    Attributes:
        table: with the columns to read: the requested ones, then those that only the condition needs.
        wanted: the number of requested columns.
    """

    table: TableToRead
    wanted: int
    condition: _Condition

    @classmethod
    def of(cls, text: str, table: TableToRead) -> RowFilter:
        """Parse a SQL condition.

        Raises:
            NotReadable: it cannot be evaluated on rows exactly, or is not a condition on the table's columns.
        """
        try:
            condition = _Reader(table.name, format_reader(table).schema(table)).read(parse_sql(text))
        except FilterInvalid as problem:
            raise NotReadable(table.name, f"option filter: {problem.message}") from problem
        more = [name for name in dict.fromkeys(_columns(condition)) if name not in table.columns]
        return cls(replace(table, columns=(*table.columns, *more)), len(table.columns), condition)

    @classmethod
    def of_conjuncts(cls, text: str, table: TableToRead) -> tuple[RowFilter, ...]:
        """Return the conjuncts of a SQL condition that can be evaluated on rows; the others are omitted."""
        try:
            predicate = parse_sql(text)
        except FilterInvalid:
            return ()
        reader, found = _Reader(table.name, format_reader(table).schema(table)), []
        for part in predicate.children if isinstance(predicate, And) else (predicate,):
            with suppress(FilterInvalid, NotReadable):
                found.append(cls(table, len(table.columns), reader.read(part)))
        return tuple(found)

    def may_hold(self, stats_of: StatsOf) -> bool:
        """Return whether the condition may be true for any of the rows that the statistics describe."""
        return _outcomes(self.condition, stats_of)[0]

    def applied(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of a batch of :attr:`table` that match, without the columns that only the condition needs."""
        names = batch.schema.names
        given = [*names[: self.wanted], *names[len(self.table.columns) :]]
        mask = _evaluated(self.condition, dict(zip(names, batch.columns, strict=True)), batch.num_rows)
        return batch.select(given).filter(mask)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A comparison or test of one column.

    Attributes:
        path: the field's names, from the top-level column down.
        bound: the bound predicate: FALSE, a leaf, or an Or of leaves.
        null_is_unknown: True for comparisons, whose result for null is null.
        false_is_unknown: null is among the values of IN, so the result is null instead of false.
    """

    path: tuple[str, ...]
    bound: Bound
    null_is_unknown: bool
    false_is_unknown: bool = False


@dataclass(frozen=True, slots=True)
class _AndOr:
    children: tuple[_Condition, ...]
    is_and: bool


@dataclass(frozen=True, slots=True)
class _Like:
    """LIKE with a pattern without escapes."""

    path: tuple[str, ...]
    pattern: str


@dataclass(frozen=True, slots=True)
class _Not:
    child: _Condition


@dataclass(frozen=True, slots=True)
class _Constant:
    value: bool | None


_Condition = _Comparison | _Like | _AndOr | _Not | _Constant


def _columns(condition: _Condition) -> Iterator[str]:
    match condition:
        case _Comparison(path=path) | _Like(path=path):
            yield path[0]
        case _AndOr(children=children):
            for child in children:
                yield from _columns(child)
        case _Not(child=child):
            yield from _columns(child)


class _Reader:
    """Translates a predicate to a condition; refuses what cannot be evaluated exactly as Spark does."""

    def __init__(self, table: str, schema: Schema) -> None:
        self._table = table
        self._schema = schema
        self._paths = dict(_paths(schema))

    def read(self, node: Predicate) -> _Condition:
        match node:
            case AlwaysTrue() | AlwaysFalse():
                return _Constant(isinstance(node, AlwaysTrue))
            case Unknown():
                return _Constant(None)
            case And(children=children) | Or(children=children):
                return _AndOr(tuple(map(self.read, children)), isinstance(node, And))
            case Not(child=child):
                return _Not(self.read(child))
            case Opaque(text=text):
                return self._like(node) or self._reject(text)
        return self._leaf(node)

    def _like(self, node: Opaque) -> _Condition | None:
        """Return the condition for ``column LIKE pattern``; None for others."""
        if node.pattern is None:
            return None
        [(name, where)] = node.names
        path = self._path(Leaf(Op.IS_NULL, name, where=where, text=node.text))
        bound = bind(Leaf(Op.IS_NULL, name, where=where), self._schema, case_sensitive=False)
        is_text = isinstance(bound, BoundLeaf) and bound.type.kind is Kind.STRING
        return _Like(path, node.pattern) if is_text else None

    def _reject(self, text: str) -> NoReturn:
        raise self._not_evaluable(text)

    def _leaf(self, leaf: Leaf) -> _Condition:
        if leaf.op in NEGATIVE:
            return _Not(self._leaf(replace(leaf, op=NEGATED[leaf.op])))
        path = self._path(leaf)
        known = tuple(literal for literal in leaf.literals if literal.kind != "null")
        if leaf.op not in UNARY and not known:
            return _Constant(None)
        if leaf.op is Op.LT and _is_nan(known[0].value):
            raise self._not_evaluable(leaf.text)
        bound = bind(replace(leaf, literals=known), self._schema, case_sensitive=False)
        if not all(map(_is_exact, _parts(bound))):
            raise self._not_evaluable(leaf.text)
        return _Comparison(path, bound, leaf.op not in UNARY, len(known) < len(leaf.literals))

    def _path(self, leaf: Leaf) -> tuple[str, ...]:
        column = bind(Leaf(Op.IS_NULL, leaf.name, where=leaf.where), self._schema, case_sensitive=False)
        if not isinstance(column, BoundLeaf) or column.field_id not in self._paths:
            raise self._not_evaluable(leaf.text)
        return self._paths[column.field_id]

    def _not_evaluable(self, text: str) -> NotReadable:
        how = "use where(...) of the DataFrame"
        return NotReadable(self._table, f"option filter: {text[:200]!r} cannot be evaluated on rows: {how}")


def _parts(bound: Bound) -> Iterator[Bound]:
    if isinstance(bound, BoundOr):
        for child in bound.children:
            yield from _parts(child)
    else:
        yield bound


def _is_exact(part: Bound) -> bool:
    """Return whether a leaf holds for exactly the rows that Spark would match; ``maybe`` leaves on NaN do."""
    if not isinstance(part, BoundLeaf):
        return isinstance(part, AlwaysFalse)
    if part.transform is not None or (part.type.kind in _INSTANTS and part.type.unit == "ns"):
        return False
    return not part.maybe or part.op in (Op.IS_NAN, Op.NOT_NULL)


def _paths(schema: Schema) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the id and the path of names of every field outside lists and maps."""
    pending: list[tuple[tuple[str, ...], Field]] = [((field.name,), field) for field in schema.fields]
    while pending:
        path, field = pending.pop()
        yield field.field_id, path
        if isinstance(field.type, StructType):
            pending += [((*path, inner.name), inner) for inner in field.type.fields]


def _outcomes(condition: _Condition, stats_of: StatsOf) -> tuple[bool, bool]:
    """Return whether a condition may be true, and whether it may be false, for any row that the statistics describe."""
    match condition:
        case _Constant(value=value):
            return value is True, value is False
        case _Like():
            return True, True
        case _Not(child=child):
            true, false = _outcomes(child, stats_of)
            return false, true
        case _AndOr(children=children, is_and=is_and):
            true_of, false_of = zip(*(_outcomes(child, stats_of) for child in children), strict=True)
            return (all(true_of), any(false_of)) if is_and else (any(true_of), all(false_of))
    leaves = [part for part in _parts(condition.bound) if isinstance(part, BoundLeaf)]
    known = stats_of(leaves[0].field_id) if leaves else None
    if condition.null_is_unknown and known is not None and known.nulls == known.count:
        return False, False
    holds, fails = zip(*(outcomes(leaf, known) for leaf in leaves), strict=True) if leaves else ((), ())
    return any(holds), all(fails) and not condition.false_is_unknown


def _evaluated(condition: _Condition, columns: Mapping[str, pa.Array], length: int) -> pa.Array:
    """Return true, false or null for each row."""
    match condition:
        case _Constant(value=value):
            return pa.array([value] * length, pa.bool_())
        case _Not(child=child):
            return pc.invert(_evaluated(child, columns, length))
        case _AndOr(children=children, is_and=is_and):
            joined, *others = (_evaluated(child, columns, length) for child in children)
            for one in others:
                joined = pc.and_kleene(joined, one) if is_and else pc.or_kleene(joined, one)
            return joined
    values = columns[condition.path[0]]
    for name in condition.path[1:]:
        values = pc.struct_field(values, name)
    if isinstance(condition, _Like):
        return pc.match_like(values, condition.pattern)
    answer = _compared(condition.bound, values)
    if condition.false_is_unknown:
        answer = pc.if_else(answer, pa.scalar(True), _UNKNOWN)
    return pc.if_else(pc.is_null(values), _UNKNOWN, answer) if condition.null_is_unknown else answer


def _compared(bound: Bound, values: pa.Array) -> pa.Array:
    """Return true or false for each value; the caller corrects the results for nulls."""
    answers = [_leaf_mask(part, values) for part in _parts(bound) if isinstance(part, BoundLeaf)]
    joined = pa.array([False] * len(values), pa.bool_())
    for one in answers:
        joined = pc.or_(joined, pc.fill_null(one, False))
    return joined


def _leaf_mask(leaf: BoundLeaf, values: pa.Array) -> pa.Array:
    match leaf.op:
        case Op.IS_NULL:
            return pc.is_null(values)
        case Op.NOT_NULL:
            return pc.is_valid(values)
        case Op.IS_NAN:
            return pc.is_nan(values)
        case Op.NOT_NAN:
            return pc.invert(pc.fill_null(pc.is_nan(values), False))
        case Op.STARTS_WITH:
            return pc.starts_with(values, pattern=leaf.values[0])
        case Op.EQ:
            return pc.equal(values, _scalar(leaf, leaf.values[0], values.type))
        case Op.IN if not pa.types.is_floating(values.type):
            listed = [_scalar(leaf, value, values.type) for value in leaf.values]
            return pc.is_in(values, value_set=pa.array(listed, values.type))
        case Op.IN:  # is_in would distinguish the two zeros
            answers = [pc.equal(values, _scalar(leaf, value, values.type)) for value in leaf.values]
            return reduce(pc.or_, answers)
    return _COMPARED[leaf.op](values, _scalar(leaf, leaf.values[0], values.type))


def _scalar(leaf: BoundLeaf, value: object, of: pa.DataType) -> pa.Scalar:
    """Return a constant in internal form as a scalar of the Arrow type that the column is read as."""
    if isinstance(value, UUID):
        return pa.scalar(str(value), of)
    if pa.types.is_date32(of):
        return pa.scalar(value, pa.int32()).cast(of)
    if pa.types.is_timestamp(of):
        assert isinstance(value, int)
        return pa.scalar(value * (1000 if leaf.type.unit == "ms" else 1), pa.int64()).cast(of)
    return pa.scalar(value, of)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
