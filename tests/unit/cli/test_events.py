"""The commands ``events`` and ``wait``."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import httpx
import pytest

from lakemuster.catalog.events import EventLog, EventPage
from lakemuster.catalog.services import Services
from lakemuster.cli import local_events, remote
from lakemuster.cli.local import LocalSource
from lakemuster.cli.sources import EVENTS_LOST, EventQuery, Notice, Query, Source
from lakemuster.client import Client
from lakemuster.client.errors import ClientError, NotFoundError, ServerUnreachable
from lakemuster.errors import IndexUnavailable
from tests.unit.cli.commands import Row, Shelf, run


class Log(Shelf):
    """A local index with a log: each page has one event and moves to the next list of partitions, if there is one."""

    def __init__(self, *partitions: list[Row]) -> None:
        super().__init__()
        self.partitions = list(partitions)
        self.asked: list[EventQuery] = []
        self.looks = 0
        self.has_rules = False
        self.fields: tuple[str, ...] = ("day", "region", "n", "off")

    def has_readiness(self, table: str) -> bool:
        return self.has_rules

    def rows(self, query: Query, notice: Notice) -> Iterator[Row]:
        if query.kind == "specs":
            return iter([{"fields": []}, {"fields": [{"name": name} for name in self.fields]}])
        self.queries.append(query)
        return iter(self.partitions[0])

    def events(self, query: EventQuery, notice: Notice) -> Iterator[Row]:
        return self.follow(query)

    def follow(self, query: EventQuery) -> Iterator[Row]:
        self.asked.append(query)
        return iter([event(1), event(2)])

    def newest_event(self) -> str:
        return "4"

    def events_page(self, query: EventQuery, after: str) -> tuple[Sequence[Row], str]:
        self.asked.append(query)
        self.calls.append(("page", after))
        if len(self.partitions) == 1:
            return [], after
        del self.partitions[0]
        return [event(int(after) + 1)], str(int(after) + 1)

    def stale(self, name: str) -> str | None:
        self.looks += 1
        return None


def event(number: int) -> dict[str, Any]:
    data = {"table": "shop.t", "snapshot_id": "7"}
    return {
        "id": str(number),
        "time": "2026-01-01T00:00:00.000Z",
        "type": "table.committed",
        "subject": "shop.t",
        "data": data,
    }


def partition(records: int = 1, **values: object) -> Row:
    return {"partition": values, "record_count": records}


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which only ``time.sleep`` advances."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_the_log_is_listed(use: Callable[[Shelf], Shelf]) -> None:
    log = Log()
    use(log)
    answer = run("events", "--after", "0", "--type", "table.committed", "--namespace", "shop", "--table", "shop.t")
    assert answer.lines[0].split("\t") == ["id", "time", "type", "subject", "data"]
    assert len(answer.lines) == 3
    assert log.asked == [EventQuery("0", "table.committed", "shop", "shop.t")]
    assert json.loads(run("events", "--json").out) == [event(1), event(2)]


def test_followed_events_are_lines(use: Callable[[Shelf], Shelf]) -> None:
    use(Log())
    assert [json.loads(line) for line in run("events", "--follow", "--json").lines] == [event(1), event(2)]
    assert run("events", "--follow").lines[0].startswith("1\t2026-01-01T00:00:00.000Z\ttable.committed\tshop.t\t")


def test_a_partition_that_is_there_needs_no_wait(use: Callable[[Shelf], Shelf], clock: list[float]) -> None:
    log = Log([partition(day="2024-04-30"), partition(day="2024-05-01", region="eu", n=3, off=False)])
    use(log)
    words = ("--partition", "day=2024-05-01", "--partition", "n=3", "--partition", "off=false")
    assert run("wait", "shop.t", *words).status == 0
    assert clock == [0.0]
    assert log.calls == []


def test_a_wait_ends_with_the_commit_of_the_partition(use: Callable[[Shelf], Shelf], clock: list[float]) -> None:
    log = Log([], [partition(0, day="2024-05-01")], [partition(day="2024-05-01")], [])
    use(log)
    assert run("wait", "shop.t", "--partition", "day=2024-05-01").status == 0
    assert log.calls == [("page", "4"), ("page", "5")]
    assert {query.table for query in log.asked} == {"shop.t"}


def test_a_wait_gives_up_and_has_looked_meanwhile(use: Callable[[Shelf], Shelf], clock: list[float]) -> None:
    log = Log([partition(day="2024-04-30")])
    use(log)
    answer = run("wait", "shop.t", "--partition", "day=2024-05-01", "--timeout", "60")
    assert (answer.status, clock) == (1, [60.0])
    assert "after 60 seconds" in answer.err
    # The partitions are read once, because nothing was committed.
    assert len(log.queries) == 1
    assert 10 <= log.looks <= 12


OUTAGES = [
    ServerUnreachable("no response", code="server_unreachable"),
    ClientError("the database does not answer", code="index_unavailable", status=503),
    IndexUnavailable("the database does not answer"),
]


class Flaky(Log):
    """A log whose pages fail with some errors first."""

    def __init__(self, failures: Sequence[Exception], *partitions: list[Row]) -> None:
        super().__init__(*partitions)
        self.failures = list(failures)

    def events_page(self, query: EventQuery, after: str) -> tuple[Sequence[Row], str]:
        if self.failures:
            raise self.failures.pop(0)
        return super().events_page(query, after)


def test_a_wait_goes_on_through_outages(use: Callable[[Shelf], Shelf]) -> None:
    log = Flaky(OUTAGES, [], [partition(day="2024-05-01")])
    use(log)
    assert run("wait", "shop.t", "--partition", "day=2024-05-01").status == 0
    assert log.calls == [("page", "4")]


@pytest.mark.parametrize("outage", OUTAGES)
def test_a_wait_that_gives_up_in_an_outage_names_it(use: Callable[[Shelf], Shelf], outage: Exception) -> None:
    use(Flaky([outage] * 100, [partition(day="2024-04-30")]))
    answer = run("wait", "shop.t", "--partition", "day=2024-05-01", "--timeout", "60")
    assert (answer.status, answer.err) == (1, f"lakemuster: {outage}\n")


def test_a_wait_ends_when_the_server_refuses_it(use: Callable[[Shelf], Shelf], clock: list[float]) -> None:
    use(Flaky([NotFoundError("no table", code="table_not_found", status=404)], [partition(day="2024-04-30")]))
    answer = run("wait", "shop.t", "--partition", "day=2024-05-01")
    assert (answer.status, answer.err, clock) == (1, "lakemuster: no table\n", [1.0])


def test_the_local_log_is_followed_through_outages(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[Exception | tuple[list[Row], str]] = [([event(5)], "5"), OUTAGES[-1], ([], "5"), ([event(6)], "6")]

    def page(_: Services, __: EventQuery, after: str) -> tuple[Sequence[Row], str]:
        found = pages.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(local_events, "page", page)
    followed = local_events.follow(cast("Services", None), EventQuery("4", None, None, None))
    assert [next(followed)["id"], next(followed)["id"]] == ["5", "6"]


def test_a_wait_for_a_table_with_rules_is_for_its_ready_partitions(
    use: Callable[[Shelf], Shelf], clock: list[float]
) -> None:
    log = Log([], [partition(day="2024-05-01", rule="quiet")])
    log.has_rules = True
    use(log)
    assert run("wait", "shop.t", "--partition", "day=2024-05-01").status == 0
    assert {query.kind for query in log.queries} == {"ready_partitions"}
    # No event reports a partition that was ready before its rule existed.
    log = Log([partition(day="2024-04-30")])
    log.has_rules = True
    use(log)
    assert run("wait", "shop.t", "--partition", "day=2024-05-01", "--timeout", "60").status == 1
    assert 10 <= len(log.queries) <= 14


class Unready(Log):
    """A table without ready partitions."""

    def rows(self, query: Query, notice: Notice) -> Iterator[Row]:
        return iter(()) if query.kind == "ready_partitions" else super().rows(query, notice)


def test_a_partition_that_no_rule_holds_for_is_told_apart_from_a_missing_one(use: Callable[[Shelf], Shelf]) -> None:
    log = Unready([partition(day="2024-05-01")])
    log.has_rules = True
    use(log)
    words = ("wait", "shop.t", "--timeout", "9", "--partition")
    answer = run(*words, "day=2024-05-01")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err == (
        "lakemuster: shop.t has the partition, but no rule of partition_ready holds for it "
        "(only the background jobs of a running server evaluate the rules) after 9 seconds\n"
    )
    assert run(*words, "day=2024-05-02").err == "lakemuster: shop.t has no such partition after 9 seconds\n"


def test_a_field_that_no_partition_has_is_refused_at_once(use: Callable[[Shelf], Shelf], clock: list[float]) -> None:
    log = Log([partition(day="2024-05-01")])
    use(log)
    answer = run("wait", "shop.t", "--partition", "day=2024-05-01", "--partition", "dya=2024-05-01")
    assert (answer.status, clock) == (2, [0.0])
    assert "shop.t has no partition field 'dya': its partition fields are day, region, n, off" in answer.err
    log.fields = ()
    assert "no partition field 'day': it has none" in run("wait", "shop.t", "--partition", "day=2024-05-01").err


@pytest.mark.parametrize("word", ["day", "=x", ""])
def test_a_partition_is_a_field_and_a_value(use: Callable[[Shelf], Shelf], word: str) -> None:
    use(Log([]))
    assert run("wait", "shop.t", "--partition", word).status == 2


class Gone(EventLog):
    """A log that has lost its oldest events."""

    def page(self, after: int, limit: int, shown: object) -> EventPage:
        return EventPage(9, restart=9) if after < 9 else EventPage(after)


def remote_source(monkeypatch: pytest.MonkeyPatch) -> Source:
    def answer(request: httpx.Request) -> httpx.Response:
        page = {"events": [], "last_event_id": "9", "more": False, "lost": request.url.params.get("after") != "9"}
        return httpx.Response(200, json=page)

    transport = httpx.MockTransport(answer)
    monkeypatch.setattr(remote, "Client", lambda uri, token, **_: Client(uri, token, transport=transport))
    return cast("Source", remote.RemoteSource("http://lake", None))


def local_log(monkeypatch: pytest.MonkeyPatch) -> Source:
    monkeypatch.setattr(local_events, "_log", lambda _: Gone(cast("Any", None)))
    return LocalSource(cast("Any", None))


@pytest.mark.parametrize("opened", [remote_source, local_log])
@pytest.mark.parametrize(("after", "is_told"), [("4", True), ("9", False), (None, False)])
def test_events_that_are_gone_are_told(
    monkeypatch: pytest.MonkeyPatch, opened: Callable[[pytest.MonkeyPatch], Source], after: str | None, is_told: bool
) -> None:
    told: list[str] = []
    assert list(opened(monkeypatch).events(EventQuery(after), told.append)) == []
    assert told == [EVENTS_LOST] * is_told


@pytest.mark.parametrize("opened", [remote_source, local_log])
def test_a_wait_looks_again_when_events_are_gone(
    monkeypatch: pytest.MonkeyPatch, opened: Callable[[pytest.MonkeyPatch], Source]
) -> None:
    source = opened(monkeypatch)
    found, position = source.events_page(EventQuery(table="shop.t"), "4")
    assert ([one["type"] for one in found], position) == (["events.lost"], "9")
    assert source.events_page(EventQuery(table="shop.t"), "9") == ([], "9")
