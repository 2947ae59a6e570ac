"""Partitions of an Iceberg table whose partition fields used one name in turn, as formats 2 and 3 allow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import DateType, LongType, NestedField, StringType

from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

DAYS = [18262, 18263]
FIRST = {"number": [0, 0], "name": ["x", "y"], "day": DAYS}
PARTITIONS: list[dict[str, object]] = [
    {"part_1000": 0, "part_1001": None, "part": None},
    {"part_1000": None, "part_1001": "x", "part": None},
    {"part_1000": None, "part_1001": "y", "part": None},
    {"part_1000": None, "part_1001": None, "part": "2020-01-01"},
    {"part_1000": None, "part_1001": None, "part": "2020-01-02"},
]


def write(folder: Path) -> str:
    """Write two rows under each of three specs; return the table's location."""
    lake = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    lake.create_namespace("shop")
    schema = Schema(
        NestedField(1, "number", LongType()), NestedField(2, "name", StringType()), NestedField(3, "day", DateType())
    )
    table = lake.create_table("shop.sales", schema, properties={"format-version": "2"})
    columns = {"number": pa.int64(), "name": pa.string(), "day": pa.date32()}
    rows = pa.table({name: pa.array(FIRST[name], of) for name, of in columns.items()})
    for column, transform in (("number", "bucket[2]"), ("name", "identity"), ("day", "day")):
        with table.update_spec() as update:
            update.add_field(column, transform, "part")
        table.append(rows)
        with table.update_spec() as update:
            update.remove_field("part")
    return str(table.location())


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("names")
    location = write(folder)
    with catalog(settings(folder, max_staleness=3600.0)) as services:
        services.add("shop.sales", location, None, (), operator=True)
        yield TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def listed(http: TestClient, name: str) -> list[dict[str, Any]]:
    answer = http.get(f"/api/v1/tables/shop.sales/{name}")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()[name]
    return found


def ordered(partitions: Iterable[Mapping[str, object]]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in partitions)


def test_each_partition_has_a_row_with_its_value(http: TestClient) -> None:
    rows = listed(http, "partitions")
    assert ordered([row["partition"] for row in rows]) == ordered(PARTITIONS)
    assert sum(row["record_count"] for row in rows) == 6


def test_a_commit_counts_each_partition(http: TestClient) -> None:
    assert [row["partitions"] for row in listed(http, "timeline")] == [2, 2, 1]


def test_files_as_arrow_have_their_partitions_values(http: TestClient) -> None:
    headers = {"Accept": "application/vnd.apache.arrow.stream"}
    answer = http.get("/api/v1/tables/shop.sales/files", headers=headers)
    found = pa.ipc.open_stream(answer.content).read_all().column("partition").to_pylist()
    values = [value for row in found for value in row.values() if value is not None]
    assert sorted(map(str, values)) == ["0", "2020-01-01", "2020-01-02", "x", "y"]


def test_specs_name_their_fields_as_lists_do(http: TestClient) -> None:
    specs = listed(http, "specs")
    assert [field["name"] for spec in specs for field in spec["fields"]] == ["part_1000", "part_1001", "part"]
