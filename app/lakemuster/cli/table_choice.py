"""Choose and sort tables of the local index, as a server does for the same parameters of ``GET /tables``."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lakemuster.cli.sources import Row
from lakemuster.errors import RequestInvalid
from lakemuster.metadata.format_names import format_names
from lakemuster.metadata.names import format_name, namespace_of, parse_name

SORTS = (
    *("name", "total_records", "data_files", "total_bytes", "delete_files", "snapshots"),
    "last_committed_at",
    "health",
)
_RANKS = {"ok": 0, "unknown": 1, "warning": 2, "critical": 3}
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def chosen_tables(rows: Iterable[Row], choice: Mapping[str, Any]) -> list[Row]:
    """Return the tables that match, sorted.

    Args:
        rows: all tables, by name.
        choice: ``namespace``, ``search``, ``format``, ``catalog``, ``stale``, ``health`` and ``sort``.

    Raises:
        RequestInvalid: tables are not sorted by that, the namespace is not a dotted name, or there is no such format or
            status, or no status is named.
    """
    if choice.get("format") not in (None, *format_names()):
        raise RequestInvalid(f"formats are {', '.join(format_names())}", format=choice["format"][:100])
    given, search = choice.get("namespace"), str(choice.get("search")).translate(_LOWER)
    namespace = given and format_name(parse_name(given))
    statuses = _statuses(choice.get("health"))
    tests: dict[str, Callable[[Row], bool]] = {
        "namespace": lambda row: namespace_of(row["name"]) == namespace,
        "search": lambda row: search in row["name"].translate(_LOWER),
        "format": lambda row: row["format"] == choice["format"],
        "catalog": lambda row: row["catalog"] == choice["catalog"],
        "stale": lambda row: (row["stale"] is not None) == choice["stale"],
        "health": lambda row: row["health"] in statuses,
    }
    wanted = [test for name, test in tests.items() if choice.get(name) is not None]
    found = [row for row in rows if all(test(row) for test in wanted)]
    sort = choice.get("sort") or "name"
    field, descending = sort.removeprefix("-"), sort.startswith("-")
    if field not in SORTS:
        raise RequestInvalid(f"tables are sorted by one of {', '.join(SORTS)}", sort=field)
    known = sorted(
        (row for row in found if row[field] is not None),
        key=lambda row: (_sorted_by(row[field], field), row["name"]),
        reverse=descending,
    )
    unknown = [row for row in found if row[field] is None]
    return known + (unknown[::-1] if descending else unknown)


def _sorted_by(value: Any, field: str) -> Any:
    if field == "health":
        return _RANKS[value]
    return value if field in ("name", "last_committed_at") else int(value)


def _statuses(text: str | None) -> list[str]:
    if text is None:
        return []
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found or not set(found) <= set(_RANKS):
        raise RequestInvalid(f"statuses are {', '.join(_RANKS)}", health=text[:100])
    return found
