"""The periods of time that partition values stand for."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.partition import PartitionField
from lakemuster.metadata.partition_periods import period_of

INSTANTS = st.datetimes(
    dt.datetime(1900, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    dt.datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(dt.UTC),
)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def field(name: str, transform: str = "identity") -> PartitionField:
    return PartitionField(1000, name, transform, (1,))


def ends(value: object, transform: str = "identity") -> tuple[str, str] | None:
    found = period_of([field("x", transform)], {"x": value}, ())
    if found is None:
        return None
    first, last = (EPOCH + dt.timedelta(milliseconds=at) for at in (found.start_ms, found.end_ms))
    return first.strftime("%Y-%m-%dT%H"), last.strftime("%Y-%m-%dT%H")


@pytest.mark.parametrize(
    ("value", "transform", "expected"),
    [
        (54, "year", ("2024-01-01T00", "2025-01-01T00")),
        (-1, "month", ("1969-12-01T00", "1970-01-01T00")),
        (649, "month", ("2024-02-01T00", "2024-03-01T00")),
        ("2024-02-29", "day", ("2024-02-29T00", "2024-03-01T00")),
        (476_000, "hour", ("2024-04-20T08", "2024-04-20T09")),
        ("2024-12-31", "identity", ("2024-12-31T00", "2025-01-01T00")),
        ("20240501", "identity", ("2024-05-01T00", "2024-05-02T00")),
        (20240501, "identity", ("2024-05-01T00", "2024-05-02T00")),
        ("2024-12", "identity", ("2024-12-01T00", "2025-01-01T00")),
        ("2024-05-01 13", "identity", ("2024-05-01T13", "2024-05-01T14")),
        ("2024-05-01T23:00:00", "identity", ("2024-05-01T23", "2024-05-02T00")),
        ("2024-02-30", "identity", None),
        ("2024-13", "identity", None),
        ("2024-05-01 25", "identity", None),
        ("eu", "identity", None),
        ("2024-05-01", "truncate[10]", None),
        (7, "bucket[16]", None),
        (10**20, "year", None),
        (None, "day", None),
        (True, "identity", None),
        (1.5, "identity", None),
    ],
)
def test_a_value_names_a_period(value: object, transform: str, expected: tuple[str, str] | None) -> None:
    assert ends(value, transform) == expected


def test_fields_are_chosen_or_joined() -> None:
    fields = [field("region"), field("dt"), field("hh")]
    values = {"region": "eu", "dt": "2024-05-01", "hh": "07"}
    first = period_of(fields, values, ())
    assert first == period_of(fields, values, ["dt"])
    joined = period_of(fields, values, ["dt", "hh"])
    assert first is not None
    assert joined is not None
    assert (joined.start_ms - first.start_ms, joined.end_ms - joined.start_ms) == (7 * 3_600_000, 3_600_000)
    assert period_of(fields, values, ["region"]) is None
    assert period_of(fields, {**values, "hh": None}, ["dt", "hh"]) is None


@given(at=INSTANTS)
def test_an_instant_is_in_the_period_of_its_partition(at: dt.datetime) -> None:
    """The expected values come from the calendar, by the definitions of Iceberg's transforms."""
    since = at - EPOCH
    values = {
        "year": at.year - 1970,
        "month": (at.year - 1970) * 12 + at.month - 1,
        "day": at.date().isoformat(),
        "hour": since // dt.timedelta(hours=1),
    }
    for transform, value in values.items():
        found = period_of([field("x", transform)], {"x": value}, ())
        assert found is not None
        assert found.start_ms <= since / dt.timedelta(milliseconds=1) < found.end_ms
