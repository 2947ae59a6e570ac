"""The tokens file of a running server: reloaded on SIGHUP, and when it has changed (checked at most once a second).

An unreadable or invalid file changes nothing: the tokens of the last valid one stay in force, an error is logged once,
and ``/metrics`` shows it. Each process reads the file itself.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import Self

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.tokens import Rules, read_rules
from lakemuster.errors import ConfigInvalid, NotAuthenticated
from lakemuster.metadata.names import parse_name

LOG = logging.getLogger("lakemuster.api")
LOOK_SECONDS = 1.0
_SETTLED_SECONDS = 2.0

_Signature = tuple[int, int, int]


class TokenFile:
    """The callers and namespaces of a tokens file's last valid content. Thread-safe.

    Raises:
        ConfigInvalid: the file is invalid at the start.
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._is_due = False
        self._generation = 0
        self._seen = self._signature()
        self._rules = read_rules(path, self._generation)
        self._looked_at = clock()
        self.is_current = True

    @classmethod
    def of(cls, path: str | None) -> Self | None:
        """Return the file of the setting ``TOKENS``; None without one."""
        return None if path is None else cls(path)

    @property
    def rules(self) -> Rules:
        """The rules of the file, reloaded if it is due and has changed."""
        self.looked()
        return self._rules

    def looked(self) -> Self:
        """Check the file for changes if that is due, and return self."""
        if self._is_due or self._clock() - self._looked_at >= LOOK_SECONDS:
            self._look()
        return self

    def known(self, token: str) -> Caller | None:
        """Return the caller of a token, or None."""
        return self.rules.tokens.find(token)

    async def examine(self, token: str) -> Caller:
        """Refuse a token that is not known. Raises: NotAuthenticated."""
        raise NotAuthenticated("unknown token")

    def locations(self, name: str) -> tuple[str, ...] | None:
        """Return the locations under which a table may live; None: under all roots."""
        return self.rules.locations_of(parse_name(name))

    def reload(self) -> None:
        """Make the next request read the file, even if it seems unchanged. Safe in a signal handler."""
        self._is_due = True

    def _look(self) -> None:
        is_due, self._is_due = self._is_due, False
        self._looked_at = self._clock()
        now = self._signature()
        if now == self._seen and now is not None and not is_due:
            return
        is_news = now != self._seen or is_due
        self._seen = now
        try:
            rules = read_rules(self._path, self._generation + 1)
        except ConfigInvalid as error:
            if self.is_current or is_news:
                LOG.error("cannot load the tokens file; the previous one stays in use: %s", error)  # noqa: TRY400
            self.is_current = False
            return
        self.is_current = True
        if not rules.says_as(self._rules):
            self._generation += 1
            self._rules = rules
            LOG.info("reloaded the tokens file: %d tokens", len(rules.tokens))

    def _signature(self) -> _Signature | None:
        """Return a key that changes with the file; None: it is missing, or so new that a write may keep the key."""
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        if 0 <= time.time() - found.st_mtime < _SETTLED_SECONDS:
            return None  # two writes within one tick of the file system's clock look the same
        return found.st_mtime_ns, found.st_ino, found.st_size
