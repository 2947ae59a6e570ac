"""ORC files pad values of CHAR with blanks, which are not part of the value."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tests.unit.spark.reading.paimon.lake import (
    MemoryLake,
    field_row,
    file_bytes,
    planned,
    rows_of,
    schema_row,
    to_read,
)

STORED = {
    "top": pa.string(),
    "inner": pa.struct([("a", pa.string()), ("b", pa.string())]),
    "tags": pa.list_(pa.list_(pa.string())),
    "pairs": pa.map_(pa.string(), pa.struct([("c", pa.string())])),
    "bag": pa.map_(pa.string(), pa.int32()),
}
TYPES: dict[str, Any] = {
    "top": "CHAR(3)",
    "inner": {
        "type": "struct",
        "text": "ROW<a CHAR(3), b VARCHAR(3)>",
        "fields": [field_row(11, "a", "CHAR(3)"), field_row(12, "b", "VARCHAR(3)")],
    },
    "tags": {
        "type": "list",
        "text": "ARRAY<ARRAY<CHAR(3)>>",
        "element-id": 13,
        "element": {"type": "list", "text": "ARRAY<CHAR(3)>", "element-id": 14, "element": "CHAR(3)",
                    "element-required": False},
        "element-required": False,
    },
    "pairs": {
        "type": "map",
        "text": "MAP<CHAR(3), ROW<c CHAR(3)>>",
        "key-id": 15,
        "key": "CHAR(3)",
        "value-id": 16,
        "value": {"type": "struct", "text": "ROW<c CHAR(3)>", "fields": [field_row(17, "c", "CHAR(3)")]},
        "value-required": False,
    },
    "bag": {"type": "list", "text": "MULTISET<CHAR(3)>", "element-id": 18, "element": "CHAR(3)",
            "element-required": False},
}  # fmt: skip


def row(a: str, b: str) -> dict[str, Any]:
    """Return a row with a value of CHAR in each place, and one of VARCHAR."""
    return {
        "top": a,
        "inner": {"a": a, "b": b},
        "tags": [[a, None], None, []],
        "pairs": [(a, {"c": a}), ("xyz", None)],
        "bag": [(a, 2)],
    }


NULLS = dict.fromkeys(STORED)


@pytest.mark.parametrize(("form", "expected"), [("orc", "a"), ("parquet", "a  ")])
def test_blanks_of_orc_are_stripped_at_every_level(form: str, expected: str) -> None:
    lake = MemoryLake()
    rows = [row("a  ", "b "), NULLS, row("   ", "  ")]
    data = file_bytes(form, STORED, rows)
    file = planned(lake.write(f"f.{form}", data), data, len(rows))
    schema = schema_row(0, [field_row(place, name, of) for place, (name, of) in enumerate(TYPES.items())])
    blank = "" if form == "orc" else "   "
    assert rows_of(to_read([schema]), [file], lake) == [row(expected, "b "), NULLS, row(blank, "  ")]
