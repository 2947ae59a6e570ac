"""Indexing on Spark and in one process gives the same segments, byte for byte, SQL rows and errors."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import iceberg_table
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.demo import unpack
from lakemuster.index.database import Database
from lakemuster.index.snapshots import list_snapshots
from tests.contract.service.backends import catalog, settings
from tests.contract.service.hostile import bombs
from tests.contract.service.index_rows import rows
from tests.journey.spark.indexing import Driver, driver, environment, sql_rows, stored
from tests.postgres import PostgresServer
from tests.storage_servers import S3Server

pytestmark = pytest.mark.timeout(900)
KEY, SECRET = "muster-key", "muster-secret"
SAME = ("published", "quarantined", "lists_fetched", "manifests_fetched", "entries_decoded")


@pytest.fixture(scope="module")
def spark(s3_endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """A session that tries each task four times; its executors read the S3 options from their environment."""
    storage = S3Server(s3_endpoint, KEY, SECRET, "").storage
    with driver("local[2,4]", tmp_path_factory.mktemp("driver"), storage) as running:
        yield running


def discovered(services: Services, lake: Path) -> list[str]:
    """Register all tables of a lake; return their names."""
    moved = lake / "iceberg"
    rewrites = [("data/persistent", str(moved))]
    rewrites += [(name, f"{moved}/iceberg/{name}") for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    found = list(services.discover(str(lake), None, tuple(rewrites)))
    assert "refused" not in {one.outcome for one in found}, found
    return [one.name for one in found if one.outcome == "registered"]


def report(services: Services, name: str) -> dict[str, Any]:
    """Index a table in this process; return its report."""
    found = services.refresh(name)
    return {field: getattr(found, field) for field in SAME} | {"published": tuple(sorted(found.published))}


def plain(told: dict[str, Any]) -> dict[str, Any]:
    """Return a report from JSON in the same form."""
    quarantined = tuple(tuple(one) for one in told["quarantined"])
    published = tuple(sorted(told["published"]))
    return {field: told[field] for field in SAME} | {"published": published, "quarantined": quarantined}


def same_rows(one: Settings, other: Settings) -> bool:
    """Return whether two indexes have the same rows, whatever the order in which their tables were published."""
    with catalog(one) as first, catalog(other) as second:
        return rows(first) == rows(second)


def both(folder: Path, roots: tuple[str, ...], **changes: Any) -> tuple[Settings, Settings]:
    """Return the settings of two indexes over one lake."""
    for name in ("local", "spark"):
        (folder / name).mkdir()
    local, on_spark = (
        settings(folder / name, roots=roots, decoder_memory=512 * 2**20, **changes) for name in ("local", "spark")
    )
    return local, on_spark


def test_every_table_of_the_lakes_and_of_the_demo(spark: Driver, lakes: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    shutil.copytree(lakes, lake, copy_function=shutil.copyfile)
    demo = unpack(tmp_path / "demo")
    local, on_spark = both(tmp_path, (str(lake), str(demo)))
    with catalog(local) as here, catalog(on_spark) as there:
        names = []
        for services in (here, there):
            names = discovered(services, lake)
            names += [one.name for one in services.discover(str(demo), "demo", ())]
        expected = [report(here, name) for name in names]
    answer = spark.index(on_spark, *names)
    for found, one in zip(map(plain, answer["reports"]), expected, strict=True):
        # Two tables that share a manifest are indexed in one job, and both count it.
        fetched = ("manifests_fetched", "entries_decoded")
        assert all(found[field] >= one[field] for field in fetched)
        assert found | {field: one[field] for field in fetched} == one
    assert len(names) > 20
    assert sum(one["manifests_fetched"] for one in expected) > len(stored(local)) - 1
    assert len(answer["jobs"]) == answer["spark_jobs"] == 1
    assert stored(on_spark) == stored(local) != {}
    assert same_rows(on_spark, local)


@dataclass(frozen=True)
class Indexed:
    """A table of 40 manifests, and its index made in one process."""

    table: Path
    settings: Settings
    report: dict[str, Any]

    def beside(self, folder: Path) -> Settings:
        """Return the settings of an empty index in which the table is registered."""
        on_spark = settings(folder, roots=(str(self.table),), decoder_memory=512 * 2**20)
        added(on_spark, self.table)
        return on_spark

    def is_the_same(self, on_spark: Settings) -> bool:
        """Return whether another index has the same segments and rows; files that a killed worker left are ignored."""
        whole = {key: data for key, data in stored(on_spark).items() if not key.startswith("/tmp/")}
        return whole == stored(self.settings) and sql_rows(on_spark) == sql_rows(self.settings)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    folder = tmp_path_factory.mktemp("generated")
    iceberg_table(folder / "lake" / "t", files=20_000, columns=10, manifests=40, level=1)
    local = settings(folder, roots=(str(folder / "lake"),), decoder_memory=512 * 2**20)
    found = indexed_here(local, folder / "lake" / "t")
    assert found["entries_decoded"] == 20_000
    return Indexed(folder / "lake" / "t", local, found)


def indexed_here(of: Settings, table: Path) -> dict[str, Any]:
    with catalog(of) as services:
        services.add("b.t", str(table), None, ())
        return report(services, "b.t")


def added(of: Settings, table: Path) -> None:
    with catalog(of) as services:
        services.add("b.t", str(table), None, ())


def states(of: Settings) -> list[tuple[str, str | None]]:
    with catalog(of) as services, services.index.database.reading() as session:
        table = services.table("b.t")
        return [(record.state, record.error) for record in list_snapshots(session, table.table_id)]


def test_postgresql_and_s3(
    spark: Driver, lakes: Path, s3_server: S3Server, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    folders = ("iceberg/equality_deletes", "paimon/parquet/pk_table_with_alter_table.db")
    for folder in folders:
        for source in sorted((lakes / folder).rglob("*")):
            if source.is_file() and source.suffix not in (".parquet", ".orc"):
                s3_server.put(f"lake/{source.relative_to(lakes)}", source.read_bytes())
    url = f"{s3_server.url}/lake"
    local, on_spark = both(tmp_path, (url,), storage=s3_server.storage)
    rewrites = (("data/persistent", f"{url}/iceberg"),)
    with postgres_server.database() as first, postgres_server.database() as second:
        local = local.model_copy(update={"database_url": first, "segments_url": f"{s3_server.url}/local"})
        on_spark = on_spark.model_copy(update={"database_url": second, "segments_url": f"{s3_server.url}/spark"})
        for of in (local, on_spark):
            Database(of.database_url).migrate()
        with catalog(local) as here, catalog(on_spark) as there:
            names = [one.name for one in here.discover(url, None, rewrites)]
            assert names == [one.name for one in there.discover(url, None, rewrites)]
            expected = [report(here, name) for name in names]
        answer = spark.index(on_spark, *names)
        assert [plain(one) for one in answer["reports"]] == expected
        assert sum(one["manifests_fetched"] for one in expected) > 5
        assert stored(on_spark) == stored(local) != {}
        assert same_rows(on_spark, local)
    assert SECRET not in spark.log.read_text()


def test_a_table_in_parts_with_progress(spark: Driver, generated: Indexed, tmp_path: Path) -> None:
    on_spark = generated.beside(tmp_path)
    answer = spark.index(on_spark, "b.t")
    assert [plain(one) for one in answer["reports"]] == [generated.report]
    [parts] = answer["jobs"]
    assert 4 <= parts <= 16
    done = [done for _, done, _ in answer["progress"]]
    assert answer["progress"][-1] == ["b.t", 40, 40]
    assert done == sorted(done)
    assert generated.is_the_same(on_spark)
    again = spark.index(on_spark, "b.t")
    assert (again["reports"][0]["manifests_fetched"], again["jobs"]) == (0, [])


def test_tasks_that_run_twice_at_once_change_nothing(spark: Driver, generated: Indexed, tmp_path: Path) -> None:
    on_spark = generated.beside(tmp_path)
    answer = spark.index(on_spark, "b.t", fault="twice")
    assert [plain(one) for one in answer["reports"]] == [generated.report]
    assert generated.is_the_same(on_spark)


def test_killed_workers_change_nothing(spark: Driver, generated: Indexed, tmp_path: Path) -> None:
    on_spark = generated.beside(tmp_path)
    spark.ask(on_spark, "b.t")
    killed = [worker for worker in (kill_a_worker(spark, on_spark, after) for after in (1, 4, 10)) if worker]
    answer = spark.answer()
    assert len(killed) == 3, "the job was over too soon"
    assert [plain(one) for one in answer["reports"]] == [generated.report]
    assert generated.is_the_same(on_spark)


def kill_a_worker(spark: Driver, of: Settings, after: int) -> int | None:
    """Kill a Python worker with a decoder once the store has ``after`` segments; return None if none was found."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if len(list(Path(of.segments_url).glob("??/*.arrow"))) >= after:
            for worker in workers(spark.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
                    return worker
        time.sleep(0.005)
    return None


def workers(driver: int) -> list[int]:
    """Return the processes below the driver that have started a decoder: Spark's Python workers, not the driver."""
    parents, decoders = {}, []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if b"decode_worker" in (folder / "cmdline").read_bytes():
                decoders.append(int(folder.name))
    found = {parents[decoder] for decoder in decoders if decoder in parents} - {driver}
    return sorted(worker for worker in found if driver in lineage(worker, parents))


def lineage(process: int, parents: dict[int, int]) -> list[int]:
    """Return a process and its ancestors."""
    line = [process]
    while parents.get(line[-1], 0):
        line.append(parents[line[-1]])
    return line


def truncated(data: bytes) -> bytes | None:
    return data[: len(data) * 2 // 3]


def vanished(data: bytes) -> bytes | None:
    return None


def bomb(data: bytes) -> bytes | None:
    return bombs()["deflate bomb"]


@pytest.mark.parametrize("damage", [vanished, truncated, bomb])
def test_what_cannot_be_read_is_quarantined_with_the_same_reason(
    spark: Driver, tmp_path: Path, damage: Callable[[bytes], bytes | None]
) -> None:
    table = tmp_path / "lake" / "t"
    iceberg_table(table, files=400, columns=3, manifests=4)
    victim = sorted((table / "metadata").glob("*-m*.avro"))[1]
    data = damage(victim.read_bytes())
    victim.unlink()
    if data is not None:
        victim.write_bytes(data)
    local, on_spark = both(tmp_path, (str(table),))
    expected = indexed_here(local, table)
    added(on_spark, table)
    answer = spark.index(on_spark, "b.t")
    assert [plain(one) for one in answer["reports"]] == [expected]
    assert len(expected["quarantined"]) == 1
    assert states(on_spark) == states(local)
    assert sql_rows(on_spark) == sql_rows(local)
    assert stored(on_spark) == stored(local)


def test_nothing_is_published_of_a_table_that_another_process_refreshes(
    spark: Driver, generated: Indexed, tmp_path: Path
) -> None:
    on_spark = generated.beside(tmp_path)
    answer = spark.index(on_spark, "b.t", fault="lease taken")
    assert answer["error"] == "refresh_busy"
    assert states(on_spark) == []


def test_nothing_is_published_of_an_answer_that_is_short(spark: Driver, generated: Indexed, tmp_path: Path) -> None:
    on_spark = generated.beside(tmp_path)
    answer = spark.index(on_spark, "b.t", fault="short")
    assert answer["error"] == "index_unavailable"
    assert re.fullmatch(r"Spark answered for (\d+) of (\d+) manifests", answer["message"]), answer
    assert states(on_spark) == []


def test_a_connect_session(generated: Indexed, connect_driver: Driver, tmp_path: Path) -> None:
    on_spark = generated.beside(tmp_path)
    assert connect_driver.kind.startswith("pyspark.sql.connect")
    answer = connect_driver.index(on_spark, "b.t")
    assert [plain(one) for one in answer["reports"]] == [generated.report]
    assert answer["progress"][-1] == ["b.t", 40, 40]
    assert generated.is_the_same(on_spark)


def test_the_command_line(generated: Indexed, tmp_path: Path) -> None:
    on_spark = generated.beside(tmp_path)
    told = {
        f"LAKEMUSTER_{name}": str(getattr(on_spark, name.lower()))
        for name in ("DATABASE_URL", "SEGMENTS_URL", "CACHE_DIR")
    }
    done = subprocess.run(
        [sys.executable, "-m", "lakemuster", "index", "b.t", "--engine", "spark", "--master", "local[2]"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment() | told | {"LAKEMUSTER_ROOTS": json.dumps(on_spark.roots)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = r"b\.t: 1 snapshot published, 40 manifests fetched, 20,?000 entries decoded, [0-9.]+ s\n"
    assert re.fullmatch(said, done.stdout), done.stdout
    assert generated.is_the_same(on_spark)
