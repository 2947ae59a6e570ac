"""The bearer token for a catalog: given in the properties, or obtained from the catalog for a credential.

Source: RFC 6749, 4.4 (client credentials); the Iceberg REST catalog OpenAPI document, ``/v1/oauth/tokens``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import orjson

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import UpstreamFailed
from lakemuster.upstream.http_upstream import HttpAnswer

_EARLY = 0.8
"""Fraction of its lifetime after which a token is renewed."""
_LIFE_SECONDS = 3600.0
"""Assumed lifetime of a token whose response does not state one."""
_PARAMETERS = ("audience", "resource")

Post = Callable[[str, Mapping[str, str]], HttpAnswer]


class TokenSource:
    """The bearer token of one catalog's requests.

    Args:
        name: the catalog's name.
        properties: PyIceberg's: ``token``, or ``credential``, ``scope``, ``audience``, ``resource``.
        post: sends a form to a URL.
    """

    def __init__(self, name: str, properties: Mapping[str, str], post: Post, clock: Clock = SYSTEM) -> None:
        self._name = name
        self._properties = properties
        self._post = post
        self._clock = clock
        self._token = properties.get("token")
        self._until = float("inf") if self._token is not None else float("-inf")

    @property
    def is_known(self) -> bool:
        """Whether :attr:`token` may be used; otherwise call :meth:`renew`."""
        return "credential" not in self._properties or self._clock.monotonic() < self._until

    @property
    def token(self) -> str | None:
        """The token; None: the catalog needs none, or :meth:`renew` was not called yet."""
        return self._token

    def renew(self, endpoint: str) -> None:
        """Exchange the credential for a token. Call it from one thread at a time.

        Args:
            endpoint: URL of the token endpoint, unless the properties name another.

        Raises:
            UpstreamFailed: the endpoint issues no token.
            Exception: that of ``post``, if the endpoint does not respond.
        """
        self._token, life = self._exchange(self._properties.get("oauth2-server-uri", endpoint))
        self._until = self._clock.monotonic() + life * _EARLY

    def forget(self) -> None:
        """Discard the token, which the catalog refused: the next request exchanges the credential again."""
        if "credential" in self._properties:
            self._until = float("-inf")

    def _exchange(self, endpoint: str) -> tuple[str, float]:
        client_id, colon, secret = self._properties["credential"].partition(":")
        data = {
            "grant_type": "client_credentials",
            "scope": self._properties.get("scope", "catalog"),
            "client_secret": secret if colon else client_id,
            **({"client_id": client_id} if colon else {}),
            **{name: self._properties[name] for name in _PARAMETERS if name in self._properties},
        }
        answer = self._post(endpoint, data)
        try:
            found = orjson.loads(answer.body) if answer.status == 200 else {}
        except orjson.JSONDecodeError:
            found = {}
        token = found.get("access_token") if isinstance(found, dict) else None
        if not isinstance(token, str):
            raise UpstreamFailed(
                f"the catalog {self._name} issues no token for its credential: status {answer.status}",
                catalog=self._name,
            )
        life = found.get("expires_in")
        return token, float(life) if isinstance(life, int | float) and life > 0 else _LIFE_SECONDS
