"""Each rule reports ready partitions once; these checks detect planted bugs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.index.database import Database
from tests.contract.service import readiness_histories
from tests.contract.service.readiness_histories import CHECKS, PLANTED, Check
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


def test_twelve_bugs_are_planted() -> None:
    assert len(PLANTED) == 12


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    check, plant = PLANTED[name]
    with monkeypatch.context() as patch:
        plant(patch)
        with pytest.raises(AssertionError):
            check(tmp_path)
