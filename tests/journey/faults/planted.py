"""Bugs planted in a server, and the message of the check that must detect each.

``MUSTER_PLANTED`` names the bug that ``serve`` plants.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

from tests.journey.faults.proxies import Rule
from tests.journey.faults.schedules import Fault, Schedule
from tests.journey.faults.world import SICK

LISTED, MANIFESTS = r"\.avro|manifest-", r"-m0\.avro|manifest-[0-9a-f]{8}-"
_KEPT: list[object] = []


def _change(target: str, attribute: str, value: object) -> None:
    """Replace an attribute for the life of the process."""
    mock.patch(f"lakemuster.{target}.{attribute}", value).start()


def _forget_the_deadline() -> None:
    def wait(flight: Any, _patience: object) -> bool:
        flight._done.wait()
        return True

    _change("ingest.flights", "Flight.wait", wait)


def _share_no_look() -> None:
    from lakemuster.ingest.flights import Flight

    def join(flights: Any, _key: object, _bucket: str, work: Callable[[], object], *_: float) -> tuple[Flight, bool]:
        flight = Flight(work, flights._clock)
        threading.Thread(target=flight.run, daemon=True).start()
        return flight, False

    _change("ingest.flights", "Flights.join", join)


def _remember_no_failure() -> None:
    _change("ingest.shared_looks", "SharedLooks.note_failure", lambda *_: None)


def _say_nothing_of_staleness() -> None:
    from lakemuster.ingest.shared_looks import SharedLooks

    look = SharedLooks.look

    def quietly(looks: SharedLooks, table: Any, *, now: bool = False) -> None:
        look(looks, table, now=now)

    _change("ingest.shared_looks", "SharedLooks.look", quietly)


def _believe_any_bytes() -> None:
    _change("storage.content_digests", "ContentDigests.check", lambda *_: None)


def _count_ages_by_the_wall_clock() -> None:
    import time

    _change("ingest.ages", "Ages.known", lambda _, table: max(0.0, time.time() - (table.checked_at_ms or 0) / 1000))


def _take_unknown_for_missing() -> None:
    _change("ingest.shared_looks", "SharedLooks.is_certain", lambda *_: True)


def _say_no_time_to_retry() -> None:
    from lakemuster.api import errors

    problem = errors.problem

    def without(*args: Any, **more: Any) -> Any:
        answer = problem(*args, **more)
        if "Retry-After" in answer.headers:
            del answer.headers["Retry-After"]
        return answer

    _change("api.errors", "problem", without)


def _wait_for_the_database() -> None:
    _change("index.postgres", "BoundedConnection._watched", lambda _, steps: steps)


def _leave_in_quarantine() -> None:
    _change("ingest.table_refresh", "TableRefresher.retry", lambda *_: 0)


def _mix_buckets() -> None:
    _change("ingest.table_refresh", "TableRefresher.bucket_of", lambda *_: "all")
    _change("ingest.threads", "BucketThreads._has_room", lambda threads, _: sum(threads._busy.values()) < 1)


def _never_forget_an_answer() -> None:
    async def always(_table: object) -> bool:
        return True

    _change("api.app", "is_current", lambda _: always)


def _leak_descriptors() -> None:
    from lakemuster.ingest.shared_looks import SharedLooks

    visit = SharedLooks.look_now

    def leaking(looks: SharedLooks, table: Any) -> str | None:
        _KEPT.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(100))
        return visit(looks, table)

    _change("ingest.shared_looks", "SharedLooks.look_now", leaking)


def _leak_memory() -> None:
    from lakemuster.ingest.shared_looks import SharedLooks

    visit = SharedLooks.look_now

    def leaking(looks: SharedLooks, table: Any) -> str | None:
        _KEPT.append(b"x" * (64 << 20))
        return visit(looks, table)

    _change("ingest.shared_looks", "SharedLooks.look_now", leaking)


def _replace_no_decoder() -> None:
    _change("ingest.decode", "_Process.usable", True)


def _swallow_a_manifest() -> None:
    from lakemuster.ingest.index import Indexer

    indexed = Indexer._indexed

    def shorter(indexer: Indexer, snapshot: Any, rows: Any, outcomes: Any, *more: Any) -> Any:
        return indexed(indexer, snapshot, [row for row in rows if outcomes.get(row.segment) is None], outcomes, *more)

    _change("ingest.index", "Indexer._indexed", shorter)


@dataclass(frozen=True, slots=True)
class Planted:
    """A planted bug.

    Attributes:
        plant: the function that changes the server's process.
        faults: the faults that run while the bug is planted.
        found: a pattern of the problem that must be reported.
        postgres: whether the server uses PostgreSQL.
    """

    plant: Callable[[], None]
    faults: tuple[Fault, ...]
    found: str
    postgres: bool = False

    @property
    def schedule(self) -> Schedule:
        """The schedule of ``faults`` on one server."""
        return Schedule(1, self.postgres, False, 1, self.faults)


def _storage(fault: Any, pattern: str = "", probability: float = 1.0, end: float = 6.0) -> tuple[Fault, ...]:
    return (Fault(0.5, end, rule=Rule(f"/{SICK}-[0-9]+.*({pattern})", fault, probability)),)


HANGING, FAILING = _storage("hang"), _storage("403")
FAULTS = {
    "a look without a deadline": Planted(_forget_the_deadline, HANGING, "p99 of known answers"),
    "looks that are not shared": Planted(_share_no_look, HANGING, "at once"),
    "failures that are not remembered": Planted(_remember_no_failure, FAILING, "a second"),
    "answers that hide that they are stale": Planted(_say_nothing_of_staleness, FAILING, "not marked stale|status 404"),
    "bytes that cannot be compared with their ETag": Planted(
        _believe_any_bytes, _storage("flip", LISTED), "after the last fault|files missing"
    ),
    "ages by the wall clock": Planted(
        _count_ages_by_the_wall_clock, (Fault(1.0, 6.0, clock=(0, -900.0)),), "not marked stale"
    ),
    "404 without a look": Planted(_take_unknown_for_missing, FAILING, "status 404"),
    "503 without Retry-After": Planted(_say_no_time_to_retry, FAILING, "without Retry-After"),
    "a database that is waited for": Planted(
        _wait_for_the_database, (Fault(0.5, 20.0, database="hang"),), "the longest answer", postgres=True
    ),
    "a quarantine for ever": Planted(_leave_in_quarantine, _storage("404", LISTED), "after the last fault"),
    "a manifest that is left out": Planted(_swallow_a_manifest, _storage("404", MANIFESTS), "files missing"),
    "one pool for all buckets": Planted(_mix_buckets, HANGING, "other tables were touched"),
    "answers that are kept too long": Planted(_never_forget_an_answer, (), "not marked stale"),
    "descriptors that are not closed": Planted(_leak_descriptors, (), "descriptors"),
    "memory that is not given back": Planted(_leak_memory, (), "MiB"),
    "a dead decoder that is asked again": Planted(
        _replace_no_decoder, (Fault(1.0, 1.0, decoders=0),), "after the last fault|were touched"
    ),
}
