"""Build from the settings what authenticates callers and decides on their requests."""

from __future__ import annotations

from dataclasses import dataclass

from lakemuster.api.identity.authenticator import Authenticator, FirstOf
from lakemuster.api.identity.policy import Policy
from lakemuster.api.identity.token_file import TokenFile
from lakemuster.config import Settings


@dataclass(frozen=True, slots=True)
class Identity:
    """How callers are told apart, and what they may do.

    Attributes:
        authenticator: None: everybody is ``callers.ANYONE``.
        tokens: the tokens file, if there is one.
    """

    authenticator: Authenticator | None
    policy: Policy
    tokens: TokenFile | None

    def reload(self) -> None:
        """Make the next request read the tokens file again. Safe in a signal handler."""
        if self.tokens is not None:
            self.tokens.reload()


def open_identity(settings: Settings) -> Identity:
    """Read the tokens file.

    Raises:
        ConfigInvalid: it is wrong.
    """
    tokens = TokenFile.of(settings.tokens)
    authenticators: list[Authenticator] = [] if tokens is None else [tokens]
    policy = Policy() if tokens is None else Policy(lambda: tokens.rules.locations)
    return Identity(FirstOf(authenticators) if authenticators else None, policy, tokens)
