"""Plans of the driver: of the snapshot that was pinned, or an error."""

from __future__ import annotations

import functools
import pickle
from typing import Any

import httpx
import pyarrow as pa
import pytest

from lakemuster.client import Client, ClientError, transport
from lakemuster.client.plans import PlanTask
from lakemuster.spark import options
from lakemuster.spark.errors import OptionInvalid, PlanOutdated, SnapshotReplaced
from lakemuster.spark.options import Options
from lakemuster.spark.planning import TaskInput, task_inputs, task_rows
from lakemuster.spark.reading.model import TableToRead
from lakemuster.spark.snapshot_pin import PinnedTable, with_columns
from tests.unit.client.answers import Server, arrow, page, refusal

COLUMNS = {"content": pa.string(), "deletes": pa.list_(pa.int32()), "residual": pa.string()}


def table(format: str) -> TableToRead:
    return TableToRead("a.b", format, {}, (), (), {}, (), ())


def server(*further: Any, task_threshold: int = 5) -> Server:
    first = page("files", [], deletes=[], snapshot_id="2", applied=[], not_applied=[], counts={"files": 1, "bytes": 9})
    if not task_threshold:
        return Server(first, httpx.Response(200, json={"plan_tasks": [], "snapshot_id": "2"}), *further)
    no_files = pa.RecordBatch.from_pylist([], schema=pa.schema(COLUMNS))
    return Server(first, arrow([no_files], {"count": "0", "snapshot_id": "2"}), *further)


def snapshot(base: str) -> httpx.Response:
    row = {"snapshot_id": "2", "committed_at": "2024-05-01T00:00:00Z", "state": "published", "branch": "main"}
    return httpx.Response(200, json={**row, "base_manifest_list": base})


def inputs(monkeypatch: pytest.MonkeyPatch, answers: Server, pinned: PinnedTable, threshold: int = 5) -> object:
    monkeypatch.setattr(Options, "client", lambda self: answers.client())
    return task_inputs(Options("http://lake.test", "a.b", task_threshold=threshold), pinned)


@pytest.mark.parametrize("threshold", [5, 0])
def test_a_snapshot_whose_id_another_one_has_got_is_not_planned(monkeypatch, threshold: int):
    pinned = PinnedTable(table("paimon"), 2, identity="list-1")
    same = server(snapshot("list-1"), task_threshold=threshold)
    assert inputs(monkeypatch, same, pinned, threshold) == [TaskInput()]
    assert same.asked[-1] == "GET /api/v1/tables/a.b/snapshots/2"
    with pytest.raises(SnapshotReplaced, match="snapshot 2 is now another one than before"):
        inputs(monkeypatch, server(snapshot("list-9"), task_threshold=threshold), pinned, threshold)


def test_the_ids_of_iceberg_are_not_asked_about(monkeypatch):
    answers = server()
    assert inputs(monkeypatch, answers, PinnedTable(table("iceberg"), 2)) == [TaskInput()]
    assert len(answers.requests) == 2


@pytest.mark.parametrize(("code", "error"), [("page_token_invalid", PlanOutdated), ("filter_invalid", ClientError)])
def test_a_part_of_a_plan_whose_snapshot_is_gone_says_so(monkeypatch, code: str, error: type[Exception]):
    monkeypatch.setattr(Options, "client", lambda self: Server(refusal(400, code)).client())
    part = TaskInput(task=PlanTask("/tables/a.b/plan", {}, "token", 2))
    with pytest.raises(error):
        list(task_rows(Options("http://lake.test", "a.b"), table("iceberg"), part))


def test_executors_wait_for_a_server_that_restarts(monkeypatch):
    monkeypatch.setattr(transport, "_pause", lambda attempt, retry_after: None)
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if len(asked) <= 7:
            raise httpx.ConnectError("connection refused", request=request)
        return refusal(400, "page_token_invalid")

    monkeypatch.setattr(options, "Client", functools.partial(Client, transport=httpx.MockTransport(answer)))
    part = TaskInput(task=PlanTask("/tables/a.b/plan", {}, "token", 2))
    with pytest.raises(PlanOutdated):
        list(task_rows(Options("http://lake.test", "a.b"), table("iceberg"), part))
    assert asked == 8 * ["/api/v1/tables/a.b/plan"]


def test_a_part_of_a_plan_of_another_caller_names_the_token(monkeypatch):
    monkeypatch.setattr(Options, "client", lambda self: Server(refusal(400, "page_token_invalid")).client())
    part = TaskInput(task=PlanTask("/tables/a.b/plan", {}, "token", 2))
    own = Options("http://lake.test", "a.b", token_env="LAKE_TOKEN")
    with pytest.raises(PlanOutdated, match="or LAKE_TOKEN has another caller's token on executors") as refused:
        list(task_rows(own, table("iceberg"), part))
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_two_names_of_one_column_are_refused():
    fields = [{"name": name} for name in ("id", "Day", "day")]
    named = TableToRead("a.b", "iceberg", {"fields": fields}, (), (), {}, (), ())
    assert with_columns(named, ["day", "Day", "ID"]).columns == ("day", "Day", "id")
    with pytest.raises(OptionInvalid, match="names column 'id' twice"):
        with_columns(named, ["id", "ID"])
