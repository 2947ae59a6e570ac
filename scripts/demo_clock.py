"""The clock and the dice that the demo lake's writers are given: its commits lie hours apart, the same every time."""

from __future__ import annotations

import datetime as dt
import random
import time
import uuid
from typing import Any

_chance = random.Random(1)
_now = dt.datetime(2024, 5, 1, 8, tzinfo=dt.UTC)


class Clock(dt.datetime):
    """A ``datetime`` whose now is the demo's."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        """The demo's now; without a zone the writers mean the machine's, here UTC."""
        return _now if tz is not None else _now.replace(tzinfo=None)


def advance(hours: float) -> None:
    """Let time pass."""
    global _now  # noqa: PLW0603
    _now += dt.timedelta(hours=hours)


def install() -> None:
    """Make ``time.time`` and ``uuid.uuid4`` of this process the demo's; its time zone UTC."""
    time.time = lambda: Clock.now(dt.UTC).timestamp()
    uuid.uuid4 = lambda: uuid.UUID(int=_chance.getrandbits(128), version=4)
