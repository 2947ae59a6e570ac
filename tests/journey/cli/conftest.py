"""Fixtures: a lake with its index, and a server of that index."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import typer.main

from lakemuster.cli import app
from tests.journey.servers import Running, lakemuster, served

TABLES = (
    "iceberg/equality_deletes",
    "iceberg/partition_bool",
    "iceberg/add_columns_with_defaults",
    "paimon/parquet/pk_table_scan_and_read_mor.db",
    "paimon/parquet/pk_09.db",
    "paimon/parquet/pk_dv_index_in_data_with_external.db",
    "paimon/parquet/append_table_with_append_pt_branch.db",
)

EQUALITY, LOST = "iceberg.equality_deletes.warehouse.mydb.mytable", "7342794868382145167"


@dataclass(frozen=True)
class Lake:
    """A folder with tables in ``lake`` and their index beside it."""

    folder: Path
    rewrites: tuple[str, ...]

    def run(self, *words: str, **settings: str) -> tuple[int, str, str]:
        """Run a command in the folder; return its status, standard output and standard error."""
        done = lakemuster(self.folder, *words, **settings)
        return done.returncode, done.stdout, done.stderr

    def json(self, *words: str) -> Any:
        """Return the JSON output of a command."""
        status, out, err = self.run(*words, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)


commands = cache(partial(typer.main.get_command, app))
"""The program's commands, cached because Typer would build them again for each run."""


def run_here(*words: str, status: int = 0) -> tuple[str, str]:
    """Run a command in this process; return its standard output and standard error."""
    output, complaints = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(complaints),
        pytest.raises(SystemExit) as end,
    ):
        commands().main([*words], prog_name="lakemuster")
    assert end.value.code == status, (words, complaints.getvalue())
    return output.getvalue(), complaints.getvalue()


@pytest.fixture(scope="package")
def lake(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    folder = tmp_path_factory.mktemp("cli")
    for table in TABLES:
        shutil.copytree(lakes / table, folder / "lake" / table, copy_function=shutil.copyfile)
    made = Lake(folder, ("--rewrite", f"data/persistent={folder}/lake/iceberg"))
    status, out, err = made.run("discover", "lake", *made.rewrites)
    assert (status, err) == (0, "")
    assert {line.split("\t")[0] for line in out.splitlines()} == {"registered"}
    status, _, err = made.run("refresh", "--all")
    assert status == 0, err
    # One old manifest list has another name than the table's metadata records.
    assert {line.partition(" cannot")[0] for line in err.splitlines()} == {f"lakemuster: {EQUALITY}: snapshot {LOST}"}
    return made


@pytest.fixture(scope="package")
def server(lake: Lake) -> Iterator[Running]:
    with served(lake.folder) as running:
        yield running
