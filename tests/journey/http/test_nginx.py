"""The server behind nginx with the configuration in deploy/: streams, unbuffered events, a path prefix."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.counterparts.processes import started
from tests.journey.servers import Running, free_port, served
from tests.polling import until
from tests.tree import ROOT

PATH = "/lake"


def program() -> str:
    """Return the path of nginx; install Debian's package if the machine has none."""
    if found := shutil.which("nginx"):
        return found
    command = [sys.executable, "-I", str(ROOT / "scripts" / "debian.py"), "nginx"]
    brought = subprocess.run(command, capture_output=True, text=True, check=False)
    if brought.returncode:
        raise RuntimeError(brought.stderr)
    return str(Path(brought.stdout.strip()) / "usr" / "sbin" / "nginx")


@contextmanager
def nginx(folder: Path, server: Running) -> Iterator[str]:
    """Run nginx in front of a server; yield its URL."""
    folder.mkdir()
    port = free_port()
    settings = (ROOT / "deploy" / "nginx.conf").read_text()
    settings = settings.replace("lakemuster:8181", server.uri.removeprefix("http://"))
    settings = settings.replace("listen 8181", f"listen 127.0.0.1:{port}").replace(
        "location / {", f"location {PATH}/ {{"
    )
    places = "".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = f"daemon off; pid {folder}/pid; error_log stderr notice; events {{}}"
    text = f"{main} http {{ access_log off; {places} {settings} }}"
    (folder / "nginx.conf").write_text(text)
    words = [program(), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    checked = subprocess.run([*words, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    with started(words, folder / "log", "start worker process "):
        yield f"http://127.0.0.1:{port}{PATH}"


@pytest.mark.slow
def test_streams_events_and_paths_pass_through(tmp_path: Path) -> None:
    folder = tmp_path / "server"
    more = {"ROOT_PATH": PATH, "FORWARDED_ALLOW_IPS": "127.0.0.1"}
    with (
        served(folder, "--demo", **more) as server,
        nginx(tmp_path / "nginx", server) as uri,
        httpx.Client(timeout=60) as client,
    ):
        until(lambda: client.get(f"{uri}/readyz").status_code == 200)
        name = client.get(f"{uri}/api/v1/tables").json()["tables"][0]["name"]
        lines = {"Accept": "application/x-ndjson"}
        direct = server.http.get(f"/api/v1/tables/{name}/files", headers=lines).text
        assert client.get(f"{uri}/api/v1/tables/{name}/files", headers=lines).text == direct
        assert json.loads(direct.splitlines()[-1])["end"]["count"] == len(direct.splitlines()) - 1
        # The event stream sends only its first bytes: a buffering proxy would wait for more.
        with client.stream("GET", f"{uri}/api/v1/events") as events:
            assert next(events.iter_lines()).startswith("retry: ")
        assert client.get(f"{uri}/", headers={"Accept": "text/html"}, follow_redirects=True).status_code == 200
        assert client.get(f"{uri}/iceberg/v1/config").status_code == 200
