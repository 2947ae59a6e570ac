from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest

from lakemuster.formats.iceberg.manifests import inherit
from lakemuster.formats.iceberg.table_metadata import parse_table_metadata
from lakemuster.metadata.files import split_column
from lakemuster.metadata.types import Primitive
from tests.golden.iceberg.real_tables import LAKE, TABLES

ANSWERS = Path(__file__).parent


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_metadata_lists_and_entries_match_the_stored_answer(table, assert_golden):
    headers = table.headers()
    answer = {
        "metadata": shown(table.metadata()),
        "manifests": {
            name: {"header": shown(header), "entries": entries(table, header)} for name, header in headers.items()
        },
    }
    assert_golden(ANSWERS / f"{table.name}.json", answer)


def entries(table, header):
    inherited = inherit(table.entries(header), header)
    types = {
        field.name: field.metadata[b"type"].decode()
        for field in inherited.schema
        if split_column(field.name) and b"type" in (field.metadata or {})
    }
    return {"types": types, "rows": shown(inherited.to_pylist())}


def shown(value):
    """Return a value as JSON: without empty members, types as text, bytes in hexadecimal."""
    if isinstance(value, Primitive):
        return value.text
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: shown(item) for key, item in value.items() if item not in (None, {}, ())}
    if isinstance(value, list | tuple):
        return [shown(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)


def test_every_real_table_has_an_answer_and_a_line_in_the_catalogue():
    names = {table.name for table in TABLES}
    assert {path.stem for path in ANSWERS.glob("*.json")} == names
    catalogue = (ANSWERS / "README.md").read_text("utf-8")
    assert [name for name in names if f"`{name}`" not in catalogue] == []


def test_every_metadata_file_of_a_tables_history_is_read():
    paths = sorted(LAKE.glob("**/*.metadata.json"))
    assert len(paths) > len(TABLES)
    for path in paths:
        assert parse_table_metadata(path.read_bytes(), path.name).format_version in (1, 2)
