"""Events of a server: an iterator that continues where a broken connection ended."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lakemuster.client.errors import ClientError
from lakemuster.client.model import Row

if TYPE_CHECKING:
    from lakemuster.client.transport import Transport

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


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
            ClientError: the server refuses the request. If it is busy or unreachable, the request is repeated.
        """
        params = _params(types, namespace, table)
        position = None if after is None else str(after)
        pause = _FIRST_PAUSE
        while True:
            try:
                params |= {} if position is None else {"after": position}
                with self._transport.stream("/events", params, "text/event-stream") as response:
                    for number, data in messages(lines(response.iter_text())):
                        position, pause = number or position, _FIRST_PAUSE
                        if data:
                            yield json.loads(data)
            except ClientError as error:
                if error.status is not None and error.status < 500 and error.status != 429:
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
    ) -> tuple[list[Row], str, bool]:
        """Return a page of the event log, for programs that poll.

        Args:
            after: the id that the last page returned; None: the log from its oldest event; ``latest``: from now on.

        Returns:
            the events, the id to continue after, and whether there are more already.

        Raises:
            ClientError: see ``client.errors``.
        """
        params = _params(types, namespace, table) | ({} if after is None else {"after": str(after)})
        page = self._transport.get("/events", params)
        return page["events"], page["last_event_id"], page["more"]


def _params(types: Iterable[str] | None, namespace: str | None, table: str | None) -> dict[str, str]:
    given = {"type": None if types is None else ",".join(types), "namespace": namespace, "table": table}
    return {name: value for name, value in given.items() if value is not None}


def lines(texts: Iterable[str]) -> Iterator[str]:
    """Divide a text that arrives in parts into lines, at line feeds only: JSON may contain other separators."""
    kept: list[str] = []
    for text in texts:
        first, *others = text.split("\n")
        kept.append(first)
        for other in others:
            yield "".join(kept).removesuffix("\r")
            kept = [other]


def messages(lines: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """Parse server-sent events: yield the id and the data of each message; data is empty where only the id moves."""
    number: str | None = None
    data: list[str] = []
    for line in lines:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if number is not None or data:
                yield number, "\n".join(data)
            number, data = None, []
        elif name == "id":
            number = value
        elif name == "data":
            data.append(value)
