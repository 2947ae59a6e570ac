"""Release leases, with retries in the background if the database does not answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from lakemuster.errors import IndexUnavailable

_PAUSE_SECONDS = 0.25


def release_soon(release: Callable[[], None], expires_in_seconds: float) -> None:
    """Call ``release``; if the database does not answer, retry in the background until the lease has expired.

    Otherwise an outage of a second would block refreshes of a table until its lease expires.
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
