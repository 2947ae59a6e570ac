"""Authenticate callers by access tokens of OpenID providers: JWTs by their signature, opaque ones by introspection.

A JWT is accepted if a pinned issuer signed it with one of its current keys and an asymmetric algorithm, for our
audience, and if it is valid at the current time. Tokens for other uses are refused even if their signature is valid: ID
and logout tokens, and tokens that are bound to a key of their owner (``cnf``), whose copies must be useless to others.

Source: RFC 9068 (JWT profile of access tokens), RFC 8725 (JWT best practices), RFC 7662 (introspection).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jwt

from lakemuster.api.identity.callers import Caller, Grant
from lakemuster.api.identity.claims import grants_of
from lakemuster.api.identity.provider import ALGORITHMS, Provider
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import NotAuthenticated

SKEW_SECONDS = 60
"""Allowed difference between the provider's clock and ours."""
INTROSPECTED_SECONDS = 30
"""Lifetime of a cached response about an opaque token; a revoked token is accepted for that long at most."""
REFUSED_SECONDS = 10
"""Time in which a refused opaque token is refused without another introspection."""
MAX_TOKEN_CHARACTERS = 16_384
MAX_REMEMBERED = 10_000
"""Limit of cached results, by the token's hash."""

_ASYMMETRIC = frozenset[str]().union(*ALGORITHMS.values())
_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt", "application/jwt"})
_OTHER_USES = frozenset({"at_hash", "c_hash", "s_hash", "events"})
_MAX_SUBJECT_CHARACTERS = 255
_NEVER = 2**53
_REFUSALS: tuple[tuple[type[jwt.PyJWTError], str], ...] = (
    (jwt.ExpiredSignatureError, "this token has expired"),
    (jwt.ImmatureSignatureError, "this token is not valid yet"),
    (jwt.InvalidAudienceError, "this token is for another audience"),
    (jwt.MissingRequiredClaimError, "this token lacks one of the claims iss, aud, sub and exp"),
)
"""Reasons that responses may state: the owner can see them in the token."""

Roles = Callable[[], tuple[Mapping[str, tuple[Grant, ...]], int]]
"""Returns the ``[[role]]`` entries of the tokens file, and the generation of its content."""


def no_roles() -> tuple[Mapping[str, tuple[Grant, ...]], int]:
    """Return no roles: there is no tokens file."""
    return {}, 0


@dataclass(frozen=True, slots=True)
class ProviderClient:
    """The server's own credentials at the provider, for introspection."""

    client_id: str
    secret: str


@dataclass(frozen=True, slots=True)
class _Remembered:
    """The cached result of examining a token.

    Attributes:
        caller: None: the token was refused.
        until: wall clock, seconds since 1970.
        stamp: version of the keys, and generation of the roles, from which the caller was derived.
    """

    caller: Caller | None
    until: float
    stamp: tuple[int, int]


class OidcAuthenticator:
    """Accepts tokens of pinned issuers.

    Args:
        providers: the issuers; with a ``client``, exactly one.
        audience: a token must be for one of these.
        claim: the claim with roles; see ``claims``.
        client: None: opaque tokens are refused.
    """

    def __init__(
        self,
        providers: Sequence[Provider],
        audience: Sequence[str],
        claim: str,
        *,
        roles: Roles = no_roles,
        client: ProviderClient | None = None,
        clock: Clock = SYSTEM,
    ) -> None:
        self.providers = {provider.issuer: provider for provider in providers}
        self._audience = list(audience)
        self._claim = claim
        self._roles = roles
        self._client = client
        self._clock = clock
        self._remembered: OrderedDict[bytes, _Remembered] = OrderedDict()

    def known(self, token: str) -> Caller | None:
        """Return the caller of a token that was accepted before, unless it expired or keys or roles have changed."""
        key = _hash(token)
        found = self._remembered.get(key)
        if found is None or found.caller is None:
            return None
        if found.until <= self._now() or found.stamp != self._stamp():
            del self._remembered[key]
            return None
        self._remembered.move_to_end(key)
        return found.caller

    async def examine(self, token: str) -> Caller:
        """Return the caller of a token.

        Raises:
            NotAuthenticated: the token is refused; the message says why, where that helps its owner.
            IdentityUnavailable: the provider is needed, and does not respond.
        """
        if len(token) > MAX_TOKEN_CHARACTERS:
            raise NotAuthenticated("this token is too long")
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError, RecursionError):
            return await self._introspected(token)
        return await self._verified(token, header)

    async def _verified(self, token: str, header: Mapping[str, Any]) -> Caller:
        algorithm, key_id, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
        if not isinstance(algorithm, str) or algorithm not in _ASYMMETRIC:
            raise NotAuthenticated("this token's signature algorithm is not accepted")
        if "crit" in header or not isinstance(kind, str) or kind.lower() not in _TYPES:
            raise NotAuthenticated("this is not an access token")
        provider = self._provider(token)
        for key in await provider.keys(key_id if isinstance(key_id, str) else None):
            usable = key.for_algorithm(algorithm)
            claims = None if usable is None else self._decoded(token, usable, algorithm, provider.issuer)
            if claims is not None:
                until = _seconds(claims["exp"], self._now()) + SKEW_SECONDS
                return self._accepted(token, claims, provider.issuer, until)
        raise NotAuthenticated("this token is not signed by a current key of its issuer")

    def _provider(self, token: str) -> Provider:
        """Return the pinned issuer that an unverified token names; only its keys may verify the signature."""
        try:
            unverified = jwt.decode(token, options={"verify_signature": False})
            return self.providers[unverified["iss"]]
        except (jwt.PyJWTError, ValueError, RecursionError, KeyError, TypeError):
            raise NotAuthenticated("the issuer of this token is not trusted") from None

    def _decoded(self, token: str, key: jwt.PyJWK, algorithm: str, issuer: str) -> Mapping[str, Any] | None:
        """Return the claims of a token; None: the key did not sign it. Raises: NotAuthenticated."""
        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self._audience,
                issuer=issuer,
                leeway=SKEW_SECONDS,
                options={"require": ["iss", "aud", "sub", "exp"]},
            )
        except jwt.InvalidSignatureError:
            return None
        except (jwt.PyJWTError, ValueError, RecursionError, OverflowError) as error:
            reason = next((text for kind, text in _REFUSALS if isinstance(error, kind)), "this token is invalid")
            raise NotAuthenticated(reason) from None
        if claims.get("iss") != issuer:
            raise NotAuthenticated("the issuer of this token is not trusted")
        return claims

    def _accepted(self, token: str, claims: Mapping[str, Any], issuer: str, until: float) -> Caller:
        if claims.get("typ", "Bearer") not in ("Bearer", "JWT", "at+jwt") or _OTHER_USES & claims.keys():
            raise NotAuthenticated("this is not an access token")
        if "cnf" in claims:
            raise NotAuthenticated(
                "this token is bound to a key, and this server does not check the binding: use an unbound token"
            )
        subject = claims.get("sub")
        if not isinstance(subject, str) or not 0 < len(subject) <= _MAX_SUBJECT_CHARACTERS:
            raise NotAuthenticated("this token names no subject")
        roles, generation = self._roles()
        caller = Caller(f"{issuer}#{subject}", grants_of(claims, self._claim, roles), generation)
        self._remember(token, caller, until)
        return caller

    async def _introspected(self, token: str) -> Caller:
        refusal = NotAuthenticated("unknown token")
        found = self._remembered.get(_hash(token))
        # Tokens of our own tokens file are never sent to a provider.
        if self._client is None or token.startswith("lm_") or (found is not None and found.until > self._now()):
            raise refusal
        (provider,) = self.providers.values()
        claims = await provider.introspect(token, self._client.client_id, self._client.secret)
        now = self._now()
        until = min(now + INTROSPECTED_SECONDS, _seconds(claims.get("exp"), now + INTROSPECTED_SECONDS) + SKEW_SECONDS)
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        if (
            claims.get("active") is not True
            or claims.get("iss", provider.issuer) != provider.issuer
            or not any(one in self._audience for one in audiences)
            or until <= now
            or _seconds(claims.get("nbf"), now) > now + SKEW_SECONDS
        ):
            self._remember(token, None, now + REFUSED_SECONDS)
            raise refusal
        return self._accepted(token, claims, provider.issuer, until)

    def _remember(self, token: str, caller: Caller | None, until: float) -> None:
        self._remembered[_hash(token)] = _Remembered(caller, until, self._stamp())
        while len(self._remembered) > MAX_REMEMBERED:
            self._remembered.popitem(last=False)

    def _stamp(self) -> tuple[int, int]:
        return sum(provider.version for provider in self.providers.values()), self._roles()[1]

    def _now(self) -> float:
        return self._clock.wall_ms() / 1000


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _seconds(value: object, otherwise: float) -> float:
    """Return a time in seconds since 1970, at most ``_NEVER``; ``otherwise`` if it is not a number."""
    return float(min(value, _NEVER)) if isinstance(value, int | float) else otherwise
