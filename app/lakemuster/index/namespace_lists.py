"""Lists of the namespaces of registered tables, with the sums of their tables' figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, func, select, text
from sqlalchemy.orm import Session

from lakemuster.index.orm import REGISTERED, TableRow
from lakemuster.index.table_record import TableFigures

_SUMMED = ("total_records", "data_files", "total_bytes", "delete_files", "snapshots")
_HALF = 2**32


@dataclass(frozen=True, slots=True)
class NamespaceRecord:
    """A namespace that holds tables; tables of nested namespaces are not counted.

    Attributes:
        tables: number of tables.
        unknown_tables: number of tables whose figures are unknown.
        figures: sums over the other tables, and the latest commit of all; None for figures that no table has.
    """

    name: str
    tables: int
    unknown_tables: int
    figures: TableFigures


def list_namespaces(session: Session) -> list[NamespaceRecord]:
    """Return all namespaces, sorted by name. Reads one database index, and no table rows."""
    sums = []
    for name in _SUMMED:
        column = getattr(TableRow, name)
        # Sum the halves: a sum of 64-bit integers may overflow, which is an error in SQLite.
        sums += [func.sum(column // _HALF), func.sum(column % _HALF)]
    rows = session.execute(
        select(
            TableRow.namespace,
            func.count(),
            func.count(TableRow.total_bytes),
            func.max(TableRow.last_committed_at_ms),
            *sums,
        )
        .where(text(REGISTERED[session.get_bind().dialect.name]))
        .group_by(TableRow.namespace)
    )
    return sorted(map(_record, rows), key=lambda record: record.name)


def _record(row: Row[*tuple[Any, ...]]) -> NamespaceRecord:
    name, tables, known, committed_at_ms, *halves = row
    sums = {
        summed: None if high is None else int(high) * _HALF + int(low)
        for summed, high, low in zip(_SUMMED, halves[::2], halves[1::2], strict=True)
    }
    return NamespaceRecord(name, tables, tables - known, TableFigures(**sums, last_committed_at_ms=committed_at_ms))
