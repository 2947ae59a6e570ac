"""Commits under faults: if clients retry, every append is applied exactly once."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import orjson
import pyarrow as pa
import pytest
import requests
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import CommitFailedException, RESTError

from tests.counterparts.iceberg_rest import IcebergRest, iceberg_rest_server
from tests.fake_catalog import Reply
from tests.journey.servers import Running, start, stop
from tests.journey.sidecar.relay import FAULTS, Relay, relay_to
from tests.polling import until
from tests.spark import Spark, SparkFailed

pytestmark = pytest.mark.slow
UNKNOWN = (RESTError, CommitFailedException, requests.RequestException)
"""The errors of PyIceberg if a commit failed or may have failed."""
ALLOWED = {200, 409, 500, 502, 504}
"""Statuses of commits: the upstream's, or those for a missing response."""


@dataclass
class World:
    """A fixture catalog, the relay in front of it, and a server in front of the relay.

    Attributes:
        table: the current table in the namespace `shop`.
        appended: the values that a client has appended.
    """

    folder: Path
    upstream: IcebergRest
    relay: Relay
    running: Running
    table: str = ""
    appended: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path, upstream: IcebergRest, relay: Relay) -> World:
        """Start the server."""
        return cls(folder, upstream, relay, _start(folder, upstream, relay))

    @property
    def database(self) -> Path:
        """The server's index."""
        return self.folder / "server" / "index.db"

    def client(self) -> RestCatalog:
        """Return a new PyIceberg client of the server."""
        return RestCatalog("sidecar", uri=f"{self.running.uri}/iceberg", warehouse="prod")

    def restart(self) -> None:
        """Start a server again in the folder of the killed one."""
        self.running.http.close()
        self.running = _start(self.folder, self.upstream, self.relay)

    def append(self, value: int) -> int:
        """Append a value, and retry after checking that it is missing; return the number of tries."""
        tries = 0
        while True:
            try:
                table = self.client().load_table(f"shop.{self.table}")
                # The scan uses a plan of the server, which must show the state that the client has just loaded.
                if value in table.scan().to_arrow()["id"].to_pylist():
                    break
                tries += 1
                table.append(pa.table({"id": pa.array([value], pa.int64())}))
            except UNKNOWN:
                assert tries < 10
        self.appended.append(value)
        return tries

    def require_exactly_once(self) -> None:
        """Check that each value occurs once, directly and through the server."""
        past = RestCatalog("past", uri=self.upstream.uri, warehouse=self.upstream.warehouse)
        for catalog in (past, self.client()):
            found = Counter(catalog.load_table(f"shop.{self.table}").scan().to_arrow()["id"].to_pylist())
            assert found == Counter(dict.fromkeys(self.appended, 1))

    def commits(self) -> Counter[int]:
        """Return the statuses of all commits in the server's log, once all that the relay saw are logged.

        Status 0 means that the client disconnected. The server logs a request after its response.
        """
        until(lambda: self._logged().total() >= self.relay.commits)
        return self._logged()

    def _logged(self) -> Counter[int]:
        found: Counter[int] = Counter()
        for line in self.running.log.read_text().splitlines():
            if '"method":"POST"' in line and f'"path":"/iceberg/v1/prod/namespaces/shop/tables/{self.table}"' in line:
                record = json.loads(line[line.index("{") :])
                if record.get("route", "").endswith("…"):
                    found[record["status"]] += 1
        return found


def _start(folder: Path, upstream: IcebergRest, relay: Relay) -> Running:
    properties = {"type": "rest", "uri": relay.uri, "warehouse": upstream.warehouse, "roots": [upstream.warehouse]}
    settings = {"CATALOGS": orjson.dumps({"prod": properties}).decode(), "MAX_STALENESS": "3600"}
    return start(folder / "server", **settings)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One world for all tests of this module."""
    folder = tmp_path_factory.mktemp("faults")
    (folder / "upstream").mkdir()
    with iceberg_rest_server(folder / "upstream") as upstream, relay_to(upstream.uri) as relay:
        world = World.of(folder, upstream, relay)
        try:
            world.client().create_namespace("shop")
            yield world
        finally:
            stop(world.running)


@pytest.fixture
def world(servers: World, request: pytest.FixtureRequest) -> World:
    """The world of the module, with a new table for this test."""
    servers.table = re.sub(r"\W", "_", request.node.name)
    servers.client().create_table(f"shop.{servers.table}", pa.schema([("id", pa.int64())]))
    servers.appended.clear()
    servers.relay.commits = 0
    return servers


@pytest.mark.parametrize("appends", [8, pytest.param(150, marks=pytest.mark.full)])
def test_every_append_is_there_once_whatever_becomes_of_answers(world: World, appends: int) -> None:
    chance = random.Random(5)
    names = sorted(FAULTS)
    for value in range(appends):
        # Each fault occurs once before they are drawn at random.
        name = names[value] if value < len(names) else chance.choice([*names, ""])
        world.relay.next = FAULTS.get(name)
        world.append(value)
    world.require_exactly_once()
    assert set(world.relay.met) == set(names)
    # The server sent no commit twice.
    assert world.commits().total() == world.relay.commits
    assert set(world.commits()) <= ALLOWED


def test_a_commit_whose_server_is_killed_is_there_once(world: World) -> None:
    for value, is_carried_out in enumerate((True, False)):
        is_killed = threading.Event()

        world.relay.next = partial(_killing, world, is_killed, is_carried_out=is_carried_out)
        table = world.client().load_table(f"shop.{world.table}")
        with pytest.raises(requests.RequestException):
            table.append(pa.table({"id": pa.array([value], pa.int64())}))
        assert is_killed.wait(30)
        world.restart()
        assert world.append(value) == (0 if is_carried_out else 1)
    world.require_exactly_once()


def _killing(
    world: World, is_killed: threading.Event, carry_out: Callable[[], Reply], *, is_carried_out: bool
) -> Reply:
    done = carry_out() if is_carried_out else Reply(breaks="before")
    os.killpg(world.running.process.pid, signal.SIGKILL)
    world.running.process.wait()
    is_killed.set()
    return done


def test_a_commit_passes_while_the_index_does_not_answer(world: World) -> None:
    world.append(0)
    table = world.client().load_table(f"shop.{world.table}")
    with closing(sqlite3.connect(world.database, isolation_level=None, check_same_thread=False)) as connection:

        def lock(carry_out: Callable[[], Reply]) -> Reply:
            connection.execute("BEGIN EXCLUSIVE")
            return carry_out()

        world.relay.next = lock
        table.append(pa.table({"id": pa.array([1], pa.int64())}))
        connection.execute("ROLLBACK")
    world.appended.append(1)
    assert world.relay.commits == 2
    assert world.commits() == Counter({200: 2})
    # The commit could not be recorded, but is visible at once.
    world.require_exactly_once()


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_what_spark_appends_is_there_once(world: World, spark: Spark) -> None:
    settings = {"type": "rest", "uri": f"{world.running.uri}/iceberg", "warehouse": "prod", "cache-enabled": "false"}
    named = {f"spark.sql.catalog.faulty.{name}": value for name, value in settings.items()}
    spark.ask("configure", settings={"spark.sql.catalog.faulty": "org.apache.iceberg.spark.SparkCatalog"} | named)
    chance = random.Random(6)
    names = sorted(FAULTS)
    for value in range(25):
        name = names[value] if value < len(names) else chance.choice([*names, ""])
        world.relay.next = FAULTS.get(name)
        for _ in range(10):
            if spark.sql(f"SELECT count(*) FROM faulty.shop.{world.table} WHERE id = {value}") == [[1]]:
                break
            try:
                spark.sql(f"INSERT INTO faulty.shop.{world.table} VALUES ({value})")
            except SparkFailed:
                # The next query shows whether it was executed.
                continue
        world.appended.append(value)
    world.require_exactly_once()
    assert world.commits().total() == world.relay.commits
    assert set(world.commits()) <= ALLOWED
