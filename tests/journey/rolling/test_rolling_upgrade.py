"""Replicas of the previous and the current version are replaced one after another during requests and commits.

Every response is checked against the laws of ``faults.questions``: it is complete, and not older than allowed or marked
as stale. A request fails if its response breaks off or is missing; 503 with ``Retry-After`` is allowed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from lakemuster.index import schema_version
from tests.journey.faults.questions import Clients
from tests.journey.rolling.fleet import OURS, STALENESS, commits, fleet, register
from tests.journey.rolling.previous import has_history, unpack_previous
from tests.journey.servers import free_port, lakemuster, start, stop
from tests.replay.server import run

FULL = pytest.mark.full
LOST_RACE = re.compile(r"status 404: .*the snapshot is no longer in the index.*\(port (\d+)\)")
"""A fault of the previous version: another replica indexed the snapshot again while a request read its manifests."""


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("count", "decoder_version"),
    [
        pytest.param(4, None, id="few"),
        pytest.param(32, None, id="many", marks=FULL),
        pytest.param(8, 1, id="other segments", marks=FULL),
    ],
)
def test_replicas_are_upgraded_one_after_another_and_back(
    tmp_path: Path, postgres_url: str, count: int, decoder_version: int | None
) -> None:
    if not has_history():
        pytest.skip("the version before is built from the repository's history")
    theirs = tmp_path / "previous"
    before = unpack_previous(theirs, decoder_version=decoder_version)
    assert before < schema_version.newest()
    with fleet(tmp_path, postgres_url, count) as servers:
        run(theirs, tmp_path, "migrate", DATABASE_URL=postgres_url)
        first = servers.add(theirs)
        register(first, servers.tables)
        second = servers.add(theirs)
        for replica in servers.replicas:
            servers.plan_from(replica)
        clients = Clients(count, servers.ports, servers.tables, STALENESS, count)
        with commits(servers.tables, count):
            third = servers.add(OURS)  # on the database of the previous version
            said = run(OURS, tmp_path, "migrate", DATABASE_URL=postgres_url)
            assert schema_version.newest() in said
            assert first.is_ready()
            assert second.is_ready()
            assert third.is_ready()
            servers.retire(first, clients)
            fourth = servers.add(OURS)
            servers.retire(second, clients)
            fifth = servers.add(theirs)  # downgrade, while the database stays as it is
            servers.retire(third, clients)
        for replica in (fourth, fifth):
            servers.plan_from(replica)
        found = clients.stop()
    statuses = Counter(answer.status for answer in found.answers)
    stale = sum(answer.stale for answer in found.answers)
    sys.stdout.write(f"{count} clients: {dict(statuses)}, {stale} marked stale\n")
    previous = {str(replica.port) for replica in (first, second, fifth)}
    lost = [one for one in found.violations if (of := LOST_RACE.search(one)) is not None and of[1] in previous]
    assert [one for one in found.violations if one not in lost] == []
    assert len(lost) < statuses[200] / 100
    assert statuses.keys() <= {200, 503, 404}, [a for a in found.answers if a.status not in (200, 503)][:5]
    assert statuses[200] > 20 * count
    assert {replica.port for replica in servers.replicas} == {fourth.port, fifth.port}


def test_a_server_that_a_database_does_not_admit_says_so_at_the_start_and_in_readiness(
    tmp_path: Path, postgres_url: str
) -> None:
    assert lakemuster(tmp_path, "migrate", DATABASE_URL=postgres_url).returncode == 0
    server = start(tmp_path / "server", DATABASE_URL=postgres_url)
    try:
        with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9998'")
            connection.execute("UPDATE schema_support SET oldest_server = '9997'")
        answer = server.http.get("/readyz")
        assert answer.status_code == 503
        said = answer.json()["checks"]["database"]
        for word in ("database_version_mismatch", "9998", "9997", schema_version.newest(), "upgrade lakemuster"):
            assert word in said
        refused = lakemuster(tmp_path, "serve", "--port", str(free_port()), DATABASE_URL=postgres_url)
        assert refused.returncode == 1
        assert said.partition(": ")[2] in refused.stderr
        with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
            connection.execute("UPDATE schema_support SET oldest_server = %s", [schema_version.newest()])
        assert server.http.get("/readyz").status_code == 200
    finally:
        stop(server)
