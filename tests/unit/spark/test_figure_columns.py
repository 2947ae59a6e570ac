"""The columns of ``metadata(…, "stats")`` and ``"health"`` contain every member of the responses."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lakemuster.spark.figure_columns import HEALTH, STATS, health_table, stats_table
from tests.openapi_yaml import read
from tests.tree import ROOT


def members(schema: dict[str, Any], components: dict[str, Any]) -> object:
    """Return an object's members in an OpenAPI schema as a tree, which is empty for other values."""
    if "$ref" in schema:
        return members(components[schema["$ref"].rsplit("/", 1)[-1]], components)
    if "anyOf" in schema:
        return next((found for one in schema["anyOf"] if (found := members(one, components))), {})
    if schema.get("type") == "array":
        return members(schema["items"], components)
    return {name: members(value, components) for name, value in schema.get("properties", {}).items()}


def columns(of: pa.DataType) -> object:
    if pa.types.is_list(of):
        return columns(of.value_type)
    return {field.name: columns(field.type) for field in of} if pa.types.is_struct(of) else {}


def test_there_is_a_column_for_each_member_that_the_document_names() -> None:
    components = read((ROOT / "openapi.yaml").read_text("utf-8"))["components"]["schemas"]
    expected = members(components["StatsOut"], components)
    assert isinstance(expected, dict)
    del expected["not_applied"]  # only with a filter
    assert {field.name: columns(field.type) for field in STATS} == expected


def test_there_is_a_column_for_each_member_of_a_component_of_health() -> None:
    components = read((ROOT / "openapi.yaml").read_text("utf-8"))["components"]["schemas"]
    assert {field.name: columns(field.type) for field in HEALTH} == members(components["ComponentOut"], components)


def test_health_is_a_row_a_component() -> None:
    limits = {"lower": "9007199254740993", "upper": None, "exact": False, "reason": "deletes"}
    component = {
        "name": "small_files",
        "value": 0.5,
        "threshold": {"warning": 0.25, "critical": None},
        "since": "2024-05-11T13:00:00.250Z",
        "gain": {"files": limits, "bytes": None},
    }
    [row] = health_table({"components": [component]}).to_pylist()
    assert row["value"] == 0.5
    assert row["threshold"] == {"warning": 0.25, "critical": None}
    assert row["since"].isoformat() == "2024-05-11T13:00:00.250000+00:00"
    assert row["gain"]["files"] == {**limits, "lower": 2**53 + 1}
    assert row["gain"]["bytes"] is None
    assert row["remedy"] is None
    assert health_table({"components": []}).num_rows == 0


def test_values_keep_what_they_are() -> None:
    figures = {
        "snapshot_id": "9007199254740993",
        "computed_at": "2024-05-11T13:00:00.250Z",
        "totals": {"data_files": 3, "records": "9007199254740995", "bytes": 10},
        "file_size_histogram": [{"from_bytes": 8, "to_bytes": 16, "files": 3, "bytes": 30}],
        "levels": None,
        "of a newer server": 1,
    }
    [row] = stats_table(figures).to_pylist()
    assert row["snapshot_id"] == 2**53 + 1
    assert row["computed_at"].isoformat() == "2024-05-11T13:00:00.250000+00:00"
    assert row["totals"]["records"] == 2**53 + 3
    assert row["totals"]["files_without_size"] is None
    assert row["file_size_histogram"] == [{"from_bytes": 8, "to_bytes": 16, "files": 3, "bytes": 30}]
    assert row["levels"] is None
    assert row["merging"] is None
