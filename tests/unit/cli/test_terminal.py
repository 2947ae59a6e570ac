"""Tables on terminals of any width show every value in full, and each number on one line."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.cli import output
from lakemuster.cli.terminal import NARROWEST, column_widths

SNAPSHOT: dict[str, Any] = {
    "snapshot_id": "9007199254740993123",
    "parent_id": "-900719925474099312",
    "committed_at": "2024-05-01T12:00:00.123Z",
    "branch": "main",
    "refs": ["main", "audit-of-the-first-quarter"],
    "operation": "append",
    "schema_id": 12,
    "state": "published",
}
LISTS: dict[str, dict[str, Any]] = {
    "snapshots": SNAPSHOT,
    "tables": {
        "name": "sales.orders",
        "format": "iceberg",
        "current_snapshot_id": "9007199254740993123",
        "location": "s3://lake/warehouse/sales.db/orders",
        "stale": None,
    },
    "refs": {"name": "main", "type": "branch", "snapshot_id": "9007199254740993123", "branch": None},
    "$manifests": {"file_name": "manifest-0", "file_size": 2**62, "schema_id": 2**63 - 1, "min_partition": "{a}"},
}


def shown(kind: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [LISTS[kind], {key: 7 if str(value).isdecimal() else value for key, value in LISTS[kind].items()}]
    output.show_list(kind, rows, as_json=False)
    return re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


@pytest.mark.parametrize("width", [60, 61, 80, 100, 160])
@pytest.mark.parametrize("kind", LISTS)
def test_ids_and_numbers_never_wrap(kind, width, monkeypatch, capsys):
    lines = shown(kind, width, monkeypatch, capsys)
    assert max(map(len, lines)) <= width
    for value in LISTS[kind].values():
        if str(value).lstrip("-").isdecimal():
            assert any(re.search(rf"(?<!\S){value}(?!\S)", line) for line in lines), (value, lines)


@pytest.mark.parametrize("width", [1, 12, 20, 30, 40])
@pytest.mark.parametrize("kind", LISTS)
def test_the_narrowest_terminals_get_every_value_too(kind, width, monkeypatch, capsys):
    lines = shown(kind, width, monkeypatch, capsys)
    values = {str(value) for value in LISTS[kind].values() if isinstance(value, int | str)}
    shown_values = "".join(line.strip() for line in lines)
    for value in values:
        number = value.lstrip("-").isdecimal()
        assert any(line.rstrip().endswith(value) for line in lines) if number else value in shown_values, (value, lines)


def test_numbers_are_aligned_at_their_right(monkeypatch, capsys):
    lines = shown("tables", 100, monkeypatch, capsys)
    first, second = (line for line in lines if line.startswith("sales.orders"))
    assert first.index("9007199254740993123 ") + 18 == second.index("7 ")


def test_a_narrow_terminal_gets_a_line_for_each_value(monkeypatch, capsys):
    lines = [line.rstrip() for line in shown("snapshots", 60, monkeypatch, capsys)]
    assert lines[:3] == [
        "snapshot id   9007199254740993123",
        "parent id     -900719925474099312",
        "committed at  2024-05-01T12:00:00.123Z",
    ]


@given(
    columns=st.lists(st.tuples(st.integers(1, 120), st.booleans()), min_size=1, max_size=12), room=st.integers(20, 200)
)
def test_columns_fit_and_only_long_text_shrinks(columns, room):
    natural, numbers = [width for width, _ in columns], [is_number for _, is_number in columns]
    widths = column_widths(natural, numbers, room)
    smallest = [width if fixed else min(width, NARROWEST) for width, fixed in columns]
    gaps = 2 * (len(columns) - 1)
    if widths is None:
        assert sum(smallest) + gaps > room
        return
    assert sum(widths) + gaps <= room
    assert all(least <= width <= most for least, width, most in zip(smallest, widths, natural, strict=True))
    if sum(natural) + gaps <= room:
        assert widths == natural
