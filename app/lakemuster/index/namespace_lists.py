"""Namespaces of registered tables, with the sums of their tables' figures."""

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
    """A namespace that holds tables; those of namespaces below it are not counted.

    Attributes:
        tables: their number.
        unknown_tables: how many of them have figures that are not known.
        figures: sums over the others, and the latest commit of all; None where no table's is known.
    """

    name: str
    tables: int
    unknown_tables: int
    figures: TableFigures


def list_namespaces(session: Session) -> list[NamespaceRecord]:
    """Return all namespaces by name. Reads one index, and no tables."""
    sums = []
    for name in _SUMMED:
        column = getattr(TableRow, name)
        # The sum of 64-bit integers may need more bits, which SQLite refuses.
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
