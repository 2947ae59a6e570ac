"""The client's methods about a table's history."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypedDict, Unpack

from lakemuster.client.choices import Choice, moment, query_choice, query_parameters
from lakemuster.client.model import Row
from lakemuster.client.rows import Rows, as_is
from lakemuster.client.transport import Transport, table_path

Bucket = Literal["hour", "day", "week", "month"]


class ExpiryChoice(TypedDict, total=False):
    """The arguments of an expiry; those of the table's own properties where they are missing.

    ``older_than`` is a time with a zone, or text for the server; ``retain_last`` the number of newest snapshots that
    stay. ``cleanup`` is ``reachable`` or ``library`` (Iceberg). ``retain_max``, ``max_deletes``, ``ref`` (a branch) and
    ``paimon`` (the major version that expires) are for Paimon. ``index`` has the server index the needed snapshots
    first, and waits for it.
    """

    older_than: datetime | str | None
    retain_last: int | None
    retain_max: int | None
    max_deletes: int | None
    cleanup: Literal["reachable", "library"]
    paimon: Literal[1, 2]
    ref: str | None
    index: bool


class TableHistory:
    """The part of ``Table`` about its history."""

    name: str
    _transport: Transport

    def diff(self, from_: int | str, to: int | str | None = None, **choice: Unpack[Choice]) -> Rows[Row]:
        """Return the files removed and added between two snapshots, given by id.

        Without ``to``, the second is the snapshot that ``choice`` selects, or the current one.
        """
        params = {"from": str(from_)} if to is None else {"from": str(from_), "to": str(to)}
        asked, size = {**params, **query_choice(choice)}, choice.get("page_size")
        return Rows(self._transport, table_path(self.name, "diff"), asked, as_is, page_size=size)

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
            index: have the server index the needed snapshots first, and wait for it; needs the role ``index``.
            page_size: rows per request.
        """
        params = {
            "from": None if start is None else moment("start", start),
            "to": None if end is None else moment("end", end),
            "bucket": bucket,
            "order": order,
            "ref": ref,
            "index": index or None,
        }
        path = table_path(self.name, "timeline")
        return Rows(self._transport, path, query_parameters(params), as_is, page_size=page_size)

    def expiry(self, **choice: Unpack[ExpiryChoice]) -> Row:
        """Return what an expiry of snapshots would remove now: snapshots, refs, files and bytes, by partition.

        Raises:
            ClientError: ``snapshots_not_indexed`` without ``index``, and others.
        """
        row: Row = self._transport.get(table_path(self.name, "expiry"), _expiry(choice))
        return row

    def expired_files(self, *, page_size: int | None = None, **choice: Unpack[ExpiryChoice]) -> Rows[Row]:
        """Return the files that an expiry of snapshots would remove, one by one."""
        path = table_path(self.name, "expiry", "files")
        return Rows(self._transport, path, _expiry(choice), as_is, page_size=page_size)


def _expiry(choice: ExpiryChoice) -> dict[str, str]:
    older_than = choice.get("older_than")
    members = dict(choice)
    members["older_than"] = None if older_than is None else moment("older_than", older_than)
    members["index"] = choice.get("index") or None
    return query_parameters(members)
