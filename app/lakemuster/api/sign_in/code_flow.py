"""Sign in at an OpenID provider: the authorization code flow with PKCE. Its access token is the caller's bearer token.

The ID token is not used: the access token identifies the caller, as it does for any other client.

Source: RFC 6749, section 4.1; RFC 7636 (PKCE); RFC 9207 (issuer of an authorization response).
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from lakemuster.api.identity.provider import Provider
from lakemuster.catalog.browser_sessions import Credentials
from lakemuster.clock import SYSTEM, Clock
from lakemuster.config import Settings
from lakemuster.errors import IdentityUnavailable

_BYTES = 32


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sign-in in progress.

    Attributes:
        state: the provider returns it with the code.
        verifier: proves to the provider that the code is redeemed by the client that requested it.
    """

    state: str
    verifier: str

    @classmethod
    def new(cls) -> Attempt:
        """Return an attempt with random values."""
        return cls(secrets.token_urlsafe(_BYTES), secrets.token_urlsafe(_BYTES))


class CodeFlow:
    """Sign-in at one provider.

    Args:
        secret: the client's secret; None for a public client.
        scopes: the requested scopes.
    """

    def __init__(
        self, provider: Provider, client_id: str, secret: str | None, scopes: tuple[str, ...], clock: Clock = SYSTEM
    ) -> None:
        self.issuer = provider.issuer
        self._provider, self._client_id, self._secret, self._scopes = provider, client_id, secret, scopes
        self._clock = clock

    async def address(self, attempt: Attempt, redirect_uri: str) -> str:
        """Return the URL of the provider's page to which a browser is redirected.

        Raises:
            IdentityUnavailable: the provider does not respond, or has no such page.
        """
        challenge = base64.urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(self._scopes),
            "state": attempt.state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        endpoint = await self._provider.authorization_endpoint()
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    async def redeem(self, code: str, attempt: Attempt, redirect_uri: str) -> Credentials:
        """Exchange a code for tokens.

        Raises:
            NotAuthenticated: the provider refuses the code.
            IdentityUnavailable: the provider does not respond, or violates the standard.
        """
        form = {"code": code, "redirect_uri": redirect_uri, "code_verifier": attempt.verifier}
        return await self._granted({"grant_type": "authorization_code", **form})

    async def refresh(self, refresh_token: str) -> Credentials:
        """Exchange a refresh token for new tokens; raises as :meth:`redeem` does."""
        found = await self._granted({"grant_type": "refresh_token", "refresh_token": refresh_token})
        return found if found.refresh_token else Credentials(found.token, refresh_token, found.expires_at)

    async def _granted(self, form: Mapping[str, str]) -> Credentials:
        asked_at = self._clock.wall_ms() / 1000
        answer = await self._provider.exchange(form, self._client_id, self._secret)
        token, seconds = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or str(answer.get("token_type", "")).lower() != "bearer":
            raise IdentityUnavailable("the identity provider issued no bearer token")
        expires_at = asked_at + seconds if isinstance(seconds, int | float) and 0 <= seconds < 2**31 else None
        return Credentials(token, _text(answer.get("refresh_token")), expires_at)


def code_flow_of(settings: Settings, providers: Sequence[Provider]) -> CodeFlow | None:
    """Return the flow that the settings describe; None: they name no client, or no provider."""
    client_id, secret = settings.oidc_client_id, settings.oidc_client_secret
    if client_id is None or not providers:
        return None
    hidden = None if secret is None else secret.get_secret_value()
    return CodeFlow(providers[0], client_id, hidden, settings.oidc_scopes)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
