"""Plans over HTTP, on each database: pages, lines and Arrow streams contain the planner's plan."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from lakemuster.index.database import Database
from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_of
from lakemuster.predicates import TRUE, Bound
from lakemuster.wire.delete_numbering import DeleteNumbers
from tests.apps import create_app
from tests.contract.service.backends import catalog, rows, settings
from tests.contract.service.test_plans import filters

LAKES = ("equality_deletes", "partition_integer", "null_stats", "add_columns_with_defaults")
ARROW, NDJSON = "application/vnd.apache.arrow.stream", "application/x-ndjson"
Row = dict[str, Any]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def services(
    request: pytest.FixtureRequest, lakes: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("answers")
    demo = unpack(folder / "demo")
    for name in LAKES:
        shutil.copytree(lakes / "iceberg" / name, folder / "lakes" / name, copy_function=shutil.copyfile)
    with ExitStack() as stack:
        database_url = f"sqlite:///{folder}/index.db"
        if request.param == "postgres":
            database_url = stack.enter_context(request.getfixturevalue("postgres_server").database())
            Database(database_url).migrate()
        made = stack.enter_context(catalog(settings(folder, database_url=database_url, max_staleness=3600.0)))
        for root, rules in ((demo, ()), (folder / "lakes", (("data/persistent", str(folder / "lakes")),))):
            assert list(made.discover(str(root), None, rules, operator=True))
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


OF_PLANS = ("deletes", "residual", "raw_convertible", "section", "deletion_vector", "split")
"""Columns of a file that plans have and lists do not."""


def ask(http: TestClient, name: str, body: Row, status: int = 200) -> Row:
    answer = http.post(f"/api/v1/tables/{name}/plan", json=body)
    assert answer.status_code == status, answer.text
    document: Row = answer.json()
    return document


def pages(http: TestClient, name: str, body: Row) -> Iterator[Row]:
    token = None
    while True:
        page = ask(http, name, body if token is None else {**body, "page_token": token})
        assert len(page["files"]) <= body.get("page_size", 1000)
        used = {number for file in page["files"] for number in file["deletes"]}
        assert used == set(range(len(page["deletes"])))
        yield page
        token = page["next_page_token"]
        if token is None:
            return


def with_deletes(files: list[Row], deletes: list[Row]) -> list[Row]:
    """Replace the indexes of delete files with their locations."""
    return [{**file, "deletes": [deletes[number]["file_path"] for number in file["deletes"]]} for file in files]


def by_pages(http: TestClient, name: str, body: Row) -> list[Row]:
    numbers = DeleteNumbers()
    files = [file for page in pages(http, name, body) for file in numbers.files(page)]
    return with_deletes(files, numbers.rows)  # type: ignore[arg-type]


def by_lines(http: TestClient, name: str, body: Row) -> list[Row]:
    answer = http.post(f"/api/v1/tables/{name}/plan", json=body, headers={"Accept": NDJSON})
    first, *lines, last = map(json.loads, answer.text.splitlines())
    assert set(first["plan"]) == {"snapshot_id", "schema_id", "applied", "not_applied", "counts", "stale"}
    assert last == {"end": {"count": len(lines), "snapshot_id": first["plan"]["snapshot_id"]}}
    deletes: list[Row] = []
    files: list[Row] = []
    for line in lines:
        ((kind, row),) = line.items()
        if kind == "delete":
            deletes.append(row)
        else:
            assert kind == "file"
            assert all(number < len(deletes) for number in row["deletes"]), "a file precedes its delete files"
            files.append(row)
    assert len({(row["file_path"], row["content_offset"]) for row in deletes}) == len(deletes)
    return with_deletes(files, deletes)


def by_arrow(http: TestClient, name: str, body: Row) -> list[tuple[str, list[str], str | None]]:
    answer = http.post(f"/api/v1/tables/{name}/plan", json=body, headers={"Accept": ARROW})
    reader = pa.ipc.open_stream(io.BytesIO(answer.content))
    about = orjson.loads(reader.schema.metadata[b"plan"])
    *batches, last = list(reader.iter_batches_with_custom_metadata())
    end = {key.decode(): value.decode() for key, value in last.custom_metadata.items()}
    found = [row for batch in batches for row in batch.batch.to_pylist()]
    assert end == {"count": str(len(found)), "snapshot_id": about["snapshot_id"]}
    deletes: list[str] = []
    files = []
    for row in found:
        if row["content"] == "data":
            files.append((row["file_path"], [deletes[number] for number in row["deletes"]], row["residual"]))
        else:
            assert row["deletes"] is None
            deletes.append(row["file_path"])
    return files


def cases(services: Services, each: int) -> Iterator[tuple[str, str, Bound]]:
    """Yield table, text and bound filter: all files of every table, then each ``each``-th filter."""
    for number, table in enumerate(services.tables()):
        scan = scan_index_of(services.index, services.view(table.name))
        yield table.name, "true", TRUE
        for at, (text, bound) in enumerate(filters(scan, number)):
            if at % each == 0:
                yield table.name, text, bound


def test_every_media_type_has_the_same_plan(services: Services, http: TestClient) -> None:
    attached = kept = 0
    for name, text, bound in cases(services, 12):
        plan = Plan(scan_index_of(services.index, services.view(name)), bound)
        files = by_pages(http, name, {"filter": text})
        assert [file["record_count"] for file in files] == [
            count for batch in plan.batches() for count in batch.table.column("record_count").to_pylist()
        ], text
        for size in (1, 7):
            assert by_pages(http, name, {"filter": text, "page_size": size}) == files, text
        assert by_lines(http, name, {"filter": text}) == files, text
        short = [(file["file_path"], file["deletes"], file["residual"]) for file in files]
        assert by_arrow(http, name, {"filter": text}) == short, text
        kept += len(files)
        attached += sum(len(file["deletes"]) for file in files)
    assert kept > 100
    assert attached > 10


def test_files_are_rows_of_the_list_of_files(services: Services, http: TestClient) -> None:
    for table in services.tables():
        view = services.view(table.name)
        listed = rows(lists.files(services.index, view, stats=["*"]))
        page = ask(http, table.name, {"stats": ["*"], "page_size": 10_000})
        files = [{k: v for k, v in file.items() if k not in OF_PLANS} for file in page["files"]]
        assert files == [row for row in listed if row["content"] == "data"]
        assert all(delete in listed for delete in page["deletes"])
        assert {file["residual"] for file in page["files"]} <= {None}


def test_counts_cover_the_whole_plan(services: Services, http: TestClient) -> None:
    for table in services.tables():
        whole = ask(http, table.name, {})
        counts = whole["counts"]
        assert counts["files"] == len(whole["files"])
        assert counts["records"] == sum(file["record_count"] for file in whole["files"])
        assert counts["bytes"] == sum(file["file_size_in_bytes"] for file in whole["files"])
        assert ask(http, table.name, {"page_size": 1, "limit": 1})["counts"] == counts


def test_a_filtered_list_is_the_plans_data_files_and_their_delete_files(services: Services, http: TestClient) -> None:
    for name, text, _ in cases(services, 12):
        planned = ask(http, name, {"filter": text})
        wanted = [{k: v for k, v in f.items() if k not in OF_PLANS} for f in planned["files"]]
        for size in (2, 1000):
            listed: list[Row] = []
            params: Row = {"filter": text, "page_size": size}
            while True:
                page = http.get(f"/api/v1/tables/{name}/files", params=params).json()
                assert page["not_applied"] == planned["not_applied"]
                listed += page["files"]
                if page["next_page_token"] is None:
                    break
                params["page_token"] = page["next_page_token"]
            assert listed == [*wanted, *planned["deletes"]], (text, size)
        for content, chosen in (("data", wanted), ("position-deletes,equality-deletes", planned["deletes"])):
            page = http.get(f"/api/v1/tables/{name}/files", params={"filter": text, "content": content}).json()
            assert page["files"] == chosen


def test_a_filtered_list_streams_what_its_pages_hold(services: Services, http: TestClient) -> None:
    for name, text, _ in cases(services, 12):
        params = {"filter": f"({text}) and length('x') = 3"}
        page = http.get(f"/api/v1/tables/{name}/files", params=params).json()
        lines = http.get(f"/api/v1/tables/{name}/files", params=params, headers={"Accept": NDJSON}).text.splitlines()
        *files, end = map(json.loads, lines)
        assert files == page["files"]
        assert end["end"]["not_applied"] == page["not_applied"] != []
        answer = http.get(f"/api/v1/tables/{name}/files", params=params, headers={"Accept": ARROW})
        *_, last = pa.ipc.open_stream(io.BytesIO(answer.content)).iter_batches_with_custom_metadata()
        assert json.loads(last.custom_metadata[b"not_applied"]) == page["not_applied"]


def test_a_limited_plan_is_a_sufficient_prefix_of_the_plan(services: Services, http: TestClient) -> None:
    cut = 0
    for name, text, bound in cases(services, 12):
        whole = by_pages(http, name, {"filter": text})
        plan = Plan(scan_index_of(services.index, services.view(name)), bound)
        sure = [int(n) for batch in plan.batches() for n in batch.surely_matching()]
        if services.view(name).schemas[0].primary_keys:
            sure = [0] * len(sure)  # rows of a file may be replaced by those of others
        for limit in (1, 50, 10**9):
            for size in (1, 1000):
                found = by_pages(http, name, {"filter": text, "limit": limit, "page_size": size})
                assert found == whole[: len(found)], text
                assert sum(sure[: len(found)]) >= limit or len(found) == len(whole), text
                assert sum(sure[: len(found) - 1]) < limit or not found, text
                cut += len(found) < len(whole)
    assert cut > 10


def test_an_expression_has_the_plan_of_its_sql(http: TestClient) -> None:
    expression = {
        "type": "and",
        "left": {"type": "gt-eq", "term": "day", "value": "2024-05-08"},
        "right": {"type": "in", "term": "status", "values": ["open", "returned", "shipped"]},
    }
    text = "day >= DATE '2024-05-08' AND status IN ('open', 'shipped', 'returned')"
    one, other = (ask(http, "shop.orders", {"filter": given}) for given in (expression, text))
    assert [file["file_path"] for file in one["files"]] == [file["file_path"] for file in other["files"]] != []
    assert one["counts"] == other["counts"]
    left = {file["residual"] for file in other["files"]}
    assert left == {"status IN ('open', 'shipped', 'returned')"}
    assert all(file["residual"] == expression["right"] for file in one["files"])
    arrow = by_arrow(http, "shop.orders", {"filter": expression})
    assert {json.dumps(json.loads(residual or "")) for _, _, residual in arrow} == {json.dumps(expression["right"])}


def test_an_incremental_plan_has_the_files_appended_between_two_snapshots(services: Services, http: TestClient) -> None:
    snapshots = http.get("/api/v1/tables/web.events/snapshots?order=asc").json()["snapshots"]
    start = snapshots[0]["snapshot_id"]
    for size in (1, 1000):
        files = by_pages(http, "web.events", {"start_snapshot_id": start, "page_size": size})
        appended = {s["snapshot_id"] for s in snapshots[1:] if s["operation"] == "append"}
        assert {file["snapshot_id"] for file in files} <= appended
        recorded = sum(int(s["summary"].get("added-data-files", 0)) for s in snapshots if s["snapshot_id"] in appended)
        assert len(files) == recorded > 0
    one = ask(http, "web.events", {"start_snapshot_id": int(start), "end_snapshot_id": snapshots[1]["snapshot_id"]})
    assert one["snapshot_id"] == snapshots[1]["snapshot_id"]
    assert {file["snapshot_id"] for file in one["files"]} == {snapshots[1]["snapshot_id"]}
