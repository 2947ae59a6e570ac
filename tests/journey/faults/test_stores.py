"""Storage faults of every emulator but S3's: no response is incomplete or wrong, or hides that it is stale.

Google's and Azure's emulators and a plain HTTP server run one seed in every run; HDFS and the other seeds run in a full
one. ``MUSTER_STORE_FAULT_SEEDS`` names those seeds.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.http_files import HttpFiles
from tests.journey.faults import serve, stores
from tests.journey.faults.planted import FAULTS
from tests.journey.faults.schedules import CLIENTS, Outcome, Schedule, described, log_of, run
from tests.journey.faults.stores import Store
from tests.journey.faults.world import made

ORDINARY_SEED, ORDINARY_CLIENTS = 1, 8
SEEDS = [int(word) for word in os.environ.get("MUSTER_STORE_FAULT_SEEDS", " ".join(map(str, range(2, 12)))).split()]
LEAST_KINDS = 5
"""Minimum number of kinds of faults that occurred: a schedule that affects no request tests nothing."""
MOST_RUNS = 3
KINDS = ("google", "azure", "http", pytest.param("hdfs", marks=pytest.mark.full))
PLANTED = [
    *((kind, "bytes that cannot be compared with their ETag") for kind in ("google", "azure")),
    *(
        (kind, name)
        for kind in ("google", "azure", "http", "hdfs")
        for name in ("answers that hide that they are stale", "a manifest that is left out")
    ),
]
"""Kinds of stores, and planted bugs that their schedules detect."""
_NUMBERS = count(1)


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store and its server."""
    match request.param:
        case "google":
            yield stores.google(request.getfixturevalue("google_endpoint"))
        case "azure":
            yield stores.azure(request.getfixturevalue("azure_endpoint"))
        case "hdfs":
            yield stores.hdfs_cluster(request.getfixturevalue("hdfs_cluster"))
        case _:
            with HttpFiles() as server:
                yield stores.http(server)


def _outcome(seed: int, clients: int, store: Store, folder: Path) -> tuple[Schedule, Outcome]:
    """Run a schedule; repeat it if too few kinds of faults occurred. Return the first run that breaks a law."""
    schedule, kinds = Schedule.of_storage(seed, has_digests=store.has_digests), Counter[str]()
    for attempt in range(MOST_RUNS):
        place = folder / str(attempt)
        place.mkdir()
        with made(place, store, seed, number=next(_NUMBERS)) as world:
            outcome = run(schedule, world, clients)
            kinds.update(world.storage.done)
        sys.stdout.write(f"{described(schedule)}\n{outcome.figures()}\n{dict(kinds)}\n")
        if len(kinds) >= LEAST_KINDS or outcome.problems or outcome.late:
            return schedule, outcome
    outcome.problems.append(f"only {dict(kinds)} happened: nothing is shown")
    return schedule, outcome


def test_no_fault_of_a_store_makes_an_answer_wrong(store: Store, tmp_path: Path) -> None:
    schedule, outcome = _outcome(ORDINARY_SEED, ORDINARY_CLIENTS, store, tmp_path)
    assert not outcome.problems, "\n".join([described(schedule), *outcome.problems, log_of(tmp_path)])


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_no_fault_of_a_store_makes_an_answer_wrong_or_lasts(seed: int, store: Store, tmp_path: Path) -> None:
    schedule, outcome = _outcome(seed, CLIENTS, store, tmp_path)
    broken = outcome.problems + outcome.late
    assert not broken, "\n".join([described(schedule), *broken, log_of(tmp_path)])


@pytest.mark.full
@pytest.mark.parametrize(("store", "name"), PLANTED, indirect=["store"])
def test_a_planted_fault_is_seen_on_a_store(name: str, store: Store, tmp_path: Path) -> None:
    fault = FAULTS[name]
    with made(tmp_path, store, 1, number=next(_NUMBERS), variables={serve.PLANTED: name}) as world:
        outcome = run(fault.schedule, world, ORDINARY_CLIENTS)
    broken = outcome.problems + outcome.late
    assert any(re.search(fault.found, problem) for problem in broken), broken
