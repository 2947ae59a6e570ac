"""Unmodified PyIceberg reads the same rows by a server's plans as by its own.

Some tables PyIceberg 0.12 cannot read by any plan, such as those with equality deletes; the tests name them.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import uvicorn
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import BadRequestError, ResolveError, ServerError
from pyiceberg.table import StaticTable, Table

from lakemuster.api.app import create_app
from lakemuster.catalog.iceberg_rest import scan_tasks
from lakemuster.catalog.iceberg_rest.plan_tokens import Range
from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from lakemuster.ingest.pointers import look
from lakemuster.storage.store import ObjectStore
from tests.contract.service.backends import catalog as in_process
from tests.contract.service.backends import settings
from tests.journey.position_deletes import delete_positions
from tests.journey.servers import Running, free_port, lakemuster, served
from tests.journey.test_pyiceberg_answers import SPECS, write

FILTERS = [
    "id < 20",
    "id >= 5 AND id <= 30 AND flag = true",
    "flag IS NULL OR day = '2024-01-02'",
    "NOT (flag = true) AND score > -40",
    "day IN ('2024-01-01', '2024-01-03') AND smaller != 10",
    "name LIKE 'a name%' AND id > 17",
    "price < 5.50",
    "instant > '1960-01-01T00:10:00+00:00' AND local < '2024-01-02T06:00:00'",
    "ratio > 3 OR name IS NULL",
    "place.lat > 2.5",
    "later = 'x'",
    "id = 1000",
]


def in_order(rows: pa.Table) -> list[dict[str, Any]]:
    """Return rows in an order in which they can be compared; NaN equals itself."""
    return sorted(rows.to_pylist(), key=repr)


def same_rows(one: pa.Table, other: pa.Table) -> bool:
    return list(map(repr, in_order(one))) == list(map(repr, in_order(other)))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Table]]:
    """Tables, some with null partition values; one has position deletes."""
    folder = tmp_path_factory.mktemp("planned")
    local = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    local.create_namespace("db")
    tables = {f"db.{name}_v2": write(local, name, spec, 2) for name, spec in SPECS.items()}
    deleted = tables["db.by_many_v2"]
    files = [task.file for task in deleted.scan().plan_files()]
    delete_positions(deleted, {file.file_path: range(0, file.record_count, 2) for file in files[::2]})
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    return folder, tables


@pytest.fixture(scope="module")
def running(lake: tuple[Path, dict[str, Table]]) -> Iterator[Running]:
    with served(lake[0]) as server:
        yield server


@pytest.fixture(scope="module")
def catalog(running: Running) -> RestCatalog:
    found = RestCatalog("muster", uri=f"{running.uri}/iceberg")
    assert found.supports_server_side_planning()
    return found


def plans_of(running: Running, table: str, at_least: int) -> int:
    """Return the number of logged plans of a table; wait for ``at_least``, since logs follow responses."""
    count, deadline = 0, time.monotonic() + 5
    while time.monotonic() < deadline:
        lines = [line for line in running.log.read_text().splitlines() if f'/tables/{table}/plan"' in line]
        count = sum('"method":"POST"' in line and '"status":200' in line for line in lines)
        if count >= at_least:
            break
        time.sleep(0.01)
    return count


@pytest.mark.parametrize("name", [f"db.{name}_v2" for name in SPECS])
def test_every_filter_finds_the_rows_that_pyiceberg_finds(
    catalog: RestCatalog, running: Running, lake: tuple[Path, dict[str, Table]], name: str
) -> None:
    table, local = catalog.load_table(name), lake[1][name]
    plans = plans_of(running, name.split(".")[1], 0)
    assert same_rows(table.scan().to_arrow(), local.scan().to_arrow())
    for text in FILTERS:
        found, wanted = table.scan(text).to_arrow(), local.scan(text).to_arrow()
        assert same_rows(found, wanted), text
        assert wanted.num_rows or text == "id = 1000"
        assert table.scan(text).count() == local.scan(text).count(), text
    asked = plans + 1 + 2 * len(FILTERS)
    assert plans_of(running, name.split(".")[1], asked) == asked


def test_position_deletes_are_applied(catalog: RestCatalog, lake: tuple[Path, dict[str, Table]]) -> None:
    table = catalog.load_table("db.by_many_v2")
    tasks = list(table.scan().plan_files())
    assert any(task.delete_files for task in tasks)
    rows = table.scan().to_arrow().num_rows
    assert rows < sum(task.file.record_count for task in tasks)
    before = lake[1]["db.by_many_v2"].current_snapshot()
    assert before is not None
    undeleted = table.scan(snapshot_id=before.parent_snapshot_id).to_arrow()
    assert undeleted.num_rows == sum(task.file.record_count for task in tasks)


def test_time_travel(catalog: RestCatalog, lake: tuple[Path, dict[str, Table]]) -> None:
    for name, local in lake[1].items():
        table = catalog.load_table(name)
        for snapshot in local.metadata.snapshots:
            for text in ("id < 100", "id >= 10 AND id < 35"):
                found = table.scan(text, snapshot_id=snapshot.snapshot_id).to_arrow()
                assert same_rows(found, local.scan(text, snapshot_id=snapshot.snapshot_id).to_arrow())


def test_names_in_any_case(catalog: RestCatalog) -> None:
    table = catalog.load_table("db.by_day_v2")
    assert table.scan("ID < 9", case_sensitive=False).to_arrow().num_rows == 5
    with pytest.raises((BadRequestError, ValueError)):
        table.scan("ID < 9").to_arrow()


@contextmanager
def serving(services: Services) -> Iterator[str]:
    """Run a server in this process, so that tests can change its limits."""
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(create_app(services), port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}/iceberg"
    finally:
        server.should_exit = True
        thread.join()


def test_plans_in_parts(lake: tuple[Path, dict[str, Table]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_tasks, "MAX_FILES", 3)
    redeemed: list[Range] = []
    later = scan_tasks.TaskWriter.later

    def counted(self: scan_tasks.TaskWriter, of: Range) -> bytes:
        redeemed.append(of)
        return later(self, of)

    monkeypatch.setattr(scan_tasks.TaskWriter, "later", counted)
    with in_process(settings(tmp_path)) as services:
        for _ in services.discover(f"{lake[0]}/lake", None, (), operator=True):
            pass
        with serving(services) as uri:
            catalog = RestCatalog("muster", uri=uri)
            for name, local in lake[1].items():
                for text in ("id >= 0", "id < 20"):
                    assert same_rows(catalog.load_table(name).scan(text).to_arrow(), local.scan(text).to_arrow())
    assert len(redeemed) > 5


def test_a_snapshot_that_cannot_be_read_is_shown_and_not_planned(tmp_path: Path) -> None:
    local = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}/lake")
    local.create_namespace("db")
    table = local.create_table("db.t", pa.schema([("id", pa.int64())]))
    table.append(pa.table({"id": [1, 2]}))
    first = table.current_snapshot()
    table.append(pa.table({"id": [3]}))
    current = table.refresh().current_snapshot()
    assert first is not None
    assert current is not None
    [broken] = [m for m in current.manifests(table.io) if m.added_snapshot_id == current.snapshot_id]
    Path(broken.manifest_path.removeprefix("file://")).write_bytes(b"no manifest")
    lakemuster(tmp_path, "discover", f"{tmp_path}/lake")
    with served(tmp_path) as server:
        loaded = RestCatalog("muster", uri=f"{server.uri}/iceberg").load_table("db.t")
        assert loaded.metadata == table.metadata
        with pytest.raises(ServerError, match="cannot be read"):
            loaded.scan().to_arrow()
        assert loaded.scan(snapshot_id=first.snapshot_id).to_arrow().num_rows == 2


def test_a_lake_that_was_moved(tmp_path: Path) -> None:
    recorded = unpack(tmp_path / "before")
    moved = recorded.rename(tmp_path / "lake")
    for name in ("shop.db/stock", "web.db/clicks"):
        shutil.rmtree(moved / name)
    found = lakemuster(tmp_path, "discover", str(moved), "--rewrite", f"file://{recorded}={moved}")
    assert found.returncode == 0, found.stderr
    with served(tmp_path) as server:
        catalog = RestCatalog("muster", uri=f"{server.uri}/iceberg")
        names = [name for namespace in catalog.list_namespaces() for name in catalog.list_tables(namespace)]
        assert len(names) == 5
        names.remove(marked := ("shop", "returns"))
        with pytest.raises(NotImplementedError, match="position deletes refer to data files at their old"):
            catalog.load_table(marked).scan().to_arrow()
        for name in names:
            table = catalog.load_table(name)
            assert Path(table.location().removeprefix("file://")).is_dir()
            everything = table.scan().to_arrow()
            files = server.rows(f"/tables/{'.'.join(name)}/files", content="data")
            assert everything.num_rows == sum(int(file["record_count"]) for file in files)
            key = table.schema().fields[0].name
            least = sorted(everything.column(key).to_pylist())[everything.num_rows // 2]
            found = table.scan(f"{key} >= {least}").to_arrow()
            assert same_rows(found, everything.filter(pa.compute.field(key) >= least))
            assert 0 < found.num_rows < everything.num_rows


NO_DATA = {"default.partition_decimal_bigint", "default.uuid"}
"""Tables of the shared lakes without data files."""
REQUIRED_IN_FILES = {"partition_time.default.partition_time", "partition_timestamptz.default.partition_timestamptz"}
"""Tables whose files lack a required column; PyIceberg refuses them by its own plans too."""


def test_every_readable_table_of_others(lakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyIceberg resolves the tables' relative locations from a folder with the layout in which they were written."""
    copy = tmp_path / "data" / "persistent"
    shutil.copytree(lakes / "iceberg", copy, copy_function=shutil.copyfile)
    moved = [f"data/persistent={copy}"]
    for name in ("lineitem_iceberg", "lineitem_iceberg_gz"):
        os.symlink(copy / "iceberg" / name, tmp_path / name)
        moved.append(f"{name}={copy}/iceberg/{name}")
    words = [word for rule in moved for word in ("--rewrite", rule)]
    assert lakemuster(tmp_path, "discover", str(copy), *words).returncode == 0
    monkeypatch.chdir(tmp_path)
    read, refused = [], []
    with served(tmp_path) as server:
        catalog = RestCatalog("muster", uri=f"{server.uri}/iceberg")
        for row in server.rows("/tables"):
            name = row["name"]
            store = ObjectStore([str(copy)], {})
            local = StaticTable.from_metadata(look(store, row["location"], "iceberg").metadata_location)
            table = catalog.load_table(tuple(name.split(".")))
            if "equality_deletes" in name:
                with pytest.raises(NotImplementedError, match="equality deletes"):
                    table.scan().to_arrow()
                refused.append(name)
                continue
            assert len(list(table.scan().plan_files())) == len(list(local.scan().plan_files())), name
            if name in NO_DATA:
                continue
            if name in REQUIRED_IN_FILES:
                for scan in (local.scan(), table.scan()):
                    with pytest.raises(ResolveError, match="Field is required"):
                        scan.to_arrow()
                continue
            assert same_rows(table.scan().to_arrow(), local.scan().to_arrow()), name
            read.append(name)
    assert len(read) == 10
    assert len(refused) == 2
