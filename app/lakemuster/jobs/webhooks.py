"""The job that delivers events to one webhook: in order, each at least once.

There is a job for each webhook, so that a receiver that hangs or fails delays no other. An event is retried with
exponential backoff until the receiver accepts it, while later events wait. After too many tries, or at too high an age,
it becomes a dead letter, and the next event follows.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from lakemuster.catalog.events import EventLog
from lakemuster.catalog.webhooks import Webhook, lost, signed_headers
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import ConfigInvalid
from lakemuster.index import webhooks as store
from lakemuster.index.database import Database
from lakemuster.index.webhooks import Cursor, Message
from lakemuster.jobs.job import Run
from lakemuster.jobs.webhook_sender import ANSWER_SECONDS, Answer, Sender, Stopped
from lakemuster.measures import OK, Measure

DELIVERY = "webhook "
"""Prefix of the name of a webhook's job."""
EVERY_SECONDS = 1.0
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 300.0
LONGEST_RETRY_AFTER = 3600.0
"""Maximum pause that a receiver can request by ``Retry-After``."""
TRIES_OF_OLD_EVENTS = 3
"""Minimum tries of an event that is too old: neither one failure nor a clock that steps makes it a dead letter."""
FAILED = "failed"

LOG = logging.getLogger("lakemuster.jobs")


@dataclass(frozen=True, slots=True)
class WebhookMeasures:
    """The duration of each try, in seconds, and the messages that became dead letters in this process."""

    tries: Measure = field(default_factory=lambda: Measure("webhook", "outcome"))
    dead: Measure = field(default_factory=lambda: Measure("webhook"))


def pause_after(failures: int, retry_after: float | None, first: float, jitter: Callable[[], float]) -> float:
    """Return the seconds until the next try: doubled for each failure, at least what the receiver requests.

    Args:
        failures: number of failures in a row, at least 1.
        first: the longest pause after the first failure.
        jitter: returns a number from 0 to 1, so that receivers that failed together are not retried together.
    """
    longest = min(LONGEST_PAUSE, first * 2.0 ** min(failures - 1, 32))
    return max(longest * (0.5 + jitter() / 2), min(retry_after or 0.0, LONGEST_RETRY_AFTER))


class DeliverEvents:
    """Delivers the events of one webhook.

    Args:
        first_pause: the longest pause after the first failure, in seconds.
    """

    first_seconds = 0.0

    def __init__(
        self,
        database: Database,
        webhook: Webhook,
        measures: WebhookMeasures | None = None,
        *,
        clock: Clock = SYSTEM,
        first_pause: float = FIRST_PAUSE,
        every_seconds: float = EVERY_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.name = f"{DELIVERY}{webhook.name}"
        self.every_seconds = every_seconds
        self._database, self._webhook = database, webhook
        self._measures = measures or WebhookMeasures()
        self._clock, self._first_pause, self._jitter = clock, first_pause, jitter
        self._answer_seconds = answer_seconds

    def run(self, run: Run) -> str:
        """Deliver all pending messages, until a try fails.

        Raises:
            IndexUnavailable: the database does not answer.
        """
        cursor = store.open_cursor(self._database, self._webhook.name)
        # A wait above the maximum pause means that the clock has stepped back since.
        if 0 < cursor.wait_seconds <= LONGEST_RETRY_AFTER:
            return f"waits for {cursor.wait_seconds:.0f} s after {cursor.failures} failed tries: {cursor.error}"
        with Sender(self._webhook.settings.url, run.goes_on, self._answer_seconds) as sender:
            delivery = _Delivery(self, self._database, self._webhook, cursor, sender, run)
            try:
                is_done = delivery.send_requested() and delivery.send_events()
            except Stopped:
                is_done = False
        return f"{delivery.delivered} messages delivered" + ("" if is_done else f"; {delivery.reason}")

    def sign(self, message: Message) -> dict[str, str]:
        """Return the headers of a try.

        Raises:
            ConfigInvalid: the secret file cannot be used.
        """
        return signed_headers(message, self._webhook.settings.keys(), self._clock.wall_ms() // 1000)

    def pause(self, failures: int, answer: Answer) -> float:
        """Return the pause after a failure, in seconds."""
        return pause_after(failures, answer.retry_after, self._first_pause, self._jitter)

    def count(self, outcome: str, began: float) -> None:
        """Count a try."""
        self._measures.tries.record(self._clock.monotonic() - began, self._webhook.name, outcome)

    def count_dead(self) -> None:
        """Count a dead letter."""
        self._measures.dead.record(1, self._webhook.name)

    def now(self) -> float:
        """Return the monotonic time in seconds."""
        return self._clock.monotonic()


class _Delivery:
    """One run: from the position of the cursor to the end of the log, or to the first try that fails."""

    def __init__(
        self, job: DeliverEvents, database: Database, webhook: Webhook, cursor: Cursor, sender: Sender, run: Run
    ) -> None:
        self._job, self._database, self._webhook = job, database, webhook
        self._sender, self._run = sender, run
        self._position, self._tries, self._failures = cursor.position, cursor.tries, cursor.failures
        self.delivered = 0
        self.reason = "the run was ended"

    def send_requested(self) -> bool:
        """Send the dead letters whose redelivery is requested; return whether none failed."""
        name = self._webhook.name
        while self._run.goes_on() and (letter := store.next_requested(self._database, name)) is not None:
            answer = self._send(letter.message)
            with self._database.session() as session:
                if answer.error is None:
                    store.redelivered(session, name, letter, answer.status or 0)
                else:
                    store.refused_again(session, letter, answer.status, answer.error)
                    self._failed(session, answer, is_try=False)
            if answer.error is not None:
                return False
            self._succeeded()
        return True

    def send_events(self) -> bool:
        """Send the events of the log; return whether its end was reached."""
        log = EventLog(self._database)
        seen = self._position
        while self._run.goes_on():
            found, restart = log.after(seen)
            if restart is not None:
                now_ms = self._database.clock_ms()
                if not self._handle(lost(seen, restart, now_ms), restart, now_ms):
                    return False
                seen = restart
                continue
            if not found:
                return True
            for told in found:
                message = self._webhook.message(told)
                if message is not None and not self._handle(message, told.event.id, told.event.at_ms):
                    return False
                seen = told.event.id
            if not self._skip(seen):
                return False
        return False

    def _handle(self, message: Message, position: int, at_ms: int) -> bool:
        """Try to deliver the message of the event at a position of the log; return whether the next one may follow."""
        if not self._run.goes_on():
            return False
        answer = self._send(message)
        with self._database.session() as session:
            if answer.error is None:
                was_moved = store.delivered(session, self._webhook.name, self._position, position, answer.status or 0)
            else:
                was_moved = self._failed(session, answer, is_try=True)
                if was_moved and self._is_dead(session, at_ms):
                    store.bury(session, self._webhook.name, self._position, position, message, self._tries)
                    self._job.count_dead()
                    LOG.warning("webhook %s: event %s is a dead letter", self._webhook.name, message.message_id)
        if not was_moved:
            self.reason = "another process delivers them"
            return False
        if answer.error is not None:
            return False
        self._position, self._tries = position, 0
        self._succeeded()
        return True

    def _skip(self, seen: int) -> bool:
        """Move the cursor past events that the webhook does not want; return whether no other process has moved it."""
        if seen == self._position:
            return True
        with self._database.session() as session:
            was_moved = store.skip_to(session, self._webhook.name, self._position, seen)
        self._position, self._tries = seen, 0
        return was_moved

    def _is_dead(self, session: Session, at_ms: int) -> bool:
        settings = self._webhook.settings
        age = (store.clock_ms(session) - at_ms) / 1000
        return self._tries >= settings.max_tries or (age > settings.max_age and self._tries >= TRIES_OF_OLD_EVENTS)

    def _send(self, message: Message) -> Answer:
        began, answer = self._job.now(), None
        try:
            answer = self._sender.send(self._job.sign(message), message.body)
        except ConfigInvalid as error:
            answer = Answer(None, error.message)
        finally:
            if answer is not None:
                self._job.count(OK if answer.error is None else FAILED, began)
        return answer

    def _failed(self, session: Session, answer: Answer, *, is_try: bool) -> bool:
        if self._failures == 0:
            LOG.warning("webhook %s: a delivery has failed, and is tried again: %s", self._webhook.name, answer.error)
        self._failures += 1
        self._tries += is_try
        pause = self._job.pause(self._failures, answer)
        self.reason = f"the next try is in {pause:.0f} s: {answer.error}"
        return store.failed(
            session,
            self._webhook.name,
            self._position,
            status=answer.status,
            error=str(answer.error),
            pause_seconds=pause,
            is_try=is_try,
        )

    def _succeeded(self) -> None:
        if self._failures:
            LOG.info("webhook %s: deliveries succeed again, after %d failures", self._webhook.name, self._failures)
        self._failures = 0
        self.delivered += 1
