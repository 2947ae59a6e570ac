"""An OpenID provider: its endpoints and keys, fetched in bounded time.

Keys are fetched before they are needed, and again every few minutes, by :meth:`Provider.keep_fresh`. Requests wait only
for a key that is not known. Concurrent requests share one fetch. After a fetch, no other starts for some seconds, so
that tokens with invented key ids put no load on the provider. While the provider does not respond, known keys stay
valid, up to a maximum age.

Source: OpenID Connect Discovery 1.0; RFC 7517 (JSON Web Key).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import jwt
import orjson

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import IdentityUnavailable, NotAuthenticated
from lakemuster.failure_reasons import reason_of
from lakemuster.upstream.connections import FAILURES, AsyncEnvironmentTransport, limits, without_location_async

LOG = logging.getLogger("lakemuster.identity")
DEADLINE_SECONDS = 5.0
"""Timeout of one fetch: discovery and keys, or one introspection."""
REFRESH_SECONDS = 300.0
"""Age at which keys are fetched again; a key that the provider removed stays valid for that long at most."""
PAUSE_SECONDS = 10.0
"""Time after a fetch in which an unknown key id starts no new one."""
MAX_AGE_SECONDS = 24 * 3600.0
"""Age at which keys are no longer used, if every fetch since then failed."""
INTROSPECTIONS = 16
"""Limit of concurrent introspections; others wait within the same deadline."""
_GRANT_STATUSES = frozenset({200, 400, 401})
"""Statuses of responses to grants whose body is read: refusals state a reason."""
_MAX_BYTES = 2**20
_MAX_KEYS = 100
_MIN_RSA_BITS = 2048
ALGORITHMS: Mapping[str, frozenset[str]] = {
    "RSA": frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}),
    "EC": frozenset({"ES256", "ES384", "ES512"}),
    "OKP": frozenset({"EdDSA"}),
}
"""Accepted signature algorithms by type of key: asymmetric ones only."""


@dataclass(frozen=True, slots=True)
class Key:
    """A public key of the provider.

    Attributes:
        jwk: the key as a JSON Web Key.
    """

    key_id: str | None
    jwk: Mapping[str, Any]

    def for_algorithm(self, algorithm: str) -> jwt.PyJWK | None:
        """Return the key for a signature algorithm; None: it is for other algorithms, or too short."""
        if algorithm not in ALGORITHMS.get(self.jwk["kty"], ()) or self.jwk.get("alg") not in (None, algorithm):
            return None
        try:
            key = jwt.PyJWK(dict(self.jwk), algorithm)
        except (jwt.PyJWTError, ValueError, TypeError):
            return None
        bits = getattr(key.key, "key_size", None)
        return None if self.jwk["kty"] == "RSA" and (bits is None or bits < _MIN_RSA_BITS) else key


@dataclass(frozen=True, slots=True)
class Metadata:
    """A provider's endpoints and keys."""

    keys: tuple[Key, ...]
    token_endpoint: str | None
    introspection_endpoint: str | None
    authorization_endpoint: str | None = None


class Provider:
    """One issuer. Belongs to one event loop.

    Attributes:
        metadata: as last fetched; None: never fetched.
        version: changes with the keys.
    """

    def __init__(self, issuer: str, clock: Clock = SYSTEM) -> None:
        self.issuer = issuer
        self.metadata: Metadata | None = None
        self.version = 0
        self._clock = clock
        self._fetched_at = self._tried_at = float("-inf")
        self._has_failed = False
        self._flight: asyncio.Task[None] | None = None
        self._introspections = asyncio.Semaphore(INTROSPECTIONS)

    async def keys(self, key_id: str | None) -> tuple[Key, ...]:
        """Return the keys of an id, or all keys for a token that names none.

        Raises:
            IdentityUnavailable: the id is not known, and the provider does not respond.
        """
        found = self._known(key_id)
        if not found and self._may_fetch():
            await self.fetch()
            found = self._known(key_id)
        if not found and self._has_failed:
            raise _unavailable()
        return found

    async def fetch(self) -> None:
        """Fetch the metadata and keys, or join a fetch in progress.

        Raises:
            IdentityUnavailable: the provider does not respond in time, or violates the standard.
        """
        if self._flight is None or self._flight.done():
            self._flight = asyncio.get_running_loop().create_task(self._fetch())
        await asyncio.shield(self._flight)

    async def keep_fresh(self) -> None:
        """Fetch now and at intervals, until cancelled."""
        while True:
            with suppress(IdentityUnavailable):  # logged where it was raised
                await self.fetch()
            is_fresh = self._clock.monotonic() - self._fetched_at < REFRESH_SECONDS
            await asyncio.sleep(REFRESH_SECONDS if is_fresh else PAUSE_SECONDS)

    async def introspect(self, token: str, client_id: str, secret: str) -> Mapping[str, Any]:
        """Return the provider's response about a token (RFC 7662).

        Raises:
            IdentityUnavailable: the provider does not respond in time, or violates the standard.
        """
        try:
            async with asyncio.timeout(DEADLINE_SECONDS), self._introspections:
                endpoint = await self._named("introspection_endpoint")
                auth = httpx.BasicAuth(quote(client_id, safe=""), quote(secret, safe=""))
                return await _json("POST", endpoint, data={"token": token}, auth=auth)
        except TimeoutError:
            raise self._failed(f"no answer within {DEADLINE_SECONDS:.0f} s") from None
        except IdentityUnavailable as error:
            raise self._failed(error.message) from None

    async def authorization_endpoint(self) -> str:
        """Return the URL where browsers sign in.

        Raises:
            IdentityUnavailable: the provider does not respond in time, or names none.
        """
        return await self._named("authorization_endpoint")

    async def exchange(self, form: Mapping[str, str], client_id: str, secret: str | None) -> Mapping[str, Any]:
        """Return the response to a grant (RFC 6749, sections 4.1.3 and 6). A client without a secret is public.

        Raises:
            NotAuthenticated: the provider refuses the grant.
            IdentityUnavailable: it does not respond in time, violates the standard, or refuses this server.
        """
        auth = None if secret is None else httpx.BasicAuth(quote(client_id, safe=""), quote(secret, safe=""))
        form = {**form, "client_id": client_id} if secret is None else form
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                endpoint = await self._named("token_endpoint")
                answer = await _json("POST", endpoint, accepted=_GRANT_STATUSES, data=form, auth=auth)
        except TimeoutError:
            raise self._failed(f"no answer within {DEADLINE_SECONDS:.0f} s") from None
        except IdentityUnavailable as error:
            raise self._failed(error.message) from None
        if answer.get("error") == "invalid_grant":
            raise NotAuthenticated("the identity provider does not accept this sign-in any more; sign in again")
        if answer.get("error") is not None:
            raise self._failed(f"the token endpoint refuses a grant: {str(answer['error'])[:100]!r}")
        return answer

    async def _named(self, name: str) -> str:
        if self.metadata is None:
            if not self._may_fetch():
                raise _unavailable()
            await self.fetch()
        found: str | None = getattr(self.metadata, name, None)
        if found is None:
            raise IdentityUnavailable(f"its discovery document names no {name}")
        return found

    def _usable(self) -> Metadata | None:
        age = self._clock.monotonic() - self._fetched_at
        return self.metadata if age < MAX_AGE_SECONDS else None

    def _known(self, key_id: str | None) -> tuple[Key, ...]:
        metadata = self._usable()
        if metadata is None:
            return ()
        return tuple(key for key in metadata.keys if key_id is None or key.key_id == key_id)

    def _may_fetch(self) -> bool:
        is_under_way = self._flight is not None and not self._flight.done()
        return is_under_way or self._clock.monotonic() - self._tried_at >= PAUSE_SECONDS

    async def _fetch(self) -> None:
        self._tried_at = self._clock.monotonic()
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                found = await self._read()
        except TimeoutError:
            raise self._failed(f"no answer within {DEADLINE_SECONDS:.0f} s") from None
        except IdentityUnavailable as error:
            raise self._failed(error.message) from None
        finally:
            self._tried_at, self._has_failed = self._clock.monotonic(), True
        if self.metadata is None or self.metadata.keys != found.keys:
            self.version += 1
        self.metadata, self._fetched_at, self._has_failed = found, self._tried_at, False

    async def _read(self) -> Metadata:
        document = await _json("GET", self.issuer.rstrip("/") + "/.well-known/openid-configuration")
        if document.get("issuer") != self.issuer:
            raise IdentityUnavailable("its discovery document names another issuer")
        jwks_uri = self._endpoint(document, "jwks_uri")
        if jwks_uri is None:
            raise IdentityUnavailable("its discovery document has no jwks_uri that can be used")
        found = (await _json("GET", jwks_uri)).get("keys")
        if not isinstance(found, list):
            raise IdentityUnavailable("its key set is not a JSON Web Key Set")
        keys = tuple(Key(_text(jwk.get("kid")), jwk) for jwk in found[:_MAX_KEYS] if _is_for_signatures(jwk))
        return Metadata(
            keys,
            token_endpoint=self._endpoint(document, "token_endpoint"),
            introspection_endpoint=self._endpoint(document, "introspection_endpoint"),
            authorization_endpoint=self._endpoint(document, "authorization_endpoint"),
        )

    def _endpoint(self, document: Mapping[str, Any], name: str) -> str | None:
        """Return an endpoint's URL; None: it is absent or invalid, or uses no TLS although the issuer does."""
        url = _text(document.get(name))
        if url is None or not url.startswith(("https://", f"{urlsplit(self.issuer).scheme}://")):
            return None
        return url if _is_url(url) else None

    def _failed(self, reason: str) -> IdentityUnavailable:
        LOG.warning("the identity provider %s cannot be used: %s", self.issuer, reason)
        return _unavailable()


def _unavailable() -> IdentityUnavailable:
    return IdentityUnavailable("the identity provider does not answer; try again in a moment")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _is_url(text: str) -> bool:
    """Return whether a URL has a host, and can be requested."""
    try:
        # The port and the host are parsed when they are read.
        return bool(httpx.URL(text).host) and urlsplit(text).port != 0
    except (httpx.InvalidURL, ValueError):
        return False


def _is_for_signatures(jwk: object) -> bool:
    """Return whether a member of a key set can verify signatures. A null is an absent value: some providers send it."""
    if not isinstance(jwk, dict) or _text(jwk.get("kty")) not in ALGORITHMS or jwk.get("use") not in (None, "sig"):
        return False
    uses = jwk.get("key_ops")
    return uses is None or (isinstance(uses, list) and "verify" in uses)


@cache
def _tls() -> SSLContext:
    """Return the TLS context, created once: reading the trusted certificates takes tens of milliseconds."""
    return httpx.create_ssl_context()


async def _json(
    method: str, url: str, accepted: frozenset[int] = frozenset({200}), **options: Any
) -> Mapping[str, Any]:
    """Return the JSON object at a URL. Redirects are not followed.

    Args:
        accepted: statuses of responses that are read.

    Raises:
        IdentityUnavailable: the provider sent no such response; the message says why, without the URL's query.
    """
    hooks = {"response": [without_location_async]}
    try:
        transport = AsyncEnvironmentTransport(limits(1), _tls())
        async with httpx.AsyncClient(transport=transport, timeout=DEADLINE_SECONDS, event_hooks=hooks) as client:
            headers = {"Accept": "application/json"}
            async with client.stream(method, url, headers=headers, **options) as response:
                if response.status_code not in accepted:
                    raise IdentityUnavailable(f"{urlsplit(url).path} answers with status {response.status_code}")
                body = bytearray()
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > _MAX_BYTES:
                        raise IdentityUnavailable(f"{urlsplit(url).path} answers with more than {_MAX_BYTES} bytes")
        document = orjson.loads(body)
    except (*FAILURES, httpx.InvalidURL, orjson.JSONDecodeError) as cause:
        raise IdentityUnavailable(f"{urlsplit(url).path}: {reason_of(cause)}") from cause
    if not isinstance(document, dict):
        raise IdentityUnavailable(f"{urlsplit(url).path} answers with something other than a JSON object")
    return document
