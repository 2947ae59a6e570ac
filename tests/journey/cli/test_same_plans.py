"""Plans and explanations are the same from a local index, a server of it, and the Python client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from lakemuster import Client
from lakemuster.client import ClientError
from tests.journey.cli.conftest import Lake
from tests.journey.cli.conftest import run_here as said
from tests.journey.servers import Running, environment

DELETES = "iceberg.equality_deletes.warehouse.mydb.mytable_partitioned"


@pytest.fixture(autouse=True)
def _here(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lake.folder)
    for name, value in environment(lake.folder, {}).items():
        monkeypatch.setenv(name, value)


def filters(server: Running, name: str) -> Iterator[str]:
    """Yield filters on the first suitable column of a table, with values that its files record."""
    for row in server.rows(f"/tables/{name}/files", stats="*"):
        if row["content"] != "data":
            continue
        bounds = {**row["partition"], **(row.get("upper_bounds") or {})}
        columns = {field["name"] for field in server.get(f"/tables/{name}/schemas")["schemas"][-1]["fields"]}
        for column, value in bounds.items():
            if column in columns and isinstance(value, int | str) and not isinstance(value, bool):
                text = repr(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
                yield f'"{column}" >= {text}'
                yield f'"{column}" < {text} OR "{column}" IS NULL'
                return
        yield "true"
        return


def names(server: Running) -> list[str]:
    return [table.name for table in Client(server.uri).tables()]


def test_every_plan_is_the_same(server: Running):
    planned = 0
    for name in names(server):
        for where in filters(server, name):
            for words in (["plan", name, "--where", where, "--json"], ["explain", name, "--where", where]):
                assert said(*words) == said(*words, "--uri", server.uri), words
            files = said("files", name, "--where", where, "--json")
            assert files == said("files", name, "--where", where, "--json", "--uri", server.uri)
            document = json.loads(said("plan", name, "--where", where, "--json", "--uri", server.uri)[0])
            plan = Client(server.uri).table(name).plan(where=where)
            assert (plan.files, plan.deletes) == (document["files"], document["deletes"])
            assert (plan.applied, plan.not_applied) == (document["applied"], document["not_applied"])
            listed = [row["file_path"] for row in json.loads(files[0])]
            assert listed == [*plan.paths, *(row["file_path"] for row in plan.deletes)]
            planned += len(plan.files)
    assert planned > 20
    assert said("plan", DELETES) == said("plan", DELETES, "--uri", server.uri)


def test_small_pages_and_arrow_are_the_same_plan(server: Running):
    table = Client(server.uri).table(DELETES)
    whole = table.plan()
    assert whole.deletes
    small = table.plan(page_size=1)
    assert {(row["file_path"], *small_deletes(small.deletes, row)) for row in small.files} == {
        (row["file_path"], *small_deletes(whole.deletes, row)) for row in whole.files
    }
    arrow, deletes = whole.to_arrow(), whole.deletes_to_arrow()
    assert isinstance(arrow, pa.Table)
    assert arrow.column("file_path").to_pylist() == whole.paths
    assert sorted(deletes.column("file_path").to_pylist()) == sorted(row["file_path"] for row in whole.deletes)
    for row, file in zip(arrow.to_pylist(), whole.files, strict=True):
        paths = [deletes.column("file_path")[number].as_py() for number in row["deletes"]]
        assert paths == [whole.deletes[number]["file_path"] for number in file["deletes"]]


def small_deletes(deletes: list[Any], file: Any) -> list[str]:
    return [deletes[number]["file_path"] for number in file["deletes"]]


def test_what_is_off_is_told_alike(server: Running):
    name = names(server)[0]
    for words in (
        ["plan", name, "--where", "no_such > 1"],
        ["plan", name, "--select", "no_such"],
        ["plan", name, "--where", "length('x') = 1", "--strict"],
        ["plan", name, "--ref", "no_such"],
        ["explain", name, "--where", "("],
        ["files", name, "--where", '{"type": "eq", "term": "no_such", "value": 1}'],
    ):
        out, here = said(*words, status=1)
        assert (out, here) == said(*words, "--uri", server.uri, status=1)
        assert here.startswith("lakemuster: ")
        assert len(here.splitlines()) == 1
    with pytest.raises(ClientError) as caught:
        Client(server.uri).table(name).plan(where="no_such > 1")
    assert caught.value.code == "filter_invalid"


def test_an_expression_is_a_filter_at_the_command_line_too(server: Running):
    expression = json.dumps({"type": "not-null", "term": "id"})
    for words in (["plan", DELETES], ["files", DELETES]):
        here = said(*words, "--where", expression, "--json")
        assert here == said(*words, "--where", expression, "--json", "--uri", server.uri)
    files = json.loads(said("plan", DELETES, "--where", expression, "--json")[0])["files"]
    assert {json.dumps(row["residual"]) for row in files} <= {expression, "null"}


def test_limits_and_selected_columns(server: Running):
    whole = json.loads(said("plan", DELETES, "--json")[0])["files"]
    for uri in ([], ["--uri", server.uri]):
        limited = json.loads(said("plan", DELETES, "--limit", "1", "--select", "id", "--json", *uri)[0])["files"]
        assert limited == whole[: len(limited)]


def test_files_are_explained_one_by_one(server: Running):
    path = json.loads(said("plan", DELETES, "--json")[0])["files"][0]["file_path"]
    words = ["explain", DELETES, "--where", "id > 100000", "--file", path, "--file", "s3://no/such.parquet"]
    for form in ([], ["--json"]):
        assert said(*words, *form) == said(*words, *form, "--uri", server.uri)
    files = json.loads(said(*words, "--json")[0])["files"]
    assert [(file["file_path"], file["state"]) for file in files] == [
        (path, "dropped"),
        ("s3://no/such.parquet", "absent"),
    ]


def test_paimon_tables_are_read_as_asked_for(server: Running):
    name = next(name for name in names(server) if "scan_and_read_mor" in name)
    table = Client(server.uri).table(name)
    newest = max(int(row["snapshot_id"]) for row in server.rows(f"/tables/{name}/snapshots"))
    asked: list[tuple[list[str], dict[str, Any]]] = [
        ([], {}),
        (["--read-optimized"], {"read_optimized": True}),
        (["--splits"], {"splits": True}),
        (["--since", "1"], {"start_snapshot_id": 1}),
        (["--since", "1", "--snapshot", str(newest)], {"start_snapshot_id": 1, "end_snapshot_id": newest}),
        (["--since", "1", "--changelog"], {"start_snapshot_id": 1, "scan_mode": "changelog"}),
    ]
    found = {}
    for words, question in asked:
        here = said("plan", name, *words, "--json")
        assert here == said("plan", name, *words, "--json", "--uri", server.uri)
        assert said("plan", name, *words) == said("plan", name, *words, "--uri", server.uri)
        plan = table.plan(**question)
        assert plan.files == json.loads(here[0])["files"]
        assert plan.to_arrow().column("file_path").to_pylist() == plan.paths
        found[" ".join(words)] = plan.files
    assert {file["level"] for file in found["--read-optimized"]} == {5}
    assert {file["split"] is None for file in found["--splits"]} == {False}
    merged = {file["section"] for file in found[""]} - {None}
    assert merged
    assert all(file["raw_convertible"] == (file["section"] is None) for file in found[""])
    assert 0 < len(found["--since 1"]) < len(server.rows(f"/tables/{name}/entries"))
    assert "requires --since" in said("plan", name, "--changelog", status=2)[1]
