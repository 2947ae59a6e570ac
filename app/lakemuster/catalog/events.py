"""Read the event log as CloudEvents, filtered, from any position on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lakemuster.errors import CatalogError, RequestInvalid
from lakemuster.event_types import LOST, TYPES
from lakemuster.index.database import Database
from lakemuster.index.events import Event, bounds, read_log
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.wire.documents import dumps, plain
from lakemuster.wire.instants import format_instant

PREVIOUS = "previous_name"
"""The member of a rename event's data with the table's earlier name."""
SOURCE = "/api/v1/events"
BATCH = 500
"""Events read by one query."""
MAX_SCANNED = 10_000
"""Maximum events scanned for one page: a page of a rare type may be short or empty although the log continues."""


@dataclass(frozen=True)
class ClientEvent:
    """An event as clients receive it."""

    event: Event

    def seen_by(self, sees: Callable[[Levels], bool]) -> ClientEvent | None:
        """Return the event for a client that may see some tables only; None if it may not see the event.

        A client that may see only one name of a renamed table receives that the table was registered, or removed.
        """
        now, earlier = sees(self.levels), self.previous
        if earlier is None or (now and sees(earlier)):
            return self if now else None
        event, data = self.event, {"format": self.event.data.get("format")}
        if now:
            return ClientEvent(replace(event, type="table.registered", data=data))
        if sees(earlier):
            return ClientEvent(replace(event, type="table.removed", table=format_name(earlier), data=data))
        return None

    @cached_property
    def previous(self) -> Levels | None:
        """The earlier name of a renamed table."""
        name = self.event.data.get(PREVIOUS)
        return None if name is None else _levels(name)

    @cached_property
    def levels(self) -> Levels:
        """The table's name."""
        return _levels(self.event.table)

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


def _levels(name: str) -> Levels:
    try:
        return parse_name(name)
    except CatalogError:
        # The stored name violates the rules of names: treat it as one level.
        return (name,)


def lost_message(restart: int, after: int, now_ms: int) -> bytes:
    """Return the server-sent event that reports that events are gone; see :func:`lost_document`."""
    return _message(restart, LOST, lost_document(restart, after, now_ms))


def lost_document(restart: int, after: int, now_ms: int) -> dict[str, Any]:
    """Return the CloudEvent that reports that events are gone.

    Args:
        restart: the id after which the log continues.
        after: the last id that the client has seen.
    """
    data = {"after": str(after), "resumed_after": str(restart)}
    return _cloud_event(restart, LOST, None, now_ms, data)


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
    # JSON escapes line breaks, so the document is one line.
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, kind.encode(), dumps(document))


@dataclass(frozen=True, slots=True)
class EventFilter:
    """The events that a client wants; a field that is None does not filter.

    Attributes:
        namespace: the namespace of the tables, or an ancestor of it.
    """

    types: frozenset[str] | None = None
    namespace: Levels | None = None
    table: Levels | None = None

    @classmethod
    def of(cls, types: str | None, namespace: str | None, table: str | None) -> EventFilter:
        """Parse the parameters of a request.

        Raises:
            RequestInvalid: a type does not exist, or a name is invalid.
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

    def shown(self, client_event: ClientEvent, sees: Callable[[Levels], bool] = lambda _: True) -> ClientEvent | None:
        """Return an event as the client receives it; None if the filter excludes it, or the client may not see it.

        Args:
            sees: whether the client may see a table.
        """
        seen = client_event.seen_by(sees)
        if seen is None or (self.types is not None and seen.event.type not in self.types):
            return None
        names = (seen.levels,) if seen.previous is None else (seen.levels, seen.previous)
        return seen if any(map(self._is_of, names)) else None

    def _is_of(self, name: Levels) -> bool:
        within = self.namespace
        is_within = within is None or (len(name) > len(within) and name[: len(within)] == within)
        return is_within and self.table in (None, name)


@dataclass(slots=True)
class EventPage:
    """A page of the log; see ``EventsPage``.

    Attributes:
        restart: the id after which the log continues; None if no events are gone.
    """

    last_id: int
    restart: int | None = None
    more: bool = False
    events: list[ClientEvent] = field(default_factory=list)

    @property
    def lost(self) -> bool:
        """Whether events are gone."""
        return self.restart is not None


def event_id(text: str) -> int:
    """Parse an event's id.

    Raises:
        RequestInvalid: the text is not an id.
    """
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    raise RequestInvalid("an event id is a number that this server assigned")


@dataclass(frozen=True, slots=True)
class EventLog:
    """The event log of an index."""

    database: Database

    def newest_id(self) -> int:
        """Return the id of the newest event; 0 if there was none yet.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        return bounds(self.database).last

    def after(self, position: int) -> tuple[Sequence[ClientEvent], int | None]:
        """Return the next events after an id; if events are missing there, also the id after which the log continues.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        page = read_log(self.database, position, BATCH)
        return [ClientEvent(event) for event in page.events], page.restart

    def page(self, after: int, limit: int, shown: Callable[[ClientEvent], ClientEvent | None]) -> EventPage:
        """Return the next events after an id that the client receives, at most ``limit``.

        Args:
            shown: returns an event as the client receives it, or None; see :meth:`EventFilter.shown`.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        page = EventPage(after)
        scanned = 0
        while scanned < MAX_SCANNED:
            found, restart = self.after(page.last_id)
            if restart is not None:
                page.restart = page.last_id = restart
            if not found:
                return page
            for client_event in found:
                seen = shown(client_event)
                if seen is not None:
                    if len(page.events) == limit:
                        page.more = True
                        return page
                    page.events.append(seen)
                page.last_id = client_event.event.id
            scanned += len(found)
        page.more = True
        return page
