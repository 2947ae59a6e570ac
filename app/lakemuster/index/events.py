"""The event log: what happened to tables, in one total order.

An event is written in the transaction of what it tells. Ids are consecutive. They are assigned as the last step of the
transaction, under a row lock that is held until it ends, so a smaller id never appears after a larger one was seen,
and a transaction that waits for the lock holds nothing that the lock's holder still needs.
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
        data: what the event tells besides.
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
    """A part of the log, without gaps.

    Attributes:
        restart: None: the events follow the id that was asked for. Otherwise those that followed it are gone, or the
            log never had that id, and the events are those after ``restart``.
    """

    events: tuple[Event, ...]
    restart: int | None = None


def record(session: Session, events: Sequence[NewEvent]) -> None:
    """Write events when the session's transaction commits, after all that it does besides."""
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
    """Lock the sequence until the transaction ends; return its new last id, and the time."""
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
        # Whatever was written in between comes with the next page.
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
    """Delete the oldest events beyond a number or an age; return how many.

    Args:
        keep: number of newest events that may stay.
        keep_ms: age up to which they may stay, milliseconds.
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
