"""The event log: the changes of tables, in one total order.

An event is written in the transaction of the change that it reports. Ids are consecutive. They are assigned in the last
step of the transaction, under a row lock that is held until it ends. So a smaller id never becomes visible after a
larger one, and a transaction that waits for this lock cannot deadlock with its holder, which needs no further locks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, delete, event, func, select, update
from sqlalchemy.orm import Session

from lakemuster.event_types import EventType
from lakemuster.index.database import Database, NowMs
from lakemuster.index.encoding import decode, encode
from lakemuster.index.orm_events import EventRow, EventSequenceRow
from lakemuster.index.statements import insert_all, insert_new

_PENDING = "lakemuster_events"
_SEQUENCE = 1


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to write.

    Attributes:
        table: the table's name.
        data: further details of the event.
    """

    type: EventType
    table: str
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Event:
    """An event of the log.

    Attributes:
        at_ms: when it was written, by the database's clock.
    """

    id: int
    type: str
    table: str
    at_ms: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The extent of the log.

    Attributes:
        first: the id of the oldest event that is still stored; ``last + 1`` if none is.
        last: the id of the newest event ever written; 0 before the first.
    """

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Page:
    """A contiguous part of the log.

    Attributes:
        restart: None if the events follow the requested id. Otherwise the events that followed it were deleted, or the
            log never had this id, and the events follow the id ``restart``.
    """

    events: tuple[Event, ...]
    restart: int | None = None


def record(session: Session, events: Sequence[NewEvent]) -> None:
    """Write events when the session's transaction commits, after all its other statements."""
    if not events:
        return
    pending: list[NewEvent] = session.info.setdefault(_PENDING, [])
    if not pending:
        event.listen(session, "before_commit", _append, once=True)
    pending += events


def _append(session: Session) -> None:
    session.flush()
    events: list[NewEvent] = session.info.pop(_PENDING)
    last, now_ms = _take_ids(session, len(events))
    first = last - len(events) + 1
    rows = [
        {"id": first + at, "type": one.type, "table_name": one.table, "at_ms": now_ms, "document": encode(one.data)}
        for at, one in enumerate(events)
    ]
    insert_all(session, EventRow, rows)


def _take_ids(session: Session, number: int) -> tuple[int, int]:
    """Lock the sequence until the transaction ends; return its new last id, and the database's time."""
    taken = (
        update(EventSequenceRow)
        .where(EventSequenceRow.id == _SEQUENCE)
        .values(last=EventSequenceRow.last + number)
        .returning(EventSequenceRow.last, NowMs())
        .execution_options(synchronize_session=False)
    )
    row = session.execute(taken).one_or_none()
    if row is None:
        insert_new(session, EventSequenceRow, [{"id": _SEQUENCE, "last": 0}])
        row = session.execute(taken).one()
    return int(row[0]), int(row[1])


_AFTER = (
    select(EventRow.id, EventRow.type, EventRow.table_name, EventRow.at_ms, EventRow.document)
    .where(EventRow.id > bindparam("after"), EventRow.id <= bindparam("through"))
    .order_by(EventRow.id)
)
_BOUNDS = select(
    select(func.min(EventRow.id)).scalar_subquery().label("first"),
    select(EventSequenceRow.last).where(EventSequenceRow.id == bindparam("sequence")).scalar_subquery().label("last"),
)


def read_log(database: Database, after: int, limit: int) -> Page:
    """Return the next events after an id, at most ``limit``.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    events = _range(database, after, limit)
    if events and events[0].id == after + 1:
        return Page(tuple(events))
    extent = bounds(database)
    if after + 1 >= extent.first and after <= extent.last:
        # Events written between the two queries are in the next page.
        return Page(())
    start = extent.first - 1
    return Page(tuple(_range(database, start, limit)), start)


def _range(database: Database, after: int, limit: int) -> list[Event]:
    rows = database.rows(_AFTER, {"after": after, "through": after + limit})
    return [Event(number, kind, name, at_ms, decode(document)) for number, kind, name, at_ms, document in rows]


def bounds(database: Database) -> Bounds:
    """Return the extent of the log.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    ((first, last),) = database.rows(_BOUNDS, {"sequence": _SEQUENCE})
    last = int(last or 0)
    return Bounds(last + 1 if first is None else int(first), last)


def prune(session: Session, *, keep: int, keep_ms: int, limit: int) -> int:
    """Delete the oldest events beyond a number or an age; return the number of events deleted.

    Args:
        keep: maximum number of events to retain.
        keep_ms: maximum age of events to retain, in milliseconds.
        limit: maximum number of events to delete.
    """
    first = session.scalar(select(func.min(EventRow.id)))
    last = session.scalar(select(EventSequenceRow.last).where(EventSequenceRow.id == _SEQUENCE))
    if first is None or last is None:
        return 0
    window = (EventRow.id >= first, EventRow.id < first + limit)
    newest_old = session.scalar(select(func.max(EventRow.id)).where(*window, EventRow.at_ms < NowMs() - keep_ms))
    through = min(first + limit - 1, max(newest_old or 0, int(last) - keep))
    if through < first:
        return 0
    session.execute(delete(EventRow).where(EventRow.id <= through).execution_options(synchronize_session=False))
    return int(through - first + 1)
