"""Read the event log: as CloudEvents, filtered, from any of its events on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lakemuster.errors import CatalogError, RequestInvalid
from lakemuster.event_types import LOST, TYPES
from lakemuster.index.database import Database
from lakemuster.index.events import Event, bounds, read_log
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.wire.documents import dumps, plain
from lakemuster.wire.instants import format_instant

SOURCE = "/api/v1/events"
BATCH = 500
"""Events that are read at a time."""
MAX_SCANNED = 10_000
"""Events of the log that one page looks at; a page of a rare type may be short, or empty, and the log go on."""


@dataclass(frozen=True)
class Told:
    """An event as clients get it."""

    event: Event

    @cached_property
    def levels(self) -> Levels:
        """The table's name."""
        try:
            return parse_name(self.event.table)
        except CatalogError:
            # It was registered past the rules of names.
            return (self.event.table,)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The CloudEvent."""
        event = self.event
        data = dict(event.data)
        if (committed_at_ms := data.pop("committed_at_ms", None)) is not None:
            data["committed_at"] = format_instant(committed_at_ms)
        about = {"table": event.table, "namespace": format_name(self.levels[:-1]), **data}
        return _cloud_event(event.id, event.type, event.table, event.at_ms, about)

    @cached_property
    def message(self) -> bytes:
        """The message of a server-sent event."""
        return _message(self.event.id, self.event.type, self.document)


def lost_message(restart: int, after: int, now_ms: int) -> bytes:
    """Return the message that tells a client that events are gone.

    Args:
        restart: the id after which the log goes on.
        after: the id that the client has seen last.
    """
    data = {"after": str(after), "resumed_after": str(restart)}
    return _message(restart, LOST, _cloud_event(restart, LOST, None, now_ms, data))


def _cloud_event(number: int, kind: str, subject: str | None, at_ms: int, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "specversion": "1.0",
        "id": str(number),
        "source": SOURCE,
        "type": kind,
        "subject": subject,
        "time": format_instant(at_ms),
        "datacontenttype": "application/json",
        "data": plain(data),
    }


def _message(number: int, kind: str, document: dict[str, Any]) -> bytes:
    # The JSON is one line: it escapes line ends.
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, kind.encode(), dumps(document))


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events a client wants. None: all.

    Attributes:
        namespace: of the tables, or an ancestor of it.
    """

    types: frozenset[str] | None = None
    namespace: Levels | None = None
    table: Levels | None = None

    @classmethod
    def of(cls, types: str | None, namespace: str | None, table: str | None) -> EventFilter:
        """Parse the parameters of a request.

        Raises:
            RequestInvalid: a type does not exist, or a name is none.
        """
        chosen = None if types is None else frozenset(word.strip() for word in types.split(","))
        unknown = sorted((chosen or frozenset()).difference(TYPES))
        if unknown:
            raise RequestInvalid(f"no event has this type; types are {', '.join(TYPES)}", types=unknown)
        return cls(
            chosen,
            None if namespace is None else parse_name(namespace),
            None if table is None else parse_name(table),
        )

    def takes(self, told: Told) -> bool:
        """Whether the client wants an event."""
        if self.types is not None and told.event.type not in self.types:
            return False
        if self.table is not None and told.levels != self.table:
            return False
        within = self.namespace
        return within is None or (len(told.levels) > len(within) and told.levels[: len(within)] == within)


@dataclass(slots=True)
class EventPage:
    """A page of the log; see ``EventsPage``."""

    last_id: int
    lost: bool = False
    more: bool = False
    events: list[Told] = field(default_factory=list)


def event_id(text: str) -> int:
    """Parse an event's id.

    Raises:
        RequestInvalid: it is none.
    """
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    raise RequestInvalid("an event id is a number that this server gave")


@dataclass(frozen=True, slots=True)
class EventLog:
    """The event log of an index."""

    database: Database

    def newest_id(self) -> int:
        """Return the id of the newest event; 0 before the first.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        return bounds(self.database).last

    def after(self, position: int) -> tuple[Sequence[Told], int | None]:
        """Return the next events after an id; and, if those are gone, after which id the log goes on.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        page = read_log(self.database, position, BATCH)
        return [Told(event) for event in page.events], page.restart

    def page(self, after: int, limit: int, wanted: Callable[[Told], bool]) -> EventPage:
        """Return the next events after an id that are wanted, at most ``limit``.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        page = EventPage(after)
        scanned = 0
        while scanned < MAX_SCANNED:
            found, restart = self.after(page.last_id)
            if restart is not None:
                page.lost, page.last_id = True, restart
            if not found:
                return page
            for told in found:
                if wanted(told):
                    if len(page.events) == limit:
                        page.more = True
                        return page
                    page.events.append(told)
                page.last_id = told.event.id
            scanned += len(found)
        page.more = True
        return page
