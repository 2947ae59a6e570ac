"""Read pages of S3 listings in the form of botocore's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from lakemuster.storage.backend import ListedPage, StorageEntry


def listed_page(answer: Mapping[str, Any], start: int) -> ListedPage:
    """Return the objects of a page; keys that end in a slash, which stand for folders, are left out.

    Args:
        start: the length of the prefix, in characters.
    """
    entries = [
        StorageEntry(item["Key"][start:], item["Size"], False, milliseconds(item.get("LastModified")))
        for item in answer.get("Contents", ())
        if not item["Key"].endswith("/")
    ]
    return ListedPage(entries, _date(answer))


def milliseconds(moment: object) -> int | None:
    """Return a time as milliseconds since the Unix epoch; None if it is none."""
    return int(moment.timestamp() * 1000) if isinstance(moment, datetime) else None


def _date(answer: Mapping[str, Any]) -> int | None:
    """Return the time in an answer's header ``Date``, which is the store's own."""
    headers = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    try:
        return milliseconds(parsedate_to_datetime(headers["date"]))
    except (KeyError, TypeError, ValueError):
        return None
