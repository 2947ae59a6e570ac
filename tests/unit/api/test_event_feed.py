"""One task per process polls the log for all streams; limits, slow readers, a failing log."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from lakemuster.api import event_feed
from lakemuster.api.event_feed import EventFeed
from lakemuster.catalog.events import BATCH, ClientEvent, EventFilter, EventLog
from lakemuster.errors import IndexUnavailable, Overloaded, RateLimited, RequestInvalid
from lakemuster.index.events import Event


class Log:
    """An in-memory log that counts its reads."""

    def __init__(self) -> None:
        self.last, self.first, self.reads = 0, 1, 0
        self.is_down = False

    def newest_id(self) -> int:
        return self.last

    def after(self, position: int) -> tuple[Sequence[ClientEvent], int | None]:
        self.reads += 1
        if self.is_down:
            raise IndexUnavailable("down")
        restart = self.first - 1 if position + 1 < self.first else None
        start = position if restart is None else restart
        numbers = range(start + 1, min(self.last, start + BATCH) + 1)
        return [ClientEvent(Event(number, "table.committed", "shop.t", 0, {})) for number in numbers], restart


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_feed, "POLL_SECONDS", 0.01)


def feed_of(log: Log, workers: int = 1) -> EventFeed:
    return EventFeed(log, workers)  # type: ignore[arg-type]


async def read(feed: EventFeed, position: int, until: int, owner: str = "a") -> list[int]:
    """Read a stream from ``position`` to ``until`` and return its event ids."""
    found: list[int] = []
    with feed.listening(owner, None):
        while position < until:
            pulse = feed.pulse()
            told, restart = await feed.after(position)
            position = position if restart is None else restart
            found += [one.event.id for one in told]
            position = found[-1] if told else position
            if not told:
                await pulse.wait()
    return found


async def until(holds: Callable[[], bool]) -> None:
    """Let other tasks run until a condition holds."""
    while True:
        if holds():
            return
        await asyncio.sleep(0.001)


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(work(), 60)

    return asyncio.run(limited())


def test_streams_get_every_event_once_and_share_one_poll() -> None:
    log = Log()

    async def work() -> list[list[int]]:
        feed = feed_of(log)
        streams = [asyncio.create_task(read(feed, 0, 30)) for _ in range(200)]
        with feed.listening("own", None):
            # Wait until the empty log has been polled.
            await until(lambda: log.reads > 200 and feed._floor is not None)
            before = log.reads
            for _ in range(3):
                log.last += 10
                await until(lambda: feed._last == log.last)
            found = await asyncio.gather(*streams)
            assert log.reads - before < 200
        assert feed.streams == 0
        return found

    assert run(work) == [list(range(1, 31))] * 200


def test_nothing_is_polled_when_nobody_listens() -> None:
    log = Log()
    log.last = 3

    async def work() -> None:
        feed = feed_of(log)
        assert await read(feed, 0, 3) == [1, 2, 3]
        assert feed._following is None

    run(work)


def test_events_that_nobody_has_followed_are_read_when_a_stream_begins() -> None:
    log = Log()
    log.last = 3

    async def work() -> list[int]:
        feed = feed_of(log)
        with feed.listening("a", None):
            await until(lambda: feed._floor is not None)
        log.last = 6
        with feed.listening("a", None):
            return [one.event.id for one in (await feed.after(3))[0]]

    assert run(work) == [4, 5, 6]


def test_events_that_come_before_the_first_poll_wake_a_stream() -> None:
    begins = threading.Event()

    class Slow(Log):
        def newest_id(self) -> int:
            begins.wait(60)
            return super().newest_id()

    log = Slow()

    async def work() -> list[int]:
        feed = feed_of(log)
        with feed.listening("a", None):
            pulse = feed.pulse()
            assert await feed.after(0) == ([], None)
            log.last = 2
            begins.set()
            await pulse.wait()
            return [one.event.id for one in (await feed.after(0))[0]]

    assert run(work) == [1, 2]


def test_a_slow_reader_reads_from_the_log_what_memory_has_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_feed, "MAX_BYTES", 4000)
    log = Log()

    async def work() -> list[int]:
        feed = feed_of(log)
        with feed.listening("fast", None):
            await until(lambda: feed._floor is not None)
            log.last = 1200
            await until(lambda: feed._last == 1200)
            assert 0 < feed.buffered_bytes <= 4000
            return await read(feed, 0, 1200)

    assert run(work) == list(range(1, 1201))


def test_a_stream_whose_events_are_gone_is_told_where_the_log_goes_on() -> None:
    log = Log()
    log.first, log.last = 50, 60

    async def work() -> tuple[list[int], int | None]:
        told, restart = await feed_of(log).after(7)
        return [one.event.id for one in told], restart

    assert run(work) == (list(range(50, 61)), 49)


def test_a_caller_has_so_many_streams_and_a_process_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_feed, "STREAMS_PER_CALLER", 4)
    monkeypatch.setattr(event_feed, "STREAMS", 5)

    async def work() -> None:
        feed = feed_of(Log(), workers=2)
        with feed.listening("a", None), feed.listening("a", None):
            with pytest.raises(RateLimited), feed.listening("a", None):
                pass
            with feed.listening("b", None), feed.listening("b", None), feed.listening("c", None):
                with pytest.raises(Overloaded), feed.listening("d", None):
                    pass
                assert feed.streams == 5
        with feed.listening("a", None):
            assert feed.streams == 1

    run(work)


def test_a_log_that_fails_is_followed_again(caplog: pytest.LogCaptureFixture) -> None:
    log = Log()

    async def work() -> list[int]:
        feed = feed_of(log)
        with feed.listening("a", None):
            await until(lambda: feed._floor is not None)
            log.is_down, reads = True, log.reads
            await until(lambda: log.reads > reads + 3)
            log.is_down, log.last = False, 2
            return await read(feed, 0, 2)

    assert run(work) == [1, 2]
    assert [record.getMessage() for record in caplog.records] == ["the event log cannot be followed: index_unavailable"]


def test_the_end_of_the_server_ends_the_streams() -> None:
    class Ending:
        is_stopping = False

    async def work() -> bool:
        feed, connection = feed_of(Log()), Ending()
        with feed.listening("a", connection):  # type: ignore[arg-type]
            pulse = feed.pulse()
            connection.is_stopping = True
            await pulse.wait()
            return feed.is_stopping

    assert run(work)


@pytest.mark.parametrize(
    ("types", "namespace", "table", "taken"),
    [
        (None, None, None, True),
        ("table.altered, table.committed", "shop", "shop.t", True),
        ("table.altered", None, None, False),
        (None, "shop.t", None, False),
        (None, "sho", None, False),
        (None, None, "shop.u", False),
    ],
)
def test_filters_take_what_they_name(types: str | None, namespace: str | None, table: str | None, taken: bool) -> None:
    told = ClientEvent(Event(1, "table.committed", "shop.t", 0, {}))
    assert EventFilter.of(types, namespace, table).shown(told) is (told if taken else None)


RENAMED = ClientEvent(Event(1, "table.renamed", "hr.t", 0, {"previous_name": "shop.t", "format": "iceberg"}))


@pytest.mark.parametrize(
    ("seen", "kind", "subject", "previous"),
    [
        ({"shop", "hr"}, "table.renamed", "hr.t", "shop.t"),
        ({"hr"}, "table.registered", "hr.t", None),
        ({"shop"}, "table.removed", "shop.t", None),
        (set(), None, None, None),
    ],
)
def test_both_names_of_a_renamed_table_are_told_to_who_may_see_them(
    seen: set[str], kind: str | None, subject: str | None, previous: str | None
) -> None:
    told = RENAMED.seen_by(lambda table: table[0] in seen)
    if told is None:
        assert kind is None
        return
    document = told.document
    assert (document["type"], document["subject"]) == (kind, subject)
    assert document["data"].get("previous_name") == previous
    assert document["data"]["namespace"] == str(subject).partition(".")[0]
    hidden = {"shop": "shop.t", "hr": "hr.t"}.keys() - seen
    assert not [name for name in hidden if f"{name}.t" in told.message.decode()]


@pytest.mark.parametrize(
    ("namespace", "table", "is_told"),
    [("shop", None, True), ("hr", None, True), (None, "shop.t", True), ("web", None, False)],
)
def test_a_renamed_table_is_found_by_either_name(namespace: str | None, table: str | None, is_told: bool) -> None:
    shown = EventFilter.of("table.renamed", namespace, table).shown(RENAMED)
    assert (shown is RENAMED) == is_told
    # For a caller who sees the new name only, the event is a registration, which this filter excludes.
    assert EventFilter.of("table.renamed", namespace, table).shown(RENAMED, lambda name: name[0] == "hr") is None


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(RequestInvalid, match="types are"):
        EventFilter.of("table.nope", None, None)


def test_a_page_looks_at_so_many_events_and_says_that_there_are_more(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log()
    log.last = 3000
    monkeypatch.setattr("lakemuster.catalog.events.MAX_SCANNED", 1000)
    monkeypatch.setattr(EventLog, "after", lambda _, position: log.after(position))
    page = EventLog(None).page(0, 10, lambda _: None)  # type: ignore[arg-type]
    assert (page.events, page.last_id, page.more) == ([], 1000, True)
    page = EventLog(None).page(1000, 10, lambda told: told if told.event.id % 2 == 0 else None)  # type: ignore[arg-type]
    assert ([one.event.id for one in page.events][-1], page.last_id, page.more) == (1020, 1021, True)
