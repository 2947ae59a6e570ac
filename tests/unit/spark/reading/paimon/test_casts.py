"""Casts of values whose column's type has changed, by Java's rules; expected values are written by hand."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.formats.paimon.types import parse_type
from lakemuster.metadata.types import Primitive
from lakemuster.spark.reading.paimon.casts import NotCastable, cast_primitive
from lakemuster.spark.reading.paimon.schemas import spark_type

NAN, INF = float("nan"), float("inf")
MOMENT = dt.datetime(2024, 1, 2, 3, 4, 5, 600)  # noqa: DTZ001 - a zone-less column


def of(text: str) -> Primitive:
    parsed = parse_type(text, 0)[0]
    assert isinstance(parsed, Primitive)
    return parsed


def cast(value: Any, source: str, target: str) -> Any:
    made = cast_primitive(pa.array([value, None], spark_type(of(source))), of(source), of(target))
    if made is None:
        return "unknown"
    assert made.type == spark_type(of(target))
    found, null = made.to_pylist()
    assert null is None
    return found


@pytest.mark.parametrize(
    ("source", "target", "value", "expected"),
    [
        ("INT", "BIGINT", -5, -5),
        ("BIGINT", "INT", 2**40 + 5, 5),
        ("INT", "TINYINT", 200, -56),
        ("BIGINT", "FLOAT", 2**60 + 1, float(2**60)),
        ("FLOAT", "DOUBLE", 0.5, 0.5),
        ("DOUBLE", "FLOAT", 1e300, INF),
        ("DOUBLE", "INT", -1.9, -1),
        ("DOUBLE", "INT", 1e30, 2**31 - 1),
        ("DOUBLE", "BIGINT", -1e30, -(2**63)),
        ("DOUBLE", "BIGINT", 1e30, 2**63 - 1),
        ("DOUBLE", "BIGINT", NAN, 0),
        ("DOUBLE", "TINYINT", 1e30, -1),
        ("INT", "DECIMAL(3, 1)", 99, Decimal("99.0")),
        ("INT", "DECIMAL(3, 1)", 100, None),
        ("DECIMAL(9, 2)", "DECIMAL(3, 1)", Decimal("1.25"), Decimal("1.3")),
        ("DECIMAL(9, 2)", "DECIMAL(3, 1)", Decimal("-1.25"), Decimal("-1.3")),
        ("DECIMAL(9, 2)", "DECIMAL(3, 1)", Decimal("99.95"), None),
        ("DECIMAL(38, 0)", "DECIMAL(38, 10)", Decimal(10**27), Decimal(10**27)),
        ("DECIMAL(9, 2)", "INT", Decimal("-7.99"), -7),
        ("DECIMAL(20, 0)", "INT", Decimal(2**40 + 9), 9),
        ("DECIMAL(9, 2)", "DOUBLE", Decimal("0.07"), 0.07),
        ("DECIMAL(9, 2)", "STRING", Decimal("0.10"), "0.10"),
        ("DECIMAL(10, 9)", "STRING", Decimal("1E-9"), "0.000000001"),
        ("DECIMAL(10, 9)", "VARCHAR(5)", Decimal("0E-9"), "0.000"),
        ("BOOLEAN", "DOUBLE", True, 1.0),
        ("BOOLEAN", "STRING", False, "false"),
        ("INT", "BOOLEAN", -2, True),
        ("INT", "STRING", -12, "-12"),
        ("INT", "CHAR(5)", -12, "-12  "),
        ("INT", "VARCHAR(2)", 123, "12"),
        ("STRING", "CHAR(3)", "𝄞é", "𝄞é "),
        ("STRING", "VARCHAR(1)", "𝄞é", "𝄞"),
        ("STRING", "BINARY(4)", "é", b"\xc3\xa9\0\0"),
        ("BYTES", "VARBINARY(2)", b"abc", b"ab"),
        ("BYTES", "STRING", "é".encode(), "é"),
        ("STRING", "INT", "+12.9", 12),
        ("STRING", "TINYINT", "-128", -128),
        ("STRING", "DOUBLE", "1.5e3", 1500.0),
        ("STRING", "BOOLEAN", "YES", True),
        ("STRING", "DECIMAL(5, 2)", "1e2", Decimal("100.00")),
        ("STRING", "DECIMAL(4, 2)", "1e2", None),
        ("STRING", "DATE", "0001-02-03", dt.date(1, 2, 3)),
        ("DATE", "STRING", dt.date(1, 2, 3), "0001-02-03"),
        ("DATE", "TIMESTAMP(6)", dt.date(1969, 12, 31), dt.datetime(1969, 12, 31)),  # noqa: DTZ001
        ("TIMESTAMP(6)", "STRING", MOMENT, "2024-01-02 03:04:05.000600"),
        ("TIMESTAMP(3)", "STRING", MOMENT.replace(microsecond=0), "2024-01-02 03:04:05.000"),
        ("TIMESTAMP(0)", "STRING", MOMENT.replace(microsecond=0), "2024-01-02 03:04:05"),
        ("TIMESTAMP(3)", "TIMESTAMP(6)", MOMENT, MOMENT),
        ("TIMESTAMP(6)", "DATE", MOMENT, dt.date(2024, 1, 2)),
        ("TIMESTAMP(6)", "TIME(3)", MOMENT, 11_045_000),
        ("TIME(3)", "TIMESTAMP(3)", 1001, dt.datetime(1970, 1, 1, 0, 0, 1, 1000)),  # noqa: DTZ001
    ],
)
def test_values(source: str, target: str, value: Any, expected: Any) -> None:
    found = cast(value, source, target)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("DOUBLE", "STRING"),
        ("FLOAT", "DECIMAL(9, 2)"),
        ("STRING", "FLOAT"),
        ("STRING", "TIMESTAMP(6)"),
        ("TIMESTAMP(6)", "TIMESTAMP(3)"),
        ("TIMESTAMP(6)", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("TIMESTAMP(6) WITH LOCAL TIME ZONE", "STRING"),
        ("TIMESTAMP(9)", "STRING"),
        ("TIMESTAMP(6)", "VARCHAR(30)"),
        ("DATE", "INT"),
        ("BYTES", "INT"),
    ],
)
def test_ways_that_are_not_known(source: str, target: str) -> None:
    assert cast(None, source, target) == "unknown"


@pytest.mark.parametrize(
    ("source", "target", "value"),
    [
        ("STRING", "INT", " 1"),
        ("STRING", "INT", ""),
        ("STRING", "INT", "-"),
        ("STRING", "INT", "1e3"),
        ("STRING", "INT", "3000000000"),
        ("STRING", "DOUBLE", "0x1p3"),
        ("STRING", "DECIMAL(5, 2)", "1_0"),
        ("STRING", "BOOLEAN", "on"),
        ("STRING", "DATE", "2024-2-3"),
        ("STRING", "DATE", "2023-02-29"),
        ("BYTES", "STRING", b"\xff"),
        ("TIMESTAMP(6)", "DATE", dt.datetime(1969, 12, 31, 23)),  # noqa: DTZ001
    ],
)
def test_values_that_cannot_be_cast(source: str, target: str, value: Any) -> None:
    with pytest.raises(NotCastable):
        cast(value, source, target)
