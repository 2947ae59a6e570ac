"""Refusals of the Paimon REST catalog; no failure makes a table appear shorter than it is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from lakemuster.api.identity.tokens import token_entry
from lakemuster.api.paimon_rest import tables
from lakemuster.api.paimon_rest.unsupported import router as unsupported
from lakemuster.catalog.services import Services
from lakemuster.demo import unpack
from lakemuster.errors import IndexUnavailable
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings

ROUTES = "/paimon/v1/lakemuster"
CLICKS = f"{ROUTES}/databases/web/tables/clicks"
Json = dict[str, Any]


@pytest.fixture
def clicks(tmp_path: Path) -> Path:
    demo = unpack(tmp_path / "demo")
    return Path(shutil.move(demo / "web.db" / "clicks", tmp_path / "clicks"))


@pytest.fixture
def services(tmp_path: Path, clicks: Path) -> Iterator[Services]:
    with catalog(settings(tmp_path)) as made:
        made.add("web.clicks", str(clicks), None, (), operator=True)
        yield made


@pytest.fixture
def http(services: Services) -> TestClient:
    return client(services)


def client(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181", raise_server_exceptions=False)


def told(answer: httpx.Response, status: int) -> Json:
    """Check that a response is an error of the protocol, whose ``code`` clients evaluate; return it."""
    document: Json = answer.json()
    assert (answer.status_code, document["code"]) == (status, status), document
    assert set(document) == {"resourceType", "resourceName", "message", "code"}
    assert document["message"]
    return document


def snapshots(clicks: Path) -> list[int]:
    return sorted(int(path.name.removeprefix("snapshot-")) for path in clicks.glob("snapshot/snapshot-*"))


def test_every_write_fails_with_a_message(http: TestClient) -> None:
    routes = [route for route in unsupported.routes if isinstance(route, APIRoute)]
    assert len(routes) > 25
    for route in routes:
        path = re.sub(r"\{.*?\}", "x", route.path)
        for method in route.methods or ():
            status = 403 if path.endswith("/mark") else 501
            document = told(http.request(method, path, json={} if method == "POST" else None), status)
            assert document["message"].startswith("this catalog is read-only")
            assert (document["resourceType"], document["resourceName"]) == (None, None)


def test_a_refused_write_changes_nothing(http: TestClient, clicks: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in clicks.rglob("*")}
    told(http.delete(CLICKS), 501)
    told(http.post(f"{CLICKS}/commit", json={"snapshot": {}, "statistics": []}), 501)
    assert http.get(CLICKS).status_code == 200
    assert {path: path.stat().st_mtime_ns for path in clicks.rglob("*")} == before


def test_no_credentials_are_vended(http: TestClient) -> None:
    assert "does not vend credentials" in told(http.get(f"{CLICKS}/token"), 501)["message"]
    assert told(http.get(f"{ROUTES}/databases/web/tables/none/token"), 404)["resourceType"] == "TABLE"


def test_query_auth_permits_tables_without_rules_and_refuses_those_with_rules(http: TestClient, clicks: Path) -> None:
    assert http.post(f"{CLICKS}/auth", json={"select": ["id"]}).json() == {"filter": None, "columnMasking": None}
    file = max(clicks.glob("schema/schema-*"))
    schema = json.loads(file.read_text())
    schema["id"] += 1
    schema["options"]["query-auth.enabled"] = "true"
    file.with_name(f"schema-{schema['id']}").write_text(json.dumps(schema))
    assert "query-auth.enabled" in told(http.post(f"{CLICKS}/auth", json={}), 501)["message"]
    assert told(http.post(f"{ROUTES}/databases/web/tables/none/auth", json={}), 404)["resourceType"] == "TABLE"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/databases?maxResults=-1", "maxResults"),
        ("/databases?maxResults=x", "maxResults"),
        ("/databases?databaseNamePattern=a%25b", "only at its end"),
        ("/databases?maxResults=1&maxResults=2", "more than once"),
        ("/databases/web/tables/clicks/tags?pageToken=x", "page token"),
        ("/databases/web/tables/clicks/partitions?partitionNamePattern=%25%20", "only at its end"),
    ],
)
def test_invalid_requests_name_the_cause(http: TestClient, path: str, said: str) -> None:
    message = told(http.get(f"{ROUTES}{path}"), 400)["message"]
    assert said in message
    # Java's client takes it for a format string, and fails at a percent sign.
    assert "%" not in message


def test_unknown_paths_and_methods(http: TestClient) -> None:
    for path in ("/paimon/v1", "/paimon/v1/databases", "/paimon/v1/other/databases", f"{CLICKS}/schemas"):
        told(http.get(path), 404)
    assert told(http.get(f"{ROUTES}/databases/a%2Fb"), 404)["resourceType"] == "DATABASE"
    told(http.put(CLICKS), 405)
    told(http.post(f"{CLICKS}/partitions/list-by-filter", json={}), 400)
    told(http.post(f"{CLICKS}/partitions/list-by-names", content=b"{"), 400)


@pytest.fixture
def guarded(tmp_path: Path, clicks: Path) -> Iterator[TestClient]:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text(
        token_entry("all", "all", "admin")
        + token_entry("web", "web", "read", ["web"])
        + token_entry("x", "x", "read", ["x"])
    )
    with catalog(settings(tmp_path, tokens=str(tokens))) as made:
        for name in ("web.clicks", "other.clicks"):
            made.add(name, str(clicks), None, (), operator=True)
        yield client(made)


def bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_without_a_known_token_every_request_gets_401(guarded: TestClient) -> None:
    for headers in ({}, bearing("none"), {"Authorization": "Basic web"}):
        for method, path in (
            ("GET", "/paimon/v1/config"),
            ("GET", f"{ROUTES}/databases"),
            ("GET", CLICKS),
            ("GET", f"{CLICKS}/snapshot"),
            ("DELETE", CLICKS),
        ):
            answer = guarded.request(method, path, headers=headers)
            told(answer, 401)
            assert answer.headers["www-authenticate"].startswith("Bearer")


def test_hidden_tables_are_answered_like_missing_ones(guarded: TestClient) -> None:
    def ask(token: str, path: str) -> httpx.Response:
        answer: httpx.Response = guarded.get(path, headers=bearing(token))
        return answer

    assert ask("all", f"{ROUTES}/databases").json()["databases"] == ["other", "web"]
    assert ask("web", f"{ROUTES}/databases").json()["databases"] == ["web"]
    assert ask("x", f"{ROUTES}/databases").json()["databases"] == []
    assert ask("web", f"{ROUTES}/tables").json()["tables"] == [{"database": "web", "object": "clicks"}]
    number = ask("all", f"{ROUTES}/databases/other/tables/clicks").json()["id"]
    there, absent = f"{ROUTES}/databases/other/tables/clicks", f"{ROUTES}/databases/othex/tables/clicks"
    for rest in ("", "/snapshot", "/snapshots", "/snapshots/1", "/partitions", "/tags", "/branches", "/token"):
        hidden, gone = told(ask("web", there + rest), 404), told(ask("web", absent + rest), 404)
        assert hidden["message"] == gone["message"].replace("othex", "other")
        assert (hidden["resourceType"], hidden["resourceName"]) == ("TABLE", "clicks")
    hidden, gone = (told(ask("web", f"{ROUTES}/tables/id/{own}"), 404) for own in (number, "none"))
    assert hidden == {**gone, "message": gone["message"].replace("none", number)}
    assert told(ask("web", f"{ROUTES}/databases/other"), 404)["resourceType"] == "DATABASE"
    assert ask("web", CLICKS).status_code == 200
    token = ask("all", f"{ROUTES}/databases?maxResults=1").json()["nextPageToken"]
    told(ask("web", f"{ROUTES}/databases?maxResults=1&pageToken={token}"), 400)


def test_a_table_without_snapshots_is_empty(http: TestClient, clicks: Path) -> None:
    shutil.rmtree(clicks / "snapshot")
    assert told(http.get(f"{CLICKS}/snapshot"), 404)["resourceType"] == "SNAPSHOT"
    assert told(http.get(f"{CLICKS}/snapshots/LATEST"), 404)["resourceType"] == "SNAPSHOT"
    assert http.get(f"{CLICKS}/snapshots").json()["snapshots"] == []
    assert http.get(f"{CLICKS}/partitions").json()["partitions"] == []


@pytest.mark.parametrize("look_first", [True, False])
def test_a_quarantined_newest_snapshot_is_returned_and_no_older_one(
    http: TestClient, clicks: Path, look_first: bool
) -> None:
    if look_first:
        assert http.get(f"{CLICKS}/partitions").json()["partitions"]
    newest = snapshots(clicks)[-1]
    document = json.loads((clicks / "snapshot" / f"snapshot-{newest}").read_text())
    document["id"] = newest + 1
    document["deltaManifestList"] = "manifest-list-none"
    (clicks / "snapshot" / f"snapshot-{newest + 1}").write_text(json.dumps(document))
    assert http.get(f"{CLICKS}/snapshot").json()["snapshot"]["snapshot"]["id"] == newest + 1
    assert http.get(f"{CLICKS}/snapshots").json()["snapshots"][0]["id"] == newest + 1
    for path in ("partitions", "partitions?maxResults=1"):
        assert "cannot be read" in told(http.get(f"{CLICKS}/{path}"), 502)["message"]
    assert http.get("/api/v1/tables/web.clicks").json()["stale"]
    assert http.get(CLICKS).headers["lakemuster-stale"]


def test_a_snapshot_file_that_cannot_be_read_hides_nothing(http: TestClient, clicks: Path) -> None:
    assert http.get(f"{CLICKS}/snapshot").status_code == 200
    newest = snapshots(clicks)[-1]
    (clicks / "snapshot" / f"snapshot-{newest + 1}").write_text("{}")
    for path in ("snapshot", "snapshots/LATEST", f"snapshots/{newest + 1}", "snapshots", "partitions"):
        assert "cannot be read" in told(http.get(f"{CLICKS}/{path}"), 502)["message"], path
    assert http.get(f"{CLICKS}/snapshots/{newest}").json()["snapshot"]["id"] == newest


def test_an_unavailable_newest_state_is_not_replaced_by_an_older_one(http: TestClient, clicks: Path) -> None:
    assert http.get(f"{CLICKS}/snapshot").status_code == 200
    newest = max(clicks.glob("schema/schema-*"))
    newest.with_name("schema-99").write_text("no JSON")
    for path in ("snapshot", "snapshots/LATEST", "partitions"):
        answer = http.get(f"{CLICKS}/{path}")
        assert "newest state is not available" in told(answer, 503)["message"]
        assert answer.headers["retry-after"]
    assert http.get(CLICKS).headers["lakemuster-stale"]


def test_a_deleted_table_is_not_reported_as_empty(http: TestClient, clicks: Path) -> None:
    assert http.get(f"{CLICKS}/snapshot").status_code == 200
    shutil.rmtree(clicks)
    for path in (f"{CLICKS}/snapshot", f"{CLICKS}/partitions"):
        told(http.get(path), 503)


def test_a_table_that_could_never_be_read_says_why(http: TestClient, clicks: Path) -> None:
    for file in clicks.glob("schema/schema-*"):
        file.write_text("no JSON")
    for path in ("", "/snapshot", "/snapshots", "/partitions", "/tags", "/branches"):
        assert "JSON" in told(http.get(f"{CLICKS}{path}"), 502)["message"]
    assert http.get(f"{ROUTES}/databases/web/tables").json()["tables"] == ["clicks"]
    assert http.get(f"{ROUTES}/databases/web/table-details").json()["tableDetails"] == []
    assert http.get(f"{ROUTES}/databases/web/tables?tableType=table").json()["tables"] == ["clicks"]


def test_a_page_of_details_ends_before_looks_take_too_long_and_leaves_no_table_out(
    services: Services, clicks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "LOOKS_SECONDS", -1.0)
    for name in ("log", "logs"):
        services.add(f"web.{name}", str(clicks), None, (), operator=True)
    http, found, token = client(services), [], ""
    while token is not None:
        page = http.get(f"{ROUTES}/databases/web/table-details", params={"pageToken": token}).json()
        found.append([one["name"] for one in page["tableDetails"]])
        token = page["nextPageToken"]
    assert found == [["clicks"], ["log"], ["logs"]]
    read = http.get(f"{ROUTES}/databases/web/table-details").json()
    assert [one["name"] for one in read["tableDetails"]] == ["clicks", "log", "logs"]


def test_details_fail_without_the_index(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise IndexUnavailable("the database does not answer")

    assert http.get(CLICKS).status_code == 200
    monkeypatch.setattr(Services, "metadata", fails)
    told(http.get(f"{ROUTES}/databases/web/table-details"), 503)


def test_tags_and_consumers(http: TestClient, clicks: Path) -> None:
    folder = clicks / "tag"
    folder.mkdir(exist_ok=True)
    for tag in folder.iterdir():
        tag.unlink()
    first = snapshots(clicks)[0]
    document = json.loads((clicks / "snapshot" / f"snapshot-{first}").read_text())
    kept = {key: value for key, value in document.items() if value is not None}
    timed = {"tagCreateTime": [2026, 5, 1, 12, 30, 15, 250000000], "tagTimeRetained": 259290.5}
    for name, more in {"plain": {}, "timed": timed, "a b+c": {}, "900": {}}.items():
        (folder / f"tag-{name}").write_text(json.dumps({**document, **more}))
    (clicks / "snapshot" / f"snapshot-{first}").unlink()
    (clicks / "consumer").mkdir()
    (clicks / "consumer" / "consumer-reader").write_text('{"nextSnapshot": 3}')
    assert http.get(f"{CLICKS}/tags").json() == {"tags": ["900", "a b+c", "plain", "timed"], "nextPageToken": None}
    for prefix in ("p", "p%", "plain"):
        assert http.get(f"{CLICKS}/tags", params={"tagNamePrefix": prefix}).json()["tags"] == ["plain"]
    told_tag = {"tagName": "timed", "snapshot": kept, "tagCreateTime": 1777638615250, "tagTimeRetained": "PT72H1M30.5S"}
    assert http.get(f"{CLICKS}/tags/timed").json() == told_tag
    assert http.get(f"{CLICKS}/tags/a+b%2Bc").json()["tagName"] == "a b+c"
    assert http.get(f"{CLICKS}/tags/plain").json()["tagCreateTime"] is None
    assert http.get(f"{CLICKS}/snapshots/plain").json() == {"snapshot": kept}
    assert told(http.get(f"{CLICKS}/snapshots/900"), 404)["resourceType"] == "SNAPSHOT"
    assert first not in [one["id"] for one in http.get(f"{CLICKS}/snapshots").json()["snapshots"]]
    missing = told(http.get(f"{CLICKS}/tags/none"), 404)
    assert (missing["resourceType"], missing["resourceName"]) == ("TAG", "none")
    consumers = http.get(f"{CLICKS}/consumers").json()["consumers"]
    assert consumers == [{"consumerId": "reader", "nextSnapshot": 3}]
