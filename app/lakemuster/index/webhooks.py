"""Webhooks in the database: each one's cursor in the event log, and its dead letters, which could not be delivered.

A webhook's cursor moves by compare and swap: a process that has lost the webhook's job, but still waits for a response,
cannot set it back. A message becomes a dead letter in the transaction that moves the cursor past its event.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from lakemuster.index.database import Database, NowMs
from lakemuster.index.events import bounds
from lakemuster.index.orm_events import DeadLetterRow, EventRow, EventSequenceRow, WebhookRow
from lakemuster.index.statements import insert_all, insert_new

MAX_DEAD_LETTERS = 10_000
"""Maximum number of dead letters of one webhook; beyond it, the oldest are deleted."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A webhook's position in the event log. Times are by the database's clock.

    Attributes:
        position: id of the last handled event: it was delivered, not wanted, or made a dead letter.
        tries: failed attempts to deliver the next event.
        failures: failed attempts since the last success, for any event.
        next_at_ms: earliest time of the next attempt; None for now.
        tried_at_ms, succeeded_at_ms: times of the last attempt, and of the last successful one.
        status, error: the HTTP status of the last attempt, and why it failed; None if there is none.
        delivered: number of messages that the receiver accepted.
        now_ms: when the cursor was read.
    """

    name: str
    position: int
    tries: int
    failures: int
    next_at_ms: int | None
    tried_at_ms: int | None
    succeeded_at_ms: int | None
    status: int | None
    error: str | None
    delivered: int
    now_ms: int

    @property
    def wait_seconds(self) -> float:
        """Seconds until the next attempt."""
        return 0.0 if self.next_at_ms is None else max(0, self.next_at_ms - self.now_ms) / 1000


@dataclass(frozen=True, slots=True)
class Lag:
    """The events that a webhook has not handled yet, whether it wants them or not.

    Attributes:
        events: their number.
        age_ms: age of the oldest one that is still stored; 0 if there is none.
    """

    events: int
    age_ms: int


@dataclass(frozen=True, slots=True)
class Message:
    """A message to a receiver.

    Attributes:
        message_id: the same for every attempt.
        event_id: the id of the event; for ``events.lost``, the id after which the log continues.
        subject: the table; None for ``events.lost``.
        body: a CloudEvent.
    """

    message_id: str
    event_id: int
    type: str
    subject: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that a receiver did not accept.

    Attributes:
        number: the letter's id, which increases with time.
        is_requested: whether its redelivery is requested.
    """

    number: int
    message: Message
    tries: int
    died_at_ms: int
    status: int | None
    error: str | None
    is_requested: bool


_STORED = tuple(field.name for field in fields(Cursor) if field.name != "now_ms")
_CURSORS = select(*(getattr(WebhookRow, name) for name in _STORED), NowMs()).order_by(WebhookRow.name)
_CURSOR = _CURSORS.where(WebhookRow.name == bindparam("webhook"))
_LETTERS = select(
    DeadLetterRow.id,
    DeadLetterRow.message_id,
    DeadLetterRow.event_id,
    DeadLetterRow.type,
    DeadLetterRow.subject,
    DeadLetterRow.body,
    DeadLetterRow.tries,
    DeadLetterRow.died_at_ms,
    DeadLetterRow.status,
    DeadLetterRow.error,
    DeadLetterRow.is_requested,
).where(DeadLetterRow.webhook == bindparam("webhook"))
_FIRST_REQUESTED = select(func.min(DeadLetterRow.id)).where(
    DeadLetterRow.webhook == bindparam("webhook"), DeadLetterRow.is_requested
)
_REQUESTED = _LETTERS.where(DeadLetterRow.id == _FIRST_REQUESTED.scalar_subquery())
_PAGE = _LETTERS.where(DeadLetterRow.id > bindparam("after")).order_by(DeadLetterRow.id)
_COUNTS = select(DeadLetterRow.webhook, func.count()).group_by(DeadLetterRow.webhook)
_OLDEST = select(func.min(EventRow.id)).where(EventRow.id > bindparam("position"))
_LAG = select(
    select(EventSequenceRow.last).scalar_subquery().label("last"),
    select(EventRow.at_ms).where(EventRow.id == _OLDEST.scalar_subquery()).scalar_subquery().label("oldest"),
    NowMs().label("now"),
)


def find_cursors(database: Database) -> dict[str, Cursor]:
    """Return the cursors of all webhooks that were ever started, by name.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    return {row[0]: Cursor(*row) for row in database.rows(_CURSORS, {})}


def open_cursor(database: Database, name: str) -> Cursor:
    """Return a webhook's cursor; for a new webhook, create it at the end of the log.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    rows = database.rows(_CURSOR, {"webhook": name})
    if not rows:
        last = bounds(database).last
        with database.session() as session:
            row = {"name": name, "position": last, "tries": 0, "failures": 0, "delivered": 0}
            insert_new(session, WebhookRow, [row])
        rows = database.rows(_CURSOR, {"webhook": name})
    return Cursor(*rows[0])


def lag_of(database: Database, position: int) -> Lag:
    """Return the lag of a position behind the end of the log.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    ((last, oldest, now),) = database.rows(_LAG, {"position": position})
    events = max(0, int(last or 0) - position)
    return Lag(events, 0 if oldest is None else max(0, int(now) - int(oldest)))


def skip_to(session: Session, name: str, before: int, position: int) -> bool:
    """Move a cursor past events that the receiver does not want; return whether it was at ``before``."""
    return _move(session, name, before, position=position, tries=0)


def delivered(session: Session, name: str, before: int, position: int, status: int) -> bool:
    """Record that the receiver accepted a message, and move the cursor; return whether it was at ``before``."""
    return _move(
        session, name, before, position=position, tries=0, delivered=WebhookRow.delivered + 1, **_succeeded(status)
    )


def failed(
    session: Session, name: str, before: int, *, status: int | None, error: str, pause_seconds: float, is_try: bool
) -> bool:
    """Record a failed attempt; return whether the cursor was at ``before``.

    Args:
        pause_seconds: time until the next attempt.
        is_try: whether the attempt was for the event after the cursor, rather than for a dead letter.
    """
    return _move(
        session,
        name,
        before,
        tries=WebhookRow.tries + (1 if is_try else 0),
        failures=WebhookRow.failures + 1,
        next_at_ms=NowMs() + round(pause_seconds * 1000),
        tried_at_ms=NowMs(),
        status=status,
        error=error,
    )


def clock_ms(session: Session) -> int:
    """Return the database's time by the session's own connection: a second one may be one too many."""
    return session.scalars(select(NowMs())).one()


def bury(session: Session, name: str, before: int, position: int, message: Message, tries: int) -> bool:
    """Make a message, whose last attempt is recorded, a dead letter, and move the cursor past its event.

    Returns:
        Whether the cursor was at ``before``; otherwise nothing has changed.
    """
    row = session.get(WebhookRow, name, with_for_update=True)
    if row is None or row.position != before:
        return False
    letter = {
        "webhook": name,
        "message_id": message.message_id,
        "event_id": message.event_id,
        "type": message.type,
        "subject": message.subject,
        "body": message.body,
        "tries": tries,
        "died_at_ms": clock_ms(session),
        "status": row.status,
        "error": row.error,
        "is_requested": False,
    }
    insert_all(session, DeadLetterRow, [letter])
    row.position, row.tries = position, 0
    own = select(DeadLetterRow.id).where(DeadLetterRow.webhook == name)
    # The newest letter beyond the maximum number.
    beyond = session.scalar(own.order_by(DeadLetterRow.id.desc()).offset(MAX_DEAD_LETTERS).limit(1))
    if beyond is not None:
        _delete_letters(session, name, through=beyond)
    return True


def _move(session: Session, name: str, before: int, **values: object) -> bool:
    moved = (
        update(WebhookRow)
        .where(WebhookRow.name == name, WebhookRow.position == before)
        .values(values)
        .returning(WebhookRow.name)
        .execution_options(synchronize_session=False)
    )
    return session.execute(moved).scalar() is not None


def _succeeded(status: int) -> dict[str, object]:
    return {
        "failures": 0,
        "next_at_ms": None,
        "tried_at_ms": NowMs(),
        "succeeded_at_ms": NowMs(),
        "status": status,
        "error": None,
    }


def _delete_letters(session: Session, name: str, through: int) -> None:
    chosen = delete(DeadLetterRow).where(DeadLetterRow.webhook == name, DeadLetterRow.id <= through)
    session.execute(chosen.execution_options(synchronize_session=False))


def dead_letter_counts(database: Database) -> dict[str, int]:
    """Return the number of dead letters of each webhook that has any.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    return {name: int(number) for name, number in database.rows(_COUNTS, {})}


def dead_letters(database: Database, name: str, after: int, limit: int) -> list[DeadLetter]:
    """Return at most ``limit`` of a webhook's dead letters after a number, oldest first.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    with database.reading() as session:
        return list(map(_letter, session.execute(_PAGE.limit(limit), {"webhook": name, "after": after})))


def next_requested(database: Database, name: str) -> DeadLetter | None:
    """Return a webhook's oldest dead letter whose redelivery is requested; None if there is none.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    return next(map(_letter, database.rows(_REQUESTED, {"webhook": name})), None)


def _letter(row: Iterable[Any]) -> DeadLetter:
    number, *message, tries, died_at_ms, status, error, is_requested = row
    return DeadLetter(number, Message(*message), tries, died_at_ms, status, error, bool(is_requested))


def request_redelivery(session: Session, name: str, numbers: Collection[int] | None) -> int:
    """Request the redelivery of a webhook's dead letters; return their number.

    Args:
        numbers: the letters' numbers; None for all.
    """
    chosen = update(DeadLetterRow).where(DeadLetterRow.webhook == name)
    if numbers is not None:
        chosen = chosen.where(DeadLetterRow.id.in_(sorted(numbers)))
    asked = chosen.values(is_requested=True).returning(DeadLetterRow.id)
    return len(session.execute(asked.execution_options(synchronize_session=False)).all())


def redelivered(session: Session, name: str, letter: DeadLetter, status: int) -> None:
    """Delete a dead letter that the receiver accepted, and record the delivery."""
    session.execute(delete(DeadLetterRow).where(DeadLetterRow.id == letter.number))
    session.execute(
        update(WebhookRow)
        .where(WebhookRow.name == name)
        .values(delivered=WebhookRow.delivered + 1, **_succeeded(status))
        .execution_options(synchronize_session=False)
    )


def refused_again(session: Session, letter: DeadLetter, status: int | None, error: str) -> None:
    """Record that the redelivery of a dead letter failed; it is no longer requested."""
    session.execute(
        update(DeadLetterRow)
        .where(DeadLetterRow.id == letter.number)
        .values(tries=DeadLetterRow.tries + 1, status=status, error=error, is_requested=False)
        .execution_options(synchronize_session=False)
    )
