"""Plans of a table whose columns changed after its last snapshot: all parts use the names that the request used."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import LongType

from lakemuster import Client
from lakemuster.client import ClientError, Plan, Table
from lakemuster.spark.options import Options
from lakemuster.spark.planning import TaskInput, task_inputs
from lakemuster.spark.snapshot_pin import pin
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

NULLS, RENAMED = "a IS NULL", "c = 'x'"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a table with one file without nulls, whose column ``a`` was then dropped and added again."""
    folder = tmp_path_factory.mktemp("schemas")
    iceberg = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/lake")
    iceberg.create_namespace("db")
    rows = pa.table({"a": pa.array([1], pa.int64()), "b": ["x"]})
    table = iceberg.create_table("db.t", rows.schema)
    table.append(rows)
    with table.update_schema() as update:
        update.delete_column("a").rename_column("b", "c")
    with table.update_schema() as update:
        update.add_column("a", LongType())
    with catalog(settings(folder, max_staleness=3600.0)) as services:
        services.add("db.t", table.metadata_location, None, (), operator=True)
        served = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        with Client("http://127.0.0.1:8181", transport=served._transport) as made:
            yield made


@pytest.fixture(scope="module")
def table(client: Client) -> Table:
    return client.table("db.t")


def files_of(client: Client, plan: Plan) -> list[int]:
    """Return the number of files in each form of a plan."""
    tasks = [client.redeem(task)[0] for task in plan.tasks()]
    return [len(plan.files), plan.to_arrow().num_rows, sum(files.num_rows for files in tasks)]


@pytest.mark.parametrize("where", [NULLS, RENAMED])
def test_each_form_of_a_current_plan_uses_the_newest_names(client: Client, table: Table, where: str) -> None:
    assert files_of(client, table.plan(where)) == [1, 1, 1]
    assert files_of(client, table.plan(where, ref="main")) == [1, 1, 1]


def test_a_snapshot_has_the_names_of_its_schema_or_of_the_requested_one(client: Client, table: Table) -> None:
    snapshot_id = table.plan().snapshot_id
    assert files_of(client, table.plan("a = 1", snapshot_id=snapshot_id)) == [1, 1, 1]
    assert files_of(client, table.plan(NULLS, snapshot_id=snapshot_id)) == [0, 0, 0]
    newest = max(schema["schema_id"] for schema in table.schemas())
    for where in (NULLS, RENAMED):
        assert files_of(client, table.plan(where, snapshot_id=snapshot_id, schema_id=newest)) == [1, 1, 1]
    with pytest.raises(ClientError, match="column 'c' not found"):
        table.plan(RENAMED, snapshot_id=snapshot_id)
    with pytest.raises(ClientError, match="schema 9 not found"):
        table.plan(schema_id=9)


@pytest.mark.parametrize("threshold", [0, 5])
@pytest.mark.parametrize("where", [NULLS, RENAMED])
def test_the_parts_of_a_frame_use_the_names_of_its_columns(
    client: Client, table: Table, monkeypatch: pytest.MonkeyPatch, where: str, threshold: int
) -> None:
    monkeypatch.setattr(Options, "client", lambda self: _Kept(client))
    for own, pushed in ((where, None), (None, where)):
        options = Options("http://127.0.0.1:8181", "db.t", filter=own, task_threshold=threshold)
        assert task_inputs(options, pin(table, options), pushed) != [TaskInput()]


class _Kept:
    """A client that stays open after its use."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __enter__(self) -> Client:
        return self._client

    def __exit__(self, *problem: object) -> None:
        pass
