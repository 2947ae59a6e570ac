"""The command line indexes all tables of an attached catalog in one Spark job."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import create_engine, text

from benchmarks.generate import iceberg_table
from lakemuster.catalog.catalog_documents import sync_out
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.ingest.reports import RefreshReport
from tests.contract.service.backends import catalog, settings
from tests.contract.service.index_rows import rows
from tests.journey.spark.indexing import SESSION, environment, stored
from tests.polling import until

pytestmark = pytest.mark.timeout(900)
TABLES, FILES = 40, 120
"""The number of tables, which have one to twenty manifests each, and the data files of each manifest."""
MANIFESTS = [1 + number * 7 % 20 for number in range(TABLES)]


@dataclass(frozen=True)
class Lake:
    """A lake whose tables are registered in a SQL catalog."""

    folder: Path

    @property
    def catalogs(self) -> dict[str, Any]:
        """The settings of the catalog."""
        return {"prod": {"type": "sql", "uri": f"sqlite:///{self.folder}/own.db", "roots": [str(self.folder)]}}

    def table(self, number: int) -> Path:
        """Return the root of a table."""
        return self.folder / f"n{number % 3}" / f"t{number}"

    def register(self) -> None:
        """Write the tables and register them in the catalog."""
        own = SqlCatalog("prod", uri=f"sqlite:///{self.folder}/own.db", warehouse=f"file://{self.folder}")
        for number, manifests in enumerate(MANIFESTS):
            made = iceberg_table(
                self.table(number), files=FILES * manifests, columns=10, manifests=manifests, level=1, days=30
            )
            own.create_namespace_if_not_exists(f"n{number % 3}")
            own.register_table((f"n{number % 3}", f"t{number}"), str(made.metadata))
        own.engine.dispose()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(tmp_path_factory.mktemp("attached"))
    made.register()
    return made


def index_of(folder: Path, lake: Lake) -> Settings:
    """Return the settings of an index of the lake."""
    folder.mkdir(exist_ok=True)
    return settings(folder, catalogs=lake.catalogs, history=5, role="api")


@dataclass(frozen=True)
class Local:
    """The lake as one process indexes it."""

    reports: dict[str, RefreshReport]
    rows: dict[str, list[dict[str, Any]]]
    stored: dict[str, bytes]


@pytest.fixture(scope="module")
def local(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Local:
    return indexed_here(lake, tmp_path_factory.mktemp("local"))


def indexed_here(lake: Lake, folder: Path) -> Local:
    of = index_of(folder, lake)
    with synced(of) as services:
        names = [table.name for table in services.tables()]
        outcomes = dict(services.refresh_many(names))
        reports = {name: one for name, one in outcomes.items() if isinstance(one, RefreshReport)}
        return Local(reports, rows(services), stored(of))


@contextmanager
def synced(of: Settings) -> Iterator[Services]:
    """Yield the services of an index that has synchronized the catalog's tables."""
    with catalog(of) as services:
        sync_out(services, "prod")
        yield services


def command(of: Settings, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command that indexes the catalog on Spark, and its environment; ``folder`` gets Spark's event log."""
    conf = folder / "conf"
    conf.mkdir(exist_ok=True)
    told = {
        **SESSION,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": folder.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.local.dir": str(folder / "scratch"),
    }
    (conf / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in told.items()))
    values: Mapping[str, Any] = {
        "DATABASE_URL": of.database_url,
        "SEGMENTS_URL": of.segments_url,
        "CACHE_DIR": of.cache_dir,
        "CATALOGS": json.dumps(of.model_dump(mode="json")["catalogs"]),
        "HISTORY": of.history,
        "DECODERS": of.decoders,
    }
    own = {f"LAKEMUSTER_{name}": str(value) for name, value in values.items()}
    words = ["sync", "prod", "--index", "*", "--engine", "spark", "--master", "local[2]", "--json"]
    return [sys.executable, "-m", "lakemuster", *words], environment() | own | {"SPARK_CONF_DIR": str(conf)}


def run(of: Settings, folder: Path) -> subprocess.CompletedProcess[str]:
    words, env = command(of, folder)
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, env=env, check=False)


def spark_jobs(folder: Path) -> int:
    """Return the number of jobs in Spark's event logs."""
    logs = [path for path in folder.iterdir() if path.is_file() and path.name.startswith(("local-", "app-"))]
    assert logs
    return sum(log.read_text().count('"Event":"SparkListenerJobStart"') for log in logs)


def whole(of: Settings) -> dict[str, bytes]:
    """Return the segments of a store, without temporary files of a killed process."""
    return {key: data for key, data in stored(of).items() if not key.startswith(("/tmp/", "/jobs/"))}


def registered(of: Settings) -> int:
    """Return the number of registered segments with content."""
    engine = create_engine(of.database_url)
    try:
        with engine.connect() as connection:
            found = connection.execute(text("select count(*) from segment where length > 0")).scalar_one()
            return int(found)
    except Exception:  # noqa: BLE001 - the index is being created
        return 0
    finally:
        engine.dispose()


def is_same(of: Settings, local: Local) -> bool:
    with catalog(of) as services:
        return rows(services) == local.rows and whole(of) == local.stored


def test_all_tables_are_indexed_by_one_job(lake: Lake, local: Local, tmp_path: Path) -> None:
    of = index_of(tmp_path / "index", lake)
    done = run(of, tmp_path)
    assert done.returncode == 0, done.stderr
    reports = {one["table"]: one for one in json.loads(done.stdout)}
    assert len(reports) == TABLES
    for name, one in local.reports.items():
        assert (reports[name]["manifests_fetched"], reports[name]["entries_decoded"]) == (
            one.manifests_fetched,
            one.entries_decoded,
        )
        assert reports[name]["published"] == list(one.published)
    assert spark_jobs(tmp_path) == 1
    assert is_same(of, local)
    assert not any(key.startswith("/jobs/") for key in stored(of))


def test_a_killed_driver_is_resumed(lake: Lake, local: Local, tmp_path: Path) -> None:
    of, total = index_of(tmp_path / "index", lake), sum(MANIFESTS)
    words, env = command(of, tmp_path)
    with (tmp_path / "driver.log").open("wb") as log:
        driver = subprocess.Popen(words, stdout=log, stderr=log, cwd=tmp_path, env=env)
        try:
            until(lambda: registered(of) or driver.poll() is not None, seconds=300)
        finally:
            driver.send_signal(signal.SIGKILL)
            driver.wait(60)
    assert driver.returncode == -signal.SIGKILL
    before = registered(of)
    assert 0 < before < total
    done = run(of, tmp_path)
    assert done.returncode == 0, done.stderr
    reports = json.loads(done.stdout)
    assert sum(one["manifests_fetched"] for one in reports) == total - before
    assert spark_jobs(tmp_path) == 2
    assert is_same(of, local)


def test_a_broken_table_leaves_the_others(lake: Lake, tmp_path: Path) -> None:
    metadata = max((lake.table(4) / "metadata").glob("*.metadata.json"))
    manifest = min((lake.table(5) / "metadata").glob("*-m*.avro"))
    kept = {path: path.read_bytes() for path in (metadata, manifest)}
    of = index_of(tmp_path / "index", lake)
    try:
        metadata.write_bytes(b"{")
        manifest.write_bytes(kept[manifest][: len(kept[manifest]) // 2])
        local = indexed_here(lake, tmp_path / "local")
        done = run(of, tmp_path)
    finally:
        for path, data in kept.items():
            path.write_bytes(data)
    assert done.returncode == 1
    assert re.search(r"^.*prod\.n1\.t4: .+$", done.stderr, re.MULTILINE), done.stderr
    assert re.search(r"^.*prod\.n2\.t5: snapshot \d+ cannot be read: .+$", done.stderr, re.MULTILINE), done.stderr
    reports = {one["table"]: one for one in json.loads(done.stdout)}
    assert set(reports) == set(local.reports)
    assert [name for name, one in reports.items() if not one["published"]] == ["prod.n2.t5"]
    assert is_same(of, local)
