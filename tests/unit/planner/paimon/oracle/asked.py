"""The oracle's own predicates: random ones, their SQL text, and their truth for a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.unit.planner.paimon.oracle.model import Column, Row, Table
from tests.unit.planner.paimon.oracle.values import POOLS, chance, is_nan, shown

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Asked:
    """A condition on a column with constants of its type.

    ``op`` is a comparison, ``IN``, ``LIKE`` (a prefix) or ``IS NULL``; ``no`` negates the last three.
    """

    op: str
    column: Column
    values: tuple[Any, ...] = ()
    no: bool = False


@dataclass(frozen=True)
class Joined:
    """A conjunction or disjunction; ``word`` is ``AND`` or ``OR``."""

    word: str
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Denied:
    part: Node


Node = Asked | Joined | Denied


def sql(node: Node) -> str:
    match node:
        case Denied(part=part):
            return f"NOT ({sql(part)})"
        case Joined(word=word, parts=parts):
            return "(" + f" {word} ".join(map(sql, parts)) + ")"
    name, values = f'"{node.column.name}"', [shown(value, node.column.type) for value in node.values]
    match node.op:
        case "IS NULL":
            return f"{name} IS {'NOT ' if node.no else ''}NULL"
        case "IN":
            return f"{name} {'NOT ' if node.no else ''}IN ({', '.join(values)})"
        case "LIKE":
            return f"{name} {'NOT ' if node.no else ''}LIKE {values[0][:-1]}%'"
    return f"{name} {node.op} {values[0]}"


def truth(node: Node, row: Row, *, nan_is_greatest: bool = False) -> bool | None:
    """Return the truth of a predicate: True, False, or None for UNKNOWN."""
    match node:
        case Denied(part=part):
            found = truth(part, row, nan_is_greatest=nan_is_greatest)
            return None if found is None else not found
        case Joined(word=word, parts=parts):
            answers = [truth(part, row, nan_is_greatest=nan_is_greatest) for part in parts]
            decisive = word == "OR"
            return decisive if decisive in answers else None if None in answers else not decisive
    value = row[node.column.field_id]
    if node.op == "IS NULL":
        return (value is None) is not node.no
    if value is None:
        return None
    if node.op == "LIKE":
        return value.startswith(node.values[0]) is not node.no
    if node.op == "IN":
        known = [one for one in node.values if one is not None]
        if any(compared("=", value, one, nan_is_greatest) for one in known):
            return not node.no
        return node.no if len(known) == len(node.values) else None
    return compared(node.op, value, node.values[0], nan_is_greatest)


def compared(op: str, value: Any, limit: Any, nan_is_greatest: bool) -> bool:
    if is_nan(value):
        return op in (("!=", ">", ">=") if nan_is_greatest else ("!=",))
    match op:
        case "=":
            return bool(value == limit)
        case "!=":
            return bool(value != limit)
        case "<":
            return bool(value < limit)
        case "<=":
            return bool(value <= limit)
        case ">":
            return bool(value > limit)
    return bool(value >= limit)


def matching(node: Node, rows: list[Row]) -> list[Row]:
    """Return the rows that the predicate selects under some reading of NaN."""
    return [row for row in rows if truth(node, row) or truth(node, row, nan_is_greatest=True)]


def columns_of(node: Node) -> Iterator[int]:
    match node:
        case Asked():
            yield node.column.field_id
        case Denied(part=part):
            yield from columns_of(part)
        case Joined(parts=parts):
            for part in parts:
                yield from columns_of(part)


def some_node(rng: Random, table: Table, rows: list[Row], depth: int = 2) -> Node:
    kind = rng.randrange(9)
    if depth == 2 and rows and chance(rng, 15):
        return some_row(rng, table, rows)
    if depth == 0 or kind < 4:
        return some_leaf(rng, table, rows)
    parts = tuple(some_node(rng, table, rows, depth - 1) for _ in range(rng.choice([1, 2, 2, 3])))
    if kind == 4:
        return Denied(parts[0])
    return Joined("AND" if kind < 7 else "OR", parts)


def some_row(rng: Random, table: Table, rows: list[Row]) -> Node:
    """Return a conjunction on two columns of one row, whose values may come from two files after a merge."""
    row = rng.choice(rows)
    free = [c for c in table.current.columns if c.field_id not in table.keys and c.type not in ("BLOB", "DOUBLE")]
    chosen = rng.sample(free, min(2, len(free)))
    parts = [Asked("IS NULL", c) if row[c.field_id] is None else Asked("=", c, (row[c.field_id],)) for c in chosen]
    return Joined("AND", tuple(parts)) if parts else some_leaf(rng, table, rows)


def some_leaf(rng: Random, table: Table, rows: list[Row]) -> Asked:
    special = [c for c in table.current.columns if c.field_id in (*table.partition, *table.keys, *table.bucket_key)]
    changed = [c for c in table.current.columns if c != table.versions[0].by_id(c.field_id)]
    chosen = changed if changed and chance(rng, 35) else special if special and chance(rng, 45) else []
    column = rng.choice(chosen or list(table.current.columns))
    ops = ["=", "=", "!=", "<", "<=", ">", ">=", "IN", "IN", "IS NULL"]
    if column.type in ("STRING", "NUMERAL"):
        ops += ["LIKE", "LIKE"]
    op = "IS NULL" if column.type == "BLOB" else rng.choice(ops)
    no = op in ("IN", "LIKE", "IS NULL") and chance(rng, 35)
    if op == "IS NULL":
        return Asked(op, column, (), no)
    values = [some_limit(rng, column, rows) for _ in range(rng.choice([1, 2, 3]) if op == "IN" else 1)]
    if op == "LIKE":
        values = [values[0][: rng.choice([1, 1, 2])]]
        if not values[0] or set(values[0]) & set("%_\\'"):
            values = ["a"]
    if op == "IN" and chance(rng, 4):
        values.append(None)
    return Asked(op, column, tuple(values), no)


def some_limit(rng: Random, column: Column, rows: list[Row]) -> Any:
    """Return a finite value from one of the rows, or any of the type."""
    found = rng.choice(rows)[column.field_id] if rows and chance(rng, 65) else None
    pool = [v for v in POOLS[column.type] if not isinstance(v, float) or (not is_nan(v) and abs(v) < 10)]
    if found is None or (isinstance(found, float) and (is_nan(found) or abs(found) > 10**6)):
        return rng.choice(pool)
    return found
