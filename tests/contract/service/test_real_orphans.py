"""Searches in all real tables below ``../shared/lakes`` find all planted files and no referenced file."""

from __future__ import annotations

import os
import random
import shutil
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.catalog.services import Services
from tests.contract.service.backends import catalog, settings
from tests.contract.service.orphan_lakes import DAY, OLD
from tests.contract.service.test_orphans import found_in, refusals

BROKEN = "iceberg.equality_deletes.warehouse.mydb.mytable"
"""A table in which a snapshot's manifest list is missing."""
COPIED = {f"iceberg.iceberg.lineitem_iceberg{end}" for end in ("_no_hint", "_gz_no_hint")}
"""Tables whose metadata is a copy of another table's."""
STRAY = ("README", "commit_messages-", "data_split", "pyiceberg_catalog.db", "catalog.sqlite", "mock_data.parquet")
"""Files among the tables that do not belong to any table."""


@pytest.fixture(scope="module")
def lake(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("real") / "lake"
    shutil.copytree(lakes, folder, copy_function=shutil.copyfile)
    then = time.time() - OLD
    for path in folder.rglob("*"):
        os.utime(path, (then, then))
    return folder


@pytest.fixture(scope="module")
def services(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    moved = f"{lake}/iceberg"
    rewrites = [("data/persistent", moved)]
    rewrites += [(name, f"{moved}/iceberg/{name}") for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    with catalog(settings(tmp_path_factory.mktemp("index"))) as made:
        found = list(made.discover(str(lake), None, tuple(rewrites), operator=True))
        assert len(found) > 25
        yield made


def test_planted_files_are_found_and_no_other_than_strays(services: Services, lake: Path) -> None:
    assert set(refusals(services, str(lake), index=True)) == {BROKEN, *COPIED}
    for name in (BROKEN, *COPIED):
        shutil.rmtree(services.table(name).location)
        services.remove(name)
    before = found_in(services, str(lake))
    assert [path for path in before if not os.path.basename(path).startswith(STRAY)] == []
    chosen, planted = random.Random(7), set()
    folders = sorted(str(path) for path in lake.rglob("*") if path.is_dir())
    for folder in chosen.sample(folders, 60):
        path = f"{folder}/{uuid.UUID(int=chosen.getrandbits(128))}{chosen.choice(['.parquet', '-m0.avro', '', '.orc'])}"
        Path(path).write_bytes(b"x")
        age = chosen.choice([1, 10])
        os.utime(path, (time.time() - age * DAY, time.time() - age * DAY))
        if age > 3:
            planted.add(path)
    assert found_in(services, str(lake)) == before | planted
    assert len(planted) > 10
