"""The period of time that a partition's values name, such as a day.

Values have the JSON single-value form. Periods are in UTC.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from lakemuster.metadata.partition import PartitionField

_TEXT = re.compile(
    r"(?P<year>[0-9]{4})-?(?P<month>[0-9]{2})(?:-?(?P<day>[0-9]{2})(?:[ T_-]?(?P<hour>[0-9]{2})(?::?00){0,2})?)?"
)
"""``2024-05``, ``2024-05-01``, ``2024-05-01 13``, each also without separators."""


@dataclass(frozen=True, slots=True)
class Period:
    """A period, its end exclusive; milliseconds since 1970-01-01 UTC."""

    start_ms: int
    end_ms: int


def period_of(fields: Sequence[PartitionField], values: Mapping[str, object], names: Sequence[str]) -> Period | None:
    """Return the period of a partition; None if its values name none.

    Args:
        fields: of the table's default spec.
        values: of the partition, by name.
        names: the fields that name the period: one, or several whose texts follow each other, such as a day and an
            hour. Empty: the first field that names a period.
    """
    by_name = {field.name: field for field in fields}
    if len(names) > 1:
        texts = [values.get(name) for name in names]
        return None if None in texts else _of_text(" ".join(map(str, texts)))
    for name in names or tuple(by_name):
        field = by_name.get(name)
        found = None if field is None else _of_value(field.transform, values.get(name))
        if found is not None:
            return found
    return None


def _of_value(transform: str, value: object) -> Period | None:
    if value is None or isinstance(value, bool | float):
        return None
    try:
        match transform:
            case "year":
                return _between(datetime(1970 + int(str(value)), 1, 1, tzinfo=UTC), _next_year)
            case "month":
                years, months = divmod(int(str(value)), 12)
                return _between(datetime(1970 + years, 1 + months, 1, tzinfo=UTC), _next_month)
            case "hour":
                return Period(int(str(value)) * 3_600_000, (int(str(value)) + 1) * 3_600_000)
            case "day" | "identity":
                return _of_text(str(value))
            case _:
                return None
    except (ValueError, OverflowError):
        return None


def _of_text(text: str) -> Period | None:
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"] or 1))
        start = datetime(day.year, day.month, day.day, int(found["hour"] or 0), tzinfo=UTC)
        if found["day"] is None:
            return _between(start, _next_month)
        length = timedelta(days=1) if found["hour"] is None else timedelta(hours=1)
        return _between(start, lambda at: at + length)
    except (ValueError, OverflowError):
        return None


def _between(start: datetime, following: Callable[[datetime], datetime]) -> Period:
    return Period(_ms(start), _ms(following(start)))


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def _next_month(at: datetime) -> datetime:
    return at + timedelta(days=monthrange(at.year, at.month)[1])


def _next_year(at: datetime) -> datetime:
    return at.replace(year=at.year + 1)
