"""What the client asks about a table's history."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from lakemuster.client.choices import moment
from lakemuster.client.model import Row
from lakemuster.client.rows import Rows
from lakemuster.client.transport import Transport, table_path

Bucket = Literal["hour", "day", "week", "month"]


class TableHistory:
    """The part of ``Table`` about its history."""

    name: str
    _transport: Transport

    def timeline(
        self,
        start: datetime | str | None = None,
        end: datetime | str | None = None,
        *,
        bucket: Bucket | None = None,
        order: Literal["asc", "desc"] = "desc",
        ref: str | None = None,
        index: bool = False,
        page_size: int | None = None,
    ) -> Rows[Row]:
        """Return what each commit added and removed, and the totals that it left.

        Figures are exact, or None with the ``reason``.

        Args:
            start, end: from this commit time to before that one, times with a zone, or text that the server parses.
            bucket: a row for each period in UTC instead of each commit.
            order: by time; newest first by default.
            ref: a branch or tag; main by default.
            index: have the snapshots that are needed indexed first, and wait for it; needs the role ``index``.
            page_size: rows per request.
        """
        params = {
            "from": None if start is None else moment("start", start),
            "to": None if end is None else moment("end", end),
            "bucket": bucket,
            "order": order,
            "ref": ref,
            "index": "true" if index else None,
        }
        path = table_path(self.name, "timeline")
        return Rows(self._transport, path, given(params), as_is, page_size=page_size)


def given(params: Mapping[str, str | None]) -> dict[str, str]:
    """Drop the parameters that are None: the server's defaults apply."""
    return {name: value for name, value in params.items() if value is not None}


def as_is(row: Row) -> Row:
    """Return a row as the server sent it."""
    return row
