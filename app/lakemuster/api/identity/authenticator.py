"""The port: tell whose a bearer token is.

A request is admitted in two steps. What is known without I/O (static tokens, tokens that were examined before) is
admitted at once. Any other token is examined, which may take an identity provider's answer: it has a deadline, and only
requests that present such tokens wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.rate_limits import RateLimits
from lakemuster.errors import NotAuthenticated


class Authenticator(Protocol):
    """Protocol of objects that authenticate callers. Used on one event loop."""

    def known(self, token: str) -> Caller | None:
        """The caller of a token, if that needs no I/O; None: it must be examined."""
        ...

    async def examine(self, token: str) -> Caller:
        """The caller of a token that is not known.

        Raises:
            NotAuthenticated: it is refused.
            IdentityUnavailable: the identity provider does not answer, so it is neither accepted nor refused.
        """
        ...


class FirstOf:
    """Authenticators in order: the first that accepts a token names its caller."""

    def __init__(self, authenticators: Sequence[Authenticator]) -> None:
        self._authenticators = tuple(authenticators)

    def known(self, token: str) -> Caller | None:
        """The caller of a token that one of them knows."""
        for authenticator in self._authenticators:
            caller = authenticator.known(token)
            if caller is not None:
                return caller
        return None

    async def examine(self, token: str) -> Caller:
        """The caller of the first that accepts the token. Raises: the refusal of the last."""
        refusal = NotAuthenticated("unknown token")
        for authenticator in self._authenticators:
            try:
                return await authenticator.examine(token)
            except NotAuthenticated as error:
                refusal = error
        raise refusal


async def caller_of_token(token: str, peer: str, authenticator: Authenticator, limits: RateLimits) -> Caller:
    """The caller of a token that a peer presents.

    Raises:
        NotAuthenticated: it is refused.
        RateLimited: the peer has presented too many wrong ones.
        IdentityUnavailable: the identity provider does not answer.
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
    """The token in an ``Authorization`` header.

    Raises:
        NotAuthenticated: no header, another scheme, or no token.
    """
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        raise NotAuthenticated("send a token: Authorization: Bearer …")
    return token
