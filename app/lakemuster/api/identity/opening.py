"""Build the authenticators, the policy and the rate limits from the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lakemuster.api.identity.authenticator import Authenticator, FirstOf
from lakemuster.api.identity.callers import Grant
from lakemuster.api.identity.oidc import OidcAuthenticator, ProviderClient, no_roles
from lakemuster.api.identity.policy import Policy, nowhere
from lakemuster.api.identity.provider import Provider
from lakemuster.api.identity.rate_limits import RateLimits
from lakemuster.api.identity.token_file import TokenFile
from lakemuster.config import Settings


@dataclass(frozen=True, slots=True)
class Identity:
    """The authentication of callers, and the policy of their rights.

    Attributes:
        authenticator: None: every caller is ``callers.ANYONE``.
        tokens: the tokens file, if there is one.
        limits: of requests per caller.
        providers: the issuers whose tokens are accepted.
    """

    authenticator: Authenticator | None
    policy: Policy
    tokens: TokenFile | None
    limits: RateLimits
    providers: tuple[Provider, ...] = ()

    @property
    def token_endpoint(self) -> str | None:
        """The URL that exchanges a credential for a token; None without an issuer, or before its first response."""
        metadata = self.providers[0].metadata if self.providers else None
        return None if metadata is None else metadata.token_endpoint

    def reload(self) -> None:
        """Make the next request read the tokens file again. Safe in a signal handler."""
        if self.tokens is not None:
            self.tokens.reload()


def open_identity(settings: Settings) -> Identity:
    """Build a server's :class:`Identity`. This reads the tokens file, but sends no request to an issuer.

    Raises:
        ConfigInvalid: the tokens file is invalid.
    """
    tokens = TokenFile.of(settings.tokens)
    providers = tuple(map(Provider, settings.oidc_issuer))
    authenticators: list[Authenticator] = [] if tokens is None else [tokens]
    if providers:
        authenticators.append(_oidc(settings, providers, tokens))
    forwarding = [name for name, found in settings.catalogs.items() if found.auth == "forward"]
    policy = Policy(nowhere if tokens is None else lambda: tokens.rules.locations, settings.catalogs, forwarding)
    return Identity(
        FirstOf(authenticators) if authenticators else None, policy, tokens, RateLimits.of(settings), providers
    )


def _oidc(settings: Settings, providers: tuple[Provider, ...], tokens: TokenFile | None) -> OidcAuthenticator:
    def roles() -> tuple[Mapping[str, tuple[Grant, ...]], int]:
        assert tokens is not None
        rules = tokens.rules
        return rules.roles, rules.generation

    client_id, secret = settings.oidc_client_id, settings.oidc_client_secret
    return OidcAuthenticator(
        providers,
        settings.oidc_audience,
        settings.oidc_roles_claim,
        roles=no_roles if tokens is None else roles,
        client=None if client_id is None or secret is None else ProviderClient(client_id, secret.get_secret_value()),
    )
