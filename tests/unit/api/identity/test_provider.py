"""A provider that hangs, fails or lies delays requests that need it by a bounded time, and no others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from lakemuster.api.identity import provider as module
from lakemuster.api.identity.oidc import OidcAuthenticator
from lakemuster.api.identity.provider import MAX_AGE_SECONDS, PAUSE_SECONDS, Provider
from lakemuster.errors import IdentityUnavailable, NotAuthenticated
from tests.clocks import SteppedClock
from tests.loopback_http import listening
from tests.oidc_provider import AUDIENCE, OidcProvider, oidc_provider


@pytest.fixture
def served() -> Iterator[OidcProvider]:
    with oidc_provider() as found:
        yield found


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def provider(served: OidcProvider, clock: SteppedClock) -> Provider:
    return Provider(served.issuer, clock)


def test_all_that_wait_share_one_fetch(served: OidcProvider, provider: Provider) -> None:
    async def ask() -> None:
        found = await asyncio.gather(*(provider.keys("first") for _ in range(50)))
        assert all(len(keys) == 1 for keys in found)

    asyncio.run(ask())
    assert served.asked["/realm/keys"] == 1
    assert provider.metadata is not None
    assert provider.metadata.token_endpoint == f"{served.issuer}/token"


def test_a_hanging_provider_has_a_deadline_and_is_not_waited_for_again(
    served: OidcProvider, provider: Provider, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DEADLINE_SECONDS", 2.0)  # a busy machine takes a while to accept a connection
    served.hold.clear()

    async def ask() -> None:
        for _ in range(5):
            with pytest.raises(IdentityUnavailable):
                await provider.keys("first")

    asyncio.run(ask())
    assert served.asked.total() == 1
    served.hold.set()
    clock.pass_seconds(PAUSE_SECONDS)
    assert len(asyncio.run(provider.keys("first"))) == 1


@pytest.mark.parametrize("trouble", ["hangs", "fails"])
def test_known_keys_go_on_to_work_and_nobody_waits(
    served: OidcProvider, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    provider = Provider(served.issuer, clock)
    authenticator = OidcAuthenticator([provider], [AUDIENCE], "roles", clock=clock)

    async def ask() -> None:
        first = served.token("ann")
        await authenticator.examine(first)
        monkeypatch.setattr(module, "DEADLINE_SECONDS", 0.2)
        if trouble == "hangs":
            served.hold.clear()
        else:
            served.status = 500
        clock.pass_seconds(PAUSE_SECONDS)
        unknown = asyncio.create_task(authenticator.examine(served.token("eve", headers={"kid": "unknown"})))
        await asyncio.sleep(0)  # the task now waits for the provider
        assert authenticator.known(first) is not None
        assert (await authenticator.examine(served.token("bob"))).name.endswith("#bob")
        if trouble == "hangs":
            assert not unknown.done(), "the token with a known key waited for the provider"
        with pytest.raises(IdentityUnavailable):
            await unknown
        assert (await authenticator.examine(served.token("carl"))).name.endswith("#carl")

    asyncio.run(ask())


def test_the_log_has_the_reason_why_a_provider_cannot_be_used(
    clock: SteppedClock, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(IdentityUnavailable) as told:
        asyncio.run(Provider("http://127.0.0.1:1/realm", clock).keys("first"))
    assert "refused" not in told.value.message
    (line,) = caplog.messages
    assert line.startswith("the identity provider http://127.0.0.1:1/realm cannot be used: ")
    assert line.endswith("/realm/.well-known/openid-configuration: connection refused")


@pytest.mark.parametrize("target", ["mailto:x", "http://xn--a.com/"])
def test_a_provider_that_redirects_to_an_invalid_url_cannot_be_used(
    clock: SteppedClock, caplog: pytest.LogCaptureFixture, target: str
) -> None:
    class Redirects(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", target)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Suppress log messages."""

    with listening(Redirects) as port, pytest.raises(IdentityUnavailable):
        asyncio.run(Provider(f"http://127.0.0.1:{port}/realm", clock).keys("first"))
    assert caplog.messages[0].endswith("answers with status 302")


def test_keys_are_not_used_for_ever(served: OidcProvider, provider: Provider, clock: SteppedClock) -> None:
    asyncio.run(provider.keys("first"))
    served.status = 500
    clock.pass_seconds(MAX_AGE_SECONDS + 1)
    with pytest.raises(IdentityUnavailable):
        asyncio.run(provider.keys("first"))


def test_an_unknown_key_is_refused_when_the_provider_answers(served: OidcProvider, provider: Provider) -> None:
    authenticator = OidcAuthenticator([provider], [AUDIENCE], "roles")
    with pytest.raises(NotAuthenticated):
        asyncio.run(authenticator.examine(served.token(headers={"kid": "none"})))


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"keys": 3},
        {"keys": [{}]},
        {"keys": ["x", {"kty": "oct", "k": "c2VjcmV0"}, {"kty": "RSA", "kid": "first", "n": "!", "e": 1}]},
        {"keys": [{"kty": "EC", "kid": ["first"]}]},
        {"keys": [{"kty": ["RSA"]}, {"kty": {}}, {"kty": None}]},
        {"keys": [{"kty": "RSA", "key_ops": 5}, {"kty": "RSA", "key_ops": "verify"}, {"kty": "RSA", "use": ["sig"]}]},
        "x" * (2**20 + 1),
    ],
)
def test_odd_key_sets_are_no_keys(
    served: OidcProvider, provider: Provider, document: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = served.answer
    monkeypatch.setattr(
        served, "answer", lambda path, *rest: (200, document) if path.endswith("/keys") else answer(path, *rest)
    )
    authenticator = OidcAuthenticator([provider], [AUDIENCE], "roles")
    with pytest.raises((IdentityUnavailable, NotAuthenticated)):
        asyncio.run(authenticator.examine(served.token()))


@pytest.mark.parametrize("member", ["key_ops", "use", "alg"])
def test_a_null_in_a_key_is_an_absent_value(
    served: OidcProvider, provider: Provider, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, key_set = served.answer, {"keys": [{**served.keys[0].jwk, member: None}]}
    monkeypatch.setattr(
        served, "answer", lambda path, *rest: (200, key_set) if path.endswith("/keys") else answer(path, *rest)
    )
    authenticator = OidcAuthenticator([provider], [AUDIENCE], "roles")
    assert asyncio.run(authenticator.examine(served.token("ann"))).name.endswith("#ann")


@pytest.mark.parametrize(
    "endpoint",
    [
        *("ftp://127.0.0.1/keys", "/keys", None, 3),
        *("http://[", "http://[::1", "http://", "http://xn--/", "http://127.0.0.1:99999999/keys"),
    ],
)
def test_odd_endpoints_are_not_asked(
    served: OidcProvider, provider: Provider, endpoint: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served, "answer", lambda *_: (200, {"issuer": served.issuer, "jwks_uri": endpoint}))
    with pytest.raises(IdentityUnavailable):
        asyncio.run(provider.keys("first"))


def test_a_null_error_of_a_grant_is_none(
    served: OidcProvider, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    granted = {"access_token": "x", "token_type": "Bearer", "error": None}
    answer = served.answer
    monkeypatch.setattr(
        served, "answer", lambda path, *rest: (200, granted) if path.endswith("/token") else answer(path, *rest)
    )
    assert asyncio.run(provider.exchange({"grant_type": "refresh_token"}, "muster", None)) == granted
