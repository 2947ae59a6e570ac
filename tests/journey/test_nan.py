"""NaN in plans over HTTP, on tables of PyIceberg: modes, reports about conjuncts that cannot prune, tokens.

PyIceberg records bounds without NaN and no NaN counts, so bounds alone never show whether a file has NaN.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, LongType, NestedField, StructType

from lakemuster.api.app import create_app
from lakemuster.catalog.iceberg_rest import plan_tokens
from lakemuster.catalog.iceberg_rest.plan_tokens import PlanTokens, Scan
from lakemuster.catalog.token_signing import TokenSigner
from lakemuster.config import load_settings
from lakemuster.main import build_services
from lakemuster.table_settings import TableSettings

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "x", DoubleType()),
    NestedField(3, "place", StructType(NestedField(4, "lat", DoubleType(), required=True))),
)
FILES = {"low": [1.0, 2.0], "nan": [1.0, math.nan], "high": [10.0, 20.0]}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table without NaN counts, ``shop.plain``, and one with a file that has them, ``shop.counted``."""
    folder = tmp_path_factory.mktemp("lake")
    catalog = SqlCatalog("t", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}")
    catalog.create_namespace("shop")
    for name in ("plain", "counted"):
        table = catalog.create_table(f"shop.{name}", schema=SCHEMA)
        for values in FILES.values():
            rows = [{"id": i, "x": x, "place": {"lat": 1.0}} for i, x in enumerate(values)]
            table.append(pa.Table.from_pylist(rows, schema=SCHEMA.as_arrow()))
        if name == "counted":
            with table.transaction() as change, change.update_snapshot().fast_append() as append:
                append.append_data_file(_with_count(next(iter(table.scan().plan_files())).file))
    return folder


def _with_count(file: DataFile) -> DataFile:
    """Return a copy of a file whose writer counted NaN and found none."""
    own = {name: getattr(file, name) for name in ("content", "file_format", "partition", "record_count")}
    own |= {name: getattr(file, name) for name in ("file_size_in_bytes", "value_counts", "null_value_counts")}
    made = DataFile.from_args(
        **own,
        file_path="file:///counted.parquet",
        nan_value_counts={2: 0},
        lower_bounds={2: struct.pack("<d", 1.0)},
        upper_bounds={2: struct.pack("<d", 2.0)},
    )
    made.spec_id = 0
    return made


@pytest.fixture(scope="module")
def client(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("index")
    settings = load_settings(
        database_url=f"sqlite:///{folder}/index.db", segments_url=str(folder / "segments"), decoders=1
    )
    services = build_services(settings.model_copy(update={"tables": {"other.*": TableSettings(nan="none")}}))
    for name in ("plain", "counted"):
        services.add(f"shop.{name}", f"{lake}/shop/{name}", None, (), operator=True)
    yield TestClient(create_app(services), base_url="http://127.0.0.1:8181")
    services.close()


def plan(client: TestClient, filter: object, table: str = "plain", **more: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/tables/shop.{table}/plan", json={"filter": filter, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def files_of(answer: Mapping[str, Any]) -> set[str]:
    """Return the plan's files by their names in ``FILES``, identified by their upper bounds."""
    found = set()
    for file in answer["files"]:
        upper = file["upper_bounds"]["x"]
        found.add({2.0: "low", 1.0: "nan", 20.0: "high"}[upper])
    return found


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x > 5", {"greatest": {"low", "nan", "high"}, "unordered": {"high"}, "none": {"high"}}),
        ("NOT x > 5", {"greatest": {"low", "nan"}, "unordered": {"low", "nan", "high"}, "none": {"low", "nan"}}),
        ("x >= 20", {"greatest": {"low", "nan", "high"}, "unordered": {"high"}, "none": {"high"}}),
        ("x < 5", {"greatest": {"low", "nan"}, "unordered": {"low", "nan"}, "none": {"low", "nan"}}),
        ("x BETWEEN 5 AND 30", {"greatest": {"high"}, "unordered": {"high"}, "none": {"high"}}),
    ],
)
def test_a_mode_decides_which_files_are_kept(client: TestClient, text: str, kept: dict[str, set[str]]) -> None:
    for mode, expected in {**kept, "any": kept["greatest"] | kept["unordered"]}.items():
        assert files_of(plan(client, text, nan=mode, stats=["x"])) == expected, mode
    assert files_of(plan(client, text, stats=["x"])) == kept["greatest"] | kept["unordered"]


def test_a_conjunct_that_nan_keeps_from_pruning_is_not_applied(client: TestClient) -> None:
    answer = plan(client, "x > 5 AND id >= 0")
    assert answer["applied"] == ["id >= 0"]
    (one,) = answer["not_applied"]
    assert one["filter"] == "x > 5"
    assert "no file has a NaN count for x" in one["reason"]
    for mode in ("unordered", "none"):
        assert plan(client, "x > 5", nan=mode)["not_applied"] == []
    refused = client.post("/api/v1/tables/shop.plain/plan", json={"filter": "x > 5", "strict": True})
    assert refused.status_code == 400
    assert "NaN" in refused.json()["error"]["message"]


def test_where_some_files_have_counts_a_conjunct_is_applied_and_named(client: TestClient) -> None:
    answer = plan(client, "x > 5", "counted")
    assert answer["applied"] == ["x > 5"]
    (one,) = answer["not_applied"]
    assert "some files have no NaN count" in one["reason"]
    assert answer["counts"]["files"] == 3  # all but the file whose NaN count is 0


def test_files_and_explain_take_the_mode(client: TestClient) -> None:
    for mode, count in (("any", 3), ("greatest", 3), ("unordered", 1), ("none", 1)):
        asked = {"filter": "x > 5", "nan": mode}
        listed = client.get("/api/v1/tables/shop.plain/files", params=asked).json()
        assert len(listed["files"]) == count
        assert bool(listed["not_applied"]) is (count == 3)
        funnel = client.post("/api/v1/tables/shop.plain/explain", json=asked).json()["funnel"]
        assert funnel[-1]["kept"] == count
    assert client.get("/api/v1/tables/shop.plain/files", params={**asked, "nan": "all"}).status_code == 400


def test_the_mode_is_bound_into_tokens_and_etags(client: TestClient) -> None:
    page = plan(client, "x > 5", nan="greatest", page_size=1)
    body = {"filter": "x > 5", "page_size": 1, "page_token": page["next_page_token"]}
    path = "/api/v1/tables/shop.plain/plan"
    assert client.post(path, json={**body, "nan": "greatest"}).status_code == 200
    for other in ({}, {"nan": "any"}, {"nan": "unordered"}):
        assert client.post(path, json={**body, **other}).status_code == 400
    tasks = client.post(f"{path}/tasks", json={"filter": "x > 5", "nan": "greatest", "task_files": 1}).json()
    part = {"filter": "x > 5", "plan_task": tasks["plan_tasks"][0]}
    assert client.post(path, json={**part, "nan": "greatest"}).status_code == 200
    assert client.post(path, json={**part, "nan": "none"}).status_code == 400
    snapshot = page["snapshot_id"]
    tags = {
        client.get(
            "/api/v1/tables/shop.plain/files", params={"filter": "x > 5", "snapshot": snapshot, "nan": mode}
        ).headers["etag"]
        for mode in ("any", "greatest", "unordered", "none")
    }
    assert len(tags) == 4


def test_is_null_of_a_required_column_drops_all_files(client: TestClient) -> None:
    assert plan(client, "id IS NULL")["counts"]["files"] == 0
    assert plan(client, "NOT (id IS NOT NULL)")["counts"]["files"] == 0
    assert plan(client, {"type": "is-null", "term": "id"})["counts"]["files"] == 0
    assert plan(client, "id IS NULL OR x < 5")["counts"]["files"] == 2


def test_is_null_of_a_required_member_of_an_optional_struct_goes_by_counts(client: TestClient) -> None:
    explained = client.post("/api/v1/tables/shop.plain/explain", json={"filter": "place.lat IS NULL"}).json()
    assert explained["applied"] == ["place.lat IS NULL"]


def iceberg_plan(client: TestClient, filter: object, header: str | None = None, **more: Any) -> Any:
    headers = {} if header is None else {"Lakemuster-Nan": header}
    path = "/iceberg/v1/namespaces/shop/tables/plain/plan"
    return client.post(path, json={"filter": filter, **more}, headers=headers)


GREATER = {"type": "gt", "term": "x", "value": 5.0}


def test_iceberg_clients_say_the_mode_in_a_header(client: TestClient) -> None:
    for header, count in ((None, 3), ("any", 3), ("greatest", 3), ("unordered", 1), ("none", 1), (None, 3)):
        for _ in range(2):  # the second answer is a cached one
            answer = iceberg_plan(client, GREATER, header).json()
            assert len(answer["file-scan-tasks"]) == count, header
    denied = {"type": "not", "child": GREATER}
    for header, count in (("greatest", 2), ("unordered", 3), ("any", 3), ("none", 2)):
        assert len(iceberg_plan(client, denied, header).json()["file-scan-tasks"]) == count, header
    for wrong in ("", "all", "Any "):
        refused = iceberg_plan(client, GREATER, wrong)
        assert refused.status_code == 400, refused.text


def test_the_mode_of_the_first_request_is_in_the_plan_id(client: TestClient) -> None:
    ids = {mode: iceberg_plan(client, GREATER, mode).json()["plan-id"] for mode in ("unordered", "greatest")}
    assert ids["unordered"] != ids["greatest"]
    for mode, plan_id in ids.items():
        path = f"/iceberg/v1/namespaces/shop/tables/plain/plan/{plan_id}"
        for header in ({}, {"Lakemuster-Nan": "none"}):
            tasks = client.get(path, headers=header).json()["file-scan-tasks"]
            assert len(tasks) == {"unordered": 1, "greatest": 3}[mode]


def test_the_mode_is_in_plan_tasks(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakemuster.catalog.iceberg_rest.scan_tasks.MAX_ENTRIES", 0)
    for mode, count in (("unordered", 1), ("greatest", 3)):
        answer = iceberg_plan(client, GREATER, mode, **{"case-sensitive": False}).json()
        assert answer["plan-tasks"]
        found = 0
        for task in answer["plan-tasks"]:
            body = {"plan-task": task}
            redeemed = client.post(
                "/iceberg/v1/namespaces/shop/tables/plain/tasks", json=body, headers={"Lakemuster-Nan": "none"}
            )
            found += len(redeemed.json()["file-scan-tasks"])
        assert found == count


def test_residuals_are_meant_in_the_plans_mode(client: TestClient) -> None:
    greater = {"type": "gt", "term": "x", "value": 5.0}
    nan = {"type": "is-nan", "term": "x"}
    wanted = {"greatest": {"type": "or", "left": greater, "right": nan}, "unordered": greater, "none": greater}
    for mode, residual in wanted.items():
        tasks = iceberg_plan(client, GREATER, mode).json()["file-scan-tasks"]
        assert {str(task["residual-filter"]) for task in tasks} == {str(residual)}
    assert {str(task["residual-filter"]) for task in iceberg_plan(client, GREATER).json()["file-scan-tasks"]} == {
        str(GREATER)
    }


def test_a_tables_setting_counts_where_a_request_says_nothing(client: TestClient) -> None:
    services = client.app.state.api.services  # type: ignore[attr-defined]
    settings = services.settings
    object.__setattr__(
        services, "settings", settings.model_copy(update={"tables": {"shop.*": TableSettings(nan="none")}})
    )
    try:
        spaced: dict[str, Any] = {"case_sensitive": False}  # another body, for which no response is cached
        assert plan(client, "x > 5", **spaced)["counts"]["files"] == 1
        assert plan(client, "x > 5", nan="any", **spaced)["counts"]["files"] == 3
        cased: dict[str, Any] = {"case-sensitive": False}
        assert len(iceberg_plan(client, GREATER, **cased).json()["file-scan-tasks"]) == 1
        assert len(iceberg_plan(client, GREATER, "any").json()["file-scan-tasks"]) == 3
        asked = {"filter": "x > 5", "content": "data"}
        assert len(client.get("/api/v1/tables/shop.plain/files", params=asked).json()["files"]) == 1
    finally:
        object.__setattr__(services, "settings", settings)


def test_plan_tokens_of_servers_without_modes_are_read() -> None:
    tokens = PlanTokens(TokenSigner(b"k" * 32), 1, "me")
    scan = Scan(1, 1, None, 0, None, True, (), None)
    packed = plan_tokens._packed(scan).replace(b',"nan":"any"', b"")
    assert b"nan" not in packed
    assert plan_tokens._unpacked(packed) == scan
    assert tokens.plan_id(scan) != tokens.plan_id(replace(scan, nan="none"))
