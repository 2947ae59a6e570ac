"""Sign the tokens that clients hold, and verify them: page tokens, plan ids and plan tasks.

A token is a signature followed by its contents, as URL-safe base64 without padding. Anyone can read the contents, but a
change invalidates the signature, an HMAC-SHA256 truncated to 16 bytes. It also covers the audience: what the token is
for, and who may use it. So a token of one purpose, table or caller is refused for any other. The key is stored in the
database: tokens survive a restart and work on any replica.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

_VERSION = 1
_SIGNATURE_BYTES = 16


class TokenRefused(Exception):
    """A token was not signed with this key for this audience. Callers convert this to their own errors."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The purpose and caller that a token is valid for.

    Attributes:
        table_id: the id of the registration, so that a table registered again refuses old tokens; 0 for none.
        purpose: the kind of token; for page tokens, the name of the list. No two purposes share a name.
        parameters: the request's parameters that a token does not hold but depends on; not the page size.
        caller: the name of the caller that may use it.
    """

    table_id: int
    purpose: str
    parameters: Mapping[str, str]
    caller: str

    def digest(self) -> bytes:
        """Return a hash of all fields."""
        fields = [_VERSION, self.table_id, self.purpose, sorted(self.parameters.items()), self.caller]
        return hashlib.sha256(orjson.dumps(fields)).digest()


@dataclass(frozen=True, slots=True)
class TokenSigner:
    """Signs and verifies tokens with one key."""

    key: bytes

    def sign(self, contents: bytes, audience: Audience) -> str:
        """Return a token, which needs no quoting in a URL."""
        return _to_text(self._signature(contents, audience) + contents)

    def verify(self, token: str, audience: Audience) -> bytes:
        """Return the contents of a token.

        Raises:
            TokenRefused: not signed with this key for this audience, or not as :meth:`sign` writes it.
        """
        raw = _of_text(token)
        signature, contents = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(contents, audience)):
            raise TokenRefused
        return contents

    def _signature(self, contents: bytes, audience: Audience) -> bytes:
        return hmac.digest(self.key, audience.digest() + contents, "sha256")[:_SIGNATURE_BYTES]


def _to_text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _of_text(text: str) -> bytes:
    """Return the bytes of a token; empty if it is not canonical, since several texts decode to the same bytes."""
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    return raw if _to_text(raw) == text else b""
