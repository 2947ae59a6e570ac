"""Repeat work of a job while the database or the segment store does not answer.

A job may take hours, so a restart of the database, or a store that refuses requests for a moment, must not end it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from lakemuster.errors import IndexUnavailable

OUTAGE_SECONDS = 120.0
"""Duration of an outage after which a job ends."""
PAUSE_SECONDS = 1.0

T = TypeVar("T")


def through_outages(work: Callable[[], T]) -> T:
    """Return the result of work that may be repeated.

    Raises:
        IndexUnavailable: the database or the segment store has not answered for ``OUTAGE_SECONDS``.
    """
    until = time.monotonic() + OUTAGE_SECONDS
    while True:
        try:
            return work()
        except IndexUnavailable:
            if time.monotonic() >= until:
                raise
        time.sleep(PAUSE_SECONDS)
