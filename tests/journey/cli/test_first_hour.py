"""The first commands of a new user, run in a shell and in a folder of their own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lakemuster.cli import app
from tests.journey.cli.conftest import Lake
from tests.journey.servers import environment, lakemuster

BOOL = "iceberg.partition_bool"


def test_a_relative_folder_is_kept_by_its_whole_name(lake: Lake, tmp_path: Path):
    assert all(row["location"].startswith(f"{lake.folder}/lake/") for row in lake.json("tables"))
    shutil.copytree(lake.folder / "lake/paimon/parquet/pk_09.db/pk_09", tmp_path / "there" / "t")
    (tmp_path / "here").mkdir()
    add = lakemuster(tmp_path / "here", "add", "db.t", "../there/t")
    assert (add.stdout, add.stderr) == (f"registered db.t (paimon) at {tmp_path}/there/t\n", "")


def test_what_removed_tables_leave_can_be_swept(lake: Lake, tmp_path: Path):
    for name in ("kept", "gone"):
        source = "iceberg/partition_bool" if name == "kept" else "paimon/parquet/pk_09.db/pk_09"
        added = lakemuster(tmp_path, "add", f"db.{name}", f"{lake.folder}/lake/{source}", *lake.rewrites)
        assert added.returncode == 0, added.stderr
    lakemuster(tmp_path, "refresh", "--all")
    before = lakemuster(tmp_path, "files", "db.kept", "--json").stdout
    segments = {path for path in (tmp_path / "segments").rglob("*") if path.is_file()}
    lakemuster(tmp_path, "remove", "db.gone")
    assert lakemuster(tmp_path, "sweep").stdout == "0 segments removed, 0 bytes\n"
    for path in segments:
        os.utime(path, (1, 1))
    with contextlib.closing(sqlite3.connect(tmp_path / "index.db")) as database:
        database.execute("UPDATE segment SET registered_at_ms = 1")
        database.commit()
    swept = json.loads(lakemuster(tmp_path, "sweep", "--json").stdout)
    left = {path for path in segments if path.exists()}
    assert 0 < swept["files"] == len(segments) - len(left) < len(segments)
    assert lakemuster(tmp_path, "files", "db.kept", "--json").stdout == before


def test_discovering_again_changes_nothing(lake: Lake):
    status, out, err = lake.run("discover", "lake", *lake.rewrites)
    assert (status, err) == (0, "")
    lines = [line.split("\t") for line in out.splitlines()]
    assert {line[0] for line in lines} == {"exists"}
    assert [line[1] for line in lines] == sorted(line[1] for line in lines)


def test_columns_can_be_cut_and_summed(lake: Lake):
    pipe = f"{sys.executable} -m lakemuster files {BOOL} | awk -F'\\t' 'NR > 1 {{ n += $4 }} END {{ print n }}'"
    done = subprocess.run(
        ["/bin/sh", "-c", pipe],
        cwd=lake.folder,
        env=environment(lake.folder, {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == sum(row["record_count"] for row in lake.json("files", BOOL))


def test_a_reader_that_goes_away_is_no_failure(lake: Lake):
    process = subprocess.Popen(
        [sys.executable, "-m", "lakemuster", "entries", BOOL, "--json"],
        cwd=lake.folder,
        env=environment(lake.folder, {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 0


def test_the_console_entry_is_the_same_as_the_module():
    entry = "from lakemuster.cli import app; app(['--version'])"
    env = environment(Path.cwd(), {})
    done = subprocess.run([sys.executable, "-c", entry], env=env, capture_output=True, text=True, check=True)
    module = lakemuster(Path.cwd(), "--version")
    assert done.stdout == module.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["files", "no.such"], "table no.such is not registered"),
        (["files", BOOL, "--snapshot", "1"], "1"),
        (["files", BOOL, "--ref", "nobody"], "'nobody'"),
        (["files", BOOL, "--as-of", "1999-01-01"], "no snapshot is known for that time"),
        (["files", BOOL, "--content", "metadata"], "content must be one of data,"),
        (["files", BOOL, "--stats", "nothing"], "no such column: nothing"),
        (["files", "a..b"], "name"),
        (["entries", BOOL, "--manifest", "m.avro"], "manifest"),
        (["diff", BOOL, "1"], "1"),
        (["remove", "no.such"], "table no.such is not registered"),
        (["refresh", "no.such"], "table no.such is not registered"),
        (["add", "t", "lake/nothing/here"], "lake/nothing/here"),
        (["add", BOOL, "lake/iceberg/partition_bool"], "already"),
        (["discover", "lake/nothing/here"], "lake/nothing/here"),
        (["discover", "https://lake.test/x"], "https"),
    ],
)
def test_a_failure_is_one_line_that_says_what(
    lake: Lake, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch
):
    # The commands run in this process: separate processes would take minutes.
    monkeypatch.chdir(lake.folder)
    for name, value in environment(lake.folder, {}).items():
        monkeypatch.setenv(name, value)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("lakemuster: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "unexpected error" not in done.stderr


def test_a_wrong_setting_is_named(lake: Lake, tmp_path: Path):
    status, _, err = lake.run("tables", PORT="many")
    assert status == 1
    assert "PORT" in err
    (tmp_path / "lakemuster.toml").write_text("ports = 1\n", "utf-8")
    done = lakemuster(tmp_path, "tables")
    assert done.returncode == 1
    assert "PORTS" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_table_comes_and_goes(lake: Lake, tmp_path: Path):
    shutil.copytree(lake.folder / "lake/paimon/parquet/pk_09.db/pk_09", tmp_path / "here" / "t")
    add = lakemuster(tmp_path, "add", "`my.shop`.t", "here/t")
    assert add.stdout == f"registered `my.shop`.t (paimon) at {tmp_path}/here/t\n"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    settings = {"DATABASE_URL": f"sqlite:///{tmp_path}/index.db", "SEGMENTS_URL": f"{tmp_path}/segments"}
    index = lakemuster(elsewhere, "index", "`my.shop`.t", **settings)
    assert index.returncode == 0, index.stderr
    assert index.stdout.startswith("`my.shop`.t: 8 snapshots published, ")
    rows = json.loads(lakemuster(elsewhere, "snapshots", "`my.shop`.t", "--json", **settings).stdout)
    assert {row["state"] for row in rows} == {"published"}
    again = lakemuster(elsewhere, "refresh", "`my.shop`.t", **settings)
    assert "0 snapshots published, 0 manifests fetched" in again.stdout
    assert lakemuster(tmp_path, "remove", "`my.shop`.t").stdout == "removed `my.shop`.t\n"
    assert json.loads(lakemuster(tmp_path, "tables", "--json").stdout) == []
    assert (tmp_path / "here" / "t").is_dir()


def test_a_broken_table_keeps_nobody_from_the_others(lake: Lake, tmp_path: Path):
    shutil.copytree(lake.folder / "lake/paimon/parquet/pk_09.db", tmp_path / "lake" / "a.db")
    shutil.copytree(lake.folder / "lake/paimon/parquet/pk_09.db", tmp_path / "lake" / "b.db")
    assert lakemuster(tmp_path, "discover", "lake").returncode == 0
    for manifest in (tmp_path / "lake/a.db/pk_09/manifest").glob("manifest-list-*"):
        manifest.write_bytes(manifest.read_bytes()[:40])
    done = lakemuster(tmp_path, "refresh", "--all")
    assert done.returncode == 1
    assert "a.pk_09: snapshot 8 cannot be read: " in done.stderr
    assert all(line.startswith("lakemuster: a.pk_09: snapshot ") for line in done.stderr.splitlines())
    assert "b.pk_09: 8 snapshots published, " in done.stdout
    assert lakemuster(tmp_path, "files", "b.pk_09").returncode == 0
    broken = lakemuster(tmp_path, "files", "a.pk_09")
    assert (broken.returncode, broken.stdout) == (1, "")
    assert len(broken.stderr.splitlines()) == 1


def test_an_unreachable_bucket_is_said_in_one_line(tmp_path: Path):
    storage = {"s3": {"endpoint_url": "http://127.0.0.1:9", "key": "k", "secret": "very-secret"}}
    done = lakemuster(tmp_path, "add", "t", "s3://bucket/t", STORAGE=json.dumps(storage))
    assert done.returncode == 1
    assert "s3://bucket/t" in done.stderr
    assert "secret" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_postgresql_database_is_migrated_by_hand(postgres_url: str, tmp_path: Path):
    before = lakemuster(tmp_path, "tables", DATABASE_URL=postgres_url)
    assert before.returncode == 1
    assert "lakemuster migrate" in before.stderr
    migrate = lakemuster(tmp_path, "migrate", DATABASE_URL=postgres_url)
    assert migrate.returncode == 0
    assert migrate.stdout.startswith("the database is at version ")
    assert lakemuster(tmp_path, "migrate", "--database-url", postgres_url).stdout == migrate.stdout
    after = lakemuster(tmp_path, "tables", DATABASE_URL=postgres_url)
    assert (after.returncode, after.stdout, after.stderr) == (0, "", "lakemuster: no tables in the index\n")


def test_the_description_of_the_api_leaves_nothing_behind(tmp_path: Path):
    done = lakemuster(tmp_path, "openapi")
    assert done.returncode == 0
    assert done.stdout.startswith('openapi: "3.1')
    assert list(tmp_path.iterdir()) == []
