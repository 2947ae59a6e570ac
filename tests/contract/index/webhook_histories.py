"""Random deliveries to a webhook whose receiver fails half the time, and bugs to plant in their delivery.

Each run is by a new process, which knows only the database.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from lakemuster.catalog import webhooks as messages
from lakemuster.catalog.events import ClientEvent, EventLog
from lakemuster.catalog.webhooks import Webhook, signed_headers, webhooks_of
from lakemuster.config import load_settings
from lakemuster.event_types import EventType
from lakemuster.index import webhooks
from lakemuster.index.database import Database
from lakemuster.index.events import NewEvent, bounds, prune, read_log, record
from lakemuster.jobs import webhooks as job
from lakemuster.jobs.job import Run
from lakemuster.jobs.webhook_sender import Answer, Sender
from lakemuster.jobs.webhooks import DeliverEvents
from lakemuster.webhook_settings import WebhookSettings
from tests.planted_bugs import PlantedBugs
from tests.webhook_receiver import KEY, OK, SECRET, Receiver, Verdict, check_deliveries, receiving

FAULTS = (
    Verdict(status=500),
    Verdict(status=302, headers={"Location": "/elsewhere"}),
    Verdict(status=429, headers={"Retry-After": "0"}),
    Verdict("reset"),
    Verdict("take and reset"),
)
TYPES = {"table.altered", "table.removed"}
NAMES = ("shop.orders", "shopping.carts", "shop.eu.items", "web.clicks", "lonely")
MOST_STEPS = 2000


class Killed(BaseException):
    """Simulates the end of the process."""


def webhook(url: str, **settings: Any) -> Webhook:
    [found] = webhooks_of(load_settings(webhooks={"lake": {"url": url, "secret": SECRET, **settings}}))
    return found


def endless() -> Run:
    """Return a run of at most ``MOST_STEPS`` steps, more than correct code needs."""
    left = iter(range(MOST_STEPS))
    return Run(lambda: next(left, None) is not None)


def deliverer(database: Database, url: str, **settings: Any) -> DeliverEvents:
    """Return a new process's delivery job, without pauses after failures."""
    return DeliverEvents(database, webhook(url, **settings), first_pause=0.0)


def check(database: Database, seed: int, patch: pytest.MonkeyPatch, steps: int = 25) -> None:
    """Record random events, deliver them until all are delivered, and compare."""
    chance = random.Random(seed)

    def decide(_: int) -> Verdict:
        return chance.choice(FAULTS) if chance.random() < 0.5 else OK

    with receiving(decide) as receiver:
        settings: dict[str, Any] = {
            "namespaces": ["shop"],
            "types": ["table.altered", "table.removed"],
            "max_tries": 1000,
        }
        start = webhooks.open_cursor(database, "lake").position
        for _ in range(steps):
            step: Callable[..., None] = chance.choice((tell, tell, deliver, deliver, deliver_and_die))
            step(database, chance, receiver, patch, **settings)
        receiver.decide = lambda _: OK
        deliver(database, chance, receiver, patch, **settings)
        check_deliveries(receiver.got, expected(database, start), is_signed_by=KEY)
        cursor = webhooks.open_cursor(database, "lake")
        assert (cursor.position, cursor.failures, cursor.tries) == (bounds(database).last, 0, 0)


def tell(database: Database, chance: random.Random, *_: Any, **__: Any) -> None:
    with database.session() as session:
        for _event in range(chance.randint(1, 4)):
            kind: EventType = chance.choice(("table.altered", "table.removed", "table.registered"))
            record(session, [NewEvent(kind, chance.choice(NAMES), {"n": chance.randint(0, 9)})])


def deliver(database: Database, chance: random.Random, receiver: Receiver, *_: Any, **settings: Any) -> None:
    deliverer(database, receiver.url, **settings).run(endless())


def deliver_and_die(
    database: Database, chance: random.Random, receiver: Receiver, patch: pytest.MonkeyPatch, **settings: Any
) -> None:
    """Deliver until the process is killed before it records a delivery."""
    real, left = webhooks.delivered, chance.randint(0, 2)

    def record_or_die(*given: Any) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return real(*given)

    with patch.context() as once:
        once.setattr(webhooks, "delivered", record_or_die)
        try:
            deliver(database, chance, receiver, patch, **settings)
        except Killed:
            return


def expected(database: Database, start: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the ids and documents that a webhook of ``shop`` for two types must receive, from the log."""
    page = read_log(database, start, 10_000)
    assert page.restart is None
    return [
        (f"{one.id}-{one.at_ms}", ClientEvent(one).document)
        for one in page.events
        if one.type in TYPES and one.table in {"shop.orders", "shop.eu.items"}
    ]


def check_two(database: Database, seed: int) -> None:
    """Check that, of two processes that both believe to hold the job, neither moves the cursor back."""
    chance = random.Random(seed)

    def decide(_: int) -> Verdict:
        return chance.choice(FAULTS) if chance.random() < 0.5 else OK

    with receiving(decide) as receiver:
        start = webhooks.open_cursor(database, "lake").position
        for _ in range(4):
            tell(database, chance)
        settings: dict[str, Any] = {"namespaces": ["shop"], "types": sorted(TYPES), "max_tries": 1000}
        last = bounds(database).last

        def work() -> None:
            for _ in range(MOST_STEPS):
                if webhooks.open_cursor(database, "lake").position == last:
                    return
                deliverer(database, receiver.url, **settings).run(endless())

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check_deliveries(receiver.got, expected(database, start), is_signed_by=KEY)
        assert webhooks.open_cursor(database, "lake").position == last


def check_old(database: Database) -> None:
    """Check that an old event is retried, and that its third failure lets the next event proceed."""
    with receiving(lambda number: Verdict(status=500) if number < 3 else OK) as receiver:
        delivery = deliverer(database, receiver.url, max_age=1e-9)
        delivery.run(endless())
        with database.session() as session:
            record(session, [NewEvent("table.altered", "shop.orders", {"n": n}) for n in (1, 2)])
        found = []
        for _ in range(4):
            delivery.run(endless())
            found.append(len(webhooks.dead_letters(database, "lake", 0, 10)))
        assert found == [0, 0, 1, 1]
        assert [one["data"]["n"] for one in receiver.events()] == [2]


def check_lost(database: Database) -> None:
    """Check that events which expire before delivery are reported as lost, once, before later events."""
    with receiving() as receiver:
        start = webhooks.open_cursor(database, "lake").position
        with database.session() as session:
            record(session, [NewEvent("table.altered", "shop.orders", {"n": n}) for n in range(10)])
        with database.session() as session:
            prune(session, keep=4, keep_ms=3_600_000, limit=start + 100)
        deliverer(database, receiver.url).run(endless())
        found = [(one["type"], one["data"].get("n"), one["data"].get("resumed_after")) for one in receiver.events()]
        told = [("table.altered", n, None) for n in range(6, 10)]
        assert found == [("events.lost", None, str(start + 6)), *told]


def check_dead(database: Database) -> None:
    """Check that a refused message becomes a dead letter after ``max_tries``, and can be redelivered."""
    with receiving(lambda number: Verdict(status=500) if number < 3 else OK) as receiver:
        delivery = deliverer(database, receiver.url, max_tries=3)
        delivery.run(endless())
        with database.session() as session:
            record(session, [NewEvent("table.altered", "shop.orders", {"n": n}) for n in (1, 2)])
        for _ in range(4):
            delivery.run(endless())
        assert [one["data"]["n"] for one in receiver.events()] == [2]
        letters = webhooks.dead_letters(database, "lake", 0, 10)
        assert len(letters) == 1
        letter = letters[0]
        assert (letter.tries, letter.status, letter.message.subject) == (3, 500, "shop.orders")
        assert letter.message.message_id == receiver.got[0].message_id
        with database.session() as session:
            assert webhooks.request_redelivery(session, "lake", None) == 1
        delivery.run(endless())
        assert [one["data"]["n"] for one in receiver.events()] == [2, 1]
        assert receiver.got[-1].message_id == letter.message.message_id
        assert webhooks.dead_letters(database, "lake", 0, 10) == []


Patch = pytest.MonkeyPatch
PLANTED = planted = PlantedBugs()


@planted("the cursor moves before the answer")
def _(patch: Patch) -> None:
    real = job._Delivery._handle

    def handle(self: Any, message: Any, position: int, at_ms: int) -> bool:
        with self._database.session() as session:
            webhooks.skip_to(session, "lake", self._position, position)
        self._position = position
        return real(self, message, position, at_ms)

    patch.setattr(job._Delivery, "_handle", handle)


@planted("a failed event is skipped")
def _(patch: Patch) -> None:
    real = job._Delivery._handle
    patch.setattr(job._Delivery, "_handle", lambda *given: real(*given) or True)


@planted("each try has an id of its own")
def _(patch: Patch) -> None:
    real = DeliverEvents.sign
    count = iter(range(10**6))
    patch.setattr(DeliverEvents, "sign", lambda *given: {**real(*given), "webhook-id": f"msg-{next(count)}"})


@planted("a redirect counts as a success")
def _(patch: Patch) -> None:
    real = Sender.send

    def send(*given: Any) -> Any:
        answer = real(*given)
        return Answer(200, None) if answer.status == 302 else answer

    patch.setattr(Sender, "send", send)


@planted("a broken connection counts as a success")
def _(patch: Patch) -> None:
    real = Sender.send

    def send(*given: Any) -> Any:
        answer = real(*given)
        return Answer(200, None) if answer.status is None else answer

    patch.setattr(Sender, "send", send)


@planted("the signature leaves out the body")
def _(patch: Patch) -> None:
    real = signed_headers

    def sign(message: Any, keys: Any, timestamp: int) -> dict[str, str]:
        blank = webhooks.Message(message.message_id, 0, "", None, b"")
        return {
            **real(message, keys, timestamp),
            "webhook-signature": real(blank, keys, timestamp)["webhook-signature"],
        }

    patch.setattr(job, "signed_headers", sign)


@planted("the key is the text of the secret")
def _(patch: Patch) -> None:
    patch.setattr(WebhookSettings, "keys", lambda _: (SECRET.encode(),))


@planted("a namespace is compared by its beginning")
def _(patch: Patch) -> None:
    patch.setattr(messages, "is_within", lambda table, namespace: table[0].startswith(namespace[0]))


@planted("all tables are told")
def _(patch: Patch) -> None:
    patch.setattr(Webhook, "sees", lambda *_: True)


@planted("types are not looked at")
def _(patch: Patch) -> None:
    real = Webhook.message

    def message(self: Webhook, told: ClientEvent) -> Any:
        bare = self.settings.model_copy(update={"types": ()})
        return real(Webhook(self.name, bare, self.namespaces), told)

    patch.setattr(Webhook, "message", message)


@planted("skipped events are not remembered")
def _(patch: Patch) -> None:
    patch.setattr(job._Delivery, "_skip", lambda *_: True)


@planted("the log is read from the place before the last")
def _(patch: Patch) -> None:
    real = EventLog.after
    patch.setattr(EventLog, "after", lambda self, position: real(self, position + 1))


@planted("expired events are passed over in silence")
def _(patch: Patch) -> None:
    real = job._Delivery._handle

    def handle(self: Any, message: Any, position: int, at_ms: int) -> bool:
        return message.subject is None or real(self, message, position, at_ms)

    patch.setattr(job._Delivery, "_handle", handle)


@planted("tries are not counted")
def _(patch: Patch) -> None:
    real = webhooks.failed
    patch.setattr(webhooks, "failed", lambda *given, **named: real(*given, **{**named, "is_try": False}))


@planted("a dead letter is lost")
def _(patch: Patch) -> None:
    patch.setattr(
        webhooks, "bury", lambda session, name, before, position, *_: webhooks.skip_to(session, name, before, position)
    )


@planted("a dead letter does not let the next event pass")
def _(patch: Patch) -> None:
    patch.setattr(webhooks, "bury", lambda *_: True)


@planted("a redelivered letter stays")
def _(patch: Patch) -> None:
    patch.setattr(
        webhooks,
        "redelivered",
        lambda session, name, letter, status: webhooks.refused_again(session, letter, status, ""),
    )
