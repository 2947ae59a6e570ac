"""Events of a server: an iterator that continues where a broken connection ended."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Self

from lakemuster.client.choices import listed_names
from lakemuster.client.errors import AnswerIncomplete, ClientError, ServerUnreachable
from lakemuster.client.model import Row

if TYPE_CHECKING:
    from lakemuster.client.transport import Transport

MEDIA_TYPE = "text/event-stream"
MAX_EVENT_CHARACTERS = 16 * 2**20
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


class EventPage(tuple[list[Row], str, bool]):  # noqa: SLOT001 - a tuple has no slots for attributes
    """A page of the event log: the events, the id to continue after, and whether there are more already.

    Attributes:
        lost: whether events after the requested id are no longer in the log.
    """

    lost: bool

    @classmethod
    def of(cls, page: Row) -> Self:
        """Build from a response."""
        found = cls((page["events"], page["last_event_id"], page["more"]))
        found.lost = page["lost"]
        return found


class Events:
    """The part of ``Client`` about events."""

    _transport: Transport

    def events(
        self,
        *,
        after: int | str | None = None,
        types: Iterable[str] | None = None,
        namespace: str | None = None,
        table: str | None = None,
    ) -> Iterator[Row]:
        """Yield events as they arrive, without end: CloudEvents as dictionaries, oldest first.

        A broken connection is reopened, and no event is skipped: ``events.lost`` tells if the server has deleted
        events meanwhile. To continue later, pass the last event's ``id`` as ``after``.

        Args:
            after: begin after the event of this id; None: now.
            types: ``table.committed`` and others; all if None.
            namespace: the namespace of the tables, or an ancestor.
            table: the name of one table.

        Raises:
            ClientError: the server refuses the request, or answers with something else than events. If it is busy or
                unreachable, the request is repeated.
        """
        params = _params(types, namespace, table)
        position = None if after is None else str(after)
        pause = _FIRST_PAUSE
        while True:
            try:
                params |= {} if position is None else {"after": position}
                with self._transport.stream("/events", params, MEDIA_TYPE) as response:
                    if response.headers.get("Content-Type", MEDIA_TYPE).partition(";")[0].strip() != MEDIA_TYPE:
                        raise _no_events(f"{self._transport.uri} sends no events: is it a Lakemuster server?")
                    for number, data in messages(lines(response.iter_text())):
                        position, pause = number or position, _FIRST_PAUSE
                        if data:
                            yield _event(data)
            except ClientError as error:
                if not _ends_by_itself(error):
                    raise
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, _LONGEST_PAUSE)

    def event_page(
        self,
        after: int | str | None = None,
        *,
        types: Iterable[str] | None = None,
        namespace: str | None = None,
        table: str | None = None,
    ) -> EventPage:
        """Return a page of the event log, for programs that poll.

        Args:
            after: the id that the last page returned; None: the log from its oldest event; ``latest``: from now on.

        Returns:
            the events, the id to continue after, and whether there are more already; its attribute ``lost`` is true
            if events after ``after`` are no longer in the log.

        Raises:
            ClientError: see ``client.errors``.
        """
        params = _params(types, namespace, table) | ({} if after is None else {"after": str(after)})
        return EventPage.of(self._transport.get("/events", params))


def _params(types: Iterable[str] | None, namespace: str | None, table: str | None) -> dict[str, str]:
    chosen = listed_names(types)
    given = {"type": None if chosen is None else ",".join(chosen), "namespace": namespace, "table": table}
    return {name: value for name, value in given.items() if value is not None}


def _ends_by_itself(error: ClientError) -> bool:
    if error.status is None:
        return isinstance(error, ServerUnreachable | AnswerIncomplete)
    return error.status >= 500 or error.status == 429


def _event(data: str) -> Row:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        raise _no_events("the server sent an event that is no JSON object")
    return event


def _no_events(message: str) -> AnswerIncomplete:
    # With a status below 500, the request is not repeated.
    return AnswerIncomplete(message, code="answer_incomplete", status=200)


def lines(texts: Iterable[str]) -> Iterator[str]:
    """Divide a text that arrives in parts into lines, at line feeds only: JSON may contain other separators."""
    kept: list[str] = []
    size = 0
    for text in texts:
        first, *others = text.split("\n")
        kept.append(first)
        size = len(others[-1]) if others else size + len(first)
        if size > MAX_EVENT_CHARACTERS:
            raise _no_events(f"the server sent a line of more than {MAX_EVENT_CHARACTERS} characters")
        for other in others:
            yield "".join(kept).removesuffix("\r")
            kept = [other]


def messages(lines: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """Parse server-sent events: yield the id and the data of each message; data is empty where only the id moves."""
    number: str | None = None
    data: list[str] = []
    size = 0
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if number is not None or data:
                yield number, "\n".join(data)
            number, data, size = None, [], 0
        elif name == "id":
            number = value
        elif name == "data":
            data.append(value)
            size += len(value)
            if size > MAX_EVENT_CHARACTERS:
                raise _no_events(f"the server sent an event of more than {MAX_EVENT_CHARACTERS} characters")
