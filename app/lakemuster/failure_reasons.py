"""Why a request to another service, or to the disk, failed.

Drivers' exceptions may hold addresses, names and signed URLs. A reason is one of fixed texts, or an exception's type.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Iterator

from lakemuster.errors import CatalogError

_MOST_CAUSES = 30
_LINKS = ("__cause__", "__context__", "orig", "inner", "reason", "os_error")
"""Attributes in which drivers keep the exception that they caught."""
_EXPIRED, _OTHER_NAME = 10, 62
"""OpenSSL's numbers for a certificate that is refused."""
_NO_HOST = "its host name is not known"
_UNTRUSTED = "its TLS certificate is not trusted"
_NO_ANSWER = "no answer in time"
_TEXTS = {
    "connection refused": "connection refused",
    "name or service not known": _NO_HOST,
    "temporary failure in name resolution": _NO_HOST,
    "failed to resolve": _NO_HOST,
    "could not translate host name": _NO_HOST,
    "certificate verify failed": _UNTRUSTED,
    "timed out": _NO_ANSWER,
    "timeout expired": _NO_ANSWER,
    '" does not exist': "its database or role does not exist",
    "unable to open database file": "its database file cannot be opened",
    "database is locked": "its database is locked",
    "password authentication failed": "its password is not accepted",
}
"""Parts of the messages of drivers that are written in C or omit the cause, and the reason for each."""


def reason_of(error: BaseException) -> str:
    """Return the reason of a failure: the first known one among an exception and its causes.

    Returns:
        such as ``connection refused``; the exception's type if no reason is known.
    """
    return next((reason for cause in _causes(error) if (reason := _reason(cause)) is not None), type(error).__name__)


def operator_message(error: CatalogError) -> str:
    """Return an error's message with its notes, for the log and the command line; responses omit the notes."""
    return ": ".join([error.message, *getattr(error, "__notes__", ())])


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    waiting = [error]
    while waiting and len(seen) < _MOST_CAUSES:
        at = waiting.pop(0)
        if any(at is known for known in seen):
            continue
        seen.append(at)
        yield at
        found = [getattr(at, link, None) for link in _LINKS]
        found += [*at.args, *(at.exceptions if isinstance(at, BaseExceptionGroup) else ())]
        waiting += [cause for cause in found if isinstance(cause, BaseException)]


def _reason(error: BaseException) -> str | None:
    if isinstance(error, ssl.SSLCertVerificationError):
        number = getattr(error, "verify_code", None)
        known = {_EXPIRED: "its TLS certificate has expired", _OTHER_NAME: "its TLS certificate is for another host"}
        return known.get(number or 0, _UNTRUSTED)
    if isinstance(error, ssl.SSLError):
        return "no TLS connection: it does not speak TLS, or not a version that is accepted"
    if isinstance(error, socket.gaierror):
        return _NO_HOST
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return _NO_ANSWER
    number = error.errno if isinstance(error, OSError) else None
    if number is not None and number in errno.errorcode:
        said = os.strerror(number)
        return said[0].lower() + said[1:]
    text = str(error).lower()
    return next((reason for part, reason in _TEXTS.items() if part in text), None)
