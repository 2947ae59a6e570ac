"""Encrypt a catalog's page tokens in filtered lists: such a token may hold the last, hidden name of its page."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PARAMETER = "pageToken"
"""The parameter of lists that holds a page token."""
_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class PageTokens:
    """Encrypts the page tokens of one catalog for one caller.

    Attributes:
        key: the key that all replicas sign tokens with; the encryption key is derived from it.
    """

    key: bytes
    catalog: str
    caller: str

    def seal(self, token: str) -> str:
        """Return the encrypted form of a catalog's token."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = nonce + self._cipher.encrypt(nonce, token.encode(), self._context)
        return base64.urlsafe_b64encode(sealed).decode().rstrip("=")

    def unseal(self, text: str) -> str:
        """Return the catalog's token; a text that was not encrypted for this caller is returned unchanged.

        The catalog then refuses it, or accepts its own token, which a caller has of a time with further rights.
        """
        try:
            sealed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
            return self._cipher.decrypt(nonce, rest, self._context).decode()
        except (binascii.Error, ValueError, InvalidTag):
            return text

    @property
    def _cipher(self) -> AESGCM:
        return AESGCM(hmac.digest(self.key, b"page tokens of catalogs\x01", "sha256"))

    @property
    def _context(self) -> bytes:
        return f"{self.catalog}\0{self.caller}".encode()
