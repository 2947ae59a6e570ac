"""Periods of time agree with Python's calendar in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lakemuster.catalog.periods import period_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


@given(MOMENTS)
def test_a_moment_is_in_its_period_as_the_calendar_says(moment: datetime) -> None:
    hour = moment.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    week = day - timedelta(days=day.weekday())
    month = day.replace(day=1)
    expected = {
        "hour": (hour, hour + timedelta(hours=1)),
        "day": (day, day + timedelta(days=1)),
        "week": (week, week + timedelta(days=7)),
        "month": (month, (month + timedelta(days=32)).replace(day=1)),
    }
    for period, (start, end) in expected.items():
        assert period_of(milliseconds(moment), period) == (milliseconds(start), milliseconds(end))  # type: ignore[arg-type]


@given(st.integers(-(2**62), 2**62))
def test_every_number_of_a_hostile_clock_has_a_period(moment_ms: int) -> None:
    for period in ("hour", "day", "week", "month"):
        start, end = period_of(moment_ms, period)  # type: ignore[arg-type]
        assert start <= moment_ms < end
