"""How far each webhook has got in the event log, and its dead letters: messages that its receiver has not taken.

A webhook's cursor moves by compare and swap: a process that has lost the webhook's job, and still waits for an answer,
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
"""Of one webhook; then the oldest are deleted."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A webhook's place in the event log. Times are by the database's clock.

    Attributes:
        position: id of the last event that was handled: delivered, not wanted, or made a dead letter.
        tries: failed tries of the event after it that is on its way.
        failures: failed tries since the last success, of any event.
        next_at_ms: not before this time is the next try; None: now.
        tried_at_ms, succeeded_at_ms: the last try, and the last that succeeded.
        status, error: of the last try: the HTTP status, and why it failed; None where there is none.
        delivered: number of messages that the receiver has taken.
        now_ms: when this was read.
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
        """Seconds until the next try."""
        return 0.0 if self.next_at_ms is None else max(0, self.next_at_ms - self.now_ms) / 1000


@dataclass(frozen=True, slots=True)
class Lag:
    """Events that a webhook has not handled yet, whether it wants them or not.

    Attributes:
        age_ms: of the oldest of them that is still stored; 0 if there is none.
    """

    events: int
    age_ms: int


@dataclass(frozen=True, slots=True)
class Message:
    """What a receiver gets.

    Attributes:
        message_id: the same for every try.
        event_id: of the event that it tells; of ``events.lost``: after which the log goes on.
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
    """A message that a receiver has not taken.

    Attributes:
        number: of the letter; later ones have larger numbers.
        is_requested: whether it waits to be sent again.
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
    """Return a webhook's cursor; that of a new webhook is at the end of the log.

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
    """Return how far a position is behind the end of the log.

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
    """Record that the receiver has taken a message, and move the cursor; return whether it was at ``before``."""
    return _move(
        session, name, before, position=position, tries=0, delivered=WebhookRow.delivered + 1, **_succeeded(status)
    )


def failed(
    session: Session, name: str, before: int, *, status: int | None, error: str, pause_seconds: float, is_try: bool
) -> bool:
    """Record a try that has failed; return whether the cursor was at ``before``.

    Args:
        pause_seconds: until the next try.
        is_try: of the event after the cursor; False: of a dead letter.
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


def bury(session: Session, name: str, before: int, position: int, message: Message, tries: int) -> bool:
    """Make a message a dead letter whose last try is recorded, and move the cursor past its event.

    Returns:
        whether the cursor was at ``before``; otherwise nothing has changed.
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
        "died_at_ms": session.scalar(select(NowMs())),
        "status": row.status,
        "error": row.error,
        "is_requested": False,
    }
    insert_all(session, DeadLetterRow, [letter])
    row.position, row.tries = position, 0
    own = select(DeadLetterRow.id).where(DeadLetterRow.webhook == name)
    # The first letter beyond the newest ones.
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
    """Return a webhook's dead letters after a number, at most ``limit``, oldest first.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    with database.reading() as session:
        return list(map(_letter, session.execute(_PAGE.limit(limit), {"webhook": name, "after": after})))


def next_requested(database: Database, name: str) -> DeadLetter | None:
    """Return the oldest dead letter of a webhook that is to be sent again.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    return next(map(_letter, database.rows(_REQUESTED, {"webhook": name})), None)


def _letter(row: Iterable[Any]) -> DeadLetter:
    number, *message, tries, died_at_ms, status, error, is_requested = row
    return DeadLetter(number, Message(*message), tries, died_at_ms, status, error, bool(is_requested))


def request_redelivery(session: Session, name: str, numbers: Collection[int] | None) -> int:
    """Have dead letters of a webhook sent again; return how many of them there are.

    Args:
        numbers: of the letters; None: all.
    """
    chosen = update(DeadLetterRow).where(DeadLetterRow.webhook == name)
    if numbers is not None:
        chosen = chosen.where(DeadLetterRow.id.in_(sorted(numbers)))
    asked = chosen.values(is_requested=True).returning(DeadLetterRow.id)
    return len(session.execute(asked.execution_options(synchronize_session=False)).all())


def redelivered(session: Session, name: str, letter: DeadLetter, status: int) -> None:
    """Delete a dead letter that the receiver has taken."""
    session.execute(delete(DeadLetterRow).where(DeadLetterRow.id == letter.number))
    session.execute(
        update(WebhookRow)
        .where(WebhookRow.name == name)
        .values(delivered=WebhookRow.delivered + 1, **_succeeded(status))
        .execution_options(synchronize_session=False)
    )


def refused_again(session: Session, letter: DeadLetter, status: int | None, error: str) -> None:
    """Record that another try of a dead letter has failed; it waits no more."""
    session.execute(
        update(DeadLetterRow)
        .where(DeadLetterRow.id == letter.number)
        .values(tries=DeadLetterRow.tries + 1, status=status, error=error, is_requested=False)
        .execution_options(synchronize_session=False)
    )
