"""Raw SQLite statements: compiled by SQLAlchemy, but executed without it in a fifth of the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Select, Update
from sqlalchemy.engine.interfaces import DBAPICursor

Processor = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class RawStatement:
    """A statement's SQL text, and the value processors of its column types.

    Attributes:
        parameters: names and processors, in the text's order.
        results: columns and their processors; columns without a processor are omitted.
    """

    text: str
    parameters: tuple[tuple[str, Processor | None], ...]
    results: tuple[tuple[int, Processor], ...]

    @classmethod
    def of(cls, statement: Select[*tuple[Any, ...]] | Update, dialect: Dialect) -> RawStatement:
        """Compile a statement with named parameters."""
        compiled = statement.compile(dialect=dialect)
        parameters = [
            (name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or ()
        ]
        columns = statement.selected_columns if isinstance(statement, Select) else ()
        results = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        return cls(
            str(compiled),
            tuple(parameters),
            tuple((at, process) for at, process in enumerate(results) if process is not None),
        )

    def rows(self, cursor: DBAPICursor, values: Mapping[str, object]) -> list[Sequence[Any]]:
        """Execute the statement and return all rows."""
        self.execute(cursor, values)
        return [self._processed(row) for row in cursor.fetchall()]

    def execute(self, cursor: DBAPICursor, values: Mapping[str, object]) -> None:
        """Execute the statement."""
        given = [values[name] if process is None else process(values[name]) for name, process in self.parameters]
        cursor.execute(self.text, given)

    def _processed(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for at, process in self.results:
            values[at] = process(values[at])
        return values
