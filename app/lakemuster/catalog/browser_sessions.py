"""Browser sessions: the server keeps the token that a browser signed in with, and the browser gets a cookie.

The cookie's value is a random secret. The database stores its digest, and the token encrypted with a key derived from
the secret: neither a copy of the database nor a cookie without the database opens a session.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from dataclasses import asdict, dataclass

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from lakemuster.index.browser_sessions import add_session, change_session, end_session, read_session
from lakemuster.index.database import Database

SESSION_SECONDS = 12 * 3600.0
"""Lifetime of a session; after it, the user must sign in again."""
_SECRET_BYTES = 32
_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class Credentials:
    """The credentials that a browser signed in with.

    Attributes:
        token: sent as the bearer token of the browser's requests.
        refresh_token: gets the next token from the OpenID provider; None if the token cannot be renewed.
        expires_at: expiry of the token, in seconds since 1970 by this server's clock; None if unknown.
    """

    token: str
    refresh_token: str | None = None
    expires_at: float | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A session as read from the database.

    Attributes:
        sealed: its encrypted credentials, as stored.
    """

    credentials: Credentials
    sealed: bytes


class BrowserSessions:
    """The sessions of all workers and replicas. Its methods block on the database, and raise IndexUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, credentials: Credentials) -> str:
        """Start a session; return its cookie's value."""
        cookie = _text(secrets.token_bytes(_SECRET_BYTES))
        add_session(self._database, digest_of(cookie), _sealed(cookie, credentials), SESSION_SECONDS)
        return cookie

    def read(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None if it does not exist, or no longer."""
        sealed = read_session(self._database, digest_of(cookie))
        credentials = None if sealed is None else _opened(cookie, sealed)
        return None if sealed is None or credentials is None else Session(credentials, sealed)

    def change(self, cookie: str, before: Session, credentials: Credentials) -> bool:
        """Replace a session's credentials; return False if another process has replaced them or ended the session."""
        return change_session(self._database, digest_of(cookie), before.sealed, _sealed(cookie, credentials))

    def end(self, cookie: str) -> None:
        """End a session."""
        end_session(self._database, digest_of(cookie))


def digest_of(cookie: str) -> str:
    """Return the digest of a cookie, by which the database finds its session."""
    return hashlib.sha256(b"name" + cookie.encode()).hexdigest()


def csrf_token_of(cookie: str) -> str:
    """Return the CSRF token that a page sends in a header to change something; other sites' pages cannot read it."""
    return _text(_derived(cookie, b"csrf"))


def _derived(cookie: str, purpose: bytes) -> bytes:
    # The cookie has 256 random bits: one HMAC is a key derivation (RFC 5869, the step "expand").
    return hmac.digest(cookie.encode(), purpose + b"\x01", "sha256")


def _sealed(cookie: str, credentials: Credentials) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    plain = orjson.dumps(asdict(credentials))
    return nonce + AESGCM(_derived(cookie, b"seal")).encrypt(nonce, plain, digest_of(cookie).encode())


def _opened(cookie: str, sealed: bytes) -> Credentials | None:
    nonce, hidden = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    try:
        plain = AESGCM(_derived(cookie, b"seal")).decrypt(nonce, hidden, digest_of(cookie).encode())
        return Credentials(**orjson.loads(plain))
    except (InvalidTag, ValueError, TypeError):
        return None


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
