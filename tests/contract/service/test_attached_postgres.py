"""If PostgreSQL fails during a forwarded commit, the response is the catalog's, and the commit is seen later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url
from starlette.testclient import TestClient

from lakemuster.api.sidecar import marks
from tests.contract.service.attached_lake import ORDERS, TABLES, Lake, attached, files, serving
from tests.fake_catalog import Asked, fake_catalog
from tests.journey.faults.proxies import DATABASE_FAULTS, DatabaseFault, DatabaseProxy, Loop
from tests.polling import until
from tests.postgres import PostgresServer

pytestmark = pytest.mark.slow
served = contextmanager(serving)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with fake_catalog() as fake:
        yield Lake(tmp_path, fake)


@pytest.fixture
def proxy(postgres_server: PostgresServer) -> Iterator[DatabaseProxy]:
    loop = Loop()
    found = DatabaseProxy(loop, postgres_server.socket_path)
    yield found
    found.tell(None)
    found.close()
    loop.close()


def is_answered(client: TestClient) -> bool:
    return bool(client.post(f"{TABLES}/orders/plan", json={}).status_code == 200)


@pytest.mark.parametrize("fault", DATABASE_FAULTS)
def test_a_commit_whose_mark_is_not_written_is_answered_once_and_seen_by_all(
    lake: Lake,
    tmp_path: Path,
    proxy: DatabaseProxy,
    postgres_url: str,
    fault: DatabaseFault,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(marks, "MARK_SECONDS", 0.5)
    monkeypatch.setattr(marks, "RETRY_SECONDS", 0.05)
    direct = make_url(postgres_url)
    proxied = direct.set(host="127.0.0.1", port=proxy.port, query={"sslmode": "disable"})
    urls = [url.render_as_string(hide_password=False) for url in (proxied, direct)]
    with (
        attached(lake, tmp_path, database_url=urls[0]) as services,
        served(services) as client,
        attached(lake, tmp_path / "replica", database_url=urls[1], properties={"roots": [f"{tmp_path}/lake"]}) as other,
        served(other) as replica,
    ):
        assert (files(client), files(replica)) == (1, 1)
        before = lake.fake.tables[ORDERS]
        lake.commit(ORDERS)
        after, lake.fake.tables[ORDERS] = lake.fake.tables[ORDERS], before
        commits = []

        def commit(asked: Asked) -> None:
            if asked.method == "POST":
                commits.append(asked)
                lake.fake.tables[ORDERS] = after
                proxy.tell(fault)

        lake.fake.fault = commit
        assert client.post(f"{TABLES}/orders", json={"updates": []}).status_code == 200
        assert len(commits) == 1
        proxy.tell(None)
        until(lambda: is_answered(client))
        assert files(client) == 2
        until(lambda: files(replica) == 2)
        assert len(commits) == 1
