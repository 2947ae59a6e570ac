"""Commands of the command line on attached catalogs of every type."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from lakemuster.cli import app
from tests.contract.upstream.lakes import Lake

TABLES = [("db", "a"), ("db", "b"), ("other", "c")]


@pytest.mark.parametrize("lake", ["sql", "paimon-folders"], indirect=True)
def test_commands_list_a_catalog_and_index_its_tables(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in TABLES:
        lake.create(table)
    monkeypatch.chdir(lake.folder)
    attached = {**lake.settings, "roots": [f"{lake.folder}/lake"]}
    monkeypatch.setenv("LAKEMUSTER_CATALOGS", json.dumps({"prod": attached}))

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, [*words])
        assert done.exit_code == 0, done.output
        return done.stdout

    [shown] = json.loads(run("catalogs", "--json"))
    assert (shown["type"], shown["reachable"], shown["tables"]) == (lake.settings["type"], True, 3)
    lake.drop(TABLES[1])
    assert run("sync", "prod").startswith("prod: 2 tables, 0 added, 1 removed, 0 renamed, 0 left out")
    indexed = run("sync", "prod", "--index", "d*")
    assert "prod.db.a: 1 snapshot published" in indexed
    assert "prod.other.c" not in indexed
    unmatched = CliRunner().invoke(app, ["sync", "prod", "--index", "nope.*"])
    assert (unmatched.exit_code, unmatched.stderr) == (0, "lakemuster: no table of prod matches 'nope.*'\n")
    missing = CliRunner().invoke(app, ["files", "prod.db.d"])
    assert (missing.exit_code, missing.stderr[:43]) == (1, "lakemuster: table prod.db.d is not registered"[:43])
    assert len(run("files", "prod.db.a", "--json").splitlines()) >= 1
    lake.stop()
    failed = CliRunner().invoke(app, ["sync", "prod"])
    assert failed.exit_code == 1
    unasked = CliRunner().invoke(app, ["files", "prod.other.d"])
    assert unasked.exit_code == 1
    assert "not registered" not in unasked.stderr
    assert unasked.stderr == failed.stderr
    [broken] = json.loads(run("catalogs", "--json"))
    assert (broken["reachable"], broken["tables"]) == (False, 2)
    assert broken["error"].startswith("upstream_")
