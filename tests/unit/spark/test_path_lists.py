"""Paths are returned only if the table's columns were equal before and after the plan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pyarrow as pa
import pytest

from lakemuster.client.choices import Choice
from lakemuster.spark import NotPlainParquet, path_lists
from lakemuster.spark.path_lists import list_paths
from tests.unit.client.answers import Server, arrow, page

INFO = {"name": "a.t", "format": "iceberg", "location": "/t", "properties": {}, "current_snapshot_id": "7"}
SNAPSHOT = {"snapshot_id": "7", "committed_at": "2024-05-01T00:00:00Z", "state": "published", "branch": "main"}
PLANNED: dict[str, Any] = {
    "snapshot_id": "7",
    "applied": [],
    "not_applied": [],
    "counts": {},
    "files": [],
    "next_page_token": None,
}
ONE, TWO = ({"id": 1, "name": "id", "type": "long"}, {"id": 2, "name": "n", "type": "long"})


def schema(id: int, *fields: dict[str, Any], current: bool = True, branch: str = "main") -> dict[str, Any]:
    return {"schema_id": id, "branch": branch, "current": current, "fields": list(fields)}


def described(*schemas: dict[str, Any], schema_id: int | None = 0, **info: Any) -> list[httpx.Response]:
    return [
        httpx.Response(200, json=INFO | info),
        page("schemas", schemas),
        page("specs", [{"spec_id": 0, "fields": []}]),
        page("snapshots", [SNAPSHOT | {"schema_id": schema_id}]),
    ]


def planned(*paths: str, **sizes: int) -> list[httpx.Response]:
    rows: list[dict[str, Any]] = [
        {"file_path": path, "content": "data", "file_format": "parquet", "deletes": [], "residual": None}
        | ({"column_sizes": sizes} if sizes else {})
        for path in paths
    ]
    batch = pa.RecordBatch.from_pylist(rows)
    return [
        httpx.Response(200, json=PLANNED | {"stale": None}),
        arrow([batch], {"count": str(len(rows)), "snapshot_id": "7"}),
    ]


def listed(answers: Sequence[httpx.Response], **choice: Any) -> tuple[list[str], Server]:
    server = Server(*answers)
    asked: Choice = {**choice}  # type: ignore[typeddict-item]
    found = list_paths(server.client().table("a.t"), "id > 1", asked, is_case_sensitive=False)
    assert server.answers == []
    return found, server


def test_the_paths_of_a_plan():
    found, server = listed([*described(schema(0, ONE)), *planned("/t/a", "/t/b"), *described(schema(0, ONE))])
    assert found == ["/t/a", "/t/b"]
    plan = next(json.loads(request.content) for request in server.requests if request.method == "POST")
    assert plan == {"filter": "id > 1", "page_size": 1}


@pytest.mark.parametrize(
    ("zone", "where", "asked"),
    [
        ("America/New_York", "At < TIMESTAMP '2024-05-01 00:00:00'", None),
        ("America/New_York", "id > 1", "id > 1"),
        ("UTC", "At < TIMESTAMP '2024-05-01 00:00:00'", "At < TIMESTAMP '2024-05-01 00:00:00'"),
    ],
)
def test_no_file_is_left_out_by_times_that_spark_reads_in_another_zone(
    monkeypatch: pytest.MonkeyPatch, zone: str, where: str, asked: str | None
) -> None:
    instant = schema(0, ONE, {"id": 3, "name": "at", "type": "timestamptz"})
    before = [page("schemas", [instant])] if zone != "UTC" else []
    server = Server(*before, *described(instant), *planned("/t/a"), *described(instant))
    monkeypatch.setattr(path_lists, "Client", lambda uri, token: server.client())
    spark = SimpleNamespace(conf=SimpleNamespace(get={"spark.sql.session.timeZone": zone}.get))
    assert path_lists.paths(cast("Any", spark), "http://lake", "a.t", where) == ["/t/a"]
    plan = next(json.loads(request.content) for request in server.requests if request.method == "POST")
    assert plan.get("filter") == asked


def test_a_schema_that_comes_meanwhile_is_looked_at():
    before, after = described(schema(0, ONE)), [schema(0, ONE, current=False), schema(1, ONE, TWO)]
    found, server = listed([*before, *planned("/t/a"), *described(*after), *planned("/t/a", n=7), *described(*after)])
    assert found == ["/t/a"]
    assert json.loads(server.requests[-6].content)["stats"] == ["n"]
    with pytest.raises(NotPlainParquet, match="known to hold column n"):
        listed([*before, *planned("/t/a"), *described(*after), *planned("/t/a", id=7), *described(*after)])


def test_columns_that_change_all_the_time_are_given_up():
    answers: list[httpx.Response] = []
    for number in range(3):
        schemas = [schema(at, ONE, current=at == number) for at in range(number + 1)]
        answers += [*described(*schemas), *planned("/t/a")]
    with pytest.raises(NotPlainParquet, match="changed while"):
        listed([*answers, *described(*(schema(at, ONE, current=at == 3) for at in range(4)))])


def test_a_snapshot_is_read_with_its_own_schema():
    schemas = [schema(0, ONE, current=False), schema(1, ONE, TWO)]
    with pytest.raises(NotPlainParquet, match="schema 1 differs: it has column n"):
        listed(described(*schemas), snapshot_id=7)
    with pytest.raises(NotPlainParquet, match="does not say its schema"):
        listed(described(*schemas, schema_id=None), snapshot_id=7)
    with pytest.raises(NotPlainParquet, match="older snapshots do not say"):
        listed(described(schema(0, ONE), schema_id=None))
