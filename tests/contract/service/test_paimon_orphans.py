"""Orphans of Paimon tables equal those of Paimon's own procedure, except in folders that it does not list."""

from __future__ import annotations

import os
import random
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.catalog.services import Services
from tests.contract.service.backends import catalog, settings
from tests.contract.service.paimon_lake import Lake
from tests.contract.service.test_orphans import found_in
from tests.contract.service.test_paimon_expiry import TABLES, grow
from tests.paimon_java import Paimon

DAY = 86_400
LISTED = ("manifest", "index", "statistics", "bucket-", "snapshot", "changelog")
"""Folders that Paimon's procedure lists. It does not list ``schema``, ``tag``, ``consumer`` and unknown folders."""


def is_listed(path: Path, root: Path) -> bool:
    folders = path.relative_to(root).parts[:-1]
    return bool(folders) and any(folders[-1].startswith(name) for name in LISTED)


@pytest.fixture(scope="module")
def lake(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake.made(java_paimon, tmp_path_factory.mktemp("paimon_orphans") / "lake")
    for table, options in TABLES.items():
        grow(made, table, options)
        if not table.startswith("decoupled"):
            made.ask("expire", table, retain_min="1", older_than=str(2**42))
        plant(made.root(table))
    return made


@pytest.fixture(scope="module")
def services(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with catalog(settings(tmp_path_factory.mktemp("index"))) as made:
        for table in TABLES:
            made.add(f"l.{table}", str(lake.root(table)), None, (), operator=True)
        yield made


def plant(root: Path) -> None:
    """Write files with names of all kinds to every folder of a table, and make all files old."""
    chosen = random.Random(str(root.name))
    for folder in sorted(path for path in root.rglob("*") if path.is_dir()):
        for name in ("data-{}-0.parquet", "manifest-{}-0", "manifest-list-{}-0", "index-{}-0", "{}.orc"):
            if chosen.random() < 0.5:
                (folder / name.format(uuid.UUID(int=chosen.getrandbits(128)))).write_bytes(b"x")
    (root / "unknown").mkdir()
    (root / "unknown" / "data-x.parquet").write_bytes(b"x")
    then = time.time() - 10 * DAY
    for path in root.rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


@pytest.mark.parametrize("table", TABLES)
def test_orphans_are_those_of_paimons_own_procedure(services: Services, lake: Lake, table: str) -> None:
    root = lake.root(table)
    told = lake.ask("orphans", table, older_than=str(int((time.time() - 3 * DAY) * 1000)))
    theirs = {Path(path.removeprefix("file:")) for path in told}
    ours = {Path(path) for path in found_in(services, str(root))}
    assert theirs - ours == set()
    assert {path for path in ours - theirs if is_listed(path, root)} == set()
    assert root / "unknown" / "data-x.parquet" in ours
    assert len(theirs) > 5


def test_a_whole_lake_has_the_orphans_of_its_tables(services: Services, lake: Lake) -> None:
    found = found_in(services, str(lake.folder))
    assert found == {path for table in TABLES for path in found_in(services, str(lake.root(table)))}
