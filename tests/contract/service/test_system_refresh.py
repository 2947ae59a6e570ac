"""A refresh indexes statistics files and consumers, and does not fail because of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from lakemuster.catalog.services import Services
from lakemuster.catalog.system_tables import branch_rows, snapshot_rows, system_table
from lakemuster.errors import CatalogError, StorageUnavailable
from lakemuster.index.orm import StatisticsRow
from lakemuster.ingest import statistics as ingested
from lakemuster.planner.view import Selector
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore
from tests.contract.service.backends import catalog, rows, settings

NAME = "pk_09.pk_09"
STATISTICS = {
    "snapshotId": 8,
    "schemaId": 0,
    "mergedRecordCount": 7,
    "mergedRecordSize": 900,
    "colStats": {
        "f0": {"colId": 0, "distinctCount": 6, "nullCount": 0, "avgLen": 5, "maxLen": 54},
        "é": {"colId": 3, "distinctCount": 7, "min": "11.0", "max": "21.1", "nullCount": 1},
    },
}
Row = dict[str, Any]


@pytest.fixture
def lake(lakes: Path, tmp_path: Path) -> Path:
    """A folder with one real table of eight snapshots."""
    folder = tmp_path / "lake"
    shutil.copytree(lakes / "paimon/parquet/pk_09.db", folder / "pk_09.db", copy_function=shutil.copyfile)
    return folder


@pytest.fixture
def root(lake: Path) -> Path:
    return lake / "pk_09.db" / "pk_09"


@pytest.fixture
def opened(tmp_path: Path, lake: Path) -> Iterator[Services]:
    with catalog(settings(tmp_path)) as services:
        yield services


def analyzed(root: Path, name: str = "stat-1-0", document: bytes | None = None, snapshot: int = 8) -> Path:
    """Let a snapshot name a statistics file, and write the file if ``document`` is given."""
    path = root / "snapshot" / f"snapshot-{snapshot}"
    path.write_text(json.dumps({**json.loads(path.read_text()), "statistics": name}))
    file = root / "statistics" / name
    if document is not None:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(document)
    return file


def found(services: Services, lake: Path) -> None:
    assert [one.outcome for one in services.discover(str(lake), None, (), operator=True)] == ["registered"]
    report = services.refresh(NAME)
    assert not report.quarantined
    assert len(services.snapshots(NAME)[1]) == 8


def statistics(services: Services, snapshot: int | None = None) -> list[Row]:
    view = services.view(NAME, Selector(snapshot))
    return rows(snapshot_rows(services, view, system_table("statistics")))


def consumers(services: Services) -> dict[str, int]:
    _, table, _ = branch_rows(services, NAME, system_table("consumers"), Selector())
    return dict(zip(*table.to_pydict().values(), strict=True))


def kept(services: Services) -> set[str]:
    with services.index.database.reading() as session:
        return set(session.scalars(select(StatisticsRow.name)))


def test_statistics_of_a_snapshot_are_shown_as_java_prints_them(opened: Services, lake: Path, root: Path) -> None:
    file = analyzed(root, document=json.dumps(STATISTICS).encode())
    found(opened, lake)
    file.unlink()
    (row,) = statistics(opened)
    text = row.pop("colstat")
    assert row == {"snapshot_id": "8", "schema_id": 0, "mergedRecordCount": 7, "mergedRecordSize": 900}
    assert json.loads(text) == STATISTICS["colStats"]
    assert text.startswith('{\n  "f0" : {\n    "colId" : 0,\n    "distinctCount" : 6,')
    assert '"é"' in text
    assert statistics(opened, 7) == []


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("stat-gone-0", None),
        ("stat-cut-0", json.dumps(STATISTICS).encode()[:50]),
        ("stat-other-0", b"[]"),
        ("stat-large-0", b" " * (ingested.MAX_BYTES + 1)),
        ("../snapshot/snapshot-8", None),
        ("..", None),
        ("s" * 2000, None),
    ],
    ids=["missing", "truncated", "another", "too-large", "outside", "parent", "too-long"],
)
def test_an_unavailable_statistics_file_breaks_nothing(
    opened: Services, lake: Path, root: Path, name: str, document: bytes | None
) -> None:
    analyzed(root, name, document)
    found(opened, lake)
    assert statistics(opened) == []
    assert len(rows(snapshot_rows(opened, opened.view(NAME), system_table("files")))) == 3


def test_files_that_storage_did_not_return_are_read_on_request(
    opened: Services, lake: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analyzed(root, document=json.dumps(STATISTICS).encode())
    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "read_many", without(ObjectStore.read_many, "/statistics/"))
        found(opened, lake)
        with pytest.raises(StorageUnavailable):
            statistics(opened)
    assert kept(opened) == set()
    assert [row["mergedRecordCount"] for row in statistics(opened)] == [7]
    assert kept(opened) == {"stat-1-0"}


Read = Callable[..., Iterator[tuple[ReadRequest, bytes | CatalogError]]]


def without(read: Read, folder: str) -> Read:
    """Return a read function for which the objects of a folder are unavailable."""

    def some(store: ObjectStore, requests: Iterable[ReadRequest], **limits: int) -> Any:
        for request, outcome in read(store, requests, **limits):
            yield request, StorageUnavailable("down") if folder in request.location else outcome

    return some


def test_one_refresh_reads_a_bounded_number_of_files_and_forgets_those_of_no_snapshot(
    opened: Services, lake: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingested, "MAX_FILES", 2)
    for number in range(5, 9):
        document = json.dumps({**STATISTICS, "snapshotId": number}).encode()
        analyzed(root, f"stat-{number}", document, number)
    found(opened, lake)
    assert kept(opened) == {"stat-7", "stat-8"}
    assert [row["snapshot_id"] for row in statistics(opened, 5)] == ["5"]
    assert kept(opened) == {"stat-5", "stat-7", "stat-8"}
    opened.refresh(NAME)
    assert kept(opened) == {"stat-5", "stat-6", "stat-7", "stat-8"}
    (root / "snapshot" / "snapshot-5").unlink()
    opened.view(NAME)
    assert kept(opened) == {"stat-6", "stat-7", "stat-8"}
    opened.remove(NAME)
    assert kept(opened) == set()


def test_the_progress_of_consumers_is_shown(opened: Services, lake: Path, root: Path) -> None:
    found(opened, lake)
    assert consumers(opened) == {}
    folder = root / "consumer"
    folder.mkdir()
    (folder / "consumer-a").write_text('{"nextSnapshot": 3}')
    (folder / "consumer-half").write_text('{"next')
    (folder / "consumer-large").write_text(" " * 5000)
    (folder / "other").write_text("{}")
    assert consumers(opened) == {"a": 3}
    (folder / "consumer-a").write_text('{"nextSnapshot": 12}')
    (folder / "consumer-half").write_text('{"nextSnapshot": 2}')
    assert consumers(opened) == {"a": 12, "half": 2}
    shutil.rmtree(folder)
    assert consumers(opened) == {}
