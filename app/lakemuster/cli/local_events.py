"""The event log of the local index as the data of commands."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from lakemuster.catalog.events import EventFilter, EventLog, event_id, lost_document
from lakemuster.catalog.services import Services
from lakemuster.catalog.webhook_documents import dead_letters_page
from lakemuster.cli.sources import EVENTS_LOST, EventQuery, Notice, Row
from lakemuster.errors import IndexUnavailable

PAGE_SIZE = 1000
POLL_SECONDS = 1.0


def page(services: Services, query: EventQuery, after: str) -> tuple[Sequence[Row], str]:
    """Return some events after an id, and the id to continue after; if events are gone, the first is that."""
    position = event_id(after)
    found = _log(services).page(position, PAGE_SIZE, _filter(query).shown)
    documents = [told.document for told in found.events]
    if found.restart is not None:
        documents.insert(0, lost_document(found.restart, position, round(time.time() * 1000)))
    return documents, str(found.last_id)


def events(services: Services, query: EventQuery, notice: Notice) -> Iterator[Row]:
    """Yield the events that the log has now, oldest first."""
    wanted, position, more = _filter(query), event_id(query.after or "0"), True
    while more:
        found = _log(services).page(position, PAGE_SIZE, wanted.shown)
        if found.lost and (query.after is not None or position):
            notice(EVENTS_LOST)
        yield from (told.document for told in found.events)
        position, more = found.last_id, found.more


def follow(services: Services, query: EventQuery) -> Iterator[Row]:
    """Yield events as the log gets them, without end; from now on if the query names no event.

    Raises:
        IndexUnavailable: the database does not answer at the start; later, its return is waited for.
    """
    position = newest(services) if query.after is None else query.after
    found, position = page(services, query, position)
    while True:
        yield from found
        if not found:
            time.sleep(POLL_SECONDS)
        try:
            found, position = page(services, query, position)
        except IndexUnavailable:
            found = ()


def dead_letters(services: Services, webhook: str) -> Iterator[Row]:
    """Yield a webhook's dead letters, oldest first."""
    after, more = "0", True
    while more:
        found = dead_letters_page(services, webhook, after, PAGE_SIZE)
        yield from found.dead_letters
        after, more = found.last_id, found.more


def newest(services: Services) -> str:
    """Return the id of the newest event."""
    return str(_log(services).newest_id())


def _log(services: Services) -> EventLog:
    return EventLog(services.index.database)


def _filter(query: EventQuery) -> EventFilter:
    return EventFilter.of(query.types, query.namespace, query.table)
