"""The server's own HTTP clients: the environment's proxies, whatever NO_PROXY names."""

from __future__ import annotations

import asyncio
from http.server import BaseHTTPRequestHandler

import httpx
import pytest

from lakemuster.api.identity.provider import Provider
from lakemuster.catalog_settings import CatalogSettings
from lakemuster.jobs.webhook_sender import Answer, Sender
from lakemuster.upstream.connections import AsyncEnvironmentTransport, EnvironmentTransport, limits
from lakemuster.upstream.rest import RestCatalog
from tests.fake_catalog import fake_catalog
from tests.loopback_http import listening
from tests.oidc_provider import oidc_provider
from tests.webhook_receiver import Verdict, receiving

NETWORKS = "10.0.0.0/8,fd00::/8,[::1],127.0.0.1"
ORDERS = ("shop", "orders")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def get(url: str) -> int:
    with httpx.Client(transport=EnvironmentTransport(limits(1))) as client:
        return client.get(url).status_code


def get_on_a_loop(url: str) -> int:
    async def status() -> int:
        async with httpx.AsyncClient(transport=AsyncEnvironmentTransport(limits(1))) as client:
            return (await client.get(url)).status_code

    return asyncio.run(status())


def test_networks_of_ipv6_in_no_proxy_break_no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", NETWORKS)
    with fake_catalog() as fake:
        fake.tables[ORDERS] = "s3://lake/metadata.json"
        catalog = RestCatalog("prod", CatalogSettings.model_validate({"type": "rest", "uri": fake.uri}))
        assert catalog.pointer(ORDERS) == "s3://lake/metadata.json"
        catalog.close()
    with oidc_provider() as served:
        assert asyncio.run(Provider(served.issuer).keys("first"))
    with receiving(lambda _: Verdict(status=204)) as receiver, Sender(receiver.url, lambda: True) as sender:
        assert sender.send({}, b"{}") == Answer(204, None)


@pytest.mark.parametrize("ask", [get, get_on_a_loop])
def test_a_request_goes_through_the_proxy_of_its_url(monkeypatch: pytest.MonkeyPatch, ask) -> None:
    passed: list[str] = []

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            passed.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with listening(Proxy) as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("NO_PROXY", NETWORKS)
        assert ask("http://catalog.test/v1") == 204
        assert ask(f"http://127.0.0.1:{port}/direct") == 204
    assert passed == ["http://catalog.test/v1", "/direct"]


@pytest.mark.parametrize("ask", [get, get_on_a_loop])
def test_a_proxy_that_cannot_be_used_is_a_failure_of_the_request(monkeypatch: pytest.MonkeyPatch, ask) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://me:secret@proxy.test")
    with pytest.raises(httpx.ProxyError, match=r"^the environment's proxy cannot be used$"):
        ask("http://catalog.test/v1")
