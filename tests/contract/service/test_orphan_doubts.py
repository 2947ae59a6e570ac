"""Searches for orphans refuse a table whose current metadata only its catalog knows, if it may refer to more files."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakemuster.catalog.services import Services
from lakemuster.errors import ReferencesUnknown
from tests.contract.service.backends import catalog, settings
from tests.contract.service.orphan_lakes import OLD, Folder, Iceberg
from tests.contract.service.test_orphans import found_in


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with catalog(settings(tmp_path_factory.mktemp("doubts"))) as made:
        yield made


class Catalogued:
    """A table without a hint whose metadata files are named as catalogs name them, by version from 0."""

    def __init__(self, root: Path) -> None:
        self.root = root
        bucket = Folder(root)
        table = Iceberg("t", bucket, f"{root}/t", "t", random.Random(4)).start()
        table.spelling = "plain"
        for _ in range(3):
            table.append(2)
        bucket.keeps = True  # as an unfinished expiry does
        table.expire(1)
        self.documents = [self._document(version) for version in range(1, table._version + 1)]
        folder = root / "t" / "metadata"
        for path in (*folder.glob("v*.metadata.json"), folder / "version-hint.text"):
            path.unlink()
        self.folder = folder

    def _document(self, version: int) -> dict[str, Any]:
        path = self.root / "t" / "metadata" / f"v{version}.metadata.json"
        document: dict[str, Any] = json.loads(path.read_bytes())
        return document

    def write(self, version: int, document: dict[str, Any], stem: str = "a", *, before: str | None = "a") -> None:
        log = [] if before is None else [self._name(version - 1, before)]
        document = document | {"metadata-log": [{"timestamp-ms": 1, "metadata-file": name} for name in log]}
        Path(self._name(version, stem)).write_text(json.dumps(document))

    def _name(self, version: int, stem: str) -> str:
        return f"{self.folder}/{version:05d}-{stem}.metadata.json"

    def age(self) -> None:
        then = time.time() - OLD
        for path in self.root.rglob("*"):
            os.utime(path, (then, then))


@pytest.fixture
def table(services: Services, tmp_path: Path) -> Iterator[Catalogued]:
    made = Catalogued(tmp_path / "lake")
    yield made
    services.remove("c.t")


def refused(services: Services, table: Catalogued) -> str:
    table.age()
    services.add("c.t", str(table.root / "t"), None, (), operator=True)
    try:
        found_in(services, str(table.root))
    except ReferencesUnknown as error:
        return str(error)
    return ""


def test_a_newest_file_that_has_all_snapshots_of_the_one_before_is_trusted(
    services: Services, table: Catalogued
) -> None:
    table.write(0, table.documents[0], before=None)
    table.write(1, table.documents[1])
    assert refused(services, table) == ""


def test_a_newest_file_that_lacks_snapshots_is_not(services: Services, table: Catalogued) -> None:
    assert len(table.documents[-1]["snapshots"]) < len(table.documents[-2]["snapshots"])
    table.write(0, table.documents[-2], before=None)
    table.write(1, table.documents[-1])
    said = refused(services, table)
    assert "only the catalog knows which file is current" in said
    assert "it lacks 2 snapshots of the file before it, 00000-a.metadata.json" in said


def test_a_newest_file_whose_predecessor_cannot_be_read_is_not(services: Services, table: Catalogued) -> None:
    table.write(1, table.documents[1])
    assert "the file before it, 00000-a.metadata.json, cannot be read" in refused(services, table)


def test_two_newest_files_are_not(services: Services, table: Catalogued) -> None:
    table.write(0, table.documents[0], before=None)
    table.write(1, table.documents[1])
    table.write(1, table.documents[0], "b")
    assert "several metadata files have the highest version number" in refused(services, table)
