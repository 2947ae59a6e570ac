"""Values, durations and columns in the text forms of Paimon's Java code."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.formats.paimon.schema_json import fields_json, spelled_type
from lakemuster.formats.paimon.types import parse_field, parse_type
from lakemuster.metadata.snapshot import Ref
from lakemuster.metadata.types import Primitive, arrow_type
from lakemuster.planner.paimon.system.table_rows import table_rows
from lakemuster.planner.paimon.system.texts import cast_texts, internal_texts, listed, mapped
from tests.unit.planner.lists.tables import metadata

MOMENT = dt.datetime(2024, 1, 2, 3, 4, 5, 60_000)  # noqa: DTZ001 - a zone-less column

# (type, value, cast to STRING, Java's toString() of the internal value): java.time and Paimon's DateTimeUtils.
VALUES = [
    ("BOOLEAN", True, "true", "true"),
    ("TINYINT", -7, "-7", "-7"),
    ("BIGINT", 2**60, "1152921504606846976", "1152921504606846976"),
    ("FLOAT", 1e10, "1.0E10", "1.0E10"),
    ("DOUBLE", 0.1, "0.1", "0.1"),
    ("DECIMAL(9, 2)", Decimal("-1.50"), "-1.50", "-1.50"),
    ("DATE", dt.date(2024, 5, 14), "2024-05-14", "19857"),
    ("TIME(3)", dt.time(1, 2, 3, 4000), "01:02:03.004", "3723004"),
    ("TIMESTAMP(3)", MOMENT, "2024-01-02 03:04:05.060", "2024-01-02T03:04:05.060"),
    ("TIMESTAMP(6)", MOMENT.replace(microsecond=0), "2024-01-02 03:04:05.000000", "2024-01-02T03:04:05"),
    ("STRING", "a=b, c", "a=b, c", "a=b, c"),
    ("BYTES", b"\xc3\xa9", "é", "c3a9"),
]


@pytest.mark.parametrize(("text", "value", "cast", "internal"), VALUES, ids=[row[0] for row in VALUES])
def test_values_are_formatted_as_in_java(text: str, value: Any, cast: str, internal: str) -> None:
    of, _ = parse_type(text, 0)
    assert isinstance(of, Primitive)
    values = pa.array([value, None, value], arrow_type(of))
    assert cast_texts(values, of).to_pylist() == [cast, None, cast]
    assert internal_texts(values, of).to_pylist() == [internal, None, internal]
    assert internal_texts(values.slice(1, 1), of).to_pylist() == [None]


def test_rows_and_maps_are_formatted_as_in_java() -> None:
    one, other = pa.array(["x", None]), pa.array([None, "y"])
    assert listed([one, other], 2).to_pylist() == ["{x, null}", "{null, y}"]
    assert listed([one], 2, "[", "]").to_pylist() == ["[x]", "[null]"]
    assert listed([], 2).to_pylist() == ["{}", "{}"]
    # Ordered by UTF-16, where the surrogates of U+1F600 sort before U+FF5E.
    names = {"～": one, "😀": one, "b": other, "B": other}
    assert mapped(names, 2).to_pylist() == ["{B=null, b=null, 😀=x, ～=x}", "{B=y, b=y, 😀=null, ～=null}"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (259200.0, "PT72H"),
        (0, "PT0S"),
        (90.5, "PT1M30.5S"),
        (3600, "PT1H"),
        (3601, "PT1H1S"),
        (0.000000001, "PT0.000000001S"),
        (-60, "PT-1M"),
        ("PT5M", "PT5M"),
        (None, None),
        (float("inf"), None),
        (True, None),
    ],
)
def test_tag_retention_is_a_java_duration(seconds: object, text: str | None) -> None:
    extra = {"tag_time_retained": seconds, "tag_create_time": "2024-01-02T03:04:05.060789123"}
    table = table_rows("tags", metadata(refs=(Ref("t", "tag", 1, "main", extra),)), "main", ())
    (row,) = table.to_pylist()
    assert row["time_retained"] == text
    assert row["create_time"] == MOMENT


def test_columns_are_written_as_they_were_read() -> None:
    columns = [
        {"id": 0, "name": "id", "type": "BIGINT NOT NULL", "description": ""},
        {"id": 1, "name": "tags", "type": {"type": "ARRAY NOT NULL", "element": "STRING NOT NULL"}},
        {"id": 2, "name": "bag", "type": {"type": "MULTISET", "element": {"type": "ARRAY", "element": "INT"}}},
        {"id": 3, "name": "m", "type": {"type": "MAP", "key": "STRING NOT NULL", "value": "DECIMAL(9, 2)"}},
        {
            "id": 4,
            "name": "r",
            "type": {"type": "ROW NOT NULL", "fields": [{"id": 5, "name": "a", "type": "DATE", "description": "d"}]},
        },
        {"id": 6, "name": "v", "type": {"type": "VECTOR", "element": "FLOAT", "length": 3}, "defaultValue": "x"},
        {"id": 7, "name": "t", "type": "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
    ]
    fields = [parse_field(column) for column in columns]
    assert fields_json(fields) == columns
    assert spelled_type(fields[1]) == "ARRAY<STRING NOT NULL> NOT NULL"


def test_options_of_a_column_are_its_aggregation() -> None:
    options = {
        "fields.v.aggregate-function": "last_value",
        "fields.v.ignore-retract": "true",
        "fields.g": "no function",
        "fields.k.stats-mode": "none",
        "merge-engine": "aggregation",
    }
    found = {
        row["field_name"]: row for row in table_rows("aggregation_fields", metadata(options), "main", ()).to_pylist()
    }
    assert found["v"]["function"] == "[last_value, true]"
    assert found["v"]["function_options"] == "[fields.v.aggregate-function, fields.v.ignore-retract]"
    assert (found["g"]["function"], found["g"]["function_options"]) == ("[]", "[]")
    assert found["k"]["field_type"] == "INT NOT NULL"
