"""Seeded schedules of faults: storage, database, clocks, killed processes, with commits and 32 clients meanwhile."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.journey.faults.schedules import Schedule, described, log_of, run
from tests.journey.faults.world import made, s3_process
from tests.postgres import PostgresServer

SEEDS = [int(word) for word in os.environ.get("MUSTER_FAULT_SEEDS", " ".join(map(str, range(200)))).split()]
_NUMBERS = count(1)

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def s3_port() -> Iterator[int]:
    with s3_process() as port:
        yield port


@pytest.mark.parametrize("seed", SEEDS)
def test_no_fault_makes_an_answer_wrong_or_lasts(
    seed: int, s3_port: int, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    schedule = Schedule.of(seed)
    with made(
        tmp_path,
        s3_port,
        seed,
        postgres=postgres_server if schedule.postgres else None,
        remote_segments=schedule.remote_segments,
        replicas=schedule.replicas,
        number=next(_NUMBERS),
    ) as world:
        outcome = run(schedule, world)
        sys.stdout.write(f"{described(schedule)}\n{outcome.figures()}\n")
        assert not outcome.problems, "\n".join([described(schedule), *outcome.problems, log_of(tmp_path)])
