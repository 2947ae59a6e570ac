"""A server with TLS whose certificate changes, behind a proxy, with rate limits and an audit log."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from lakemuster.api.identity.tokens import token_entry
from tests.certificates import write_certificate
from tests.journey.servers import Running, lakemuster, served

TABLES = "/api/v1/tables"
SECONDS = 30.0
READER = {"Authorization": "Bearer reader"}


@pytest.fixture(params=["1", "2"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """A server with these settings, with one worker process and with two."""
    cert, key = write_certificate(tmp_path, "first")
    (tmp_path / "tokens.toml").write_text(token_entry("reader", "reader"), "utf-8")
    settings = {
        "TLS_CERT": str(cert),
        "TLS_KEY": str(key),
        "TOKENS": str(tmp_path / "tokens.toml"),
        "WORKERS": request.param,
        "FORWARDED_ALLOW_IPS": "127.0.0.1",
        "ROOT_PATH": "/lake/muster",
        "RATE_LIMITS": json.dumps({"wrong_tokens": "8/hour"}),
    }
    with served(tmp_path, **settings) as running:
        yield running


def common_name(server: Running) -> str:
    """Return the subject of the certificate that a new connection receives."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    port = int(server.uri.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as raw, context.wrap_socket(raw) as connection:
        der = connection.getpeercert(binary_form=True)
    assert der is not None
    return str(x509.load_der_x509_certificate(der).subject.rfc4514_string())


def soon(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds ten times in a row, so that it holds in every worker."""
    until, row = time.monotonic() + SECONDS, 0
    while row < 10:
        assert time.monotonic() < until
        row = row + 1 if holds() else 0


def audited(server: Running) -> list[dict[str, Any]]:
    """Return the lines of the audit log."""
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if line.startswith('{"time"')]
    return [line for line in lines if line["logger"] == "lakemuster.audit"]


def test_the_edge(server: Running, tmp_path: Path) -> None:
    # The certificate follows its files without interrupting requests.
    assert common_name(server) == "CN=first"
    assert server.http.get(TABLES, headers=READER).json()["tables"] == []
    write_certificate(tmp_path, "second")
    soon(lambda: common_name(server) == "CN=second")
    assert server.http.get(TABLES, headers=READER).status_code == 200

    # The proxy serves the application below a path, which it strips or retains.
    assert server.http.get(f"/lake/muster{TABLES}", headers=READER).status_code == 200
    assert server.http.get(f"/lake/muster{TABLES}").status_code == 401
    assert server.http.get("/lake/muster/healthz").status_code == 200
    assert server.http.get("/lake/other/healthz", headers=READER).status_code == 404
    assert server.http.get("/openapi.json").json()["servers"] == [{"url": "/lake/muster"}]

    # Peers are distinguished by the address that the proxy forwards.
    def wrong(peer: str) -> int:
        headers = {"Authorization": "Bearer wrong", "X-Forwarded-For": f"203.0.113.9, {peer}"}
        return server.http.get(TABLES, headers=headers).status_code

    soon(lambda: wrong("198.51.100.1") == 429)
    assert wrong("198.51.100.2") == 401
    known = server.http.get(TABLES, headers={**READER, "X-Forwarded-For": "198.51.100.1"})
    assert known.status_code == 200

    # The audit line is written after the response.
    outcomes = {"unauthenticated", "limited", "done"}
    soon(lambda: {line["outcome"] for line in audited(server) if line["peer"] == "198.51.100.1"} == outcomes)
    lines = audited(server)
    assert {line["caller"] for line in lines} == {None, "reader"}
    assert not [line for line in lines if line["peer"] == "203.0.113.9"]


def test_a_server_below_a_path_writes_json_lines_only(tmp_path: Path) -> None:
    with served(tmp_path, ROOT_PATH="/lake") as server:
        assert server.http.get(f"/lake{TABLES}").status_code == 200
        answer = server.http.get("/lake")
        assert (answer.status_code, answer.headers["location"]) == (308, "/lake/")
        assert "<html" in server.http.get("/lake/").text
        first, *lines = server.log.read_text().splitlines()
    assert first.startswith("Lakemuster ")
    assert all(line.startswith(("  ", "{")) for line in lines)


def test_a_client_that_no_proxy_speaks_for_is_its_own_address(tmp_path: Path) -> None:
    (tmp_path / "tokens.toml").write_text(token_entry("reader", "reader"), "utf-8")
    settings = {"TOKENS": str(tmp_path / "tokens.toml"), "FORWARDED_ALLOW_IPS": "192.0.2.1"}
    with served(tmp_path, **settings) as server:
        server.http.get(TABLES, headers={**READER, "X-Forwarded-For": "198.51.100.1"})
        soon(lambda: {line["peer"] for line in audited(server)} == {"127.0.0.1"})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"TLS_CERT": "none.pem", "TLS_KEY": "none.pem"}, "TLS_CERT"),
        ({"TLS_CERT": "none.pem"}, "must be set together"),
        ({"ROOT_PATH": "/api/lake"}, "own paths"),
        ({"ROOT_PATH": "lake/"}, "begin with a slash"),
        ({"FORWARDED_ALLOW_IPS": "proxy.example"}, "not an address"),
        ({"RATE_LIMITS": '{"questions": "5 a day"}'}, "not a rate"),
        ({"RATE_LIMITS": '{"answers": "5/hour"}'}, "RATE_LIMITS"),
    ],
)
def test_a_wrong_setting_stops_the_start(tmp_path: Path, settings: dict[str, str], words: str) -> None:
    done = lakemuster(tmp_path, "serve", "--port", "0", **settings)
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
