"""Iceberg REST requests for catalogs without a REST API: reads and plans are answered here, writes are refused."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import pytest
from starlette.testclient import TestClient

from lakemuster.errors import UpstreamTimedOut
from lakemuster.metadata.names import Levels
from lakemuster.upstream.sql import SqlCatalog
from tests.contract.upstream.lakes import READ_HERE, IcebergLake
from tests.contract.upstream.services import service

A, B = ("db", "a"), ("db", "b")
ROOT = "/iceberg/v1/prod"
TOKENS = "".join(
    f"[[token]]\nname = {name!r}\nsha256 = {sha256(name.encode()).hexdigest()!r}\n"
    f"scope = 'read'\nnamespaces = [{namespace!r}]\n"
    for name, namespace in (("reads-all", "catalog:prod/"), ("reads-other", "catalog:prod/other"), ("stranger", "x"))
)


def planned(client: TestClient, table: str) -> int:
    answer = client.post(f"{ROOT}/namespaces/db/tables/{table}/plan", json={})
    assert answer.status_code == 200, answer.text
    return len(answer.json()["file-scan-tasks"])


@pytest.mark.parametrize("lake", READ_HERE, indirect=True)
def test_reads_and_plans_are_answered_here(lake: IcebergLake) -> None:
    lake.create(A)
    lake.commit(A)
    with service(lake) as client:
        config = client.get("/iceberg/v1/config", params={"warehouse": "prod"}).json()
        assert config["overrides"]["prefix"] == "prod"
        assert config["defaults"]["scan-planning-mode"] == "server"
        assert "GET /v1/{prefix}/namespaces/{namespace}/tables/{table}" in config["endpoints"]
        # Nothing was listed before this request.
        assert client.get(f"{ROOT}/namespaces").json()["namespaces"] == [["db"]]
        assert client.get(f"{ROOT}/namespaces/db").status_code == 200
        found = client.get(f"{ROOT}/namespaces/db/tables").json()["identifiers"]
        assert found == [{"namespace": ["db"], "name": "a"}]
        loaded = client.get(f"{ROOT}/namespaces/db/tables/a").json()
        assert loaded["metadata-location"].removeprefix("file://") == lake.pointer(A).removeprefix("file://")
        assert client.head(f"{ROOT}/namespaces/db/tables/a").status_code == 204
        assert planned(client, "a") == 2
        lake.commit(A)
        assert planned(client, "a") == 3
        lake.create(B)
        assert planned(client, "b") == 1
        missing = client.get(f"{ROOT}/namespaces/db/tables/c")
        assert (missing.status_code, missing.json()["error"]["type"]) == (404, "NoSuchTableException")
        lake.stop()
        # Known tables are answered from the last known state, also when they are loaded here.
        assert planned(client, "a") == 3
        assert client.get(f"{ROOT}/namespaces/db/tables/a").status_code == 200
        assert client.get(f"{ROOT}/namespaces/db/tables/c").status_code in {502, 504}


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_lists_are_complete_after_a_request_registered_one_table(lake: IcebergLake) -> None:
    lake.create(A)
    lake.create(B)
    with service(lake) as client:
        assert client.get(f"{ROOT}/namespaces/db/tables/a").status_code == 200
        found = client.get(f"{ROOT}/namespaces/db/tables").json()["identifiers"]
        assert [table["name"] for table in found] == ["a", "b"]


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_a_first_listing_that_fails_is_not_repeated_for_each_request(
    lake: IcebergLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(catalog: SqlCatalog) -> Iterator[Levels]:
        asked.append(catalog.name)
        raise UpstreamTimedOut("the catalog prod has not answered in time", catalog="prod")

    asked: list[str] = []
    monkeypatch.setattr(SqlCatalog, "every_table", fail)
    lake.create(A)
    with service(lake) as client:
        assert client.get(f"{ROOT}/namespaces/db/tables/a").status_code == 200
        assert {client.get(f"{ROOT}/namespaces").status_code for _ in range(3)} == {504}
        assert asked == ["prod"]


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_a_dropped_table_does_not_exist(lake: IcebergLake) -> None:
    lake.create(A)
    lake.create(B)
    with service(lake) as client:
        assert client.get(f"{ROOT}/namespaces/db/tables/b").status_code == 200
        lake.drop(B)
        assert client.head(f"{ROOT}/namespaces/db/tables/b").status_code == 404
        assert client.head(f"{ROOT}/namespaces/db/tables/a").status_code == 204
        lake.stop()
        assert client.head(f"{ROOT}/namespaces/db/tables/a").status_code == 204


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_writes_are_refused_and_say_where_to_write(lake: IcebergLake) -> None:
    lake.create(A)
    before = lake.pointer(A)
    with service(lake) as client:
        for method, path in (
            ("POST", "/namespaces"),
            ("DELETE", "/namespaces/db"),
            ("POST", "/namespaces/db/tables"),
            ("POST", "/namespaces/db/tables/a"),
            ("DELETE", "/namespaces/db/tables/a"),
            ("POST", "/tables/rename"),
            ("POST", "/transactions/commit"),
        ):
            answer = client.request(method, f"{ROOT}{path}", json={})
            assert (answer.status_code, answer.json()["error"]["type"]) == (406, "UnsupportedOperationException")
            assert "the catalog prod is only read here" in answer.json()["error"]["message"]
    assert lake.pointer(A) == before


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_roles_decide_what_callers_see(lake: IcebergLake) -> None:
    lake.create(A)
    (lake.folder / "tokens.toml").write_text(TOKENS)
    with service(lake, tokens=f"{lake.folder}/tokens.toml") as client:

        def ask(token: str, path: str) -> tuple[int, bytes]:
            answer = client.get(path, headers={"Authorization": f"Bearer {token}"})
            return answer.status_code, answer.content

        assert ask("reads-all", f"{ROOT}/namespaces/db/tables/a")[0] == 200
        assert ask("reads-other", f"{ROOT}/namespaces")[1] == b'{"namespaces":[],"next-page-token":null}'
        assert ask("reads-other", f"{ROOT}/namespaces/db/tables/a")[0] == 404
        for path in ("/namespaces", "/namespaces/db/tables", "/namespaces/db/tables/a"):
            there, nowhere = ask("stranger", ROOT + path), ask("stranger", f"/iceberg/v1/none{path}")
            assert there == (404, nowhere[1].replace(b"none", b"prod"))
        hidden = ask("stranger", "/iceberg/v1/config?warehouse=prod")
        assert hidden[1] == ask("stranger", "/iceberg/v1/config?warehouse=none")[1]


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_a_name_of_no_catalog_is_no_warehouse(lake: IcebergLake) -> None:
    with service(lake) as client:
        for name, status in {"prod": 200, "lakemuster": 200, "": 200, "prdo": 404}.items():
            answer = client.get("/iceberg/v1/config", params={"warehouse": name})
            assert answer.status_code == status, name
            assert ("prefix" in answer.json().get("overrides", {})) == (name == "prod"), name
        assert "lakemuster" in answer.json()["error"]["message"]


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_an_indexer_of_own_tables_cannot_tell_a_catalog_from_none(lake: IcebergLake) -> None:
    lake.create(A)
    token = f"[[token]]\nname = 'own'\nsha256 = {sha256(b'own').hexdigest()!r}\n"
    (lake.folder / "tokens.toml").write_text(f"{token}scope = 'index'\nnamespaces = ['*.eu']\n")
    with service(lake, tokens=f"{lake.folder}/tokens.toml") as client:
        there, nowhere = (
            client.post(f"/api/v1/catalogs/{name}/sync", headers={"Authorization": "Bearer own"})
            for name in ("prod", "none")
        )
        assert there.status_code == 404
        assert (there.status_code, there.text) == (nowhere.status_code, nowhere.text.replace("none", "prod"))


@pytest.mark.parametrize("lake", ["sql"], indirect=True)
def test_a_name_of_no_catalog_is_not_found(lake: IcebergLake) -> None:
    with service(lake) as client:
        for path in ("namespaces", "namespaces/db/tables", "namespaces/db/tables/a"):
            assert client.get(f"/iceberg/v1/none/{path}").status_code == 404
        assert client.post("/iceberg/v1/none/namespaces", json={}).status_code == 404
