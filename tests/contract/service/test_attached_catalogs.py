"""Attached catalogs: which requests are forwarded, which are answered here, and whose rights apply."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from starlette.testclient import TestClient

from lakemuster.api.sidecar import response_rewrites
from lakemuster.errors import ConfigInvalid, RequestInvalid
from tests.contract.service.attached_lake import ORDERS, SECRETS, TABLES, TOKENS, Lake, attached, bearer, files, serving
from tests.fake_catalog import Asked, Reply, error, fake_catalog


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with fake_catalog() as fake:
        yield Lake(tmp_path, fake)


@pytest.fixture
def service(lake: Lake, tmp_path: Path) -> Iterator[TestClient]:
    """A server that uses its own principal at the catalog, for all callers."""
    with attached(lake, tmp_path) as services:
        yield from serving(services)


@pytest.fixture
def guarded(lake: Lake, tmp_path: Path) -> Iterator[TestClient]:
    """Like ``service``, for callers with tokens; the server authenticates at the catalog with a token."""
    (tmp_path / "tokens.toml").write_text(TOKENS)
    lake.fake.rights = {"own-principal": {ORDERS, SECRETS}}
    changes = {"tokens": f"{tmp_path}/tokens.toml", "properties": {"token": "own-principal"}}
    with attached(lake, tmp_path, **changes) as services:
        yield from serving(services)


@pytest.fixture
def forwarding(lake: Lake, tmp_path: Path) -> Iterator[TestClient]:
    """A server whose callers authenticate at the catalog."""
    (tmp_path / "tokens.toml").write_text(TOKENS)
    lake.fake.rights = {"own-principal": {ORDERS, SECRETS}, "alice": {ORDERS}, "bob": {SECRETS}}
    properties = {"token": "own-principal", "auth": "forward"}
    with attached(lake, tmp_path, tokens=f"{tmp_path}/tokens.toml", properties=properties) as services:
        yield from serving(services)


def test_the_configuration_keeps_clients_here(service: TestClient, lake: Lake) -> None:
    lake.fake.config = {
        "defaults": {"clients": "4", "scan-planning-mode": "client"},
        "overrides": {"uri": "http://elsewhere/", "prefix": "main", "warehouse": "w", "x": "1.10"},
        "endpoints": ["GET /v1/{prefix}/namespaces", "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/plan"],
        "idempotency-key-lifetime": 1.50,
    }
    answer = service.get("/iceberg/v1/config", params={"warehouse": "prod"}).json()
    assert answer["defaults"] == {"clients": "4", "scan-planning-mode": "server"}
    assert answer["overrides"] == {"x": "1.10", "prefix": "prod"}
    assert answer["endpoints"][0] == "GET /v1/{prefix}/namespaces"
    assert len(answer["endpoints"]) == len(set(answer["endpoints"]))
    assert "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/tasks" in answer["endpoints"]
    assert answer["idempotency-key-lifetime"] == 1.5


def test_a_loaded_table_keeps_all_but_the_planning_mode(service: TestClient) -> None:
    first = service.get(f"{TABLES}/orders")
    assert b'"large": 12345678901234567890123' in first.content
    assert first.json()["config"] == {"region": "here"}
    assert first.headers["etag"] != '"theirs"'


def test_a_large_table_is_changed_beside_other_requests(
    service: TestClient, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots = [{"snapshot-id": number, "summary": {"a}\\": '{"[\\'}} for number in range(5000)]
    body = {"metadata": {"snapshots": snapshots}, "config": {"scan-planning-mode": "client", "region": "here"}}
    lake.fake.fault = lambda asked: Reply(200, body) if asked.path.split("?")[0].endswith("/orders") else None
    loops: list[asyncio.AbstractEventLoop | None] = []

    def noting(*arguments: Any) -> bytes:
        try:
            loops.append(asyncio.get_running_loop())
        except RuntimeError:
            loops.append(None)
        return table(*arguments)

    table = response_rewrites.table
    monkeypatch.setattr(response_rewrites, "table", noting)
    answer = service.get(f"{TABLES}/orders").json()
    assert answer == {**body, "config": {"region": "here"}}
    assert loops == [None]


def test_etags_of_changed_answers_come_back_as_the_catalogs(service: TestClient, lake: Lake) -> None:
    etag = service.get(f"{TABLES}/orders").headers["etag"]
    lake.fake.fault = lambda asked: (
        Reply(304, None, {"ETag": '"theirs"'}) if asked.headers.get("if-none-match") == '"theirs"' else None
    )
    assert service.get(f"{TABLES}/orders", headers={"If-None-Match": etag}).headers["etag"] == etag


def test_a_plan_is_ours_and_follows_a_commit_that_passed(service: TestClient, lake: Lake) -> None:
    assert files(service) == 1
    for count in (2, 3):
        lake.commit(ORDERS)
        # The catalog's pointer has changed; within the allowed staleness it is not read again.
        assert files(service) == count - 1
        assert service.post(f"{TABLES}/orders", json={}).status_code == 200
        assert files(service) == count
    assert len(lake.fake.commits) == 2


def test_a_transaction_has_all_tables_looked_at(service: TestClient, lake: Lake) -> None:
    assert files(service) == 1
    lake.commit(ORDERS)
    lake.fake.fault = lambda asked: Reply(204) if "transactions" in asked.path else None
    changes = [{"identifier": {"namespace": list(table[:-1]), "name": table[-1]}} for table in (SECRETS, ORDERS)]
    for count, body in enumerate(({"table-changes": changes}, {"table-changes": "of a later version"}), 2):
        assert service.post("/iceberg/v1/prod/transactions/commit", json=body).status_code == 204
        assert files(service) == count
        lake.commit(ORDERS)


def test_a_report_of_metrics_has_no_table_looked_at(service: TestClient, lake: Lake) -> None:
    assert files(service) == 1
    lake.commit(ORDERS)
    assert service.post(f"{TABLES}/orders/metrics", json={}).status_code == 200
    assert files(service) == 1


def test_a_table_that_the_catalog_drops_is_gone(service: TestClient) -> None:
    assert files(service) == 1
    assert service.delete(f"{TABLES}/orders").status_code == 204
    answer = service.post(f"{TABLES}/orders/plan", json={})
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NoSuchTableException")
    assert [table["name"] for table in service.get("/api/v1/tables").json()["tables"]] == []


def test_the_native_api_has_the_catalogs_tables_under_its_name(service: TestClient) -> None:
    assert service.get("/api/v1/tables/prod.shop.orders/files").json()["files"]
    assert service.get("/api/v1/tables/prod.shop.none/files").status_code == 404
    assert [table["name"] for table in service.get("/api/v1/tables").json()["tables"]] == ["prod.shop.orders"]


@pytest.mark.parametrize("breaks", ["before", "within"])
def test_a_commit_without_an_answer_is_502_and_is_sent_once(service: TestClient, lake: Lake, breaks: str) -> None:
    assert files(service) == 1

    def carried_out(asked: Asked) -> Reply | None:
        if asked.method != "POST":
            return None
        lake.commit(ORDERS)
        return Reply(200, {"metadata-location": "x"}, breaks=breaks)

    lake.fake.fault = carried_out
    if breaks == "before":
        answer = service.post(f"{TABLES}/orders", json={})
        assert (answer.status_code, "retry-after" in answer.headers) == (502, False)
        assert "may have carried out" in answer.json()["error"]["message"]
    else:
        with pytest.raises(Exception, match=r"."):
            service.post(f"{TABLES}/orders", json={})
    assert sum(asked.method == "POST" for asked in lake.fake.asked) == 1
    # It is unknown whether the commit was applied, so the pointer is read again.
    assert files(service) == 2


@pytest.mark.parametrize("status", [409, 429, 500, 503])
def test_the_catalogs_own_errors_pass_as_they_are(service: TestClient, lake: Lake, status: int) -> None:
    body = b'{"error":{"message":"theirs","type":"X","code":1}}'
    lake.fake.fault = lambda asked: Reply(status, body, {"Retry-After": "7"}) if asked.method == "POST" else None
    answer = service.post(f"{TABLES}/orders", json={})
    assert (answer.status_code, answer.content, answer.headers["retry-after"]) == (status, body, "7")


def test_redirects_do_not_lead_elsewhere(service: TestClient, lake: Lake) -> None:
    lake.fake.fault = lambda asked: (
        Reply(307, None, {"Location": "http://127.0.0.1:1/x"}) if "views" in asked.path else None
    )
    answer = service.get("/iceberg/v1/prod/namespaces/shop/views", follow_redirects=False)
    assert (answer.status_code, "location" in answer.headers) == (502, False)


@pytest.mark.parametrize("path", ["namespaces/%2e%2e/x", "namespaces/%2E/x", "namespaces//tables"])
def test_relative_paths_are_refused(service: TestClient, lake: Lake, path: str) -> None:
    # The client would normalize these paths.
    request = httpx.Request("GET", "http://127.0.0.1/")
    request.url = httpx.URL(scheme="http", host="127.0.0.1", raw_path=f"/iceberg/v1/prod/{path}".encode())
    assert service.send(request).status_code == 400
    assert not lake.fake.asked


def test_large_bodies_pass_in_parts_up_to_a_limit(service: TestClient, lake: Lake) -> None:
    lake.fake.fault = lambda asked: Reply(200, {"bytes": len(asked.body)}) if asked.method == "POST" else None
    large = b" " * (5 * 2**20)
    assert service.post(f"{TABLES}/orders", content=large).json() == {"bytes": len(large)}
    headers = {"Content-Length": str(65 * 2**20)}
    assert service.post(f"{TABLES}/orders", content=iter([b"x"]), headers=headers).status_code == 400
    assert service.post(f"{TABLES}/orders/plan", content=large).status_code == 400


def test_a_plan_is_never_of_an_older_state_than_the_client_has_read(service: TestClient, lake: Lake) -> None:
    assert files(service) == 1
    lake.fake.tables[ORDERS] = "s3://elsewhere/metadata/1.metadata.json"
    service.post(f"{TABLES}/orders", json={})
    answer = service.post(f"{TABLES}/orders/plan", json={})
    assert (answer.status_code, "scan-planning-mode=client" in answer.text) == (406, True)


def test_own_roles_decide_with_this_servers_principal(guarded: TestClient, lake: Lake) -> None:
    whole, shop, other = bearer("whole-catalog"), bearer("reads-the-shop"), bearer("other-tables")
    assert files(guarded, shop) == 1
    assert {asked.token for asked in lake.fake.asked} == {"own-principal"}
    hidden = "/iceberg/v1/prod/namespaces/hidden/tables"
    assert guarded.get(f"{hidden}/secrets", headers=whole).status_code == 200
    before = len(lake.fake.asked)
    for refused in (
        guarded.get(f"{hidden}/secrets", headers=shop),
        guarded.get(hidden, headers=shop),
        guarded.post(f"{hidden}/secrets/plan", json={}, headers=shop),
        guarded.post(f"{TABLES}/orders", json={}, headers=shop),
        guarded.delete(f"{TABLES}/orders", headers=shop),
        guarded.post("/iceberg/v1/prod/transactions/commit", json={}, headers=shop),
        guarded.get(f"{TABLES}/orders", headers=other),
        guarded.get(f"{TABLES}/orders"),
    ):
        assert refused.status_code in {401, 403, 404}, refused.text
    assert len(lake.fake.asked) == before
    names = [name for (name,) in guarded.get("/iceberg/v1/prod/namespaces", headers=shop).json()["namespaces"]]
    assert names == ["shop"]
    assert guarded.post(f"{TABLES}/orders", json={}, headers=whole).status_code == 200


def test_storage_credentials_of_our_principal_are_for_those_who_may_write(guarded: TestClient, lake: Lake) -> None:
    asking = {"X-Iceberg-Access-Delegation": "vended-credentials"}
    for token, is_passed in (("reads-the-shop", False), ("whole-catalog", True)):
        assert guarded.get(f"{TABLES}/orders", headers={**bearer(token), **asking}).status_code == 200
        assert ("x-iceberg-access-delegation" in lake.fake.asked[-1].headers) is is_passed


def test_the_catalogs_rights_decide_where_callers_sign_in_there(forwarding: TestClient, lake: Lake) -> None:
    native = "/api/v1/tables/prod.shop.orders/files"
    assert files(forwarding, bearer("alice")) == 1
    assert forwarding.get(native, headers=bearer("alice")).json()["files"]
    for stranger in ({}, bearer("bob"), bearer("nobody")):
        theirs = httpx.get(f"{lake.fake.uri}/v1/namespaces/shop/tables/orders", headers=stranger)
        ours = forwarding.post(f"{TABLES}/orders/plan", json={}, headers=stranger)
        assert (ours.status_code, ours.content) == (theirs.status_code, theirs.content)
        missing = forwarding.get("/api/v1/tables/prod.shop.missing/files", headers=stranger)
        hidden = forwarding.get(native, headers=stranger)
        assert hidden.status_code == (404 if stranger == bearer("bob") else 401)
        assert hidden.content.replace(b"orders", b"missing") == missing.content


def test_a_catalog_that_cannot_choose_snapshots_decides_too(forwarding: TestClient, lake: Lake) -> None:
    lake.fake.fault = lambda asked: (
        error(400, "IllegalArgumentException") if asked.path.endswith("?snapshots=refs") else None
    )
    assert files(forwarding, bearer("alice")) == 1
    assert forwarding.post(f"{TABLES}/orders/plan", json={}, headers=bearer("bob")).status_code == 404


def test_tokens_of_ours_never_reach_the_catalog(forwarding: TestClient, lake: Lake) -> None:
    ours = bearer("whole-catalog")
    assert forwarding.get("/iceberg/v1/prod/namespaces", headers=ours).status_code == 401
    assert forwarding.post(f"{TABLES}/orders/plan", json={}, headers=ours).status_code == 401
    # The native API requires only a role for the catalog.
    assert forwarding.get("/api/v1/tables/prod.shop.orders/files", headers=ours).json()["files"]
    assert "whole-catalog" not in {asked.token for asked in lake.fake.asked}
    assert forwarding.get("/api/v1/tables", headers=bearer("other-tables")).json()["tables"] == []


def test_a_right_that_is_taken_away_ends_within_half_a_minute(
    forwarding: TestClient, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files(forwarding, bearer("alice")) == 1
    assert lake.fake.rights is not None
    lake.fake.rights["alice"] = set()
    assert files(forwarding, bearer("alice")) == 1
    monkeypatch.setattr("lakemuster.api.sidecar.rights.REMEMBERED_SECONDS", 0.0)
    forwarding.app.state.rights._until.clear()  # type: ignore[attr-defined]
    assert forwarding.post(f"{TABLES}/orders/plan", json={}, headers=bearer("alice")).status_code == 404


def test_credentials_are_exchanged_at_the_catalog(forwarding: TestClient, service: TestClient) -> None:
    form = {"grant_type": "client_credentials", "client_id": "me", "client_secret": "secret"}
    for path in ("/iceberg/v1/oauth/tokens", "/iceberg/v1/prod/oauth/tokens"):
        assert forwarding.post(path, data=form).json()["access_token"].startswith("issued-")
    assert service.post("/iceberg/v1/oauth/tokens", data=form).status_code == 400


def test_names_of_catalogs_are_theirs(lake: Lake, tmp_path: Path) -> None:
    with attached(lake, tmp_path) as services, pytest.raises(RequestInvalid, match="prod is an attached catalog"):
        services.add("prod.shop.mine", f"{tmp_path}/lake/shop/orders", None, (), operator=True)
    with attached(lake, tmp_path) as services:
        [found, *_] = services.discover(f"{tmp_path}/lake", "prod", (), operator=True)
        assert (found.outcome, found.reason) == (
            "refused",
            "prod is an attached catalog: its tables are that catalog's",
        )
    with attached(lake, tmp_path, catalogs={}) as services:
        services.add("prod.shop.mine", f"{tmp_path}/lake/shop/orders", None, (), operator=True)
    with pytest.raises(ConfigInvalid, match=r"prod\.shop\.mine"), attached(lake, tmp_path):
        pass


def test_unknown_members_of_the_protocol_pass(service: TestClient, lake: Lake) -> None:
    said = orjson.dumps({"of": [1.0, None]})
    lake.fake.fault = lambda asked: Reply(418, said, {"X-New": "1"}) if "functions" in asked.path else None
    answer = service.request("PROPFIND", "/iceberg/v1/prod/functions/new?a=%1F&b", content=b"body")
    assert (answer.status_code, answer.content, answer.headers["x-new"]) == (418, said, "1")
    assert (lake.fake.asked[-1].method, lake.fake.asked[-1].body) == ("PROPFIND", b"body")
    assert lake.fake.asked[-1].path.endswith("/functions/new?a=%1F&b")


@pytest.mark.parametrize("listed", [None, []])
def test_a_catalog_that_lists_no_endpoints_has_those_that_clients_assume(
    service: TestClient, lake: Lake, listed: object
) -> None:
    lake.fake.config = {"defaults": {}, "overrides": {}, "endpoints": listed}
    endpoints = service.get("/iceberg/v1/config", params={"warehouse": "prod"}).json()["endpoints"]
    assert "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}" in endpoints


def test_a_commit_marks_its_table_by_the_catalogs_separator(service: TestClient, lake: Lake) -> None:
    table = ("a", "b", "orders")
    lake.fake.config = {"defaults": {"namespace-separator": "."}, "overrides": {}}
    lake.fake.tables[table] = lake.fake.tables[ORDERS]
    upstream = service.app.state.api.services.refresher.upstreams.rest("prod")  # type: ignore[attr-defined]

    def answering(asked: Asked) -> Reply | None:
        if asked.method == "POST":
            # The configuration becomes too old while the catalog commits.
            upstream._endpoint = (upstream._endpoint[0], float("-inf"))
        path = asked.path.replace("a.b", "a%1Fb")
        return None if path == asked.path else lake.fake.own_reply(replace(asked, path=path))

    lake.fake.fault = answering
    plan = "/iceberg/v1/prod/namespaces/a.b/tables/orders/plan"
    for count in (1, 2):
        answer = service.post(plan, json={})
        assert (answer.status_code, len(answer.json()["file-scan-tasks"])) == (200, count)
        lake.commit(ORDERS)
        lake.fake.tables[table] = lake.fake.tables[ORDERS]
        assert service.post(plan.removesuffix("/plan"), json={}).status_code == 200
    assert [found["name"] for found in service.get("/api/v1/tables").json()["tables"]] == ["prod.a.b.orders"]


def test_a_plus_in_a_path_is_the_space_of_a_name(service: TestClient, lake: Lake) -> None:
    table = ("my shop", "my orders")
    lake.fake.tables[table] = lake.fake.tables[ORDERS]
    # A catalog that decodes names as the Java client encodes them.
    lake.fake.fault = lambda asked: (
        lake.fake.own_reply(replace(asked, path=asked.path.replace("+", "%20"))) if "+" in asked.path else None
    )
    spaced, plus = (f"/iceberg/v1/prod/namespaces/my{x}shop/tables/my{x}orders" for x in ("%20", "+"))
    for path in (spaced, plus):
        assert len(service.post(f"{path}/plan", json={}).json()["file-scan-tasks"]) == 1
    lake.commit(ORDERS)
    lake.fake.tables[table] = lake.fake.tables[ORDERS]
    assert service.post(plus, json={}).status_code == 200
    assert len(service.post(f"{spaced}/plan", json={}).json()["file-scan-tasks"]) == 2


def test_a_right_to_one_reading_of_a_path_is_none_to_the_other(forwarding: TestClient, lake: Lake) -> None:
    # The caller may load "a b", and not "a+b".
    literal = ("shop", "a+b")
    lake.own.create_table(literal, lake.own.load_table(ORDERS).schema())
    lake.commit(literal)
    assert lake.fake.rights is not None
    lake.fake.rights["own-principal"].add(literal)
    lake.fake.fault = lambda asked: (
        Reply(200, {"metadata-location": "x", "metadata": {}}) if "+" in asked.path else None
    )
    assert forwarding.get(f"{TABLES}/a+b", headers=bearer("alice")).status_code == 200
    assert forwarding.post(f"{TABLES}/a%2Bb/plan", json={}, headers=bearer("alice")).status_code == 404
