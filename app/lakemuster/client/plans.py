"""Plans: the files that a query must read."""

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


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A part of a plan, for whoever can ask the server. Pickled, it holds no credentials.

    Attributes:
        path: of the plan, on the server.
        question: what was planned.
        token: the part.
        snapshot_id: that all of the plan is of.
    """

    path: str
    question: Mapping[str, object]
    token: str
    snapshot_id: int | None


def redeem(transport: Transport, task: PlanTask) -> tuple[pa.Table, pa.Table]:
    """The data files of a part, and the delete files that their ``deletes`` are rows of."""
    return arrow_tables(transport, task.path, {**task.question, "plan_task": task.token}, task.snapshot_id)


def arrow_tables(
    transport: Transport, path: str, question: Mapping[str, object], snapshot_id: int | None
) -> tuple[pa.Table, pa.Table]:
    """The data files of a plan, and the delete files that their ``deletes`` are rows of.

    Raises:
        ClientError: ``AnswerIncomplete`` when the stream does not close with a count that equals its rows.
    """
    # pyarrow takes long to import, and a program that reads rows needs none of it.
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    from lakemuster.client.arrow_stream import MEDIA_TYPE, ArrowStream  # noqa: PLC0415

    asked = None if snapshot_id is None else str(snapshot_id)
    with transport.stream(path, {}, MEDIA_TYPE, body=dict(question)) as response:
        table = ArrowStream(response.iter_bytes(), snapshot_id=asked).table()
    is_data = pc.is_in(table.column("content"), value_set=pa.array(["data", "changelog"]))
    deletes = table.filter(pc.invert(is_data)).drop_columns(["deletes", "residual"])
    return table.filter(is_data), deletes


class Plan:
    """The files of one snapshot that rows matching a filter can be in, and the delete files that apply to them.

    It was asked for when it was made: its snapshot and what it says of the whole are known. Files are read when
    they are first looked at; ``to_arrow`` is for plans of very many.

    Attributes:
        snapshot_id: of all its files; None for a table without snapshots.
        applied: the conjuncts of the filter that can drop files.
        not_applied: the others, as ``{"filter", "reason"}``.
        counts: the whole plan in numbers, before any limit: ``files``, ``records``, ``bytes`` …
        stale: why it is not of the newest state; None when it is.

    Raises:
        ClientError: on making, ``filter_invalid`` among others; on reading, as for every list.
    """

    def __init__(self, transport: Transport, path: str, question: Mapping[str, object], page_size: int | None) -> None:
        self._transport = transport
        self._path = path
        self._question = dict(question)
        self._page_size = PAGE_SIZE if page_size is None else page_size
        self._first = self._page({**self._question, "page_size": self._page_size})
        snapshot_id = self._first["snapshot_id"]
        self.snapshot_id: int | None = None if snapshot_id is None else int(snapshot_id)
        self.applied: list[str] = self._first["applied"]
        self.not_applied: list[Row] = self._first["not_applied"]
        self.counts: Row = self._first["counts"]
        self.stale: str | None = self._first["stale"]

    def __repr__(self) -> str:
        return f"Plan({self._path.split('/')[-2]!r}, snapshot_id={self.snapshot_id}, files={self.counts.get('files')})"

    @cached_property
    def files(self) -> list[Row]:
        """The data files; ``deletes`` are places in :attr:`deletes`, ``residual`` what is left to ask of the rows."""
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
        """The server's pages, in order; each numbers its own delete files.

        Raises:
            ClientError: the server refused or failed, or a page is of another snapshot.
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
        """The plan in parts, which readers elsewhere can ask for one by one; see ``Client.redeem``.

        Args:
            files: about so many in each part; 10,000 if left out. What must be read together is in one part.

        Raises:
            ClientError: as of ``pages``; ``request_invalid`` for a plan with a limit.
        """
        question = self._pinned()
        sized = question if files is None else {**question, "task_files": files}
        answer = self._transport.ask(f"{self._path}/tasks", sized)
        if not isinstance(answer, dict) or not isinstance(answer.get("plan_tasks"), list):
            raise self._incomplete("a plan without 'plan_tasks'")
        if answer["snapshot_id"] != self._first["snapshot_id"]:
            raise self._incomplete("a plan of another snapshot")
        return [PlanTask(self._path, question, token, self.snapshot_id) for token in answer["plan_tasks"]]

    def to_arrow(self) -> pa.Table:
        """The data files as an Arrow table; ``deletes`` are rows of :meth:`deletes_to_arrow`.

        Raises:
            ClientError: as of ``pages``; ``AnswerIncomplete`` when the stream does not close with a count that
                equals its rows, or when a branch that was asked for has moved since.
        """
        return self._tables[0]

    def deletes_to_arrow(self) -> pa.Table:
        """The delete files as an Arrow table.

        Raises:
            ClientError: as of ``to_arrow``.
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
        """The question, for the snapshot that was planned. The id alone would not name a branch of Paimon's."""
        question = dict(self._question)
        if self.snapshot_id is None or question.get("ref") is not None:
            return question
        question.pop("as_of", None)
        key = "snapshot_id" if question.get("start_snapshot_id") is None else "end_snapshot_id"
        return {**question, key: str(self.snapshot_id)}

    def _page(self, question: Mapping[str, object]) -> Row:
        page = self._transport.ask(self._path, question)
        if not isinstance(page, dict) or not isinstance(page.get("files"), list):
            raise self._incomplete("a page without 'files'")
        return page

    def _incomplete(self, what: str) -> AnswerIncomplete:
        return AnswerIncomplete(f"{self._transport.uri} answered with {what}", code="answer_incomplete")
