from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.metadata.values import civil, date_text, days_of, from_json_value, json_value, timestamp_text

BOOLEAN = Primitive(Kind.BOOLEAN, "boolean")
INT = Primitive(Kind.INT, "int")
LONG = Primitive(Kind.LONG, "long")
FLOAT = Primitive(Kind.FLOAT, "float")
DOUBLE = Primitive(Kind.DOUBLE, "double")
MONEY = Primitive(Kind.DECIMAL, "decimal(15, 2)", precision=15, scale=2)
WIDE = Primitive(Kind.DECIMAL, "decimal(38, 38)", precision=38, scale=38)
HUNDREDS = Primitive(Kind.DECIMAL, "decimal(9, -2)", precision=9, scale=-2)
DATE = Primitive(Kind.DATE, "date")
TIME = Primitive(Kind.TIME, "time")
TIMESTAMP = Primitive(Kind.TIMESTAMP, "timestamp")
TIMESTAMP_MS = Primitive(Kind.TIMESTAMP, "TIMESTAMP(3)", unit="ms")
TIMESTAMP_NS = Primitive(Kind.TIMESTAMP, "timestamp_ns", unit="ns")
TIMESTAMPTZ = Primitive(Kind.TIMESTAMPTZ, "timestamptz")
TIMESTAMPTZ_NS = Primitive(Kind.TIMESTAMPTZ, "timestamptz_ns", unit="ns")
STRING = Primitive(Kind.STRING, "string")
BINARY = Primitive(Kind.BINARY, "binary")
FIXED = Primitive(Kind.FIXED, "fixed[4]", length=4)
UUID_TYPE = Primitive(Kind.UUID, "uuid")

SPECIFIED = [
    (BOOLEAN, True, True),
    (INT, 34, 34),
    (LONG, 34, 34),
    (FLOAT, 1.0, 1.0),
    (DOUBLE, 1.0, 1.0),
    (MONEY, Decimal("14.20"), "14.20"),
    (HUNDREDS, Decimal("2E+2"), "2E+2"),
    (DATE, 17486, "2017-11-16"),
    (TIME, 81068123456, "22:31:08.123456"),
    (TIMESTAMP, 1510871468123456, "2017-11-16T22:31:08.123456"),
    (TIMESTAMPTZ, 1510871468123456, "2017-11-16T22:31:08.123456+00:00"),
    (TIMESTAMP_NS, 1510871468123456789, "2017-11-16T22:31:08.123456789"),
    (TIMESTAMPTZ_NS, 1510871468123456789, "2017-11-16T22:31:08.123456789+00:00"),
    (STRING, "iceberg", "iceberg"),
    (UUID_TYPE, UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7"), "f79c3e09-677c-4bbd-a479-3f349cb785e7"),
    (FIXED, b"\x00\x01\x02\xff", "000102ff"),
    (BINARY, b"\x00\x01\x02\xff", "000102ff"),
]

OURS = [
    (LONG, 2**53, 2**53),
    (LONG, 2**53 + 1, "9007199254740993"),
    (LONG, -(2**63), "-9223372036854775808"),
    (FLOAT, struct.unpack("<f", struct.pack("<f", 0.1))[0], 0.10000000149011612),
    (FLOAT, 3.4028234663852886e38, 3.4028234663852886e38),
    (DOUBLE, math.inf, "Infinity"),
    (FLOAT, -math.inf, "-Infinity"),
    (MONEY, Decimal("-0.05"), "-0.05"),
    (MONEY, Decimal("0.00"), "0.00"),
    (WIDE, Decimal(1).scaleb(-38), "0." + "0" * 37 + "1"),
    (DATE, -1, "1969-12-31"),
    (DATE, -719528, "0000-01-01"),
    (DATE, -719529, "-0001-12-31"),
    (DATE, 2932897, "+10000-01-01"),
    (TIMESTAMP, -1, "1969-12-31T23:59:59.999999"),
    (TIMESTAMP_MS, 1, "1970-01-01T00:00:00.001"),
    (TIMESTAMP, 2**63 - 1, "+294247-01-10T04:00:54.775807"),
    (TIMESTAMP, -(2**63), "-290308-12-21T19:59:05.224192"),
    (STRING, 'quote " and \U0001f600', 'quote " and \U0001f600'),
    (BINARY, b"", ""),
]


@pytest.mark.parametrize(("of", "internal", "shown"), SPECIFIED + OURS)
def test_a_value_has_its_json_form_and_comes_back(of, internal, shown):
    assert json_value(of, internal) == shown
    assert type(json_value(of, internal)) is type(shown)
    assert repr(from_json_value(of, shown)) == repr(internal)


def test_nan_is_text_and_comes_back_as_nan():
    assert json_value(DOUBLE, math.nan) == "NaN"
    assert math.isnan(from_json_value(DOUBLE, "NaN"))  # type: ignore[arg-type]


def test_null_stays_null():
    assert json_value(DATE, None) is None
    assert from_json_value(DATE, None) is None


def test_raw_uuid_bytes_are_shown_as_a_uuid():
    assert json_value(UUID_TYPE, bytes(range(16))) == "00010203-0405-0607-0809-0a0b0c0d0e0f"


def test_a_value_of_another_python_type_is_refused():
    with pytest.raises(TypeError):
        json_value(DATE, date(2024, 1, 1))


INTERNAL = {
    BOOLEAN: st.booleans(),
    INT: st.integers(-(2**31), 2**31 - 1),
    LONG: st.integers(-(2**63), 2**63 - 1),
    FLOAT: st.floats(width=32, allow_nan=False),
    DOUBLE: st.floats(allow_nan=False),
    MONEY: st.integers(-(10**15) + 1, 10**15 - 1).map(lambda n: Decimal(n).scaleb(-2)),
    HUNDREDS: st.integers(-(10**9) + 1, 10**9 - 1).map(lambda n: Decimal(n).scaleb(2)),
    DATE: st.integers(-(2**31), 2**31 - 1),
    TIME: st.integers(0, 86_400_000_000 - 1),
    TIMESTAMP: st.integers(-(2**63), 2**63 - 1),
    TIMESTAMP_MS: st.integers(-(2**62), 2**62),
    TIMESTAMPTZ: st.integers(-(2**63), 2**63 - 1),
    TIMESTAMP_NS: st.integers(-(2**63), 2**63 - 1),
    TIMESTAMPTZ_NS: st.integers(-(2**63), 2**63 - 1),
    STRING: st.text(),
    BINARY: st.binary(),
    FIXED: st.binary(min_size=4, max_size=4),
    UUID_TYPE: st.uuids(),
}


@given(st.sampled_from(list(INTERNAL)).flatmap(lambda of: st.tuples(st.just(of), INTERNAL[of])))
def test_every_value_survives_json(pair):
    of, internal = pair
    if of is TIMESTAMP_MS:
        internal %= 2**40  # keeps years within four digits
    shown = orjson.loads(orjson.dumps(json_value(of, internal)))
    back = from_json_value(of, shown)
    assert back == internal
    assert not isinstance(internal, float) or math.copysign(1, back) == math.copysign(1, internal)  # type: ignore[arg-type]


@given(st.dates())
def test_dates_are_those_of_python(day):
    days = (day - date(1970, 1, 1)).days
    assert date_text(days) == day.isoformat()
    assert civil(days) == (day.year, day.month, day.day)


@given(st.datetimes())
def test_timestamps_are_those_of_python(moment):
    micros = (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)  # noqa: DTZ001
    assert timestamp_text(micros, "us") == moment.isoformat(timespec="microseconds")
    assert from_json_value(TIMESTAMP, moment.isoformat()) == micros


@given(st.times())
def test_times_are_those_of_python(clock):
    micros = ((clock.hour * 60 + clock.minute) * 60 + clock.second) * 10**6 + clock.microsecond
    assert json_value(TIME, micros) == clock.isoformat(timespec="microseconds")
    assert from_json_value(TIME, clock.isoformat()) == micros


@given(st.integers(-(2**31), 2**31 - 1))
def test_days_of_any_year_are_those_of_numpy(days):
    year, month, day = civil(days)
    months = np.datetime64(days, "D").astype("datetime64[M]")
    assert year == int(np.datetime64(days, "D").astype("datetime64[Y]").astype(np.int64)) + 1970
    assert month == int(months.astype(np.int64)) % 12 + 1
    assert day == int((np.datetime64(days, "D") - months.astype("datetime64[D]")).astype(np.int64)) + 1
    assert days_of(year, month, day) == days


@given(st.datetimes(timezones=st.sampled_from([UTC])), st.integers(-18 * 60, 18 * 60))
def test_any_zone_is_read_as_utc(moment, offset):
    micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    sign, minutes = "-" if offset < 0 else "+", abs(offset)
    local = timestamp_text(micros + offset * 60 * 10**6, "us")
    assert from_json_value(TIMESTAMPTZ, f"{local}{sign}{minutes // 60:02d}:{minutes % 60:02d}") == micros


def test_shorter_forms_are_read():
    assert from_json_value(TIMESTAMPTZ, "1970-01-01T00:00Z") == 0
    assert from_json_value(TIME, time(1, 2).isoformat("minutes")) == 3720 * 10**6
    assert from_json_value(MONEY, "3") == Decimal("3.00")
    assert from_json_value(MONEY, "1.2e1") == Decimal("12.00")
    assert from_json_value(LONG, "17") == 17
    assert from_json_value(DOUBLE, 3) == 3.0
    assert from_json_value(UUID_TYPE, "F79C3E09-677C-4BBD-A479-3F349CB785E7") == UUID(
        "f79c3e09-677c-4bbd-a479-3f349cb785e7"
    )


@pytest.mark.parametrize(
    ("of", "value"),
    [
        (BOOLEAN, 1),
        (INT, True),
        (INT, 2**31),
        (INT, 1.0),
        (LONG, 2**63),
        (LONG, "1_000"),
        (LONG, "٣"),
        (FLOAT, 1e39),
        (FLOAT, "1.0"),
        (DOUBLE, 10**400),
        (MONEY, "1.234"),
        (MONEY, "10000000000000.00"),
        (MONEY, "NaN"),
        (MONEY, "1e9999"),
        (MONEY, 1.5),
        (DATE, "2023-02-29"),
        (DATE, "2023-13-01"),
        (DATE, "+99999999-01-01"),
        (DATE, "2023-1-1"),
        (TIME, "24:00:00"),
        (TIME, "12:00:00.1234567"),
        (TIMESTAMP, "2023-01-01"),
        (TIMESTAMP, "2023-01-01T00:00:00Z"),
        (TIMESTAMPTZ, "2023-01-01T00:00:00"),
        (TIMESTAMP_NS, "2500-01-01T00:00:00"),
        (STRING, 1),
        (UUID_TYPE, "f79c3e09"),
        (FIXED, "0001"),
        (BINARY, "xyz"),
        (BINARY, 1),
    ],
)
def test_what_is_no_value_of_the_type_is_refused(of, value):
    with pytest.raises(ValueError):  # noqa: PT011
        from_json_value(of, value)
