"""Parse and format instants: RFC 3339 as text, milliseconds since 1970-01-01 UTC internally."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from lakemuster.errors import RequestInvalid
from lakemuster.metadata.values import timestamp_text

_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+\- ])(\d\d):(\d\d))", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LARGEST = 2**63 - 1


def parse_instant(text: str) -> int:
    """Return milliseconds since 1970-01-01 UTC, from an RFC 3339 time or from such a number.

    A space before the offset counts as a plus sign, which decoding a query string turns into a space. Digits beyond
    milliseconds are truncated.

    Raises:
        RequestInvalid: neither; a time without an offset is not an instant.
    """
    if re.fullmatch(r"-?[0-9]{1,19}", text):
        number = int(text)
        if abs(number) <= _LARGEST:
            return number
    match = _RFC3339.fullmatch(text)
    try:
        if match is not None:
            return _milliseconds(match)
    except (ValueError, OverflowError):
        pass
    raise RequestInvalid("a time is RFC 3339 with an offset (2024-05-01T00:00:00Z), or milliseconds since 1970")


def _milliseconds(match: re.Match[str]) -> int:
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    leap, second = (1, 59) if second == 60 else (0, second)
    zone = UTC
    if match[9] is not None:
        offset = timedelta(hours=int(match[10]), minutes=int(match[11]))
        zone = timezone(-offset if match[9] == "-" else offset)
    instant = datetime(year, month, day, hour, minute, second, tzinfo=zone)
    whole = (instant - _EPOCH) // timedelta(milliseconds=1)
    return whole + 1000 * leap + int((match[7] or "")[:3].ljust(3, "0"))


def format_instant(milliseconds: int) -> str:
    """Format an instant as RFC 3339 in UTC, with milliseconds."""
    return timestamp_text(milliseconds, "ms") + "Z"
