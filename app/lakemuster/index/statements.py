"""Helpers for SQL statements with any number of values, for both databases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar, cast

from sqlalchemy import Table, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session

from lakemuster.index.orm_base import Base

Value = TypeVar("Value")

_PARAMETERS = 4_000
"""Parameters of one statement. PostgreSQL allows 65,535, SQLite 32,766 by default."""


def chunks(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Yield the values in chunks that fit an ``IN``."""
    for start in range(0, len(values), _PARAMETERS):
        yield values[start : start + _PARAMETERS]


def insert_all(session: Session, table: type[Base], rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows, each with its own set of parameters."""
    if rows:
        session.execute(insert(cast("Table", table.__table__)), list(rows))


def insert_new_returning(
    session: Session, column: InstrumentedAttribute[Value], rows: Sequence[Mapping[str, object]]
) -> list[Value]:
    """Insert rows into a column's table as :func:`insert_new` does; return the column's values of the inserted rows."""
    if not rows:
        return []
    target = cast("Table", column.class_.__table__)
    kind = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    inserting = kind.insert(target).on_conflict_do_nothing().returning(column)
    return list(session.execute(inserting, list(rows)).scalars())


def insert_new(session: Session, table: type[Base], rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows; skip those that violate a unique constraint because they already exist."""
    if not rows:
        return
    target = cast("Table", table.__table__)
    if session.get_bind().dialect.name == "postgresql":
        session.execute(postgresql.insert(target).on_conflict_do_nothing(), list(rows))
    else:
        session.execute(sqlite.insert(target).on_conflict_do_nothing(), list(rows))
