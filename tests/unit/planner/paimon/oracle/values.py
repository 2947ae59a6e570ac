"""Few, close values of column types, so that constants and bounds collide; and casts of them.

Values are in Paimon's internal form, dates in days; decimals are ``Decimal``.
"""

from __future__ import annotations

import math
from decimal import Decimal
from random import Random
from typing import Any

POOLS: dict[str, list[Any]] = {
    "BOOLEAN": [False, True],
    "SMALLINT": [-2, -1, 0, 1, 2, 9, 10, 11],
    "INT": [-2, -1, 0, 1, 2, 9, 10, 11],
    "BIGINT": [-2, -1, 0, 1, 2, 9, 10, 11, 2**31 + 1],
    "DOUBLE": [-math.inf, -1.5, -0.0, 0.0, 0.5, 2.0, math.inf, math.nan],
    "DECIMAL(4, 1)": [Decimal(n).scaleb(-1) for n in (-21, -11, -1, 0, 1, 10, 19)],
    "DATE": [-366, -1, 0, 1, 30, 365],
    "STRING": ["", "a", "aa", "ab", "abc", "abd", "b", "ba", "é", "\ud7ff", "\U0001d11e", "\U0001d11ea", "\U0010ffff"],
    "NUMERAL": ["-2", "-1", "0", "1", "2", "9", "10", "11"],
}
"""Values by type. ``NUMERAL`` is a STRING of numerals, so that it can be cast to a number."""

INTEGERS = ("SMALLINT", "INT", "BIGINT")
KEYS = ("INT", "BIGINT", "STRING", "DATE")
CASTS: dict[str, list[str]] = {
    "SMALLINT": ["INT", "BIGINT", "NUMERAL"],
    "INT": ["BIGINT", "NUMERAL", "DOUBLE"],
    "BIGINT": ["NUMERAL"],
    "NUMERAL": ["INT", "BIGINT"],
    "DECIMAL(4, 1)": ["NUMERAL"],
}
"""The types to which a column's type may change."""


def chance(rng: Random, percent: int) -> bool:
    """Return True with a probability of ``percent`` percent."""
    return rng.randrange(100) >= 100 - percent


def declared(of: str) -> str:
    """Return the type that a schema declares."""
    return "STRING" if of == "NUMERAL" else of


def some_value(rng: Random, of: str, *, nulls: bool = True) -> Any:
    if nulls and chance(rng, 18):
        return None
    return rng.choice(POOLS[of])


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def cast(value: Any, old: str, new: str) -> Any:
    """Return a value cast from an old column type to a new one, as SQL's CAST does."""
    if value is None or old == new or declared(old) == declared(new):
        return value
    if declared(new) == "STRING":
        return str(value)
    if new == "DOUBLE":
        return float(value)
    return int(value)


def ordered(values: list[Any]) -> tuple[Any, Any]:
    """Return minimum and maximum in Java's order: text by UTF-8 bytes, -0.0 below 0.0, NaN last."""
    least = sorted(values, key=place)
    return least[0], least[-1]


def place(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, float):
        return (is_nan(value), 0.0 if is_nan(value) else value, math.copysign(1.0, value))
    return value


def internal(value: Any) -> Any:
    """Return a value in the form that a BinaryRow stores."""
    return int(value.scaleb(1)) if isinstance(value, Decimal) else value


def truncated(least: str, greatest: str, length: int) -> tuple[str | None, str | None]:
    """Return bounds of at most ``length`` code points: a prefix, and a prefix with its last code point raised."""
    if len(greatest) <= length:
        return least[:length], greatest
    for end in range(length, 0, -1):
        point = ord(greatest[end - 1]) + 1
        point = 0xE000 if 0xD800 <= point <= 0xDFFF else point
        if point <= 0x10FFFF:
            return least[:length], greatest[: end - 1] + chr(point)
    return None, None


def shown(value: Any, of: str) -> str:
    """Return a value as SQL text."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if of == "DATE":
        import datetime as dt

        return f"DATE '{dt.date(1970, 1, 1) + dt.timedelta(days=value)}'"
    if isinstance(value, float) and (is_nan(value) or math.isinf(value)):
        return f"CAST('{value}' AS DOUBLE)"
    return str(value)
