"""Parse dates, times and timestamps written as text, to the picosecond."""

from __future__ import annotations

import re

from lakemuster.metadata.values import days_of

DAY = 86_400 * 10**12
"""A day in picoseconds."""

_DATE = re.compile(r"([+-]?\d{4,9})-(\d{1,2})-(\d{1,2})", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?", re.ASCII)
_ZONE = re.compile(r"\s?(?:(?:Z|UTC|GMT)|([+-])(\d\d):?(\d\d)?)$", re.ASCII | re.IGNORECASE)


class IncomparableTypesError(ValueError):
    """The constant cannot be compared with the type; the message says why, in half a sentence."""


def parse_date(text: str) -> int:
    """Parse an ISO 8601 date; return the days since 1970-01-01.

    Raises:
        IncomparableTypesError: not a date.
    """
    match = _DATE.fullmatch(text.strip())
    try:
        if match is not None:
            return days_of(int(match[1]), int(match[2]), int(match[3]))
    except ValueError as cause:
        raise IncomparableTypesError(f"{text[:60]!r} is not a day of the calendar") from cause
    raise IncomparableTypesError(f"{text[:60]!r} is not a date such as '2024-01-31'")


def parse_time(text: str) -> int:
    """Parse an ISO 8601 time of day; return the picoseconds since midnight.

    Raises:
        IncomparableTypesError: not a time of day.
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None or int(match[1]) > 23 or int(match[2]) > 59 or int(match[3] or 0) > 59:
        raise IncomparableTypesError(f"{text[:60]!r} is not a time of day such as '23:59:59.999'")
    seconds = (int(match[1]) * 60 + int(match[2])) * 60 + int(match[3] or 0)
    return seconds * 10**12 + int((match[4] or "").ljust(12, "0"))


def parse_timestamp(text: str) -> tuple[int, bool]:
    """Parse an ISO 8601 date or timestamp; return picoseconds since 1970 (UTC if zoned), and whether it has a zone.

    Raises:
        IncomparableTypesError: not a timestamp.
    """
    text = text.strip()
    if len(text) > 100:
        raise IncomparableTypesError(f"{text[:60]!r} is not a timestamp")
    date = _DATE.match(text)
    if date is None:
        raise IncomparableTypesError(f"{text[:60]!r} is not a timestamp such as '2024-01-31 23:59:59'")
    picoseconds, rest = parse_date(date[0]) * DAY, text[date.end() :]
    if not rest:
        return picoseconds, False
    if rest[0] not in " Tt":
        raise IncomparableTypesError(f"{text[:60]!r} is not a timestamp such as '2024-01-31 23:59:59'")
    zone = _ZONE.search(rest)
    picoseconds += parse_time(rest[1 : zone.start()] if zone else rest[1:])
    if zone is None:
        return picoseconds, False
    minutes = int(zone[2] or 0) * 60 + int(zone[3] or 0)
    if minutes > 18 * 60:
        raise IncomparableTypesError(f"{text[:60]!r} has an unknown time zone")
    return picoseconds - (minutes if zone[1] == "+" else -minutes) * 60 * 10**12, True
