"""The search for tables below a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.errors import StorageDenied, StorageError, StorageUnavailable
from lakemuster.ingest.discover import Found, Unreadable, find_tables
from lakemuster.storage.objects import ObjectInfo
from lakemuster.storage.store import ObjectStore


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Three folders, each with an Iceberg table."""
    for name in ("a", "b", "c"):
        metadata = tmp_path / name / "orders" / "metadata"
        metadata.mkdir(parents=True)
        (metadata / "v1.metadata.json").write_text("{}")
    return tmp_path


def failing(monkeypatch: pytest.MonkeyPatch, folder: Path, error: StorageError) -> None:
    listed = ObjectStore.list

    def list_or_fail(store: ObjectStore, location: str) -> list[ObjectInfo]:
        if location == str(folder):
            raise error
        return listed(store, location)

    monkeypatch.setattr(ObjectStore, "list", list_or_fail)


def test_the_search_goes_on_after_a_folder_that_cannot_be_read(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, lake / "b", StorageDenied("b: access denied"))
    first, second, third = find_tables(ObjectStore([str(lake)], {}), str(lake))
    assert (first, third) == (
        Found(("a", "orders"), f"{lake}/a/orders", "iceberg"),
        Found(("c", "orders"), f"{lake}/c/orders", "iceberg"),
    )
    assert second == Unreadable(("b",), f"{lake}/b", "b: access denied")


def test_the_search_ends_where_storage_does_not_answer(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, lake / "b", StorageUnavailable("no answer"))
    found = find_tables(ObjectStore([str(lake)], {}), str(lake))
    assert isinstance(next(found), Found)
    with pytest.raises(StorageUnavailable, match="no answer; later folders are not searched"):
        next(found)


def test_a_warehouse_that_cannot_be_listed_fails(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, lake, StorageDenied("access denied"))
    with pytest.raises(StorageDenied):
        next(find_tables(ObjectStore([str(lake)], {}), str(lake)))


def test_the_search_goes_on_after_a_folder_with_a_refused_name(lake: Path) -> None:
    (lake / "b" / "back\\slash").mkdir()
    first, second, third, fourth = find_tables(ObjectStore([str(lake)], {}), str(lake))
    assert isinstance(second, Unreadable)
    assert (second.levels, second.reason[-13:]) == (("b", "back\\slash"), "it contains \\")
    assert [one.levels[0] for one in (first, third, fourth)] == ["a", "b", "c"]
