"""Plans of the client: the files that a query must read, as rows, Arrow tables or plan tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lakemuster.client.errors import AnswerIncomplete
from lakemuster.client.model import Row
from lakemuster.client.transport import Transport
from lakemuster.wire.delete_numbering import DeleteNumbers

if TYPE_CHECKING:
    import pyarrow as pa

PAGE_SIZE = 1000
_NAMING = ("filter", "select", "stats")
"""Members of a request that name columns. Pinned, the snapshot's own schema may have other names than the newest."""


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A part of a plan, for a process with access to the server. A pickled task contains no credentials.

    Attributes:
        path: the plan's path on the server.
        question: the plan's request.
        token: the token of the part.
        snapshot_id: the snapshot of the whole plan.
    """

    path: str
    question: Mapping[str, object]
    token: str
    snapshot_id: int | None


def redeem(transport: Transport, task: PlanTask) -> tuple[pa.Table, pa.Table]:
    """Return the data files of a plan task, and the delete files that their ``deletes`` index."""
    return arrow_tables(transport, task.path, {**task.question, "plan_task": task.token}, task.snapshot_id)


def arrow_tables(
    transport: Transport, path: str, question: Mapping[str, object], snapshot_id: int | None
) -> tuple[pa.Table, pa.Table]:
    """Return the data files of a plan, and the delete files that their ``deletes`` index.

    Raises:
        ClientError: ``AnswerIncomplete`` if the stream does not end with a count that equals its rows.
    """
    # pyarrow is slow to import, and a program that reads rows does not need it.
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    from lakemuster.client.arrow_stream import MEDIA_TYPE, ArrowStream  # noqa: PLC0415

    expected = None if snapshot_id is None else str(snapshot_id)
    table = transport.read_stream(
        path, MEDIA_TYPE, dict(question), lambda chunks: ArrowStream(chunks, snapshot_id=expected).table()
    )
    is_data = pc.is_in(table.column("content"), value_set=pa.array(["data", "changelog"]))
    deletes = table.filter(pc.invert(is_data)).drop_columns(["deletes", "residual"])
    return table.filter(is_data), deletes


class Plan:
    """The files of one snapshot that may hold rows matching a filter, and the delete files that apply to them.

    The constructor requests the first page, so the snapshot and totals are known. Further files are requested when
    they are first accessed; use ``to_arrow`` for very large plans.

    Attributes:
        snapshot_id: the snapshot of all files; None for a table without snapshots.
        applied: the conjuncts of the filter that can drop files.
        not_applied: the others, as ``{"filter", "reason"}``.
        counts: totals of the whole plan, before any limit: ``files``, ``records``, ``bytes`` …
        stale: why the plan is not of the newest state; None if it is.

    Raises:
        ClientError: from the constructor, ``filter_invalid`` and others; on reading, as for every list.
    """

    def __init__(self, transport: Transport, path: str, question: Mapping[str, object], page_size: int | None) -> None:
        self._transport = transport
        self._path = path
        self._question = dict(question)
        self._page_size = PAGE_SIZE if page_size is None else page_size
        self._first = self._page({**self._question, "page_size": self._page_size})
        try:
            snapshot_id = self._first["snapshot_id"]
            self.snapshot_id: int | None = None if snapshot_id is None else int(snapshot_id)
            self.applied: list[str] = self._first["applied"]
            self.not_applied: list[Row] = self._first["not_applied"]
            self.counts: Row = self._first["counts"]
            self.stale: str | None = self._first["stale"]
        except (KeyError, TypeError, ValueError):
            raise self._incomplete("a plan that lacks fields, or has others") from None

    def __repr__(self) -> str:
        return f"Plan({self._path.split('/')[-2]!r}, snapshot_id={self.snapshot_id}, files={self.counts.get('files')})"

    @cached_property
    def files(self) -> list[Row]:
        """The data files; ``deletes`` are indexes into :attr:`deletes`, ``residual`` is the filter left for rows."""
        return self._all[0]

    @cached_property
    def deletes(self) -> list[Row]:
        """The delete files that apply to some data file of the plan."""
        return self._all[1]

    @cached_property
    def paths(self) -> list[str]:
        """The locations of the data files."""
        return [file["file_path"] for file in self.files]

    def pages(self) -> Iterator[Row]:
        """Yield the server's pages, in order; each numbers its own delete files.

        Raises:
            ClientError: the server refused or failed, or a page has another snapshot.
        """
        page, question = self._first, {**self._question, "page_size": self._page_size}
        while True:
            yield page
            token = page["next_page_token"]
            if token is None:
                return
            if token == question.get("page_token"):
                raise self._incomplete("the same page twice")
            question["page_token"] = token
            page = self._page(question)
            if page["snapshot_id"] != self._first["snapshot_id"]:
                raise self._incomplete("pages of different snapshots")

    def tasks(self, files: int | None = None) -> list[PlanTask]:
        """Divide the plan into parts that other readers can request separately; see ``Client.redeem``.

        Args:
            files: the approximate number of files in a part; default 10,000. Files to be read together share a part.

        Raises:
            ClientError: as for ``pages``; ``request_invalid`` for a plan with a limit.
        """
        question = self._pinned()
        sized = question if files is None else {**question, "task_files": files}
        answer = self._transport.query(f"{self._path}/tasks", sized)
        if not isinstance(answer, dict) or not isinstance(answer.get("plan_tasks"), list):
            raise self._incomplete("a plan without 'plan_tasks'")
        if answer["snapshot_id"] != self._first["snapshot_id"]:
            raise self._incomplete("a plan of another snapshot")
        return [PlanTask(self._path, question, token, self.snapshot_id) for token in answer["plan_tasks"]]

    def to_arrow(self) -> pa.Table:
        """Return the data files as an Arrow table; ``deletes`` are row numbers of :meth:`deletes_to_arrow`.

        Raises:
            ClientError: as for ``pages``; ``AnswerIncomplete`` if the stream does not end with a count that
                equals its rows, or if the requested branch has moved since.
        """
        return self._tables[0]

    def deletes_to_arrow(self) -> pa.Table:
        """Return the delete files as an Arrow table.

        Raises:
            ClientError: as for ``to_arrow``.
        """
        return self._tables[1]

    @cached_property
    def _all(self) -> tuple[list[Row], list[Row]]:
        numbers = DeleteNumbers()
        files = [file for page in self.pages() for file in numbers.files(page)]
        return files, numbers.rows

    @cached_property
    def _tables(self) -> tuple[pa.Table, pa.Table]:
        return arrow_tables(self._transport, self._path, self._pinned(), self.snapshot_id)

    def _pinned(self) -> dict[str, object]:
        """Return the request, pinned to the planned snapshot; a ``ref`` stays, since ids are per branch in Paimon."""
        question = dict(self._question)
        schema_id = self._first.get("schema_id")
        if schema_id is not None and not question.keys().isdisjoint(_NAMING):
            question["schema_id"] = schema_id
        if self.snapshot_id is None or question.get("ref") is not None:
            return question
        question.pop("as_of", None)
        key = "snapshot_id" if question.get("start_snapshot_id") is None else "end_snapshot_id"
        return {**question, key: str(self.snapshot_id)}

    def _page(self, question: Mapping[str, object]) -> Row:
        page = self._transport.query(self._path, question)
        if not isinstance(page, dict) or not isinstance(page.get("files"), list):
            raise self._incomplete("a page without 'files'")
        return page

    def _incomplete(self, what: str) -> AnswerIncomplete:
        return AnswerIncomplete(f"{self._transport.uri} answered with {what}", code="answer_incomplete")
