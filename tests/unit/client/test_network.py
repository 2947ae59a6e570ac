"""Connections: the environment's proxies and certificates, and forked processes."""

from __future__ import annotations

import os

import httpx
import pytest

from lakemuster.client import Client, ServerUnreachable
from lakemuster.client.network import NetworkSettingsInvalid, connections
from lakemuster.proxies import proxy_of
from tests.unit.client.answers import URI, Server, page

PROXY = "http://proxy.test:3128"


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("uri", "variables", "proxy"),
    [
        (URI, {}, None),
        (URI, {"HTTP_PROXY": PROXY}, PROXY),
        (URI, {"HTTP_PROXY": "proxy.test:3128"}, PROXY),
        (URI, {"ALL_PROXY": PROXY}, PROXY),
        (URI, {"HTTPS_PROXY": PROXY}, None),
        ("https://lake.test", {"HTTPS_PROXY": PROXY, "HTTP_PROXY": "http://other"}, PROXY),
        (URI, {"HTTP_PROXY": PROXY, "NO_PROXY": "lake.test"}, None),
        (URI, {"HTTP_PROXY": PROXY, "NO_PROXY": ".test"}, None),
        (URI, {"HTTP_PROXY": PROXY, "NO_PROXY": "*"}, None),
        (URI, {"HTTP_PROXY": PROXY, "NO_PROXY": "10.0.0.0/8,fd00::/8,[::1]"}, PROXY),
        ("http://[::1]:8181", {"HTTP_PROXY": PROXY, "NO_PROXY": "::1"}, None),
        ("http://[::1]:8181", {"HTTP_PROXY": PROXY, "NO_PROXY": "[::1]"}, None),
    ],
)
def test_the_environment_names_the_proxy(monkeypatch, uri, variables, proxy):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_of(uri) == proxy
    Client(uri).close()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("HTTP_PROXY", "ftp://me:secret@proxy.test", "ftp://…@proxy.test"),
        ("HTTP_PROXY", "http://me:sec/ret@proxy.test:port", "http://…@proxy.test:port"),
        ("SSL_CERT_FILE", "/no/such/file", "SSL_CERT_FILE"),
    ],
)
def test_a_proxy_or_certificates_that_cannot_be_used_are_named(monkeypatch, name, value, message):
    monkeypatch.setenv(name, value)
    with pytest.raises(NetworkSettingsInvalid) as caught:
        Client(URI)
    assert message in str(caught.value)
    assert "ret" not in str(caught.value)


def test_a_proxy_that_needs_another_package_is_named(monkeypatch):
    def no_package(**options: object) -> httpx.BaseTransport:
        raise ImportError("Using SOCKS proxy, but the 'socksio' package is not installed.")

    monkeypatch.setattr(httpx, "HTTPTransport", no_package)
    with pytest.raises(NetworkSettingsInvalid, match=r"socks5://…@proxy.test needs a package.*pip install socksio"):
        connections("socks5://me:secret@proxy.test")


def test_an_error_names_the_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://me:secret@127.0.0.1:1")
    with pytest.raises(ServerUnreachable, match=r"lake.test:8181 through the proxy http://…@127.0.0.1:1: "):
        list(Client(URI, retries=0).tables())


def test_a_forked_process_has_its_own_connections(monkeypatch):
    opened: list[Server] = []

    def pool(proxy: str | None) -> httpx.BaseTransport:
        opened.append(Server(*[page("tables", [])] * 2))
        return opened[-1]

    monkeypatch.setattr("lakemuster.client.transport.connections", pool)
    client = Client(URI)
    list(client.tables())
    parent = os.getpid()
    monkeypatch.setattr("lakemuster.client.transport.os.getpid", lambda: parent + 1)
    list(client.tables())
    list(client.tables())
    assert [len(server.requests) for server in opened] == [1, 2]
