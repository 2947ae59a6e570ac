"""Orphan files of attached tables: the files that the catalog's pointers do not reach, and no others."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lakemuster.catalog.services import Services
from lakemuster.errors import ReferencesUnknown
from tests.contract.service.backends import catalog, settings
from tests.contract.service.orphan_lakes import OLD
from tests.contract.service.test_orphans import found_in
from tests.contract.upstream.lakes import HIVE, CatalogOwnedLake

A, B, LATE = ("db", "a"), ("db", "b"), ("db", "late")
ICEBERG = ["rest", "sql", "postgres", "glue", HIVE]
pytestmark = pytest.mark.parametrize("lake", ICEBERG, indirect=True)


def files(lake: CatalogOwnedLake) -> set[str]:
    """Return the paths of all files in the lake's folder."""
    return {str(path) for path in (lake.folder / "lake").rglob("*") if path.is_file()}


@contextmanager
def attached(lake: CatalogOwnedLake) -> Iterator[Services]:
    of = settings(lake.folder, catalogs={"prod": {**lake.settings, "roots": [f"{lake.folder}/lake"]}})
    with catalog(of) as made:
        yield made


def orphans(services: Services, lake: CatalogOwnedLake) -> set[str]:
    """Make all files older than the default age, and return the orphans that the search finds."""
    then = time.time() - OLD
    for path in files(lake):
        os.utime(path, (then, then))
    return found_in(services, f"{lake.folder}/lake")


def test_lost_commits_are_found_and_files_of_tables_that_nobody_told_of_are_not(lake: CatalogOwnedLake) -> None:
    lake.create(A)
    lake.create(B)
    with attached(lake) as services:
        assert orphans(services, lake) == set()
        stray = lake.folder / "lake" / "db" / "stray.parquet"
        stray.write_bytes(b"left")
        lake.commit(A)
        before = files(lake)
        lake.lose_commit(A)
        lost = files(lake) - before
        assert len(lost) >= 4, "expected a data file, a manifest, its list and a metadata file"
        assert orphans(services, lake) == {str(stray), *lost}
        lake.create(LATE)  # the index does not know this table
        lake.commit(LATE)
        assert orphans(services, lake) == {str(stray), *lost}
        lake.drop(B)  # its files remain, and look like a table
        with pytest.raises(ReferencesUnknown, match="db/b: it looks like an Iceberg table that is not registered"):
            orphans(services, lake)
        shutil.rmtree(lake.folder / "lake" / "db" / "b")
        assert orphans(services, lake) == {str(stray), *lost}


def test_a_catalog_that_does_not_answer_is_refused_by_name(lake: CatalogOwnedLake) -> None:
    lake.create(A)
    with attached(lake) as services:
        assert orphans(services, lake) == set()
        lake.stop()
        with pytest.raises(ReferencesUnknown, match=r"prod.*the catalog cannot be listed"):
            orphans(services, lake)
