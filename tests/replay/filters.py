"""Random filters on a table's columns: SQL text, and expressions of the Iceberg REST catalog in both grammars.

Constants are values from responses and values near them, so that some files match and some are pruned.
"""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from typing import Any

from tests.replay.learned import Table

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
NAN_MODES = ("any", "greatest", "unordered", "none")
_EXPRESSIONS = {"=": "eq", "!=": "not-eq", "<": "lt", "<=": "lt-eq", ">": "gt", ">=": "gt-eq"}
_INTEGERS = ("int", "long", "bigint", "smallint", "tinyint")
_TRANSFORMS = ("bucket[4]", "truncate[3]", "day", "month", "year", "hour", "identity")


def kind_of(data_type: str) -> str:
    """Return the kind of constants that a type has, for the types of both formats."""
    text = data_type.lower().removesuffix(" not null")
    if text in _INTEGERS or text.startswith("integer"):
        return "integer"
    if text in ("float", "double"):
        return "float"
    if text.startswith("timestamp"):
        return "timestamptz" if text.startswith("timestamptz") or "local" in text else "timestamp"
    for name in ("decimal", "date", "time", "boolean", "uuid"):
        if text.startswith(name):
            return name
    if text.startswith(("binary", "fixed", "bytes", "varbinary")):
        return "binary"
    return "nested" if text.startswith(("nested", "array", "map", "row")) else "text"


class Filters:
    """Generates filters for one table."""

    def __init__(self, rng: random.Random, table: Table) -> None:
        self._rng = rng
        self._table = table
        known = [name for name in table.columns if table.values.get(name)]
        self._known = known or list(table.columns) or ["id"]
        self._columns = list(table.columns) or ["id"]

    def sql(self) -> str:
        """Return an SQL condition, sometimes an invalid one or one that cannot prune."""
        rng = self._rng
        parts = [self._condition() for _ in range(rng.choices((1, 2, 3, 5), (55, 28, 12, 5))[0])]
        text = parts[0]
        for part in parts[1:]:
            joined = f"{text} {rng.choice(('AND', 'AND', 'OR'))} {part}"
            text = f"({joined})" if rng.random() < 0.3 else joined
        return f"NOT ({text})" if rng.random() < 0.1 else text

    def json(self) -> dict[str, Any]:
        """Return a JSON expression."""
        rng = self._rng
        tree = self._leaf()
        for _ in range(rng.choices((0, 1, 2), (60, 30, 10))[0]):
            tree = {"type": rng.choice(("and", "or")), "left": tree, "right": self._leaf()}
        return {"type": "not", "child": tree} if rng.random() < 0.1 else tree

    def either(self) -> str | dict[str, Any]:
        """Return SQL or a JSON expression."""
        return self.sql() if self._rng.random() < 0.7 else self.json()

    def text(self) -> str:
        """Return a filter as the value of a query parameter."""
        found = self.either()
        return found if isinstance(found, str) else json.dumps(found)

    def column(self) -> str:
        """Return the name of a column, mostly of one with known values."""
        return self._rng.choice(self._known if self._rng.random() < 0.85 else self._columns)

    def names(self) -> list[str]:
        """Return the names of some columns."""
        return self._rng.sample(self._columns, min(len(self._columns), self._rng.randint(1, 4)))

    def _condition(self) -> str:
        rng, name = self._rng, self.column()
        column = self._quoted(name)
        case = rng.choices(range(10), (42, 10, 8, 8, 9, 5, 5, 4, 5, 4))[0]
        match case if self._fits(name, {4: "text", 8: "float"}.get(case)) else 0:
            case 0:
                return f"{column} {rng.choice(COMPARISONS)} {self._literal(name)}"
            case 1:
                listed = ", ".join(self._literal(name) for _ in range(rng.randint(1, 6)))
                return f"{column} {rng.choice(('IN', 'IN', 'NOT IN'))} ({listed})"
            case 2:
                return f"{column} BETWEEN {self._literal(name)} AND {self._literal(name)}"
            case 3:
                return f"{column} IS {rng.choice(('NULL', 'NOT NULL'))}"
            case 4:
                start = str(self._value(name))[: rng.randint(1, 4)].replace("'", "''")
                return f"{column} LIKE '{start}%'"
            case 5:
                return f"length({column}) > {rng.randint(0, 9)}"
            case 6:
                return f"{self._literal(name)} {rng.choice(COMPARISONS)} {column}"
            case 7:
                return f"{column} <=> {rng.choice((self._literal(name), 'NULL'))}"
            case 8:
                return f"isnan({column})"
            case _:
                start = str(self._value(name))[:3].replace("'", "''")
                return rng.choice((f"starts_with({column}, '{start}')", f"{column} = {self._quoted(self.column())}"))

    def _leaf(self) -> dict[str, Any]:
        rng, name = self._rng, self.column()
        term: Any = name
        match rng.choices(range(4), (75, 10, 8, 7))[0]:
            case 1:
                term = {"type": "reference", "term": name}
            case 2:
                term = {"type": "transform", "transform": rng.choice(_TRANSFORMS), "term": name}
            case 3:
                term = {"type": "reference", "name": name}
        case = rng.choices(range(5), (60, 14, 12, 8, 6))[0]
        match case if self._fits(name, {3: "text", 4: "float"}.get(case)) else 0:
            case 0:
                return {"type": _EXPRESSIONS[rng.choice(COMPARISONS)], "term": term, "value": self._value(name)}
            case 1:
                values = [self._value(name) for _ in range(rng.randint(1, 5))]
                return {"type": rng.choice(("in", "not-in")), "term": term, "values": values}
            case 2:
                return {"type": rng.choice(("is-null", "not-null")), "term": term}
            case 3:
                start = str(self._value(name))[:3]
                return {"type": rng.choice(("starts-with", "not-starts-with")), "term": term, "value": start}
            case _:
                return {"type": rng.choice(("is-nan", "not-nan")), "term": term}

    def _fits(self, name: str, kind: str | None) -> bool:
        """Return whether to use a condition that only columns of one kind allow; sometimes True for other kinds."""
        return kind is None or kind_of(self._table.columns.get(name, "")) == kind or self._rng.random() < 0.1

    def _value(self, name: str) -> Any:
        """Return a value of a column, or one near it."""
        rng, known = self._rng, self._table.values.get(name)
        kind = kind_of(self._table.columns.get(name, "string"))
        value = rng.choice(known) if known else _made(rng, kind)
        return value if rng.random() < 0.6 else _beside(rng, kind, value)

    def _literal(self, name: str) -> str:
        value, kind = self._value(name), kind_of(self._table.columns.get(name, "string"))
        text = str(value).replace("'", "''")
        if isinstance(value, bool):
            return str(value).upper()
        if kind in ("integer", "float", "decimal") and text.lstrip("-")[:1].isdigit():
            return text
        if kind in ("date", "time", "timestamp", "timestamptz") and self._rng.random() < 0.6:
            word = {"date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP"}[kind]
            return f"{word} '{text}'"
        return f"X'{text}'" if kind == "binary" else f"'{text}'"

    def _quoted(self, name: str) -> str:
        plain = all(part.isidentifier() for part in name.split("."))
        return name if plain and self._rng.random() < 0.9 else ".".join(f'"{part}"' for part in name.split("."))


def _made(rng: random.Random, kind: str) -> Any:
    match kind:
        case "integer":
            return rng.randint(-5, 500)
        case "float":
            return round(rng.uniform(-5, 500), 2)
        case "decimal":
            return f"{rng.uniform(0, 500):.2f}"
        case "boolean":
            return rng.random() < 0.5
        case "date":
            return str(date(2024, 5, 1) + timedelta(days=rng.randint(-9, 9)))
        case "time":
            return f"{rng.randint(0, 23):02d}:30:00"
        case "timestamp":
            return f"2024-05-{rng.randint(1, 28):02d}T12:00:00"
        case "timestamptz":
            return f"2024-05-{rng.randint(1, 28):02d}T12:00:00+00:00"
        case "uuid":
            return f"{rng.getrandbits(32):08x}-0000-4000-8000-000000000000"
        case "binary":
            return f"{rng.getrandbits(24):06x}"
    return rng.choice(("a", "Z", "été", "new", "2024", ""))


def _beside(rng: random.Random, kind: str, value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + rng.choice((-100, -1, 1, 7))
    if isinstance(value, float):
        return value + rng.choice((-1.5, 0.25, 1.0))
    if kind == "text" and isinstance(value, str):
        return rng.choice((value[:-1], value + "~", value.upper()))
    return _made(rng, kind)
