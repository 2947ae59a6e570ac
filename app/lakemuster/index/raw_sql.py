"""A statement asked of SQLite itself: SQLAlchemy's execution takes five times as long as that of a short statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Select
from sqlalchemy.engine.interfaces import DBAPICursor

Processor = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class RawStatement:
    """A statement's text, and what its column types do to values on their way.

    Attributes:
        parameters: in the text's order.
        results: by column; those without a processor are left out.
    """

    text: str
    parameters: tuple[tuple[str, Processor | None], ...]
    results: tuple[tuple[int, Processor], ...]

    @classmethod
    def of(cls, statement: Select[*tuple[Any, ...]], dialect: Dialect) -> RawStatement:
        """Compile a statement of named parameters."""
        compiled = statement.compile(dialect=dialect)
        parameters = [
            (name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or ()
        ]
        results = [
            column.type.dialect_impl(dialect).result_processor(dialect, None) for column in statement.selected_columns
        ]
        return cls(
            str(compiled),
            tuple(parameters),
            tuple((at, process) for at, process in enumerate(results) if process is not None),
        )

    def rows(self, cursor: DBAPICursor, values: Mapping[str, object]) -> list[Sequence[Any]]:
        """All that it reads."""
        given = [values[name] if process is None else process(values[name]) for name, process in self.parameters]
        cursor.execute(self.text, given)
        return [self._processed(row) for row in cursor.fetchall()]

    def _processed(self, row: Sequence[Any]) -> Sequence[Any]:
        values = list(row)
        for at, process in self.results:
            values[at] = process(values[at])
        return values
