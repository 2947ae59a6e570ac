"""Browser sessions in one process: cached from the database, and renewed at the OpenID provider."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from lakemuster.api.sign_in.code_flow import CodeFlow
from lakemuster.catalog.browser_sessions import BrowserSessions, Credentials, Session, digest_of
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import IdentityUnavailable, NotAuthenticated

REMEMBERED_SECONDS = 5.0
"""How long a session is cached: a sign-out at another process takes effect within that time."""
MAX_REMEMBERED = 10_000
RENEWED_SECONDS = 30.0
"""Time before its expiry at which a token is renewed."""
_THREADS = 8

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Remembered:
    session: Session
    until: float


class Sessions:
    """The sessions of browsers. Belongs to one event loop.

    Args:
        flow: renews tokens; None if there is no OpenID provider.
    """

    def __init__(self, stored: BrowserSessions, flow: CodeFlow | None = None, clock: Clock = SYSTEM) -> None:
        self._stored, self._flow, self._clock = stored, flow, clock
        self._remembered: OrderedDict[str, _Remembered] = OrderedDict()
        self._renewals: dict[str, asyncio.Task[Credentials | None]] = {}
        self._threads: CapacityLimiter | None = None

    async def begin(self, credentials: Credentials) -> str:
        """Start a session; return its cookie's value. Raises: IndexUnavailable."""
        return await self._in_thread(lambda: self._stored.begin(credentials))

    async def token(self, cookie: str) -> str | None:
        """Return the bearer token of a session; None: there is no such session, or its token cannot be renewed.

        Raises:
            IndexUnavailable: the database does not respond.
            IdentityUnavailable: the token has expired, and the OpenID provider does not respond.
        """
        session = await self._session(cookie)
        if session is None:
            return None
        credentials: Credentials | None = session.credentials
        if session.credentials.refresh_token is not None and self._left(session.credentials) < RENEWED_SECONDS:
            credentials = await self._renewed(cookie)
        return None if credentials is None else credentials.token

    async def end(self, cookie: str) -> None:
        """End a session. Raises: IndexUnavailable."""
        self._remembered.pop(digest_of(cookie), None)
        await self._in_thread(lambda: self._stored.end(cookie))

    async def _session(self, cookie: str, *, anew: bool = False) -> Session | None:
        name, now = digest_of(cookie), self._clock.monotonic()
        found = self._remembered.get(name)
        if found is not None and now < found.until and not anew:
            return found.session
        session = await self._in_thread(lambda: self._stored.read(cookie))
        if session is None:
            self._remembered.pop(name, None)
            return None
        self._remembered[name] = _Remembered(session, now + REMEMBERED_SECONDS)
        self._remembered.move_to_end(name)
        while len(self._remembered) > MAX_REMEMBERED:
            self._remembered.popitem(last=False)
        return session

    async def _renewed(self, cookie: str) -> Credentials | None:
        """Renew a session's token; concurrent requests share one renewal."""
        name = digest_of(cookie)
        renewal = self._renewals.get(name)
        if renewal is None:
            renewal = self._renewals[name] = asyncio.get_running_loop().create_task(self._renew(cookie))
            renewal.add_done_callback(lambda _: self._renewals.pop(name, None))
        return await asyncio.shield(renewal)

    async def _renew(self, cookie: str) -> Credentials | None:
        # Another process may have renewed it.
        session = await self._session(cookie, anew=True)
        if session is None or self._left(session.credentials) >= RENEWED_SECONDS:
            return None if session is None else session.credentials
        refresh_token = session.credentials.refresh_token
        if refresh_token is None or self._flow is None:
            return session.credentials
        try:
            credentials = await self._flow.refresh(refresh_token)
        except IdentityUnavailable:
            if self._left(session.credentials) > 0:
                return session.credentials
            raise
        except NotAuthenticated:
            again = await self._session(cookie, anew=True)
            if again is not None and again.sealed != session.sealed:
                return again.credentials
            await self.end(cookie)
            return None
        await self._in_thread(lambda: self._stored.change(cookie, session, credentials))
        again = await self._session(cookie, anew=True)
        return None if again is None else again.credentials

    def _left(self, credentials: Credentials) -> float:
        """Return the seconds until a token expires."""
        if credentials.expires_at is None:
            return float("inf")
        return credentials.expires_at - self._clock.wall_ms() / 1000

    async def _in_thread(self, work: Callable[[], T]) -> T:
        # Separate threads: requests about tables may occupy all others.
        self._threads = self._threads or CapacityLimiter(_THREADS)
        return await to_thread.run_sync(work, limiter=self._threads)
