"""Aggregates over HTTP: ``SELECT count(*) … WHERE day = …`` from metadata, without the data files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from fastapi.testclient import TestClient
from pyiceberg.table import StaticTable

from lakemuster.catalog.services import Services
from lakemuster.client import Aggregate, Client
from lakemuster.demo import unpack
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

PATH = "/api/v1/tables/shop.orders/statistics"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, pa.Table]]:
    """An HTTP client of the demo lake without its data files, and the rows that PyIceberg read from these."""
    folder = tmp_path_factory.mktemp("aggregates")
    demo = unpack(folder / "demo")
    with catalog(settings(folder, max_staleness=3600.0)) as services:
        assert list(services.discover(str(demo), None, (), operator=True))
        client = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        rows = StaticTable.from_metadata(newest_metadata(services)).scan().to_arrow()
        assert client.post(PATH, json={"aggregates": ["count"]}).status_code == 200
        for data in demo.rglob("*.parquet"):
            data.unlink()
        yield client, rows


def newest_metadata(services: Services) -> str:
    services.refresh("shop.orders")
    location = services.view("shop.orders").metadata.metadata_location
    assert location is not None
    return location


def asked(client: TestClient, *aggregates: str, **body: Any) -> list[dict[str, Any]]:
    answer = client.post(PATH, json={"aggregates": list(aggregates), **body})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["statistics"]
    assert [one["aggregate"] for one in found] == list(aggregates)
    return found


def test_rows_of_a_partition_are_counted_exactly_from_metadata(lake: tuple[TestClient, pa.Table]) -> None:
    client, rows = lake
    days = pc.unique(rows.column("day")).to_pylist()
    assert len(days) > 2
    for day in days:
        wanted = pc.sum(pc.equal(rows.column("day"), day)).as_py()
        count, least, most = asked(client, "count", "min(day)", "max(day)", filter=f"day = DATE '{day}'")
        assert count == {"aggregate": "count", "exact": True, "value": wanted}
        assert (least["value"], most["value"]) == (str(day), str(day))


def test_an_interval_holds_the_value_and_says_why(lake: tuple[TestClient, pa.Table]) -> None:
    client, rows = lake
    most = pc.max(rows.column("amount")).as_py()
    (count, extreme) = asked(client, "count", "max(amount)", filter=f"amount >= {most}")
    wanted = pc.sum(pc.equal(rows.column("amount"), most)).as_py()
    assert not count["exact"]
    assert count["lower"] <= wanted <= count["upper"]
    assert count["reason"].endswith("some rows may not match")
    assert "value" not in count
    assert not extreme["exact"]
    assert float(extreme["upper"]) >= float(most)


def test_nothing_has_no_extremes(lake: tuple[TestClient, pa.Table]) -> None:
    count, least, nulls = asked(lake[0], "count", "min(amount)", "null_count(amount)", filter="day = DATE '1999-01-01'")
    assert [one["value"] for one in (count, least, nulls)] == [0, None, 0]
    assert count["exact"]
    assert least["exact"]


def test_files_and_bytes_are_those_of_the_plan(lake: tuple[TestClient, pa.Table]) -> None:
    where = "day >= DATE '2024-05-09' AND amount > 90"
    files, size = asked(lake[0], "files", "bytes", filter=where)
    counts = lake[0].post("/api/v1/tables/shop.orders/plan", json={"filter": where}).json()["counts"]
    assert (files["value"], size["value"]) == (counts["files"], counts["bytes"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "aggregates"),
        ({"aggregates": []}, "at least 1"),
        ({"aggregates": ["sum(amount)"]}, "unknown aggregate 'sum(amount)'"),
        ({"aggregates": ["min"]}, "unknown aggregate 'min'"),
        ({"aggregates": ["count(amount)"]}, "unknown aggregate"),
        ({"aggregates": ["min(nope)"]}, "column 'nope' not found"),
        ({"aggregates": ["count"], "select": ["day"]}, "unknown keys: select"),
        ({"aggregates": ["count"], "filter": "dy > 1"}, "column 'dy' not found"),
    ],
)
def test_invalid_requests_are_refused(lake: tuple[TestClient, pa.Table], body: dict[str, Any], said: str) -> None:
    answer = lake[0].post(PATH, json=body)
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]


def test_columns_are_named_in_any_case_if_asked(lake: tuple[TestClient, pa.Table]) -> None:
    (least,) = asked(lake[0], "min(DAY)", case_sensitive=False)
    assert least["exact"] or least["lower"]


def test_the_client_has_the_answers_by_name(lake: tuple[TestClient, pa.Table]) -> None:
    client, rows = lake
    with Client("http://127.0.0.1:8181", transport=client._transport) as lakemuster:
        found = lakemuster.table("shop.orders").statistics(["count", "max(amount)"])
    assert found["count"] == Aggregate("count", True, len(rows), len(rows), len(rows), False, None)
    assert [one.name for one in found] == ["count", "max(amount)"]
    assert found["max(amount)"].lower <= found["max(amount)"].upper
    with pytest.raises(KeyError):
        found["min(amount)"]
