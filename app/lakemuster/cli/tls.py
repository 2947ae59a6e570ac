"""TLS of the server: its certificate is read again when its files change.

New connections get the new certificate; open ones keep theirs. A pair that cannot be used is logged once, and the one
before stays in use.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import ssl
from typing import Any

import uvicorn

from lakemuster.errors import ConfigInvalid

LOG = logging.getLogger("lakemuster.tls")
LOOK_SECONDS = 1.0
_NO_PASSWORD = "-"  # noqa: S105 - no key has it: without one, OpenSSL would ask on the terminal

_Signature = tuple[tuple[int, int, int], ...]


def load_certificate(certificate: str, key: str) -> ssl.SSLContext:
    """Return a TLS context with a certificate chain and its private key, both PEM files.

    Raises:
        ConfigInvalid: they cannot be read, or do not belong together.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(certificate, key, password=_NO_PASSWORD)
    except (OSError, ValueError) as cause:  # SSLError is an OSError
        reason = getattr(cause, "reason", None) or getattr(cause, "strerror", None) or "not usable"
        raise ConfigInvalid(f"TLS_CERT, TLS_KEY: {certificate}, {key}: {reason}") from None
    return context


class Certificate:
    """A server's certificate, and the context that new connections begin with.

    Attributes:
        context: for the server's socket; it hands connections over to the newest context.
    """

    def __init__(self, certificate: str, key: str) -> None:
        self._files = certificate, key
        self._seen = self._signature()
        self._newest = load_certificate(*self._files)
        self.context = load_certificate(*self._files)
        self.context.sni_callback = self._hand_over

    def look(self) -> None:
        """Read the files again if they changed."""
        now = self._signature()
        if now == self._seen:
            return
        self._seen = now
        try:
            self._newest = load_certificate(*self._files)
        except ConfigInvalid as error:
            LOG.error("cannot load the certificate; the previous one stays in use: %s", error)  # noqa: TRY400
            return
        LOG.info("reloaded the certificate")

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look now and every second, as long as the loop runs."""
        self.look()
        loop.call_later(LOOK_SECONDS, self.watch, loop)

    def _hand_over(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        connection.context = self._newest

    def _signature(self) -> _Signature | None:
        try:
            found = [os.stat(name) for name in self._files]
        except OSError:
            return None
        return tuple((each.st_mtime_ns, each.st_ino, each.st_size) for each in found)


class ServerConfig(uvicorn.Config):
    """uvicorn's configuration, whose certificate follows its files. Workers load their own."""

    def load(self) -> None:
        """Load the application and the certificate, within the server's event loop."""
        # A worker imports the application here: imports leave little garbage, and collections take a fifth of the time.
        gc.disable()
        try:
            super().load()
        finally:
            gc.enable()
        if self.ssl is not None:
            certificate = Certificate(str(self.ssl_certfile), str(self.ssl_keyfile))
            self.ssl = certificate.context
            certificate.watch(asyncio.get_running_loop())


def tls_options(certificate: str | None, key: str | None) -> dict[str, Any]:
    """Return uvicorn's options for a certificate; empty without one."""
    if certificate is None:
        return {}
    return {"ssl_certfile": certificate, "ssl_keyfile": key, "ssl_keyfile_password": _NO_PASSWORD}
