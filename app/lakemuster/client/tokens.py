"""Bearer tokens of the client: one that stays, or one that is asked for before each request, because it ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lakemuster.client.errors import ClientError

Token = str | Callable[[], str]
"""A bearer token, or a function that returns the current one."""

_FORM = re.compile("[!-~](?:[ -~]*[!-~])?")
_MAX_BYTES = 2**20


class TokenMalformed(ValueError):
    """A bearer token that no header can have. The message does not show it."""


class TokenFile:
    """The bearer token in a file, which is read before each request: another program renews it.

    While the file is empty or missing, as it may be while it is written, the last token is used.

    Args:
        path: the file; whitespace around the token is left out.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._last: str | None = None

    def __call__(self) -> str:
        """Return the token.

        Raises:
            ClientError: ``token_unreadable``: there is no token in the file, and never was.
        """
        try:
            with self._path.open("rb") as file:
                found = file.read(_MAX_BYTES).decode("ascii", "replace").strip()
            reason = "it is empty"
        except OSError as cause:
            found, reason = "", cause.strerror or str(cause)
        if not found and self._last is None:
            raise ClientError(f"no token in the file {self._path}: {reason}", code="token_unreadable")
        self._last = found or self._last
        assert self._last is not None
        return self._last

    def __repr__(self) -> str:
        return f"TokenFile({str(self._path)!r})"


def authorization(token: str) -> str:
    """Return the value of the header ``Authorization``.

    Raises:
        TokenMalformed: no header can have the token.
    """
    if not _FORM.fullmatch(token):
        raise TokenMalformed("a bearer token consists of visible ASCII characters, without a line break")
    return f"Bearer {token}"


def authorization_of(token: Token | None) -> Callable[[], str] | None:
    """Return a function that returns the header's value for the next request; None without a token.

    Raises:
        TokenMalformed: ``token`` is a text that no header can have.
    """
    if token is None:
        return None
    if isinstance(token, str):
        value = authorization(token)
        return lambda: value

    def current() -> str:
        try:
            return authorization(token())
        except TokenMalformed as cause:
            raise ClientError(str(cause), code="token_malformed") from None

    return current
