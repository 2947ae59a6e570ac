"""Seeded schedules of faults: storage, database, clocks and killed processes, during commits and requests.

``MUSTER_FAULT_SEEDS`` names the seeds of a full run. Ordinary runs take a few seeds and fewer clients, and judge
contents only; times are judged by a full run on an otherwise idle machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.journey.faults.schedules import CLIENTS, Outcome, Schedule, described, log_of, run
from tests.journey.faults.stores import Store, s3_process
from tests.journey.faults.world import made
from tests.postgres import PostgresServer

SEEDS = [int(word) for word in os.environ.get("MUSTER_FAULT_SEEDS", " ".join(map(str, range(200)))).split()]
ORDINARY_SEEDS = (4, 6)
"""Two replicas on PostgreSQL with remote segments, and one server on SQLite."""
ORDINARY_CLIENTS = 8
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def s3_store() -> Iterator[Store]:
    with s3_process() as store:
        yield store


def _outcome(schedule: Schedule, clients: int, s3_store: Store, postgres: PostgresServer, folder: Path) -> Outcome:
    with made(
        folder,
        s3_store,
        schedule.seed,
        postgres=postgres if schedule.postgres else None,
        remote_segments=schedule.remote_segments,
        replicas=schedule.replicas,
        number=next(_NUMBERS),
    ) as world:
        outcome = run(schedule, world, clients)
    sys.stdout.write(f"{described(schedule)}\n{outcome.figures()}\n")
    return outcome


@pytest.mark.parametrize("seed", ORDINARY_SEEDS)
def test_no_fault_makes_an_answer_wrong(
    seed: int, s3_store: Store, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    schedule = Schedule.of(seed)
    outcome = _outcome(schedule, ORDINARY_CLIENTS, s3_store, postgres_server, tmp_path)
    assert not outcome.problems, "\n".join([described(schedule), *outcome.problems, log_of(tmp_path)])


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_no_fault_makes_an_answer_wrong_or_lasts(
    seed: int, s3_store: Store, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    schedule = Schedule.of(seed)
    outcome = _outcome(schedule, CLIENTS, s3_store, postgres_server, tmp_path)
    broken = outcome.problems + outcome.late
    assert not broken, "\n".join([described(schedule), *broken, log_of(tmp_path)])
