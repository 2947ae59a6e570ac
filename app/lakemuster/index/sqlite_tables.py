"""List the tables of an embedded index without importing SQLAlchemy, which would take most of the command's time."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from lakemuster.index.schema_version import newest
from lakemuster.index.stored_text import unescape
from lakemuster.index.table_record import COLUMNS, FIGURES, HEALTH, ListedTable, TableFigures, read_record

_PREFIX = "sqlite:///"
_BUSY_SECONDS = 15
_ROWS = "(SELECT *, NULL AS incarnation FROM catalog_table)"
_TABLES = f"SELECT {', '.join((*COLUMNS, *FIGURES, HEALTH))} FROM {_ROWS} WHERE companion_of IS NULL"  # noqa: S608 - constants


def list_sqlite_tables(url: str) -> list[ListedTable] | None:
    """Return all tables by name, without companions.

    Args:
        url: the index's database.

    Returns:
        The tables; None unless the database is a SQLite file of this code's schema version. The caller then opens the
        database, which creates it, upgrades it, or reports what is wrong with it.
    """
    path = Path(url.removeprefix(_PREFIX))
    if not url.startswith(_PREFIX) or "?" in url or not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_BUSY_SECONDS)) as found:
            found.isolation_level = None
            found.execute("PRAGMA query_only=ON")
            found.execute("BEGIN")
            if found.execute("SELECT version_num FROM alembic_version").fetchall() != [(newest(),)]:
                return None
            rows = found.execute(_TABLES).fetchall()
    except sqlite3.Error:
        return None
    return sorted(map(_listed, rows), key=lambda table: table.record.name)


def _listed(row: tuple[Any, ...]) -> ListedTable:
    values: tuple[Any, ...] = tuple(unescape(value) if isinstance(value, str) else value for value in row)
    return ListedTable(read_record(values[: len(COLUMNS)]), TableFigures(*values[len(COLUMNS) : -1]), values[-1])
