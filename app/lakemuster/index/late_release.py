"""Release leases also if the database does not answer at that moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from lakemuster.errors import IndexUnavailable

_PAUSE_SECONDS = 0.25


def release_soon(release: Callable[[], None], expires_in_seconds: float) -> None:
    """Call ``release`` now; if the database does not answer, again in the background until the lease has expired.

    A database that was away for a second would otherwise keep a table from being refreshed until then.
    """
    try:
        release()
    except IndexUnavailable:
        deadline = time.monotonic() + expires_in_seconds
        threading.Thread(target=_repeat, args=(release, deadline), name="lease-release", daemon=True).start()


def _repeat(release: Callable[[], None], deadline: float) -> None:
    while time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
        try:
            release()
        except IndexUnavailable:
            continue
        return
