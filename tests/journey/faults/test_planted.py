"""The checks detect every planted bug, and report nothing without it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from unittest import mock

import pytest

from tests.journey.faults import serve
from tests.journey.faults.planted import FAULTS
from tests.journey.faults.schedules import run
from tests.journey.faults.stores import Store, s3_process
from tests.journey.faults.world import made
from tests.postgres import PostgresServer

_NUMBERS = count(10_001)


@pytest.fixture(scope="module")
def s3_store() -> Iterator[Store]:
    with s3_process() as store:
        yield store


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_changes_what_the_code_has(name: str) -> None:
    try:
        FAULTS[name].plant()
    finally:
        mock.patch.stopall()


@pytest.mark.full
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(name: str, s3_store: Store, postgres_server: PostgresServer, tmp_path: Path) -> None:
    fault = FAULTS[name]
    postgres = postgres_server if fault.postgres else None
    planted = {serve.PLANTED: name}
    with made(tmp_path, s3_store, 1, postgres=postgres, number=next(_NUMBERS), variables=planted) as world:
        outcome = run(fault.schedule, world)
    sys.stdout.write(f"{name}: {outcome.figures()}\n")
    broken = outcome.problems + outcome.late
    assert any(re.search(fault.found, problem) for problem in broken), broken


@pytest.mark.full
@pytest.mark.parametrize("name", FAULTS)
def test_without_it_the_schedule_breaks_no_law(
    name: str, s3_store: Store, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    fault = FAULTS[name]
    postgres = postgres_server if fault.postgres else None
    with made(tmp_path, s3_store, 1, postgres=postgres, number=next(_NUMBERS)) as world:
        outcome = run(fault.schedule, world)
    sys.stdout.write(f"without: {outcome.figures()}\n")
    assert outcome.problems + outcome.late == []
