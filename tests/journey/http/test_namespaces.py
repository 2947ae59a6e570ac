"""Rights include locations: a namespace's admin reads no other namespace's folder; the tokens file can be reloaded."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from lakemuster.api.identity.tokens import namespace_entry, token_entry
from lakemuster.demo import unpack
from tests.journey.servers import Running, served

TABLES = "/api/v1/tables"
SECONDS = 30.0


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's tables, and a table in the folder of ``shop`` whose metadata is a copy of a table of ``web``."""
    folder = tmp_path_factory.mktemp("lake")
    unpack(folder / "lake")
    newest = max((folder / "lake/web.db/events/metadata").glob("*.metadata.json"))
    hostile = folder / "lake/shop.db/hostile/metadata"
    hostile.mkdir(parents=True)
    shutil.copy(newest, hostile / newest.name)
    return folder / "lake"


class Server:
    """A server, its tokens file, and its callers."""

    def __init__(self, running: Running, file: Path, lake: Path) -> None:
        self.running, self.file, self.lake = running, file, lake

    def ask(self, token: str, method: str, path: str, json: object = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"}
        return self.running.http.request(method, path, json=json, headers=headers)

    def add(self, token: str, name: str, place: str, **more: object) -> httpx.Response:
        body = {"name": name, "location": f"{self.lake}/{place}", **more}
        return self.ask(token, "POST", TABLES, body)

    def plan(self, token: str, name: str) -> httpx.Response:
        return self.ask(token, "POST", f"{TABLES}/{name}/plan", {})

    def write(self, *namespaces: str, readers: tuple[str, ...] = ("reader",)) -> None:
        """Atomically replace the tokens file by one with these namespaces."""
        entries = [
            token_entry("operator", "operator", "admin"),
            token_entry("shop", "shop", "admin", ["shop"]),
            token_entry("web", "web", "admin", ["web"]),
            token_entry("bare", "bare", "admin", ["bare"]),
            *(token_entry(name, name) for name in readers),
        ]
        new = self.file.with_suffix(".new")
        new.write_text("\n".join((*entries, *namespaces)), "utf-8")
        os.replace(new, self.file)

    @property
    def usual(self) -> tuple[str, ...]:
        """Entries that give each namespace its folder."""
        return (
            namespace_entry("shop", [f"{self.lake}/shop.db"]),
            namespace_entry("web", [f"{self.lake}/web.db"]),
        )


@pytest.fixture(scope="module", params=["1", "2"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, lake: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    made = Server(None, folder / "tokens.toml", lake)  # type: ignore[arg-type]
    made.write(*made.usual)
    settings = {"TOKENS": str(made.file), "ROOTS": str(lake), "WORKERS": request.param, "MAX_STALENESS": "0.5"}
    with served(folder, **settings) as made.running:
        assert made.add("operator", "web.events", "web.db/events").status_code == 201
        yield made


@pytest.fixture(autouse=True)
def _restored(server: Server) -> Iterator[None]:
    yield
    server.write(*server.usual)
    soon(lambda: server.plan("reader", "web.events").status_code == 200)


def soon(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds ten times in a row, so that it holds in every worker."""
    until, row = time.monotonic() + SECONDS, 0
    while row < 10:
        assert time.monotonic() < until
        row = row + 1 if holds() else 0


def code(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the error code."""
    return answer.status_code, answer.json()["error"]["code"]


def test_a_namespaces_admin_registers_its_own_folder_and_no_other(server: Server) -> None:
    assert code(server.add("shop", "shop.stolen", "web.db/events")) == (400, "location_refused")
    assert code(server.add("shop", "shop.stolen", "shop.db/../web.db/events")) == (400, "location_refused")
    moved = [{"old": f"{server.lake}/shop.db", "new": f"{server.lake}/web.db"}]
    assert code(server.add("shop", "shop.stolen", "shop.db/orders", rewrite=moved)) == (400, "location_refused")
    assert code(server.add("shop", "web.stolen", "shop.db/orders")) == (403, "not_authorised")
    assert server.add("shop", "shop.orders", "shop.db/orders").status_code == 201
    assert len(server.plan("shop", "shop.orders").json()["files"]) > 0
    assert server.plan("shop", "web.events").status_code == 404
    assert server.ask("shop", "DELETE", f"{TABLES}/shop.orders").status_code == 204


def test_a_token_without_locations_registers_nothing(server: Server) -> None:
    refused = server.add("bare", "bare.orders", "shop.db/orders")
    assert code(refused) == (403, "not_authorised")
    assert "locations" in refused.json()["error"]["message"]


def test_metadata_that_refers_outside_the_locations_is_quarantined(server: Server) -> None:
    assert server.add("shop", "shop.hostile", "shop.db/hostile").status_code == 201
    assert code(server.plan("shop", "shop.hostile")) == (409, "snapshot_quarantined")
    for kind in ("manifests", "files", "entries", "partitions"):
        assert code(server.ask("shop", "GET", f"{TABLES}/shop.hostile/{kind}")) == (409, "snapshot_quarantined")
    assert server.ask("shop", "DELETE", f"{TABLES}/shop.hostile").status_code == 204


def test_every_look_checks_the_current_locations(server: Server) -> None:
    assert server.plan("reader", "web.events").status_code == 200
    server.write(namespace_entry("web", [f"{server.lake}/elsewhere"]))
    soon(lambda: server.plan("reader", "web.events").status_code == 403)
    assert code(server.plan("operator", "web.events")) == (403, "location_forbidden")
    server.write(*server.usual)
    soon(lambda: server.plan("reader", "web.events").status_code == 200)


def test_a_revoked_token_is_refused_even_if_its_response_is_cached(server: Server) -> None:
    for _ in range(5):
        assert server.plan("reader", "web.events").status_code == 200
    server.write(*server.usual, readers=("other",))
    soon(lambda: server.plan("reader", "web.events").status_code == 401)
    assert server.plan("other", "web.events").status_code == 200


def test_an_invalid_tokens_file_changes_nothing_and_metrics_show_it(server: Server) -> None:
    server.file.write_text("not toml [", "utf-8")
    gauge = 'lakemuster_last_reload_successful{file="tokens"}'
    soon(lambda: f"{gauge} 0.0" in server.ask("operator", "GET", "/metrics").text)
    assert server.plan("reader", "web.events").status_code == 200
    assert "cannot load the tokens file" in server.running.log.read_text()
    server.write(*server.usual)
    soon(lambda: f"{gauge} 1.0" in server.ask("operator", "GET", "/metrics").text)


def test_a_hangup_signal_does_not_stop_the_server(server: Server) -> None:
    server.write(*server.usual, readers=("other",))
    os.kill(server.running.process.pid, signal.SIGHUP)
    soon(lambda: server.plan("other", "web.events").status_code == 200)
    assert server.running.process.poll() is None


def test_metrics_show_a_namespace_its_own_tables_only(server: Server) -> None:
    server.add("shop", "shop.orders", "shop.db/orders")
    mine, all_of_it = (server.ask(token, "GET", "/metrics").text for token in ("shop", "operator"))
    assert [line for line in mine.splitlines() if line[0] != "#"] == [
        'lakemuster_tables{state="fresh"} 1.0',
        'lakemuster_tables{state="stale"} 0.0',
    ]
    assert 'lakemuster_tables{state="fresh"} 2.0' in all_of_it
    assert "lakemuster_work_total" in all_of_it
    server.ask("shop", "DELETE", f"{TABLES}/shop.orders")
