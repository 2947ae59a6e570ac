"""Webhooks of servers: kills, replicas, receivers that hang, dead letters, rights; no secret is shown."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lakemuster.api.identity.tokens import token_entry
from lakemuster.client import Client
from lakemuster.demo import unpack
from tests.journey.servers import Running, lakemuster, served, start, stop
from tests.polling import until
from tests.postgres import PostgresServer
from tests.webhook_receiver import KEY, OK, SECRET, Receiver, Verdict, check_deliveries, receiving

FAULTS = (Verdict(status=500), Verdict("reset"), Verdict("take and reset"), Verdict(status=503))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake") / "lake"
    unpack(folder)
    return folder


def failing_half(number: int) -> Verdict:
    """Fail every second request, each time with another fault."""
    return OK if number % 2 else FAULTS[number // 2 % len(FAULTS)]


def settings(folder: Path, /, **urls: Mapping[str, Any] | str) -> dict[str, str]:
    hooks = {name: {"secret": SECRET, **({"url": one} if isinstance(one, str) else one)} for name, one in urls.items()}
    return {"ROOTS": str(folder), "MAX_STALENESS": "3600", "WEBHOOKS": json.dumps(hooks)}


def add(server: Running, lake: Path, name: str) -> None:
    server.post("/tables", {"name": name, "location": f"{lake}/web.db/events"}, 201)


def webhook(server: Running, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = server.get("/webhooks")["webhooks"]
    return next(one for one in found if one["name"] == name)


def is_begun(server: Running, *names: str) -> bool:
    return all(webhook(server, name)["state"] != "new" for name in names)


def expected(server: Running) -> list[tuple[str, dict[str, Any]]]:
    """Return all events of the log with their ids."""
    answer = server.http.get("/api/v1/events", headers={"Accept": "application/json"}, params={"page_size": 1000})
    return [(event["id"], event) for event in answer.json()["events"]]


def check(server: Running, receiver: Receiver, number: int) -> None:
    """Wait for ``number`` events, and compare them with the log."""
    until(lambda: len(receiver.taken()) == number)
    got = list(receiver.got)
    ids = {one.message_id.partition("-")[0]: one.message_id for one in got}
    check_deliveries(got, [(ids[name], event) for name, event in expected(server)], is_signed_by=KEY)


def test_a_server_that_is_killed_again_and_again_loses_no_event(tmp_path: Path, lake: Path) -> None:
    with receiving(failing_half) as receiver:
        named = settings(lake, lake=receiver.url)
        number = 0
        for _ in range(3):
            server = start(tmp_path / "server", **named)
            until(lambda server=server: is_begun(server, "lake"))  # type: ignore[misc]
            for _ in range(3):
                add(server, lake, f"shop.t{number}")
                number += 1
            until(lambda number=number: len(receiver.got) >= number)  # type: ignore[misc]
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            server.http.close()
        with served(tmp_path / "server", **named) as server:
            check(server, receiver, number)
            until(lambda: webhook(server, "lake")["lag_events"] == 0)
            found = webhook(server, "lake")
            assert (found["state"], found["last_status"], found["dead_letters"]) == ("ok", 200, 0)
            assert (found["url"], found["lag_seconds"]) == (f"http://127.0.0.1:{receiver.port}", 0.0)


@pytest.mark.slow
def test_two_replicas_deliver_each_event_in_order(tmp_path: Path, lake: Path, postgres_server: PostgresServer) -> None:
    with postgres_server.database() as url, receiving(failing_half) as receiver:
        named = {**settings(lake, lake=receiver.url), "DATABASE_URL": url, "SEGMENTS_URL": str(tmp_path / "segments")}
        assert lakemuster(tmp_path, "migrate", **named).returncode == 0
        first = start(tmp_path / "a", **named)
        second = start(tmp_path / "b", **named)
        until(lambda: is_begun(first, "lake"))
        number = 0
        for server in (first, second, first):
            add(server, lake, f"shop.t{number}")
            number += 1
        until(lambda: len(receiver.got) >= 2)
        holder = next(job["held_by"] for job in jobs(tmp_path, named) if job["name"] == "webhook lake")
        killed, left = (first, second) if holder.endswith(f":{first.process.pid}") else (second, first)
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait()
        add(left, lake, f"shop.t{number}")
        number += 1
        check(left, receiver, number)
        killed.http.close()
        stop(left)


def jobs(folder: Path, named: Mapping[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(lakemuster(folder, "jobs", "--json", **named).stdout)
    return found


def test_a_receiver_that_hangs_delays_no_other_and_no_stop(tmp_path: Path, lake: Path) -> None:
    with (
        receiving(lambda _: Verdict("hang")) as hanging,
        receiving() as well,
        served(tmp_path / "server", **settings(lake, hanging=hanging.url, well=well.url)) as server,
    ):
        until(lambda: is_begun(server, "hanging", "well"))
        for number in range(5):
            add(server, lake, f"shop.t{number}")
        check(server, well, 5)
        until(lambda: webhook(server, "well")["lag_events"] == 0)
        assert len(hanging.got) <= 1
        assert webhook(server, "hanging")["lag_events"] == 5
        # Stopping cancels the try in progress, which does not count: the next process tries again at once.
        assert stop(server) == 0
        assert "Traceback" not in server.log.read_text()


def test_dead_letters_are_shown_and_sent_again(tmp_path: Path, lake: Path) -> None:
    refusing = Verdict(status=400)
    with receiving(lambda _: refusing) as receiver:
        named = settings(lake, lake={"url": receiver.url, "max_tries": 1, "types": ["table.registered"]})
        with served(tmp_path / "server", **named) as server:
            until(lambda: is_begun(server, "lake"))
            add(server, lake, "shop.a")
            until(lambda: webhook(server, "lake")["dead_letters"] == 1)
            with Client(server.uri) as client:
                [letter] = client.dead_letters("lake")
                assert (letter["subject"], letter["last_status"], letter["state"]) == ("shop.a", 400, "dead")
                assert letter["event"]["data"]["table"] == "shop.a"
                assert 'lakemuster_webhook_dead_letters{webhook="lake"} 1.0' in server.http.get("/metrics").text
                words = ("--uri", server.uri)
                assert "shop.a" in lakemuster(tmp_path, "webhooks", "lake", *words).stdout
                own = lakemuster(tmp_path / "server", "webhooks", "lake", "--json", **named)
                assert json.loads(own.stdout) == [letter]
                of_server = lakemuster(tmp_path, "webhooks", "--json", *words).stdout
                of_index = lakemuster(tmp_path / "server", "webhooks", "--json", **named).stdout
                assert json.loads(of_index) == json.loads(of_server)
                receiver.decide = lambda _: OK
                again = lakemuster(tmp_path, "webhooks", "lake", "--redeliver", *words)
                assert again.stdout == "1 dead letters are sent again\n"
                until(lambda: [one["subject"] for one in receiver.events()] == ["shop.a"])
                assert receiver.taken()[0].message_id == letter["message_id"]
                until(lambda: list(client.dead_letters("lake")) == [])
                assert client.redeliver("lake", ["7"]) == 0
            for path, status in (("nope/dead_letters", 404), ("lake/dead_letters?after=x", 400)):
                assert server.http.get(f"/api/v1/webhooks/{path}").status_code == status
            answers = [server.http.get("/api/v1/webhooks").text, server.http.get("/metrics").text]
            shown = lakemuster(tmp_path, "webhooks", "--json", *words).stdout
            for text in (*answers, shown, server.log.read_text()):
                assert "hidden" not in text
                assert "whsec_" not in text


def test_only_admins_of_all_tables_see_webhooks(tmp_path: Path, lake: Path) -> None:
    folder = tmp_path / "server"
    folder.mkdir()
    tokens = folder / "tokens.toml"
    entries = [
        token_entry("operator", "operator", "admin"),
        token_entry("shop", "shop", "admin", ["shop"]),
        token_entry("reader", "reader", "read"),
    ]
    tokens.write_text("\n".join(entries))
    keys = folder / "keys"
    keys.write_text(f"{SECRET}\n")
    with receiving() as receiver:
        hooks = {"lake": {"url": receiver.url, "secret_file": str(keys), "namespaces": ["shop"]}}
        named = {"TOKENS": str(tokens), "ROOTS": str(lake), "WEBHOOKS": json.dumps(hooks)}
        with served(folder, **named) as server:
            for token, status in (("operator", 200), ("shop", 403), ("reader", 403), ("none", 401)):
                headers = {"Authorization": f"Bearer {token}"}
                assert server.http.get("/api/v1/webhooks", headers=headers).status_code == status
                dead = server.http.get("/api/v1/webhooks/lake/dead_letters", headers=headers)
                assert dead.status_code == status
                again = server.http.post("/api/v1/webhooks/lake/redeliver", headers=headers)
                assert again.status_code == status
            operator = {"Authorization": "Bearer operator"}
            until(lambda: "ok" in server.http.get("/api/v1/webhooks", headers=operator).text)
            for name in ("web.a", "shop.a"):
                body = {"name": name, "location": f"{lake}/web.db/events"}
                assert server.http.post("/api/v1/tables", json=body, headers=operator).status_code == 201
            until(lambda: [one["subject"] for one in receiver.events()] == ["shop.a"])


@pytest.mark.parametrize(
    ("hook", "reason"),
    [
        ({"url": "http://a", "secret": "hush"}, "whsec_ and the base64 of 24 to 64 random bytes"),
        ({"url": "ftp://a", "secret": SECRET}, "http or https URL"),
        ({"url": "http://user:hush@a", "secret": SECRET}, "user or password"),
        ({"url": "http://a"}, "either secret or secret_file"),
        ({"url": "http://a", "secret": SECRET, "types": ["table.nope"]}, "types of events are"),
        ({"url": "http://a", "secret": SECRET, "namespaces": ["a..b"]}, "NAMESPACES"),
        ({"url": "http://a", "secret_file": "/nowhere/hush"}, "No such file"),
    ],
)
def test_a_wrong_webhook_stops_the_start(tmp_path: Path, hook: dict[str, Any], reason: str) -> None:
    done = lakemuster(tmp_path, "serve", "--port", "0", WEBHOOKS=json.dumps({"lake": hook}))
    assert done.returncode == 1
    assert reason in done.stderr
    assert "hush" not in done.stderr.replace("/nowhere/hush", "")
    assert SECRET not in done.stderr
