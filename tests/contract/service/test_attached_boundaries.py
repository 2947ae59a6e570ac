"""Requests that try to bypass the rights of attached catalogs, or to get another caller's response, fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from lakemuster.errors import IndexUnavailable
from lakemuster.index.database import Database
from tests.contract.service.attached_lake import ORDERS, SECRETS, TABLES, TOKENS, Lake, attached, bearer, files, serving
from tests.fake_catalog import Asked, Reply, fake_catalog

PROD = "/iceberg/v1/prod"
METRICS = ("shop", "metrics")
SHOP, WHOLE = bearer("reads-the-shop"), bearer("whole-catalog")
SECRET_PROPERTIES = {
    "token": "of-this-server",
    "s3.access-key-id": "AKIA",
    "s3.secret-access-key": "of-storage",
    "s3.session-token": "of-storage",
    "s3.region": "here",
}


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with fake_catalog() as fake:
        yield Lake(tmp_path, fake)


def serve(lake: Lake, folder: Path, **properties: Any) -> Iterator[TestClient]:
    (folder / "tokens.toml").write_text(TOKENS)
    lake.fake.rights = {"own-principal": {ORDERS, SECRETS, METRICS}, "alice": {ORDERS}, "bob": {SECRETS}}
    changes = {"tokens": f"{folder}/tokens.toml", "properties": {"token": "own-principal", **properties}}
    with attached(lake, folder, **changes) as services:
        yield from serving(services)


@pytest.fixture
def guarded(lake: Lake, tmp_path: Path) -> Iterator[TestClient]:
    """A server whose callers have its own tokens; the catalog sees the server's principal."""
    yield from serve(lake, tmp_path)


@pytest.fixture
def forwarding(lake: Lake, tmp_path: Path) -> Iterator[TestClient]:
    """A server whose callers authenticate at the catalog; the server's principal sends a further header."""
    headers = {"header.Authorization": "Bearer own-principal", "header.Realm": "ours"}
    yield from serve(lake, tmp_path, auth="forward", **headers)


def raw(client: TestClient, method: str, path: str, headers: dict[str, str]) -> httpx.Response:
    """Send a request without normalizing its path, and return the response."""
    request = httpx.Request(method, "http://127.0.0.1/", headers=headers)
    request.url = httpx.URL(scheme="http", host="127.0.0.1", raw_path=f"{PROD}/{path}".encode())
    found: httpx.Response = client.send(request)
    return found


def test_a_reader_reaches_nothing_hidden_by_the_spelling_of_a_path(guarded: TestClient, lake: Lake) -> None:
    guarded.get(f"{TABLES}/orders", headers=SHOP)
    asked = len(lake.fake.asked)
    for path in (
        "namespaces/shop/tables/..;/..;/..;/namespaces/hidden/tables/secrets",
        "namespaces/shop/tables/..%2F..%2F..%2Fnamespaces%2Fhidden%2Ftables%2Fsecrets",
        "namespaces/shop/tables/..%5C..%5Cx",
        "namespaces;x/hidden/tables/secrets",
        "Namespaces/hidden/tables/secrets",
        "namespaces/hidden;x/tables/secrets",
        "namespaces?parent=hidden",
        "namespaces?parent=shop&parent=hidden",
        "search?query=secrets",
        "namespaces/hidden/functions",
        "namespaces/shop/tables/orders/credentials",
        "oauth/tokens",
    ):
        assert raw(guarded, "GET", path, SHOP).status_code in {400, 403, 404, 405}, path
    assert len(lake.fake.asked) == asked


def test_a_table_named_as_a_subresource_is_a_table(guarded: TestClient, lake: Lake) -> None:
    lake.own.create_table(METRICS, lake.own.load_table(ORDERS).schema())
    lake.commit(METRICS)
    metrics = f"{TABLES}/metrics"
    plan = f"{metrics}/plan"
    assert guarded.post(metrics, json={}, headers=SHOP).status_code == 403
    assert lake.fake.commits == []
    assert len(guarded.post(plan, json={}, headers=SHOP).json()["file-scan-tasks"]) == 1
    lake.commit(METRICS)
    assert guarded.post(metrics, json={}, headers=WHOLE).status_code == 200
    assert len(guarded.post(plan, json={}, headers=SHOP).json()["file-scan-tasks"]) == 2


def test_a_caller_without_a_role_for_a_catalog_cannot_tell_it_from_none(guarded: TestClient, lake: Lake) -> None:
    stranger, asked = bearer("other-tables"), len(lake.fake.asked)
    table = "namespaces/shop/tables/orders"
    for method, path in (
        ("GET", "config?warehouse=CATALOG"),
        ("GET", "CATALOG/namespaces"),
        ("POST", "CATALOG/namespaces"),
        ("GET", "CATALOG/namespaces/shop"),
        ("GET", f"CATALOG/{table}"),
        ("HEAD", f"CATALOG/{table}"),
        ("POST", f"CATALOG/{table}"),
        ("DELETE", f"CATALOG/{table}"),
        ("POST", f"CATALOG/{table}/plan"),
        ("POST", f"CATALOG/{table}/metrics"),
        ("POST", "CATALOG/transactions/commit"),
        ("GET", "CATALOG/anything"),
    ):
        there, nowhere = (
            guarded.request(method, f"/iceberg/v1/{path.replace('CATALOG', name)}", json={}, headers=stranger)
            for name in ("prod", "none")
        )
        assert there.status_code in {404, 405}, (method, path)
        assert there.content == nowhere.content.replace(b"none", b"prod"), (method, path)
        assert there.status_code == nowhere.status_code, (method, path)
    assert len(lake.fake.asked) == asked


def test_what_signs_in_this_server_is_shown_to_nobody(guarded: TestClient, lake: Lake) -> None:
    loaded = {
        "metadata-location": lake.fake.tables[ORDERS],
        "metadata": {},
        "config": dict(SECRET_PROPERTIES),
        "storage-credentials": [{"prefix": "s3://lake", "config": {"s3.secret-access-key": "of-storage"}}],
    }
    lake.fake.fault = lambda asked: Reply(200, loaded) if asked.path.split("?")[0].endswith("/orders") else None
    lake.fake.config = {"defaults": dict(SECRET_PROPERTIES), "overrides": {"credential": "of-this-server"}}
    for headers, sees_storage in ((SHOP, False), (WHOLE, True)):
        table = guarded.get(f"{TABLES}/orders", headers=headers)
        config = guarded.get("/iceberg/v1/config", params={"warehouse": "prod"}, headers=headers)
        for answer in (table, config):
            assert "of-this-server" not in answer.text
            assert '"s3.region":"here"' in answer.text
            assert ("of-storage" in answer.text) is sees_storage
            assert ("AKIA" in answer.text) is sees_storage


def test_clients_have_their_requests_signed_through_here(forwarding: TestClient, lake: Lake) -> None:
    signer = {"s3.signer.uri": f"{lake.fake.uri}/", "s3.signer.endpoint": "v1/main%7Clake/s3-sign/of-orders"}
    lake.fake.config = {"defaults": {"prefix": "main|lake"}, "overrides": {}}
    lake.fake.fault = lambda asked: (
        Reply(200, {"metadata-location": "x", "metadata": {}, "config": signer})
        if "/tables/orders" in asked.path
        else Reply(200, {"signed": asked.path})
        if "s3-sign" in asked.path
        else None
    )
    loaded = forwarding.get(f"{TABLES}/orders", headers=bearer("alice")).json()["config"]
    assert loaded == {"s3.signer.endpoint": "v1/prod/s3-sign/of-orders"}
    signed = forwarding.post(f"/iceberg/{loaded['s3.signer.endpoint']}", json={}, headers=bearer("alice"))
    assert signed.json() == {"signed": "/v1/main%7Clake/s3-sign/of-orders"}


def test_only_the_caller_signs_in_where_its_rights_are_asked_for(forwarding: TestClient, lake: Lake) -> None:
    assert files(forwarding, bearer("alice")) == 1
    for headers in ({}, {"Realm": "mine"}, bearer("bob")):
        assert forwarding.post(f"{TABLES}/orders/plan", json={}, headers=headers).status_code in {401, 404}
    assert forwarding.get("/api/v1/tables/prod.shop.orders", headers=bearer("nobody")).status_code == 401
    asked = [found for found in lake.fake.asked if "/orders" in found.path and found.token == "alice"]
    assert {found.headers.get("realm") for found in asked} == {None}
    # The catalog may identify callers by such a header.
    assert forwarding.post(f"{TABLES}/orders/plan", json={}, headers={**bearer("alice"), "Realm": "mine"}).is_success
    assert lake.fake.asked[-1].headers["realm"] == "mine"


def test_cookies_of_one_caller_are_not_sent_for_another(forwarding: TestClient, lake: Lake) -> None:
    lake.fake.fault = lambda asked: (
        Reply(200, {"identifiers": []}, {"Set-Cookie": f"session={asked.token}; Path=/"})
        if asked.path.endswith("/views")
        else None
    )
    for token in ("alice", "bob", "own-principal"):
        forwarding.cookies.clear()
        forwarding.get(f"{PROD}/namespaces/shop/views", headers=bearer(token))
        forwarding.post(f"{TABLES}/orders/plan", json={}, headers=bearer(token))
    assert [asked.headers["cookie"] for asked in lake.fake.asked if "cookie" in asked.headers] == []


def test_tokens_of_ours_do_not_pass_in_any_header(forwarding: TestClient, lake: Lake) -> None:
    forwarding.get("/iceberg/v1/config", params={"warehouse": "prod"}, headers=bearer("alice"))
    asked = len(lake.fake.asked)
    for headers in (
        [("Authorization", "Bearer alice"), ("Authorization", "Bearer whole-catalog")],
        [("Authorization", "bearer  whole-catalog")],
        [("Authorization", "Token whole-catalog")],
        [("Authorization", httpx.BasicAuth("x", "whole-catalog")._auth_header)],
        [("Authorization", "Bearer alice"), ("X-Api-Key", "whole-catalog")],
    ):
        answer = forwarding.get(f"{PROD}/namespaces", headers=httpx.Headers(headers))
        assert (answer.status_code, len(lake.fake.asked)) == (401, asked), headers


def test_a_request_passes_with_its_own_headers_only(guarded: TestClient, lake: Lake) -> None:
    request = httpx.Request("GET", f"http://127.0.0.1{PROD}/namespaces/shop/views", headers=WHOLE)
    guarded.send(request)
    sent = lake.fake.asked[-1].headers
    assert set(sent) <= {"host", "authorization", "x-request-id"}, sent


def test_the_catalog_is_asked_for_its_own_warehouse(lake: Lake, tmp_path: Path) -> None:
    with attached(lake, tmp_path, properties={"warehouse": "lake & co"}) as services:
        for client in serving(services):
            assert client.get("/iceberg/v1/config?warehouse=prod&x=1").status_code == 200
    assert lake.fake.asked[-1].path == "/v1/config?x=1&warehouse=lake+%26+co"


def test_an_etag_is_of_one_planning_mode_and_one_callers_view(lake: Lake, tmp_path: Path) -> None:
    lake.fake.fault = lambda asked: (
        Reply(304, None, {"ETag": '"theirs"'}) if '"theirs"' in asked.headers.get("if-none-match", "") else None
    )
    etags: list[str] = []
    for exclude in ([], ["shop.*"]):
        for client in serve_once(lake, tmp_path, exclude):
            for headers in (SHOP, WHOLE):
                given = {**headers, "If-None-Match": ", ".join(etags)} if etags else headers
                etag = client.get(f"{TABLES}/orders", headers=given).headers["etag"]
                assert etag not in etags
                again = client.get(f"{TABLES}/orders", headers={**headers, "If-None-Match": etag})
                assert (again.status_code, again.headers["etag"]) == (304, etag)
                etags.append(etag)


def serve_once(lake: Lake, folder: Path, exclude: list[str]) -> Iterator[TestClient]:
    yield from serve(lake, folder, exclude=exclude)


@pytest.mark.parametrize("status", [401, 419])
def test_a_token_that_the_catalog_refuses_is_not_used_again(lake: Lake, tmp_path: Path, status: int) -> None:
    lake.fake.unauthorized = status
    for client in serve(lake, tmp_path, token=None, credential="me:secret"):
        assert client.get(f"{TABLES}/orders", headers=SHOP).status_code == 200
        assert lake.fake.rights is not None
        del lake.fake.rights[f"issued-{lake.fake.issued}"]
        assert client.get(f"{TABLES}/orders", headers=SHOP).status_code == status
        assert client.get(f"{TABLES}/orders", headers=SHOP).status_code == 200


def test_a_callers_token_that_ends_ends_its_rights(forwarding: TestClient, lake: Lake) -> None:
    lake.fake.unauthorized = 419
    assert files(forwarding, bearer("alice")) == 1
    assert lake.fake.rights is not None
    del lake.fake.rights["alice"]
    assert forwarding.get(f"{TABLES}/orders", headers=bearer("alice")).status_code == 419
    assert forwarding.post(f"{TABLES}/orders/plan", json={}, headers=bearer("alice")).status_code == 419
    assert forwarding.get("/api/v1/tables/prod.shop.orders", headers=bearer("alice")).status_code == 401


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/", "mailto:x"])
@pytest.mark.parametrize(("theirs", "iceberg", "native"), [(503, 503, 502), (429, 429, 502), (307, 502, 502)])
def test_failures_of_asking_for_rights_are_the_catalogs(
    forwarding: TestClient, lake: Lake, theirs: int, iceberg: int, native: int, target: str
) -> None:
    headers = {"Retry-After": "7", "Location": target}
    lake.fake.fault = lambda asked: Reply(theirs, {"of": "theirs"}, headers) if "/orders" in asked.path else None
    answer = forwarding.post(f"{TABLES}/orders/plan", json={}, headers=bearer("alice"))
    assert answer.status_code == iceberg
    if theirs == iceberg:
        assert (answer.json(), answer.headers["retry-after"]) == ({"of": "theirs"}, "7")
    assert forwarding.get("/api/v1/tables/prod.shop.orders", headers=bearer("alice")).status_code == native


def test_a_commit_does_not_depend_on_the_index(
    guarded: TestClient, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files(guarded, SHOP) == 1
    lake.commit(ORDERS)

    def gone(*_: object, **__: object) -> None:
        raise IndexUnavailable("planted")

    with monkeypatch.context() as patch:
        patch.setattr("lakemuster.catalog.attached.mark_changed", gone)
        assert guarded.post(f"{TABLES}/orders", json={}, headers=WHOLE).status_code == 200
    assert files(guarded, SHOP) == 2


def test_a_commits_answer_waits_for_no_transaction_and_other_processes_know_of_it(
    guarded: TestClient, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files(guarded, SHOP) == 1
    services = guarded.app.state.api.services  # type: ignore[attr-defined]
    # Another process lacks what this process knows without the index.
    monkeypatch.setattr(type(services), "note_changes", lambda *_, **__: None)
    database, written = services.index.database, []
    for name in ("session", "update"):
        of = getattr(Database, name)

        def noted(self: Database, *given: Any, _of: Any = of, _name: str = name) -> Any:
            written.append(_name)
            return _of(self, *given)

        monkeypatch.setattr(Database, name, noted)
    lake.commit(ORDERS)
    written.clear()
    assert guarded.post(f"{TABLES}/orders", json={}, headers=WHOLE).status_code == 200
    assert written == []
    monkeypatch.undo()
    assert database.changes is not None
    assert files(guarded, SHOP) == 2


def test_a_clock_that_steps_back_hides_no_commit(
    guarded: TestClient, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files(guarded, SHOP) == 1
    lake.commit(ORDERS)
    services = guarded.app.state.api.services  # type: ignore[attr-defined]
    # Another process forwarded the commit: only the index records it.
    monkeypatch.setattr(type(services), "note_changes", lambda *_, **__: None)
    with services.index.database.session() as session:
        session.connection().exec_driver_sql("UPDATE catalog_table SET checked_at_ms = checked_at_ms + 3600000")
    services.refresher._ages._looks.clear()
    assert guarded.post(f"{TABLES}/orders", json={}, headers=WHOLE).status_code == 200
    assert files(guarded, SHOP) == 2


def test_a_created_tables_answer_keeps_to_our_planning_mode(guarded: TestClient, lake: Lake) -> None:
    created = {"metadata-location": "x", "metadata": {}, "config": {"scan-planning-mode": "client", "x": "1"}}
    answers = iter([Reply(200, created), Reply(200, b"no json")])
    lake.fake.fault = lambda asked: next(answers) if asked.method == "POST" else None
    assert guarded.post(TABLES, json={"name": "new"}, headers=WHOLE).json()["config"] == {"x": "1"}
    # The table is created, although the response is not valid JSON.
    assert guarded.post(TABLES, json={"name": "new"}, headers=WHOLE).content == b"no json"


def test_a_failure_in_the_middle_of_a_commits_answer_is_seen(guarded: TestClient, lake: Lake) -> None:
    def broken(asked: Asked) -> Reply | None:
        return Reply(200, {"metadata-location": "x"}, breaks="within") if asked.method == "POST" else None

    lake.fake.fault = broken
    assert guarded.post(TABLES, json={"name": "new"}, headers=WHOLE).status_code == 502
