"""``lakemuster serve``: how it starts, when it refuses to start, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lakemuster import Client
from lakemuster.client import ClientError, TokenFile
from tests.journey.servers import Running, environment, lakemuster, served, start, stop
from tests.polling import until


def output(running: Running) -> str:
    return running.log.read_text("utf-8")


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGTERM, "1"), (signal.SIGINT, "1"), (signal.SIGTERM, "2")])
def test_a_server_says_where_it_is_and_ends_when_it_is_asked_to(tmp_path: Path, number: signal.Signals, workers: str):
    running = start(tmp_path, "--workers", workers)
    try:
        assert f"curl {running.uri}/api/v1/tables" in output(running)
        assert list(Client(running.uri).tables()) == []
        running.process.send_signal(number)
        assert running.process.wait(timeout=40) == 0
    finally:
        stop(running)
    assert "Traceback" not in output(running)
    assert "ERROR" not in output(running)


def test_workers_of_a_killed_server_end_and_free_its_port(tmp_path: Path):
    running = start(tmp_path, "--workers", "2")
    port = int(running.uri.rpartition(":")[2])
    os.kill(running.process.pid, signal.SIGKILL)
    running.process.wait()

    def is_free() -> bool:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return True
        return False

    try:
        until(is_free)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.process.pid, signal.SIGKILL)
    assert "Traceback" not in output(running)


def test_flags_reach_every_worker(tmp_path: Path):
    database = tmp_path / "other.db"
    with served(tmp_path, "--workers", "2", "--database-url", f"sqlite:///{database}", "--root", str(tmp_path)):
        assert database.exists()
    assert not (tmp_path / "index.db").exists()


def test_a_taken_port_is_said_in_one_line(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for workers in ("1", "2"):
            done = lakemuster(tmp_path, "serve", "--port", str(port), "--workers", workers)
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr == f"lakemuster: cannot listen on 127.0.0.1 port {port}: Address already in use\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_free_port_is_found_and_told_when_it_answers(tmp_path: Path, workers: str):
    process = subprocess.Popen(
        [sys.executable, "-m", "lakemuster", "serve", "--port", "0", "--workers", workers],
        cwd=tmp_path,
        env=environment(tmp_path, {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"listens on 127.0.0.1 port (\d+)", process.stdout.readline())
        assert found is not None
        socket.create_connection(("127.0.0.1", int(found[1]))).close()
        assert list(Client(f"http://127.0.0.1:{found[1]}").tables()) == []
    finally:
        process.terminate()
        assert process.wait(timeout=40) == 0


def test_the_network_is_refused_without_tokens(tmp_path: Path):
    done = lakemuster(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 1
    assert "--insecure-public" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"MAX_STALENES": "5"}, "MAX_STALENES"),
        ({"MAX_STALENESS": "soon"}, "MAX_STALENESS"),
        ({"DATABASE_URL": "mysql://x"}, "DATABASE_URL"),
        ({"TOKENS": "no-such-file.toml"}, "no-such-file.toml"),
    ],
)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_wrong_setting_stops_the_start(tmp_path: Path, settings: dict[str, str], named: str, workers: str):
    done = lakemuster(tmp_path, "serve", "--port", "0", "--workers", workers, **settings)
    assert done.returncode == 1
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_token_opens_what_it_is_for(tmp_path: Path):
    made = lakemuster(tmp_path, "token", "reports", "--namespace", "shop")
    assert made.returncode == 0
    token = made.stderr.split()[-1]
    assert token not in made.stdout
    (tmp_path / "tokens.toml").write_text(made.stdout, "utf-8")
    with served(tmp_path, "--tokens", "tokens.toml") as running:
        assert list(Client(running.uri, token).tables()) == []
        for wrong in (None, token + "x"):
            with pytest.raises(ClientError) as caught:
                list(Client(running.uri, wrong).tables())
            assert (caught.value.code, caught.value.status) == ("not_authenticated", 401)
        env = {**environment(tmp_path, {}), "MY_TOKEN": token}
        words = [
            sys.executable,
            "-m",
            "lakemuster",
            "tables",
            "--uri",
            running.uri,
            "--token-env",
            "MY_TOKEN",
            "--json",
        ]
        assert subprocess.run(words, env=env, capture_output=True, text=True, check=True).stdout == "[]\n"
        refused = subprocess.run(
            [*words[:3], "remove", "shop.x", *words[4:-1]], env=env, capture_output=True, text=True, check=False
        )
        assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)
        log = output(running)
    assert token not in log


def test_a_client_with_a_token_file_goes_on_with_a_renewed_token(tmp_path: Path):
    tokens, place = tmp_path / "tokens.toml", tmp_path / "token"
    made = [lakemuster(tmp_path, "token", "reports") for _ in range(2)]
    old, new = (one.stderr.split()[-1] for one in made)
    tokens.write_text(made[0].stdout, "utf-8")
    place.write_text(old)
    with served(tmp_path, "--tokens", "tokens.toml") as running:
        client = Client(running.uri, TokenFile(place))
        assert list(client.tables()) == []
        tokens.write_text(made[1].stdout, "utf-8")

        def is_refused() -> bool:
            try:
                list(client.tables())
            except ClientError as refusal:
                return refusal.status == 401
            return False

        until(is_refused)
        place.write_text(new)
        assert list(client.tables()) == []
        words = ("tables", "--uri", running.uri, "--token-file", str(place), "--json")
        assert lakemuster(tmp_path, *words).stdout == "[]\n"


def test_a_request_under_way_is_finished_before_the_end(lake, tmp_path: Path):
    with served(lake.folder) as running:
        connection = socket.create_connection(("127.0.0.1", int(running.uri.rpartition(":")[2])))
        connection.sendall(b"GET /api/v1/tables/paimon.parquet.pk_09.pk_09/entries HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.05)
        os.kill(running.process.pid, signal.SIGTERM)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        connection.close()
        assert running.process.wait(timeout=40) == 0
    assert answer.startswith(b"HTTP/1.1 200")
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    assert length is not None
    assert len(body) == int(length[1])


def test_the_demo_is_served_and_can_be_moved(tmp_path: Path):
    here, there = tmp_path / "here", tmp_path / "there"
    names = [f"shop.{name}" for name in ("customers", "orders", "prices", "returns", "stock")]
    names += [f"web.{name}" for name in ("clicks", "events", "sessions")]
    for folder in (here, there):
        if folder is there:
            here.rename(there)
        with served(folder, "--demo") as running:
            client = Client(running.uri)
            assert [table.name for table in client.tables()] == names
            for name in names:
                files = list(client.table(name).files())
                assert files
                paths = [row["file_path"].removeprefix("file://") for row in files]
                assert all(path.startswith(f"{folder}/.lakemuster/demo/lake/") for path in paths)
            assert f"curl '{running.uri}/api/v1/tables/shop.customers/files'" in output(running)
    assert [path.name for path in there.iterdir() if path.name != "server.log"] == [".lakemuster"]
