"""The port of authentication: identify the caller that owns a bearer token.

A request is admitted in two steps. A token that is known without I/O (a static one, or one that was examined before) is
accepted at once. Any other token is examined, which may need a request to an identity provider: it has a deadline, and
only requests with such tokens wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.rate_limits import RateLimits
from lakemuster.errors import NotAuthenticated


class Authenticator(Protocol):
    """Authenticates callers. Belongs to one event loop."""

    def known(self, token: str) -> Caller | None:
        """Return the caller of a token if that needs no I/O; None: the token must be examined."""
        ...

    async def examine(self, token: str) -> Caller:
        """Return the caller of a token that is not known.

        Raises:
            NotAuthenticated: the token is refused.
            IdentityUnavailable: the identity provider does not respond; the token is neither accepted nor refused.
        """
        ...


class FirstOf:
    """Authenticators in order: the first that accepts a token identifies its caller."""

    def __init__(self, authenticators: Sequence[Authenticator]) -> None:
        self._authenticators = tuple(authenticators)

    def known(self, token: str) -> Caller | None:
        """Return the caller of a token that one of the authenticators knows, or None."""
        for authenticator in self._authenticators:
            caller = authenticator.known(token)
            if caller is not None:
                return caller
        return None

    async def examine(self, token: str) -> Caller:
        """Return the caller from the first authenticator that accepts the token. Raises: the refusal of the last."""
        refusal = NotAuthenticated("unknown token")
        for authenticator in self._authenticators:
            try:
                return await authenticator.examine(token)
            except NotAuthenticated as error:
                refusal = error
        raise refusal


async def caller_of_token(token: str, peer: str, authenticator: Authenticator, limits: RateLimits) -> Caller:
    """Return the caller of a token that a peer presents.

    Raises:
        NotAuthenticated: the token is refused.
        RateLimited: the peer has presented too many wrong tokens.
        IdentityUnavailable: the identity provider does not respond.
    """
    caller = authenticator.known(token)
    if caller is not None:
        return caller
    limits.check("wrong_tokens", peer)
    try:
        return await authenticator.examine(token)
    except NotAuthenticated:
        limits.take("wrong_tokens", peer)
        raise


def bearer_token(authorization: str | None) -> str:
    """Return the token in an ``Authorization`` header.

    Raises:
        NotAuthenticated: the header is missing, has another scheme, or no token.
    """
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise NotAuthenticated("send a token: Authorization: Bearer …")
    return token
