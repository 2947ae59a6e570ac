"""Each rule reports ready partitions once; these checks detect planted bugs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.catalog.partition_readiness import Candidate, candidates
from lakemuster.errors import SegmentMissing
from lakemuster.index import Index
from lakemuster.index.database import Database
from lakemuster.jobs import readiness
from lakemuster.jobs.job import Run
from lakemuster.jobs.readiness import TellReadyPartitions
from lakemuster.planner.view import View
from lakemuster.table_settings import ReadinessRule
from tests.contract.service import readiness_histories
from tests.contract.service.readiness_histories import CHECKS, PLANTED, Check
from tests.contract.service.readiness_lake import NAME, lake
from tests.postgres import PostgresServer


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_rules_tell_what_they_say(tmp_path: Path, check: Check) -> None:
    check(tmp_path)


@pytest.mark.parametrize("name", ["check_quiet", "check_watermark", "check_sibling"])
def test_so_they_do_on_postgres(tmp_path: Path, postgres_server: PostgresServer, name: str) -> None:
    with postgres_server.database() as url:
        database = Database(url)
        database.migrate()
        database.close()
        getattr(readiness_histories, name)(tmp_path, url)


@pytest.mark.parametrize("error", [SegmentMissing("gone"), ValueError("our bug")], ids=["deliberate", "unexpected"])
def test_a_table_that_fails_holds_up_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(index: Index, view: View, rule: ReadinessRule) -> list[Candidate]:
        if view.table.name == NAME:
            raise error
        return candidates(index, view, rule)

    monkeypatch.setattr(readiness, "candidates", failing)
    with lake(tmp_path, {"sibling": True}) as found:
        found.services.add("shop.second", found.table.location(), None, (), operator=True)
        found.services.refresh("shop.second")
        job = TellReadyPartitions(found.services)
        assert job.run(Run(lambda: True)) == "2 tables with rules, 0 partitions told, 1 tables failed"
        found.commit("2024-05-01", "2024-05-02")
        found.services.refresh("shop.second")
        assert job.run(Run(lambda: True)) == "2 tables with rules, 1 partitions told, 1 tables failed"


def test_twelve_bugs_are_planted() -> None:
    assert len(PLANTED) == 12


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    check, plant = PLANTED[name]
    with monkeypatch.context() as patch:
        plant(patch)
        with pytest.raises(AssertionError):
            check(tmp_path)
