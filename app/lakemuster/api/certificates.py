"""Load the server's TLS certificate and its private key."""

from __future__ import annotations

import ssl

from lakemuster.errors import ConfigInvalid

NO_PASSWORD = "-"  # noqa: S105 - no key has it: without one, OpenSSL would ask on the terminal
_REASONS = {
    "KEY_VALUES_MISMATCH": "the key does not belong to the certificate",
    "PEM_LIB": "not PEM files",
    "[SSL] PEM lib": "not PEM files",
}
"""The reasons of OpenSSL, whose names depend on the version of Python, in words."""


def load_certificate(certificate: str, key: str) -> ssl.SSLContext:
    """Return a TLS context with a certificate chain and its private key, both PEM files.

    Raises:
        ConfigInvalid: they cannot be read, or do not belong together.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=NO_PASSWORD)
    except (OSError, ValueError) as cause:  # SSLError is an OSError
        reason = getattr(cause, "reason", None) or getattr(cause, "strerror", None) or "not usable"
        reason = _REASONS.get(reason.partition(" (_ssl.c")[0], reason)
        raise ConfigInvalid(f"TLS_CERT, TLS_KEY: {certificate}, {key}: {reason}") from None
    return context


def is_usable(certificate: str, key: str) -> bool:
    """Return whether a certificate and its key can be loaded."""
    try:
        load_certificate(certificate, key)
    except ConfigInvalid:
        return False
    return True
