"""A clock and a random source for the demo lake's writers: commits are hours apart, and runs are reproducible."""

from __future__ import annotations

import datetime as dt
import random
import time
import uuid
from typing import Any

_chance = random.Random(1)
_now = dt.datetime(2024, 5, 1, 8, tzinfo=dt.UTC)


class Clock(dt.datetime):
    """A ``datetime`` whose ``now`` is the demo's time."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        """Return the demo's time; without a zone, as a naive time in UTC."""
        return _now if tz is not None else _now.replace(tzinfo=None)


def advance(hours: float) -> None:
    """Advance the clock."""
    global _now  # noqa: PLW0603
    _now += dt.timedelta(hours=hours)


def install() -> None:
    """Replace ``time.time`` and ``uuid.uuid4`` of this process with the demo's; its time zone is UTC."""
    time.time = lambda: Clock.now(dt.UTC).timestamp()
    uuid.uuid4 = lambda: uuid.UUID(int=_chance.getrandbits(128), version=4)
