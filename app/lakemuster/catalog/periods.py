"""Periods of time in UTC: hours, days, weeks from Monday on, months."""

from __future__ import annotations

from typing import Literal

import numpy as np

Period = Literal["hour", "day", "week", "month"]

_HOUR_MS = 3_600_000
_LENGTHS: dict[Period, int] = {"hour": _HOUR_MS, "day": 24 * _HOUR_MS, "week": 7 * 24 * _HOUR_MS}
_MONDAY_MS = -3 * 24 * _HOUR_MS
"""The Monday before 1970-01-01, a Thursday."""


def period_of(moment_ms: int, period: Period) -> tuple[int, int]:
    """Return the start and the exclusive end of the period that contains a moment; all in Unix epoch milliseconds."""
    if period == "month":
        month = np.datetime64(moment_ms, "ms").astype("datetime64[M]")
        return _milliseconds(month), _milliseconds(month + np.timedelta64(1, "M"))
    length, origin = _LENGTHS[period], _MONDAY_MS if period == "week" else 0
    start = moment_ms - (moment_ms - origin) % length
    return start, start + length


def _milliseconds(month: np.datetime64) -> int:
    return int(month.astype("datetime64[ms]").astype(np.int64))
