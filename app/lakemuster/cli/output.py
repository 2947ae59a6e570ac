"""Write lists to stdout: as JSON, as a table on a terminal, or as plain columns for other programs.

Plain columns are separated by tabs, begin with one line of names, and never truncate a value.
Rows are written as they arrive: a list may be larger than memory. An empty list is a line on stderr, except as JSON.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from lakemuster.cli.application import fail
from lakemuster.cli.columns import columns_of
from lakemuster.cli.text import cell

Row = Mapping[str, Any]

TABLE_ROWS = 1000
"""Rows of one table on a terminal; further rows go to the next table."""
_NOTHING = {
    "catalogs": "no catalogs are attached",
    "webhooks": "the settings have no webhooks",
    "diff": "no files were removed or added",
    "expired": "no files would be removed",
    "timeline": "no commits",
    "periods": "no commits",
    "health": "no tables",
    "components": "no components of health",
    "health_days": "no days with health",
}
"""The line for an empty list, where it is not ``no`` and the list's name."""


def show_list(kind: str, rows: Iterable[Row], *, as_json: bool, nothing: Callable[[], str] | None = None) -> None:
    """Write a list.

    Args:
        kind: the list's name, such as ``files``, which determines the columns.
        rows: rows with the same keys.
        as_json: one JSON array with every key instead of columns.
        nothing: returns the line on stderr for an empty list.
    """
    if as_json:
        _write_array(rows)
        return
    total = _write_tables(kind, rows) if sys.stdout.isatty() else _write_plain(kind, rows)
    if not total:
        fail(_nothing(kind) if nothing is None else nothing())


def show_document(document: Any) -> None:
    """Write one JSON document."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def say(line: str) -> None:
    """Write one line for people."""
    sys.stdout.write(line + "\n")


def _write_array(rows: Iterable[Row]) -> None:
    opening = "[\n"
    for row in rows:
        sys.stdout.write(opening + json.dumps(row, ensure_ascii=False, separators=(",", ":")))
        opening = ",\n"
    sys.stdout.write("[]\n" if opening == "[\n" else "\n]\n")


def _nothing(kind: str) -> str:
    return _NOTHING.get(kind) or ("no rows" if kind.startswith("$") else f"no {kind.replace('_', ' ')}")


def _write_plain(kind: str, rows: Iterable[Row]) -> int:
    """Write plain columns; return the number of rows."""
    columns: Sequence[str] | None = None
    total = 0
    for row in rows:
        total += 1
        if columns is None:
            columns = columns_of(kind, row)
            sys.stdout.write("\t".join(columns) + "\n")
        sys.stdout.write("\t".join(cell(row.get(column), column) for column in columns) + "\n")
    return total


def _write_tables(kind: str, rows: Iterable[Row]) -> int:
    """Write tables for a terminal; return the number of rows."""
    # Only terminals need Rich, which is slow to import.
    from lakemuster.cli.terminal import table_on_terminal  # noqa: PLC0415

    total = 0
    for some in _pieces(rows, TABLE_ROWS):
        total += len(some)
        columns = [column for column in columns_of(kind, some[0]) if any(row.get(column) is not None for row in some)]
        cells = [[cell(row.get(column), column) for column in columns] for row in some]
        table_on_terminal(columns, cells)
    return total


def _pieces(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while piece := list(itertools.islice(iterator, size)):
        yield piece
