"""Sign in at a catalog: a bearer token that the properties give, or one that the catalog gives for a credential.

Source: RFC 6749, 4.4 (client credentials); the Iceberg REST catalog OpenAPI document, ``/v1/oauth/tokens``.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx
import orjson

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import UpstreamFailed

_EARLY = 0.8
"""A token is replaced when this part of its life has passed."""
_LIFE_SECONDS = 3600.0
"""The life of a token whose answer does not say."""
_PARAMETERS = ("audience", "resource")


class TokenSource:
    """The bearer token of one catalog's requests.

    Args:
        name: of the catalog.
        properties: PyIceberg's: ``token``, or ``credential``, ``scope``, ``audience``, ``resource``.
        client: makes the requests.
    """

    def __init__(self, name: str, properties: Mapping[str, str], client: httpx.Client, clock: Clock = SYSTEM) -> None:
        self._name = name
        self._properties = properties
        self._client = client
        self._clock = clock
        self._token = properties.get("token")
        self._until = float("inf") if self._token is not None else float("-inf")

    @property
    def is_known(self) -> bool:
        """Whether :attr:`token` may be used; else :meth:`renew` it."""
        return "credential" not in self._properties or self._clock.monotonic() < self._until

    @property
    def token(self) -> str | None:
        """The token; None: the catalog wants none, or it was never renewed."""
        return self._token

    def renew(self, endpoint: str) -> None:
        """Exchange the credential for a token; one thread at a time.

        Args:
            endpoint: the URL that exchanges the credential, unless the properties name another.

        Raises:
            UpstreamFailed: there is no token to be had.
            httpx.HTTPError: the endpoint does not answer.
        """
        self._token, life = self._exchange(self._properties.get("oauth2-server-uri", endpoint))
        self._until = self._clock.monotonic() + life * _EARLY

    def forget(self) -> None:
        """Exchange the credential again at the next request: the catalog has refused the token."""
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
        answer = self._client.post(endpoint, data=data)
        try:
            found = orjson.loads(answer.content) if answer.status_code == 200 else {}
        except orjson.JSONDecodeError:
            found = {}
        token = found.get("access_token") if isinstance(found, dict) else None
        if not isinstance(token, str):
            raise UpstreamFailed(
                f"the catalog {self._name} gives no token for its credential: status {answer.status_code}",
                catalog=self._name,
            )
        life = found.get("expires_in")
        return token, float(life) if isinstance(life, int | float) and life > 0 else _LIFE_SECONDS
