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

from lakemuster.api.certificates import NO_PASSWORD, load_certificate
from lakemuster.errors import ConfigInvalid

LOG = logging.getLogger("lakemuster.tls")
LOOK_SECONDS = 1.0

_Signature = tuple[tuple[int, int, int], ...]


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
    return {"ssl_certfile": certificate, "ssl_keyfile": key, "ssl_keyfile_password": NO_PASSWORD}
