"""Access tokens of an OpenID Connect provider over HTTP: which are accepted, and which are refused."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.api.identity import oidc
from lakemuster.api.identity.callers import Caller, Grant
from lakemuster.api.identity.oidc import OidcAuthenticator, ProviderClient
from lakemuster.api.identity.provider import PAUSE_SECONDS, Provider
from lakemuster.errors import IdentityUnavailable, NotAuthenticated
from tests.clocks import SteppedClock
from tests.examples import examples
from tests.oidc_provider import AUDIENCE, OidcProvider, SigningKey, new_key, oidc_provider, rsa_key


@pytest.fixture
def provider() -> Iterator[OidcProvider]:
    with oidc_provider() as served:
        yield served


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


Make = Callable[..., OidcAuthenticator]


@pytest.fixture
def make(provider: OidcProvider, clock: SteppedClock) -> Make:
    def made(*more: OidcProvider, **options: Any) -> OidcAuthenticator:
        providers = [Provider(one.issuer, clock) for one in (provider, *more)]
        return OidcAuthenticator(providers, [AUDIENCE], options.pop("claim", "roles"), clock=clock, **options)

    return made


def accepted(authenticator: OidcAuthenticator, token: str) -> Caller:
    return authenticator.known(token) or asyncio.run(authenticator.examine(token))


def refused(authenticator: OidcAuthenticator, token: str) -> str:
    with pytest.raises(NotAuthenticated) as found:
        accepted(authenticator, token)
    assert authenticator.known(token) is None
    return found.value.message


@pytest.mark.parametrize("algorithm", ["RS256", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA"])
def test_a_token_of_a_current_key_names_its_caller(provider: OidcProvider, make: Make, algorithm: str) -> None:
    provider.rotate(algorithm)
    caller = accepted(make(), provider.token("ann", "lakemuster:read:shop", "offline_access"))
    assert caller == Caller(f"{provider.issuer}#ann", (Grant.of("read", ["shop"]),))


def test_a_token_that_was_examined_is_known_until_it_expires(
    provider: OidcProvider, make: Make, clock: SteppedClock
) -> None:
    authenticator = make()
    token = provider.token()
    caller = accepted(authenticator, token)
    assert authenticator.known(token) is caller
    clock.pass_seconds(300 + oidc.SKEW_SECONDS + 1)
    assert authenticator.known(token) is None


@dataclass(frozen=True)
class FromNow:
    """A time relative to the test's run, since parameters are collected long before."""

    seconds: int


def timed(claims: dict[str, Any]) -> dict[str, Any]:
    """Return claims with each :class:`FromNow` as seconds since the epoch."""
    now = int(time.time())
    return {name: now + of.seconds if isinstance(of, FromNow) else of for name, of in claims.items()}


CLAIMS: dict[str, dict[str, Any]] = {
    "expired": {"exp": FromNow(-oidc.SKEW_SECONDS - 10)},
    "without expiry": {"exp": None},
    "not valid yet": {"nbf": FromNow(oidc.SKEW_SECONDS + 600)},
    "issued in the future": {"iat": FromNow(oidc.SKEW_SECONDS + 600)},
    "wrong audience": {"aud": "another service"},
    "the audience is only a part of ours": {"aud": AUDIENCE[:-1]},
    "no audience": {"aud": None},
    "no issuer": {"iss": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a long subject": {"sub": "x" * 256},
    "an ID token": {"at_hash": "x"},
    "Keycloak's ID token": {"typ": "ID"},
    "Keycloak's refresh token": {"typ": "Refresh"},
    "a list of types": {"typ": ["Bearer"]},
    "a logout token": {"events": {"http://schemas.openid.net/event/backchannel-logout": {}}},
    "a copy of a token that is bound to its owner's key": {"cnf": {"jkt": "x"}},
    "another type": {"headers": {"typ": "logout+jwt"}},
    "critical extensions": {"headers": {"crit": ["b64"], "b64": True}},
    "without a time": {"exp": "soon"},
}


@pytest.mark.parametrize("case", CLAIMS)
def test_a_token_is_refused(provider: OidcProvider, make: Make, case: str) -> None:
    token = provider.token(**timed(CLAIMS[case]))
    assert "trace" not in refused(make(), token).lower()


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": FromNow(-oidc.SKEW_SECONDS + 50)},
        {"nbf": FromNow(oidc.SKEW_SECONDS - 30)},
        {"aud": AUDIENCE},
        {"headers": {"typ": "at+jwt"}},
        {"typ": "Bearer"},
        {"exp": 10**400},
    ],
)
def test_a_token_is_accepted(provider: OidcProvider, make: Make, claims: dict[str, Any]) -> None:
    assert accepted(make(), provider.token(**timed(claims))).name.endswith("#someone")


def unsigned(provider: OidcProvider, algorithm: str, signature: str = "") -> str:
    def part(document: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")

    return f"{part({'alg': algorithm, 'typ': 'JWT', 'kid': 'first'})}.{part(provider.claims())}.{signature}"


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", "HS256", "", "RS1"])
def test_an_unsigned_token_is_refused(provider: OidcProvider, make: Make, algorithm: str) -> None:
    refused(make(), unsigned(provider, algorithm))
    refused(make(), unsigned(provider, algorithm, "c2ln"))


def test_a_public_key_is_no_shared_secret(provider: OidcProvider, make: Make) -> None:
    import hashlib
    import hmac

    public = rsa_key(0).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    body = unsigned(provider, "HS256").rpartition(".")[0]
    signature = base64.urlsafe_b64encode(hmac.digest(public, body.encode(), hashlib.sha256)).decode().rstrip("=")
    assert "algorithm" in refused(make(), f"{body}.{signature}")


def test_an_algorithm_is_only_of_its_type_of_key(provider: OidcProvider, make: Make) -> None:
    provider.keys.append(SigningKey("second", "ES256", new_key("ES256")))
    refused(make(), provider.token(key=SigningKey("first", "ES256", new_key("ES256"))))
    refused(make(), provider.token(key=SigningKey("second", "RS256", rsa_key(0))))


def test_a_key_in_the_token_itself_is_not_used(provider: OidcProvider, make: Make) -> None:
    own = SigningKey("first", "RS256", rsa_key(9))
    for headers in ({"jwk": own.jwk}, {"jku": "http://127.0.0.1:1/keys"}, {"x5u": "http://127.0.0.1:1/"}):
        refused(make(), provider.token(key=own, headers=headers))


def test_a_short_key_and_one_for_encryption_are_not_used(provider: OidcProvider, make: Make) -> None:
    provider.keys = [SigningKey("short", "RS256", rsa_key(0, bits=1024))]
    refused(make(), provider.token())
    provider.keys = [_Encrypting("enc", "RS256", rsa_key(0))]
    refused(make(), provider.token())


class _Encrypting(SigningKey):
    @property
    def jwk(self) -> dict[str, Any]:
        return {**super().jwk, "use": "enc"}


def test_a_rotated_key_is_fetched_and_the_old_one_is_refused(
    provider: OidcProvider, make: Make, clock: SteppedClock
) -> None:
    authenticator = make()
    old = provider.token("ann")
    accepted(authenticator, old)
    provider.rotate()
    new = provider.token("ann")
    clock.pass_seconds(PAUSE_SECONDS)
    assert accepted(authenticator, new).name.endswith("#ann")
    assert "current key" in refused(authenticator, old)


def test_the_periodic_fetch_ends_a_rotated_key(provider: OidcProvider, make: Make) -> None:
    authenticator = make()
    old = provider.token()
    accepted(authenticator, old)
    provider.rotate("ES256")
    asyncio.run(next(iter(authenticator.providers.values())).fetch())
    refused(authenticator, old)


def test_invented_key_ids_cost_the_provider_one_fetch(provider: OidcProvider, make: Make) -> None:
    authenticator = make()
    for number in range(20):
        refused(authenticator, provider.token(headers={"kid": f"invented-{number}"}))
    assert provider.asked["/realm/keys"] == 1


def test_issuers_are_not_confused(provider: OidcProvider, make: Make) -> None:
    with oidc_provider() as other:
        both = make(other)
        assert accepted(both, provider.token("ann")).name != accepted(both, other.token("ann")).name
        other.keys = [SigningKey("first", "RS256", rsa_key(3))]
        both = make(other)
        assert accepted(both, other.token("ann")).name.startswith(other.issuer)
        # Signed with one issuer's key, same key id, but with the other's ``iss``.
        refused(both, other.token("ann", iss=provider.issuer))
        refused(both, provider.token("ann", iss=other.issuer))
        refused(make(), other.token("ann"))
        for near in (provider.issuer + "/", provider.issuer.upper(), provider.issuer[:-1], "", None):
            refused(both, provider.token("ann", iss=near))


def test_a_discovery_document_of_another_issuer_is_not_used(provider: OidcProvider, make: Make) -> None:
    provider.named = provider.issuer + "/other"
    with pytest.raises(IdentityUnavailable):
        accepted(make(), provider.token())


@given(st.text(max_size=60) | st.from_regex(r"[A-Za-z0-9_-]{0,30}\.[A-Za-z0-9_-]{0,30}\.[A-Za-z0-9_-]{0,9}"))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_is_refused_and_nothing_else(text: str) -> None:
    authenticator = OidcAuthenticator([Provider("http://127.0.0.1:1")], [AUDIENCE], "roles")
    refused(authenticator, text)


@pytest.mark.parametrize(
    "part",
    [
        b'{"alg":"RS256","a":' + b"[" * 9000 + b"]" * 9000 + b"}",
        *(b"[]", b"1", b"\xff", b'{"alg":["RS256"]}', b'{"alg":{}}', b'{"alg":"RS256","typ":["JWT"]}'),
    ],
)
def test_a_hostile_head_or_body_is_refused(provider: OidcProvider, make: Make, part: bytes) -> None:
    text = base64.urlsafe_b64encode(part).decode().rstrip("=")
    good = provider.token().split(".")
    refused(make(), ".".join((text, good[1], good[2])))
    refused(make(), ".".join((good[0], text, good[2])))
    refused(make(), "x" * (oidc.MAX_TOKEN_CHARACTERS + 1))


CLIENT = ProviderClient("muster", "a secret/+")


def introspected(provider: OidcProvider, token: str, **changes: Any) -> None:
    provider.opaque[token] = {"active": True, **provider.claims("ann", "lakemuster:read", **changes)}


def test_an_opaque_token_is_introspected_once(provider: OidcProvider, make: Make, clock: SteppedClock) -> None:
    introspected(provider, "opaque")
    authenticator = make(client=CLIENT)
    for _ in range(3):
        assert accepted(authenticator, "opaque") == Caller(f"{provider.issuer}#ann", (Grant("read"),))
    assert provider.asked["/realm/introspect"] == 1
    provider.opaque["opaque"] = {"active": False}
    clock.pass_seconds(oidc.INTROSPECTED_SECONDS + 1)
    refused(authenticator, "opaque")
    refused(authenticator, "opaque")
    assert provider.asked["/realm/introspect"] == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"active": False},
        {"active": "true"},
        {"aud": None},
        {"aud": "another service"},
        {"aud": [{}, 1]},
        {"iss": "https://another.example"},
        {"exp": FromNow(-3600)},
        {"nbf": FromNow(3600)},
        {"sub": None},
        {"cnf": {"jkt": "x"}},
    ],
)
def test_an_opaque_token_is_refused(provider: OidcProvider, make: Make, changes: dict[str, Any]) -> None:
    introspected(provider, "opaque", **timed(changes))
    refused(make(client=CLIENT), "opaque")


def test_an_opaque_token_goes_nowhere_without_a_client_and_ours_never(provider: OidcProvider, make: Make) -> None:
    introspected(provider, "opaque")
    introspected(provider, "lm_ours")
    refused(make(), "opaque")
    refused(make(client=CLIENT), "lm_ours")
    assert provider.asked["/realm/introspect"] == 0


def test_wrong_client_credentials_refuse_no_token(provider: OidcProvider, make: Make) -> None:
    introspected(provider, "opaque")
    with pytest.raises(IdentityUnavailable):
        accepted(make(client=ProviderClient("muster", "wrong")), "opaque")


def test_other_roles_in_the_tokens_file_are_noticed_at_once(provider: OidcProvider, make: Make) -> None:
    rules = [({"owners": (Grant("read"),)}, 0)]
    authenticator = make(roles=lambda: rules[0])
    token = provider.token("ann", "owners")
    assert accepted(authenticator, token).grants == (Grant("read"),)
    rules[0] = ({"owners": (Grant("admin"),)}, 1)
    assert accepted(authenticator, token).grants == (Grant("admin"),)


def test_remembered_tokens_are_bounded(provider: OidcProvider, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc, "MAX_REMEMBERED", 5)
    authenticator = make()
    tokens = [provider.token(f"caller-{number}") for number in range(8)]
    for token in tokens:
        accepted(authenticator, token)
    assert [authenticator.known(token) is not None for token in tokens] == [False] * 3 + [True] * 5


def test_the_library_signs_as_the_provider_does(provider: OidcProvider) -> None:
    assert jwt.get_unverified_header(provider.token())["kid"] == "first"
