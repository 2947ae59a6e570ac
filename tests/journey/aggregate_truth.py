"""Random filters and all aggregates over tables with real files, compared with DuckDB's results over the live rows.

DuckDB reads Iceberg tables with its own extension; of Paimon tables it gets the rows that pypaimon reads.
``nan=greatest`` is DuckDB's reading of NaN; answers with ``nan=any`` hold for it too.
"""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import pytest
from fastapi.testclient import TestClient

from lakemuster.caching import MEMORY
from lakemuster.catalog.services import Services
from tests.apps import create_app
from tests.duckdb import CONNECTED

FILTERS = int(os.environ.get("MUSTER_AGGREGATES", "300"))
"""The number of filters over all tables; each is asked for the count, and for extremes and nulls of three columns."""

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]
"""A function that sends ``POST /tables/{table}/statistics`` for a table and a body, and returns the response."""

TRUTH = (
    CONNECTED
    + """
import datetime, math

def plain(value):
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo is None else value.astimezone(datetime.timezone.utc)).isoformat()
    return value.isoformat() if isinstance(value, datetime.date) else value if value is None else (
        value if isinstance(value, (bool, int, str)) else str(value))

def shown(column, of):
    # Instants as Python values would need a package more.
    return f"(\\"{column}\\" AT TIME ZONE 'UTC')" if of.endswith("ZONE") else f'"{column}"'

def main(sources, questions):
    connection = connected()
    connection.execute("SET TimeZone = 'UTC'")
    found = {"columns": {}, "values": {}, "rows": {}, "answers": []}
    for name, source in sources.items():
        connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM {source}')
        described = connection.execute(f'DESCRIBE "{name}"').fetchall()
        found["columns"][name] = {row[0]: row[1] for row in described}
        found["rows"][name] = connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]
        found["values"][name] = {
            column: [plain(row[0]) for row in connection.execute(
                f'SELECT DISTINCT {shown(column, of)} FROM "{name}" WHERE "{column}" IS NOT NULL ORDER BY 1'
            ).fetchall()]
            for column, of in found["columns"][name].items()
            if not any(word in of for word in ("STRUCT", "MAP", "[", "BLOB", "UUID"))
        }
    for name, where, columns in questions:
        asked = ["count(*)"]
        for column in columns:
            value = shown(column, found["columns"][name][column])
            asked += [f"min({value})", f"max({value})", f'count(*) - count("{column}")']
        [row] = connection.execute(f'SELECT {", ".join(asked)} FROM "{name}" WHERE {where}').fetchall()
        found["answers"].append([plain(value) for value in row])
    return found
"""
)
_KINDS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIMESTAMP", "VARCHAR")
_FUNCTIONS = ("min", "max", "null_count")


@dataclass(frozen=True)
class Question:
    """A filter of a table, with the columns to aggregate.

    Attributes:
        where: SQL that both systems read alike.
        nan: the server's reading of NaN.
    """

    table: str
    where: str
    columns: tuple[str, ...]
    nan: str = "greatest"

    @property
    def aggregates(self) -> list[str]:
        """The aggregates to request, in the order of DuckDB's answer."""
        return ["count", *(f'{name}("{column}")' for column in self.columns for name in _FUNCTIONS)]


@dataclass(frozen=True)
class Columns:
    """The types and values in DuckDB of the columns that filters and aggregates use."""

    types: Mapping[str, str]
    values: Mapping[str, Sequence[Any]]

    def questions(self, table: str, dice: Random) -> Iterator[Question]:
        """Yield random filters without end, each with a few columns."""
        kinds = (*_KINDS, "BOOLEAN")
        names = [name for name in self.values if self.types[name].startswith(kinds) and name.isidentifier()]
        while True:
            columns = tuple(dice.sample(names, min(3, len(names))))
            yield Question(table, self._filter(dice, names, 2), columns, dice.choice(("greatest", "any")))

    def _filter(self, dice: Random, names: Sequence[str], depth: int) -> str:
        if depth and dice.random() < 0.45:
            parts = [self._filter(dice, names, depth - 1) for _ in range(dice.choice((2, 2, 3)))]
            joined = dice.choice((" AND ", " OR ")).join(f"({part})" for part in parts)
            return f"NOT ({joined})" if dice.random() < 0.2 else joined
        return self._leaf(dice, dice.choice(names))

    def _leaf(self, dice: Random, name: str) -> str:
        of, values = self.types[name], [value for value in self.values[name] if value != "NaN"]
        column = f'"{name}"'
        if not values or dice.random() < 0.12:
            return f"{column} IS {dice.choice(('', 'NOT '))}NULL"
        if of == "BOOLEAN":
            return f"{column} {dice.choice(('=', '!='))} {dice.choice(('TRUE', 'FALSE'))}"
        some = [_literal(_near(dice.choice(values), of, dice), of) for _ in range(3)]
        match dice.randrange(8):
            case 0:
                return f"{column} {dice.choice(('', 'NOT '))}IN ({', '.join(some)})"
            case 1:
                return f"{column} BETWEEN {some[0]} AND {some[1]}"
            case 2 if of == "VARCHAR":
                prefix = str(dice.choice(values))[: dice.randrange(1, 6)]
                if not set(prefix) & set("%_'\\"):
                    return f"{column} {dice.choice(('', 'NOT '))}LIKE '{prefix}%'"
        return f"{column} {dice.choice(('=', '!=', '<', '<=', '>', '>='))} {some[0]}"


def _near(value: Any, of: str, dice: Random) -> Any:
    """Return a value of the table, or one next to it."""
    step = dice.choice((-1, 0, 0, 0, 1))
    if step == 0 or of == "VARCHAR":
        return str(value)[: dice.randrange(1, 30)] if of == "VARCHAR" and dice.random() < 0.3 else value
    if of.startswith("DECIMAL"):
        number = Decimal(value)
        return str(number + step * Decimal(1).scaleb(number.as_tuple().exponent))  # type: ignore[arg-type]
    if of == "DATE":
        return (dt.date.fromisoformat(value) + dt.timedelta(days=step)).isoformat()
    if of.startswith("TIMESTAMP"):
        return (dt.datetime.fromisoformat(value) + dt.timedelta(microseconds=step)).isoformat()
    if of in ("FLOAT", "DOUBLE"):
        return value + step * 0.5
    return value + step


def _literal(value: Any, of: str) -> str:
    if of == "VARCHAR":
        return "'" + str(value).replace("'", "''") + "'"
    if of == "DATE":
        return f"DATE '{value}'"
    if of.startswith("TIMESTAMP"):
        return f"TIMESTAMPTZ '{value}+00:00'" if of.endswith("ZONE") else f"TIMESTAMP '{value}'"
    return repr(value) if isinstance(value, float) else str(value)


class Truth(NamedTuple):
    """Questions and DuckDB's results: the columns and row counts of the tables, and the answer to each question."""

    questions: Sequence[Question]
    found: Mapping[str, Any]


@dataclass
class Compared:
    """The numbers of exact answers and of intervals, by function."""

    exact: dict[str, int]
    intervals: dict[str, int]

    def add(self, text: str, *, exact: bool) -> None:
        """Count an answer."""
        counts = self.exact if exact else self.intervals
        name = text.partition("(")[0]
        counts[name] = counts.get(name, 0) + 1


def violations(ask: Ask, questions: Sequence[Question], truth: Mapping[str, Any], seen: Compared) -> Iterator[str]:
    """Yield each exact answer that is wrong, and each interval that does not contain the true value."""
    for question, row in zip(questions, truth["answers"], strict=True):
        types = truth["columns"][question.table]
        body = {"filter": question.where, "aggregates": question.aggregates, "nan": question.nan}
        answers = ask(question.table, body)["statistics"]
        kinds = ["BIGINT", *(of for name in question.columns for of in (types[name], types[name], "BIGINT"))]
        for answer, value, kind in zip(answers, row, kinds, strict=True):
            seen.add(answer["aggregate"], exact=answer["exact"])
            if not _holds(answer, value, kind):
                yield f"{question.table} WHERE {question.where}: {answer}, and it is {value!r}"


def asking(services: Services, names: Mapping[str, str]) -> Ask:
    """Return a function that asks a service about tables under other names."""
    http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")

    def asked(table: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = http.post(f"/api/v1/tables/{names[table]}/statistics", json=body)
        assert answer.status_code == 200, (table, body, answer.text)
        found: dict[str, Any] = answer.json()
        return found

    return asked


def true_answers(run_duckdb: Callable[..., Any], sources: Mapping[str, str], first_seed: int = 0) -> Truth:
    """Generate the same number of questions for each table, and have DuckDB answer them.

    Args:
        sources: DuckDB's queries of the tables, by name.
    """
    found = run_duckdb(TRUTH, sources=sources, questions=[])
    each = -(-FILTERS // len(sources))
    questions = [
        question
        for number, name in enumerate(sources, first_seed)
        for question in islice(
            Columns(found["columns"][name], found["values"][name]).questions(name, Random(number)), each
        )
    ]
    asked = [[one.table, one.where, one.columns] for one in questions]
    return Truth(questions, run_duckdb(TRUTH, sources=sources, questions=asked))


def check(ask: Ask, truth: Truth) -> None:
    """Check that exact answers are right, that intervals contain the true value, and that enough answers are exact."""
    seen = Compared({}, {})
    assert not list(islice(violations(ask, truth.questions, truth.found, seen), 5))
    assert len(truth.questions) >= FILTERS
    for function, share in {"count": 0.1, "null_count": 0.1, "min": 0.05, "max": 0.05}.items():
        exact, intervals = seen.exact[function], seen.intervals[function]
        assert exact >= share * (exact + intervals), seen


def is_noticed(plant: Callable[[pytest.MonkeyPatch], None], ask: Ask, truth: Truth) -> bool:
    """Return whether some answer is wrong while a bug is planted."""
    MEMORY.clear()
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        found = next(violations(ask, truth.questions, truth.found, Compared({}, {})), None)
    MEMORY.clear()
    return found is not None


def _holds(answer: Mapping[str, Any], value: Any, kind: str) -> bool:
    truth = _key(value, kind)
    if answer["exact"]:
        return bool(_key(answer["value"], kind) == truth)
    if truth is None:
        return bool(answer["may_be_null"])
    lower, upper = _key(answer["lower"], kind), _key(answer["upper"], kind)
    return (lower is None or bool(lower <= truth)) and (upper is None or bool(truth <= upper))


def _key(value: Any, kind: str) -> Any:
    """Convert a JSON value of either system to one that compares as in DuckDB."""
    if value is None or kind in ("VARCHAR", "BOOLEAN", "DATE"):
        return value.encode() if kind == "VARCHAR" and value is not None else value
    if kind.startswith("TIMESTAMP"):
        at = dt.datetime.fromisoformat(value)
        return at if at.tzinfo is None else at.astimezone(dt.UTC).replace(tzinfo=None)
    if kind.startswith("DECIMAL"):
        return Decimal(value)
    if kind in ("FLOAT", "DOUBLE"):
        number = float(value)
        return (math.isnan(number), 0.0 if math.isnan(number) else number)
    return int(value)
