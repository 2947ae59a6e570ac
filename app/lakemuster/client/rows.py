"""Lists of the server, as rows page by page or as an Arrow stream: complete, or an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from lakemuster.client.errors import AnswerIncomplete
from lakemuster.client.model import Row
from lakemuster.client.transport import Transport

if TYPE_CHECKING:
    import pyarrow as pa

    from lakemuster.client.arrow_stream import ArrowStream

T = TypeVar("T")

PAGE_SIZE = 1000
_OF_TABLE = frozenset({"snapshots", "refs", "schemas", "specs"})
"""Lists that belong to the table: a snapshot selects their rows, and their streams name none."""


class Rows(Generic[T]):
    """A list of the server. Each iteration requests it again.

    All rows belong to one snapshot, that of the first page. Iteration ends only at the list's end;
    otherwise it raises ``ClientError``.

    Attributes:
        snapshot_id: the snapshot of the rows read last; None before, and for lists without a snapshot.
        stale: why those rows are not of the newest state; None if they are.
        not_applied: the conjuncts of the list's filter that drop no rows, as ``{"filter", "reason"}``.

    Args:
        path: the list's path; its last segment is the list's key.
        params: the query parameters, without paging.
        convert: converts a row from the server.
        page_size: rows per request.
    """

    def __init__(
        self,
        transport: Transport,
        path: str,
        params: Mapping[str, str],
        convert: Callable[[Row], T],
        *,
        page_size: int | None = None,
    ) -> None:
        self._transport = transport
        self._path = path
        self._key = path.rsplit("/", 1)[-1]
        self._params = dict(params)
        self._convert = convert
        self._page_size = PAGE_SIZE if page_size is None else page_size
        self.snapshot_id: int | None = None
        self.stale: str | None = None
        self.not_applied: list[Row] = []

    def __iter__(self) -> Iterator[T]:
        """Yield the rows, in the server's order.

        Raises:
            ClientError: the server refused or failed, or a page is invalid.
        """
        params = {**self._params, "page_size": str(self._page_size)}
        is_first, snapshot_id = True, None
        while True:
            page = self._transport.get(self._path, params)
            rows = page.get(self._key) if isinstance(page, dict) else None
            if not isinstance(rows, list):
                raise self._incomplete(f"a page without {self._key!r}")
            if is_first:
                snapshot_id = page.get("snapshot_id")
                self._note(snapshot_id, page.get("stale"))
                self.not_applied = page.get("not_applied") or []
                is_first = False
            elif page.get("snapshot_id") != snapshot_id:
                raise self._incomplete("pages of different snapshots")
            for row in rows:
                yield self._converted(row)
            token = page.get("next_page_token")
            if token is None:
                return
            if token == params.get("page_token"):
                raise self._incomplete("the same page twice")
            params["page_token"] = token

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows as Arrow record batches as they arrive, from one request.

        Raises:
            ClientError: the server refused or failed; ``AnswerIncomplete`` if the stream does not end
                with a count that equals its rows, or has another snapshot than the requested one.
        """
        with self._stream() as stream:
            yield from stream

    def to_arrow(self) -> pa.Table:
        """Return the whole list as an Arrow table, whose schema metadata has the ``snapshot_id``.

        Raises:
            ClientError: as for ``batches``.
        """
        with self._stream() as stream:
            return stream.table()

    @contextmanager
    def _stream(self) -> Iterator[ArrowStream]:
        # pyarrow is slow to import, and a program that reads rows does not need it.
        from lakemuster.client.arrow_stream import MEDIA_TYPE, ArrowStream  # noqa: PLC0415

        with self._transport.stream(self._path, self._params, MEDIA_TYPE) as response:
            snapshot_id = response.headers.get("Lakemuster-Snapshot-Id")
            self._note(snapshot_id, response.headers.get("Lakemuster-Stale"))
            if self._key not in _OF_TABLE:
                snapshot_id = self._params.get("snapshot", snapshot_id)
            yield ArrowStream(response.iter_bytes(), snapshot_id=snapshot_id)

    def _converted(self, row: Row) -> T:
        if not isinstance(row, dict):
            raise self._incomplete(f"a row of {self._key!r} that is no JSON object")
        try:
            return self._convert(row)
        except (LookupError, TypeError, ValueError, AttributeError) as cause:
            raise self._incomplete(f"a row of {self._key!r} that lacks fields, or has others") from cause

    def _note(self, snapshot_id: str | None, stale: str | None) -> None:
        try:
            self.snapshot_id = None if snapshot_id is None else int(snapshot_id)
        except (TypeError, ValueError):
            raise self._incomplete("a snapshot id that is no number") from None
        self.stale = stale

    def _incomplete(self, what: str) -> AnswerIncomplete:
        return AnswerIncomplete(f"{self._transport.uri} answered with {what}", code="answer_incomplete")


def as_is(row: Row) -> Row:
    """Return a row as the server sent it."""
    return row
