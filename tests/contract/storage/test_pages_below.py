"""A recursive listing of a folder, on every kind of storage, is complete or raises an error."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from lakemuster.errors import LocationRefused, ObjectMissing, StorageDenied, StorageError, StorageUnavailable
from lakemuster.storage import local_walk
from lakemuster.storage.store import ObjectStore
from tests.contract.storage.conftest import Lake
from tests.contract.storage.faulty_server import FaultyServer, answer, error
from tests.object_stores import BUCKETS, Bucket
from tests.storage_servers import S3Server

NAMES = [
    "t/metadata/v1.metadata.json",
    "t/data/k=1/a.parquet",
    "t/data/k=1/b.parquet",
    "t/data/k=%2F/ü é.parquet",
    "t/data/100%.parquet",
    "t/.hidden/_x",
    "top.txt",
    "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/deep.orc",
]


def listed(store: ObjectStore, location: str, folder: str = "") -> dict[str, int]:
    entries = [one for page in store.pages_below(location, folder) for one in page.entries]
    found = {one.name: one.size for one in entries}
    assert len(found) == len(entries)
    return found


def test_every_object_is_listed_once_with_its_size_and_time(lake: Lake) -> None:
    before = time.time() * 1000
    for number, name in enumerate(NAMES):
        lake.put(name, b"x" * number)
    store = lake.store()
    assert listed(store, lake.root) == {name: number for number, name in enumerate(NAMES)}
    assert listed(store, f"{lake.root}/t/data") == {name[7:]: NAMES.index(name) for name in NAMES if "t/data/" in name}
    assert listed(store, lake.root, "t/data/k=1") == {"a.parquet": 1, "b.parquet": 2}
    pages = list(store.pages_below(lake.root))
    times = [one.modified_ms for page in pages for one in page.entries]
    assert all(one is not None and abs(one - before) < 60_000 for one in times)
    told = pages[0].now_ms
    assert told is None if lake.root.startswith("memory:") else told is not None and abs(told - before) < 60_000


def test_a_folder_that_does_not_exist_is_an_error(lake: Lake) -> None:
    lake.put("a/x", b"")
    with pytest.raises(ObjectMissing):
        listed(lake.store(), f"{lake.root}/b")
    with pytest.raises(LocationRefused):
        listed(lake.store(), f"{lake.root}-elsewhere")
    with pytest.raises(LocationRefused):
        listed(lake.store(), lake.root, "a/../..")


@pytest.mark.parametrize("kind", ["google", "azure"])
def test_the_marker_of_a_folder_is_no_object(kind: str, request: pytest.FixtureRequest) -> None:
    bucket: Bucket = request.getfixturevalue(BUCKETS[kind])
    for key in ("db/t/", "db/t/empty/", "db/t/x"):
        bucket.put(key, b"")
    store = ObjectStore([bucket.url], bucket.storage)
    assert listed(store, f"{bucket.url}/db") == {"t/x": 0}
    assert [(one.name, one.is_folder) for one in store.list(f"{bucket.url}/db")] == [("t", True)]
    assert [(one.name, one.is_folder) for one in store.list(f"{bucket.url}/db/t")] == [("empty", True), ("x", False)]


def test_many_local_files_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_walk, "PAGE_ENTRIES", 10)
    names = {f"f{number % 7}/{number}" for number in range(95)} | {"a\nb", "100%", "tab\t"}
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "link").symlink_to("a\nb")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / os.fsdecode(b"\xff")).write_bytes(b"")
    pages = list(ObjectStore([str(tmp_path)], {}).pages_below(str(tmp_path)))
    assert {one.name for page in pages for one in page.entries} == names
    assert max(len(page.entries) for page in pages) == 10
    assert [link for page in pages for link in page.links] == ["link"]
    assert sum(page.unnamed for page in pages) == 1


def test_a_local_folder_that_cannot_be_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    right = os.scandir

    def refused(folder: str) -> object:
        if folder.rstrip("/").endswith("/a"):
            raise PermissionError(13, "no")
        return right(folder)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(StorageDenied):
        listed(ObjectStore([str(tmp_path)], {}), str(tmp_path))


def test_keys_of_s3_come_page_by_page(s3_server: S3Server) -> None:
    names = {f"db/{number:05d} %+é" for number in range(1005)} | {"db/x//y"}
    for name in names:
        s3_server.put(name, b"1")
    s3_server.put("db/folder/", b"")
    store = ObjectStore([s3_server.url], s3_server.storage)
    pages = list(store.pages_below(f"s3a://{s3_server.bucket}/db"))
    assert {f"db/{one.name}" for page in pages for one in page.entries} == names
    assert len(pages) == 2


def test_a_listing_of_s3_that_is_cut_off_is_an_error(faulty_server: FaultyServer) -> None:
    store = ObjectStore(["s3://b"], faulty_server.storage, deadline_seconds=2)
    page = (
        '<?xml version="1.0"?><ListBucketResult><IsTruncated>{}</IsTruncated>{}<Contents><Key>db/{}</Key><Size>1</Size>'
        "<LastModified>2024-01-01T00:00:00.000Z</LastModified></Contents></ListBucketResult>"
    )
    more = "<NextContinuationToken>t</NextContinuationToken>"
    faulty_server.script = [answer(page.format("true", more, "a").encode()), error("503 Busy", "SlowDown")]
    pages = store.pages_below("s3://b/db")
    assert [one.name for one in next(pages).entries] == ["a"]
    with pytest.raises(StorageUnavailable):
        next(pages)
    faulty_server.start_over()
    faulty_server.script = [answer(page.format("true", "", "a").encode())]
    pages = store.pages_below("s3://b/db")
    next(pages)
    with pytest.raises(StorageError, match="does not continue"):
        next(pages)
