"""A namespace's ``locations`` apply to the tables of an attached catalog, by the location of their files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.contract.service.attached_lake import ORDERS, TABLES, TOKENS, Lake, attached, bearer, files, serving
from tests.fake_catalog import fake_catalog

WHOLE = bearer("whole-catalog")
NATIVE = "/api/v1/tables/prod.shop.orders"


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with fake_catalog() as fake:
        yield Lake(tmp_path, fake)


def allow(folder: Path, location: str) -> None:
    namespace = f"[[namespace]]\nname = 'prod.shop'\nlocations = ['{location}']\n"
    (folder / "tokens.toml").write_text(TOKENS + namespace)


@pytest.fixture
def client(lake: Lake, tmp_path: Path) -> Iterator[TestClient]:
    allow(tmp_path, f"{tmp_path}/lake/shop")
    with attached(lake, tmp_path, tokens=f"{tmp_path}/tokens.toml") as services:
        yield from serving(services)


def reload(client: TestClient) -> None:
    client.app.state.api.identity.tokens.reload()  # type: ignore[attr-defined]


def refusal(client: TestClient) -> tuple[int, str]:
    answer = client.post(f"{NATIVE}/plan", json={}, headers=WHOLE)
    return answer.status_code, answer.json()["error"]["code"]


def test_a_table_that_lies_there_is_planned(client: TestClient) -> None:
    assert files(client, WHOLE) == 1
    assert client.post(f"{NATIVE}/plan", json={}, headers=WHOLE).status_code == 200
    assert client.post(f"{NATIVE}/refresh", headers=WHOLE).status_code == 200


def test_nothing_is_read_of_a_table_that_lies_elsewhere(client: TestClient, lake: Lake, tmp_path: Path) -> None:
    allow(tmp_path, f"{tmp_path}/lake/other")
    reload(client)
    reads = client.app.state.api.services.store.counts  # type: ignore[attr-defined]
    assert refusal(client) == (400, "location_refused")
    assert client.post(f"{NATIVE}/refresh", headers=WHOLE).status_code == 400
    assert reads.reads == 0
    # The catalog answers forwarded requests.
    assert client.get(f"{TABLES}/orders", headers=WHOLE).status_code == 200


def test_a_table_that_was_indexed_is_refused_once_it_lies_elsewhere(
    client: TestClient, lake: Lake, tmp_path: Path
) -> None:
    assert files(client, WHOLE) == 1
    allow(tmp_path, f"{tmp_path}/lake/other")
    reload(client)
    lake.commit(ORDERS)
    assert client.post(f"{NATIVE}/refresh", headers=WHOLE).status_code == 400
    assert refusal(client) == (403, "location_forbidden")
    allow(tmp_path, f"{tmp_path}/lake")
    reload(client)
    assert client.post(f"{NATIVE}/refresh", headers=WHOLE).status_code == 200
    assert files(client, WHOLE) == 2
