"""The oracle's own predicates: random ones, their form for the binder, and their truth for a row.

Nothing but the names of operators comes from the code under test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from lakemuster.metadata.transforms import transformed_type
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.predicates import And, Leaf, Literal, Not, Op, Or, Predicate
from tests.unit.planner.oracle.model import Row, Table
from tests.unit.planner.oracle.values import (
    EXTREMES,
    chance,
    is_nan,
    literal,
    some_value,
    transformed,
    transforms_of,
)

OPPOSITE = {
    Op.IS_NULL: Op.NOT_NULL, Op.IS_NAN: Op.NOT_NAN, Op.EQ: Op.NOT_EQ, Op.LT: Op.GT_EQ, Op.GT: Op.LT_EQ,
    Op.IN: Op.NOT_IN, Op.STARTS_WITH: Op.NOT_STARTS_WITH,
}  # fmt: skip
OPPOSITE |= {b: a for a, b in OPPOSITE.items()}
NEGATIVE = (Op.NOT_EQ, Op.NOT_IN, Op.NOT_STARTS_WITH)
COMPARISONS: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: lambda a, b: a == b,
    Op.LT: lambda a, b: a < b,
    Op.LT_EQ: lambda a, b: a <= b,
    Op.GT: lambda a, b: a > b,
    Op.GT_EQ: lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Asked:
    """A comparison of a column, or its transform, with constants of that type; ``missing``: one constant is NULL."""

    op: Op
    field_id: int
    path: str
    type: Primitive
    values: tuple[Any, ...] = ()
    transform: str | None = None
    missing: bool = False


@dataclass(frozen=True)
class Every:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Some:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Denied:
    part: Node


Node = Asked | Every | Some | Denied


@dataclass(frozen=True)
class Reading:
    """A reading of nulls and NaN.

    Attributes:
        nulls: whether nulls match negations, as in Iceberg's expressions; else they are UNKNOWN, as in SQL.
        nan: ``ieee`` makes comparisons false; ``greatest`` is above all numbers and equal to itself;
            ``iceberg`` matches negative comparisons only, including those that NOT makes, and is ``greatest`` where
            constants are NaN.
    """

    nulls: bool
    nan: str


def some_node(rng: Random, table: Table, depth: int = 2) -> Node:
    kind = rng.randrange(8)
    if depth == 0 or kind < 4:
        return some_leaf(rng, table)
    parts = tuple(some_node(rng, table, depth - 1) for _ in range(rng.choice([1, 2, 2, 3])))
    return Denied(parts[0]) if kind == 4 else Every(parts) if kind < 7 else Some(parts)


def some_leaf(rng: Random, table: Table) -> Asked:
    sources = sorted({i for spec in table.specs for own in spec.fields for i in own.source_ids} & table.columns.keys())
    field_id = rng.choice(sources if sources and chance(rng, 40) else sorted(table.columns))
    path, column = table.columns[field_id]
    transform, of = None, column
    if chance(rng, 8) and (known := [one for one in transforms_of(column) if one not in ("void", "identity")]):
        transform = rng.choice([one for one in known if not wraps(table, field_id, column, one)])
        of = result_of(transform, column)
    ops = [Op.IS_NULL, Op.NOT_NULL, Op.EQ, Op.NOT_EQ, Op.NOT_EQ, Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.IN, Op.NOT_IN]
    ops += [Op.IS_NAN, Op.NOT_NAN] if is_float(of) else []
    ops += [Op.STARTS_WITH, Op.NOT_STARTS_WITH] if of.kind in (Kind.STRING, Kind.BINARY) else []
    op = rng.choice(ops)
    if op in (Op.IS_NULL, Op.NOT_NULL, Op.IS_NAN, Op.NOT_NAN):
        return Asked(op, field_id, path, column, (), transform)
    count = rng.choice([1, 2, 3]) if op in (Op.IN, Op.NOT_IN) else 1
    values = [
        some_value(rng, column, nulls=False) if chance(rng, 30) else near_value(rng, table, field_id, column)
        for _ in range(count)
    ]
    if transform is not None:
        values = [transformed(transform, column, value) for value in values]
    missing = chance(rng, 3)
    return Asked(op, field_id, path, column, tuple(values[: count - missing]), transform, missing)


def result_of(transform: str, source: Primitive) -> Primitive:
    found = transformed_type(transform, source)
    assert found is not None
    return found


def wraps(table: Table, field_id: int, of: Primitive, transform: str) -> bool:
    """Return whether truncation may go below the type's minimum, where writers and readers differ."""
    least = EXTREMES[of.text][0] if of.kind in (Kind.INT, Kind.LONG) else None
    values = [row[field_id] for file in table.files for row in table.rows_of(file)]
    return least is not None and least in values and transform.startswith("truncate")


def near_value(rng: Random, table: Table, field_id: int, of: Primitive) -> Any:
    """Return a value of the column in one of the files, or any value of the type."""
    file = rng.choice(table.files) if table.files else None
    rows = table.rows_of(file) if file is not None else []
    value = rng.choice(rows)[field_id] if rows else None
    return some_value(rng, of, nulls=False) if value is None else value


def is_float(of: Primitive) -> bool:
    return of.kind in (Kind.FLOAT, Kind.DOUBLE)


def leaves_of(node: Node) -> Iterator[Asked]:
    match node:
        case Asked():
            yield node
        case Denied(part=part):
            yield from leaves_of(part)
        case _:
            for part in node.parts:
                yield from leaves_of(part)


def spoken(node: Node) -> Predicate:
    """Return the predicate in the form that callers pass to the binder."""
    match node:
        case Every(parts=parts):
            return And(tuple(map(spoken, parts)))
        case Some(parts=parts):
            return Or(tuple(map(spoken, parts)))
        case Denied(part=part):
            return Not(spoken(part))
    of = node.type if node.transform is None else result_of(node.transform, node.type)
    literals = tuple(literal(of, value) for value in node.values)
    if node.missing:
        literals = (*literals, Literal(None, "null"))
    return Leaf(node.op, node.path, literals, node.transform)


def truth(node: Node, row: Row, reading: Reading, *, denied: bool = False) -> bool | None:
    """Return the truth of the node, or of its negation: True, False, or None for UNKNOWN."""
    match node:
        case Denied(part=part):
            return truth(part, row, reading, denied=not denied)
        case Every(parts=parts) | Some(parts=parts):
            found = [truth(part, row, reading, denied=denied) for part in parts]
            decisive = isinstance(node, Some) is not denied
            return decisive if decisive in found else None if None in found else not decisive
    return _asked(node, row[node.field_id], reading, denied)


def _asked(asked: Asked, value: Any, reading: Reading, denied: bool) -> bool | None:
    if asked.transform is not None:
        value = transformed(asked.transform, asked.type, value)
    op = OPPOSITE[asked.op] if denied else asked.op
    match op:
        case Op.IS_NULL | Op.NOT_NULL:
            return (value is None) is (op is Op.IS_NULL)
        case Op.IS_NAN | Op.NOT_NAN:
            return is_nan(value) is (op is Op.IS_NAN)
    if value is None:
        return True if reading.nulls and op in NEGATIVE else None
    nan = reading.nan
    if nan == "iceberg":
        if is_nan(value) and not any(map(is_nan, asked.values)):
            return None if asked.missing else op in NEGATIVE
        nan = "greatest"
    positive = asked.op not in NEGATIVE
    if asked.op in (Op.STARTS_WITH, Op.NOT_STARTS_WITH):
        found: bool | None = None if asked.missing else value.startswith(asked.values[0])
    else:
        single = asked.op if asked.op in COMPARISONS else Op.EQ
        found = any(compared(single, value, one, nan) for one in asked.values)
        found = True if found else None if asked.missing else False
    return None if found is None else found is (positive is not denied)


def compared(op: Op, value: Any, other: Any, nan: str) -> bool:
    if is_nan(value) or is_nan(other):
        if nan != "greatest":
            return False
        value, other = (2 if is_nan(value) else 1), (2 if is_nan(other) else 1)
    return COMPARISONS[op](value, other)
