"""Random predicates with literals from the rows or near them, as SQL text and as lists for Java."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

COMPARISONS = ["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True)
class Predicate:
    """A predicate in both forms, and its leaves."""

    sql: str
    java: list[Any]
    leaves: list[list[Any]]


class Writer:
    """A generator of predicates on a table, from its columns (name and SQL type) and its rows as Java returns them."""

    def __init__(self, columns: Sequence[Sequence[str]], rows: Sequence[Sequence[Any]], seed: int) -> None:
        self.random = random.Random(seed)
        self.types = {name: kind.removesuffix(" NOT NULL") for name, kind in columns}
        self.pools: Mapping[str, list[str]] = {
            name: self._pool(name, {str(row[place]) for row in rows if row[place] is not None})
            for place, name in enumerate(self.types)
        }

    def _pool(self, name: str, values: set[str]) -> list[str]:
        kind = self.types[name]
        known = sorted(values)
        some = self.random.sample(known, min(len(known), 12))
        near: set[str] = set()
        for text in some:
            near.update(neighbours(text, kind))
        return sorted(near) or [neutral(kind)]

    def predicate(self, depth: int = 2) -> Predicate:
        """Return a leaf, or up to three predicates joined by AND or OR."""
        if depth and self.random.random() < 0.45:
            operator = self.random.choice(["and", "and", "or"])
            parts = [self.predicate(depth - 1) for _ in range(self.random.choice([2, 2, 3]))]
            return Predicate(
                "(" + f" {operator.upper()} ".join(part.sql for part in parts) + ")",
                [operator, *(part.java for part in parts)],
                [leaf for part in parts for leaf in part.leaves],
            )
        return self.leaf(self.random.choice(list(self.types)))

    def leaf(self, name: str) -> Predicate:
        """Return a predicate on one column."""
        kind, pool = self.types[name], self.pools[name]
        operators = [*COMPARISONS, "=", "in", "in", "not in", "between", "is null", "is not null"]
        if is_text(kind):
            operators += ["starts with"] * 2
        if kind == "BOOLEAN":
            operators = ["=", "<>", "is null", "is not null"]
        operator = self.random.choice(operators)
        quoted = f'"{name}"'
        if operator in COMPARISONS:
            literal = self.random.choice(pool)
            sql, literals = f"{quoted} {operator} {said(literal, kind)}", [literal]
        elif operator in {"in", "not in"}:
            literals = [self.random.choice(pool) for _ in range(self.random.randint(1, 4))]
            listed = ", ".join(said(literal, kind) for literal in literals)
            sql = f"{quoted} {operator.upper()} ({listed})"
        elif operator == "between":
            literals = [self.random.choice(pool) for _ in range(2)]
            sql = f"{quoted} BETWEEN {said(literals[0], kind)} AND {said(literals[1], kind)}"
        elif operator == "starts with":
            literals = [self.random.choice(pool)[: self.random.randint(1, 20)].replace("%", "").replace("_", "")]
            sql = f"{quoted} LIKE {said(literals[0] + '%', kind)}"
        else:
            literals, sql = [], f"{quoted} {operator.upper()}"
        java = [operator, name, *literals]
        return Predicate(sql, java, [java])


def is_text(kind: str) -> bool:
    """Tell whether the type is a character type."""
    return kind.startswith(("STRING", "VARCHAR", "CHAR"))


def is_bytes(kind: str) -> bool:
    """Tell whether the type is binary; the tables store ASCII in such columns."""
    return kind.startswith(("BYTES", "VARBINARY", "BINARY"))


def neutral(kind: str) -> str:
    """Return a literal for a column that has only nulls."""
    if kind.startswith("TIMESTAMP"):
        return "2024-01-01 00:00:00"
    return {"DATE": "2024-01-01", "BOOLEAN": "true"}.get(kind, "1")


def neighbours(text: str, kind: str) -> list[str]:
    """Return a value from Java and some values near it, in Java's text form."""
    if kind == "DATE":
        day = dt.date.fromisoformat(text)
        return [str(day + dt.timedelta(days=n)) for n in (-1, 0, 1)]
    if kind.startswith("TIMESTAMP"):
        instant = dt.datetime.fromisoformat(text)
        step = dt.timedelta(milliseconds=1) if "(3)" in kind else dt.timedelta(microseconds=1)
        return [(instant + n * step).isoformat(" ", "microseconds") for n in (-1, 0, 1)]
    if kind in {"FLOAT", "DOUBLE"}:
        if text == "NaN":
            return []
        return [str(float(text) + near) for near in (-0.125, 0.0, 0.125)]
    if kind.startswith("DECIMAL"):
        least = Decimal(1).scaleb(Decimal(text).as_tuple().exponent)  # type: ignore[arg-type]
        return [str(Decimal(text) + n * least) for n in (-1, 0, 1)]
    if is_bytes(kind):
        word = bytes.fromhex(text).decode("ascii")
        return [word, word[:3], word + "a"]
    if kind.startswith("CHAR("):
        return [text, text[:-1] + "0"]  # a CHAR literal of another length is invalid
    if is_text(kind):
        return [word for word in (text, text[:2], text[:17], text + "a") if word]
    if kind == "BOOLEAN":
        return ["true", "false"]
    ends = {"TINYINT": 2**7, "SMALLINT": 2**15, "INT": 2**31, "BIGINT": 2**63}[kind]
    return [str(near) for near in (int(text) - 1, int(text), int(text) + 1) if -ends <= near < ends]


def said(literal: str, kind: str) -> str:
    """Return a literal in SQL."""
    if is_bytes(kind):
        return f"X'{literal.encode().hex()}'"
    if is_text(kind):
        return "'" + literal.replace("'", "''") + "'"
    if kind == "DATE":
        return f"DATE '{literal}'"
    if kind.endswith("WITH LOCAL TIME ZONE"):
        return f"TIMESTAMP '{literal}+00:00'"
    if kind.startswith("TIMESTAMP"):
        return f"TIMESTAMP '{literal}'"
    return literal
