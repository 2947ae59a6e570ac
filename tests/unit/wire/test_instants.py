"""Instants as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import RequestInvalid
from lakemuster.wire.instants import format_instant, parse_instant

ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.integers(-62_000_000_000, 253_000_000_000), ZONES)
def test_a_time_in_any_zone_is_its_instant(seconds: int, zone: timezone) -> None:
    moment = (EPOCH + timedelta(seconds=seconds)).astimezone(zone)
    assert parse_instant(moment.isoformat()) == seconds * 1000


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_a_written_instant_reads_back(milliseconds: int) -> None:
    assert parse_instant(format_instant(milliseconds)) == milliseconds
    assert parse_instant(str(milliseconds)) == milliseconds


def test_a_plus_sign_that_a_query_string_lost_is_understood() -> None:
    assert parse_instant("2024-05-01T02:00:00 02:00") == parse_instant("2024-05-01T00:00:00Z") == 1714521600000


def test_a_leap_second_is_the_second_after() -> None:
    assert parse_instant("2016-12-31T23:59:60Z") == parse_instant("2017-01-01T00:00:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2024-05-01",
        "2024-05-01T00:00:00",
        "2024-13-01T00:00:00Z",
        "2024-05-01T00:00:00+99:00",
        "9" * 19 + "9",
        "9999999999999999999",
        "1e3",
        "٣",
        "2024-05-01T00:00:00Z\n",
    ],
)
def test_what_names_no_instant_is_refused(text: str) -> None:
    with pytest.raises(RequestInvalid):
        parse_instant(text)
