"""Cost of a request to a warm index, counted: objects fetched, SQL statements, rows written.

Each limit is the number that the request needs; a greater number is a regression, independent of timing.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event

from benchmarks.generate import append_manifest, iceberg_table
from lakemuster.catalog import listings, plan_response
from lakemuster.catalog.iceberg_rest import scan_tasks
from lakemuster.catalog.services import Services
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.unchanged_looks import UnchangedLooks
from lakemuster.wire.iceberg_rest.content_files import ContentFiles, file_scan_tasks
from lakemuster.wire.row_writer import RowWriter
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.polling import until

FILES, MANIFESTS = 40_000, 8
DAY = "ts >= '2023-03-{:02}T00:00:00+00:00' and ts < '2023-03-{:02}T00:00:00+00:00'"
PLAN = "/api/v1/tables/db.big/plan"
LIST = "/api/v1/tables/db.big/files"
REST = "/iceberg/v1/namespaces/db/tables/big"
NDJSON = {"Accept": "application/x-ndjson"}
LARGEST_PART = 16 * 2**20
LOOKED_AT = 2
"""Objects that a look at a Hadoop table reads: the version hint, and whether the next version exists."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hot") / "db" / "big"
    iceberg_table(folder, files=FILES, columns=6, manifests=MANIFESTS, processes=1)
    return folder


@contextmanager
def serving(folder: Path, table: Path, **changes: Any) -> Iterator[tuple[Services, TestClient]]:
    with catalog(settings(folder, max_staleness=3600.0, roots=(str(table.parent.parent),), **changes)) as services:
        if not services.tables():
            services.add("db.big", str(table), None, ())
            services.refresh("db.big")
        yield services, TestClient(create_app(services), base_url="http://127.0.0.1:8181")


class Counted:
    """Counts the work done since the last call."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.work: Counter[str] = Counter()
        self.largest = 0
        self._before = self._fetched()

    def _fetched(self) -> tuple[int, int, int, int]:
        counts, totals = self._services.store.counts, self._services.refresher.totals
        return counts.reads, counts.stats, counts.lists, totals.manifests_fetched

    def rows(self, batch: pa.RecordBatch) -> None:
        self.work["rows"] += batch.num_rows

    def statement(self, text: str) -> None:
        if re.match(r"SELECT|INSERT|UPDATE|DELETE|WITH", text, re.IGNORECASE):
            self.work["statements"] += 1
            self.work["writes"] += not text.upper().startswith(("SELECT", "WITH"))

    def __call__(self) -> Counter[str]:
        """Return the numbers of fetched objects, statements, writes and rows converted to JSON, without zeros."""
        now = self._fetched()
        found = self.work + Counter(fetched=sum(now) - sum(self._before))
        self.work, self._before = Counter(), now
        return +found


@pytest.fixture
def warm(
    table: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[TestClient, Counted]]:
    """A warmed-up server on an index that existed before it started, and a counter of its work."""
    folder = tmp_path_factory.getbasetemp() / "hot-index"
    folder.mkdir(exist_ok=True)
    with serving(folder, table):
        pass
    counted: list[Counted] = []

    def traced(connection: Any, _: object) -> None:
        connection.set_trace_callback(lambda text: counted[0].statement(text) if counted else None)

    event.listen(Engine, "connect", traced)
    # Looks are recorded later, in batches: suppress them so that no other request's work is counted.
    monkeypatch.setattr(UnchangedLooks, "record", lambda _: None)
    try:
        with serving(folder, table) as (services, http):
            counted.append(Counted(services))
            for module in (plan_response, listings):
                for name in ("json_items", "json_lines"):
                    monkeypatch.setattr(module, name, _watched(getattr(module, name), counted[0]))

            def tasks(files: ContentFiles, *rest: Any) -> bytes:
                counted[0].work["rows"] += files.table.num_rows
                return file_scan_tasks(files, *rest)

            write = RowWriter.write

            def chosen(writer: RowWriter, rows: Any, after: Any) -> memoryview:
                counted[0].work["rows"] += len(rows)
                found = write(writer, rows, after)
                counted[0].largest = max(counted[0].largest, len(found))
                return found

            monkeypatch.setattr(scan_tasks, "file_scan_tasks", tasks)
            monkeypatch.setattr(RowWriter, "write", chosen)
            yield http, counted[0]
    finally:
        event.remove(Engine, "connect", traced)


def _watched(write: Any, counted: Counted) -> Any:
    def watched(batch: pa.RecordBatch) -> bytes:
        counted.rows(batch)
        found: bytes = write(batch)
        counted.largest = max(counted.largest, len(found))
        return found

    return watched


def plan(http: TestClient, text: str | None, **rest: Any) -> dict[str, Any]:
    answer = http.post(PLAN, json={"filter": text, **rest})
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document


def test_a_server_that_starts_on_an_index_fetches_nothing_and_writes_nothing(warm: tuple[TestClient, Counted]) -> None:
    http, counted = warm
    assert plan(http, DAY.format(1, 2))["files"]
    first = counted()
    assert first["fetched"] == first["writes"] == 0
    assert 0 < first["statements"] <= 12


def test_a_new_filter_queries_only_the_table_record(warm: tuple[TestClient, Counted]) -> None:
    http, counted = warm
    plan(http, DAY.format(1, 2))
    counted()
    for day in range(2, 8):
        files = plan(http, DAY.format(day, day + 1))["files"]
        assert len(files) > 50
        assert counted() == {"statements": 1, "rows": len(files)}


def test_a_page_writes_its_own_rows_only(warm: tuple[TestClient, Counted]) -> None:
    http, counted = warm
    plan(http, None, page_size=2)
    counted()
    for size in (1, 7, 300):
        page = plan(http, None, page_size=size)
        assert len(page["files"]) == size
        assert counted() == {"statements": 1, "rows": size}
        following = plan(http, None, page_size=size, page_token=page["next_page_token"])
        found = counted()
        assert (found["rows"], found["fetched"]) == (size, 0)
        assert found["statements"] <= 6
        assert following["files"][0] != page["files"][0]
        listed = http.get(LIST, params={"page_size": size}).json()["files"]
        assert (len(listed), counted()) == (size, {"statements": 1, "rows": size})


def test_further_pages_query_only_the_table_record(warm: tuple[TestClient, Counted]) -> None:
    http, counted = warm
    page = http.get(LIST, params={"page_size": 50}).json()
    for number in range(4):
        counted()
        page = http.get(LIST, params={"page_size": 50, "page_token": page["next_page_token"]}).json()
        assert len(page["files"]) == 50
        assert number == 0 or counted() == {"statements": 1, "rows": 50}


def test_from_the_third_time_on_a_request_is_answered_from_the_cache(warm: tuple[TestClient, Counted]) -> None:
    http, counted = warm
    body = {"filter": DAY.format(9, 10)}
    from_to = (("gt-eq", "2023-03-09T00:00:00+00:00"), ("lt", "2023-03-10T00:00:00+00:00"))
    left, right = ({"type": kind, "term": "ts", "value": value} for kind, value in from_to)
    rest = {"filter": {"type": "and", "left": left, "right": right}}
    for ask in (
        lambda: http.post(PLAN, json=body),
        lambda: http.get(LIST, params={"page_size": 3}),
        lambda: http.post(f"{REST}/plan", json=rest),
    ):
        for _ in range(2):
            first = ask()
            assert first.status_code == 200
            assert counted()["rows"] > 0
        again = ask()
        assert counted() == {"statements": 1}
        assert again.content == first.content
        different = {"x-request-id"}
        assert {k: v for k, v in again.headers.items() if k not in different} == {
            k: v for k, v in first.headers.items() if k not in different
        }
        assert again.headers["x-request-id"] != first.headers["x-request-id"]


def test_scan_tasks_of_the_protocol_write_their_own_files_only(warm: tuple[TestClient, Counted]) -> None:
    http, counted = warm
    http.post(f"{REST}/plan", json={"filter": {"type": "eq", "term": "id", "value": 5}})
    counted()
    planned_at_once = http.post(f"{REST}/plan", json={}).json()
    tasks = planned_at_once["plan-tasks"]
    assert len(tasks) >= FILES // 10_000
    found = counted()
    assert (found["fetched"], found["writes"]) == (0, 0)
    assert found["statements"] <= 2
    total = 0
    while tasks:
        answer = http.post(f"{REST}/tasks", json={"plan-task": tasks.pop()}).json()
        written, found = len(answer["file-scan-tasks"]), counted()
        assert (found["rows"], found["fetched"], found["writes"]) == (written, 0, 0)
        assert found["statements"] <= 8
        total += written
        tasks += answer["plan-tasks"]
    assert total == FILES


def test_a_stream_writes_each_row_once_in_parts_of_bounded_size(warm: tuple[TestClient, Counted]) -> None:
    http, counted = warm
    for answer in (http.get(LIST, headers=NDJSON), http.post(PLAN, headers=NDJSON, json={})):
        count = json.loads(answer.content.splitlines()[-1])["end"]["count"]
        assert count == FILES
    found = counted()
    assert (found["rows"], found["fetched"], found["writes"]) == (2 * FILES, 0, 0)
    assert counted.largest < LARGEST_PART


def test_a_change_of_a_table_invalidates_its_cached_responses(table: Path, tmp_path: Path) -> None:
    copy = tmp_path / "lake" / "db" / "small"
    iceberg_table(copy, files=40, columns=4, manifests=2, processes=1)
    where = "/api/v1/tables/db.small/plan"
    with catalog(settings(tmp_path, max_staleness=3600.0, roots=(str(tmp_path / "lake"),))) as services:
        services.add("db.small", str(copy), None, ())
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")

        def files() -> int:
            answers = [http.post(where, json={}) for _ in range(2)]
            assert answers[0].content == answers[1].content
            found: int = answers[0].json()["counts"]["files"]
            return found

        assert files() == 40
        append_manifest(copy, files=5)
        assert files() == 40  # within the allowed staleness
        assert http.post("/api/v1/tables/db.small/refresh").status_code == 200
        assert files() == 45
        assert http.delete("/api/v1/tables/db.small").status_code == 204
        assert http.post(where, json={}).status_code == 404
        services.add("db.small", str(copy), None, ())
        assert files() == 45


def test_a_request_that_looks_reads_two_objects_and_queries_only_the_table_record(
    warm: tuple[TestClient, Counted], monkeypatch: pytest.MonkeyPatch
) -> None:
    http, counted = warm
    monkeypatch.setattr(Refresher, "is_fresh", lambda *_: False)
    for day in (10, 11):
        plan(http, DAY.format(day, day + 1))
    counted()
    for day in (12, 13):
        files = plan(http, DAY.format(day, day + 1))["files"]
        # The table's record is read to find the table, at the look, and after it.
        assert counted() == {"statements": 3, "fetched": LOOKED_AT, "rows": len(files)}


def test_a_first_plan_of_a_table_takes_a_few_statements_and_maps_its_segments_only(
    table: Path, warm: tuple[TestClient, Counted]
) -> None:
    http, counted = warm
    http.post("/api/v1/tables", json={"name": "db.other", "location": str(table)})
    http.post("/api/v1/tables/db.other/refresh")
    # The thread of a refresh gives its lease back after the response.
    until(lambda: not [thread for thread in threading.enumerate() if thread.name.startswith("storage ")])
    counted()
    answer = http.post("/api/v1/tables/db.other/plan", json={"page_size": 5})
    assert len(answer.json()["files"]) == 5
    assert counted() == {"statements": 9, "rows": 5}


def test_with_zero_staleness_every_request_reads_the_pointer(table: Path, tmp_path: Path) -> None:
    copy = tmp_path / "lake" / "db" / "small"
    iceberg_table(copy, files=40, columns=4, manifests=2, processes=1)
    with catalog(settings(tmp_path, max_staleness=0.0, roots=(str(tmp_path / "lake"),))) as services:
        services.add("db.small", str(copy), None, ())
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        for expected in (40, 45):
            for _ in range(2):
                assert http.post("/api/v1/tables/db.small/plan", json={}).json()["counts"]["files"] == expected
            append_manifest(copy, files=5)
