"""One contract suite for local folders, fsspec's memory filesystem and object stores."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import time
from collections.abc import Sequence

import pytest

from lakemuster.errors import CatalogError, LimitExceeded, LocationRefused, ObjectMissing, WrongLength
from lakemuster.storage.objects import ObjectInfo, ReadRequest
from lakemuster.storage.store import ObjectStore
from tests.contract.storage.conftest import Lake

ODD_NAMES = [
    "t/plain.avro", "t/day=2024-01-01 10%3A00%3A00/x", "t/a b/ü/日本", "t/a+b&c=d;e,f", "t/[a]*{b}'c'(d)~", "t/x#1",
    "t/%25/%2F", "t/..x/...", "t/.hidden", "t/x.",
]  # fmt: skip


def test_an_object_reads_whole(readable: Lake) -> None:
    data = bytes(range(256)) * 20_000
    readable.put("t/x", data)
    readable.put("t/empty", b"")
    store = readable.store()
    assert store.read(f"{readable.root}/t/x") == data
    assert store.read(f"{readable.root}/t/x", expected_length=len(data), max_bytes=len(data)) == data
    assert store.read(f"{readable.root}/t/empty", expected_length=0) == b""


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_are_literal(lake: Lake, name: str) -> None:
    lake.put(name, name.encode())
    store = lake.store()
    assert store.read(f"{lake.root}/{name}") == name.encode()
    info = store.stat(f"{lake.root}/{name}")
    assert info is not None
    assert (info.location, info.size, info.is_folder) == (f"{lake.root}/{name}", len(name.encode()), False)
    folder, _, last = name.rpartition("/")
    assert [child.name for child in store.list(f"{lake.root}/{folder}")] == [last]


def test_a_missing_object_is_missing(lake: Lake) -> None:
    lake.put("t/x", b"1")
    store = lake.store()
    for name in ("t/y", "t/x/y", "t", "", "u/v"):
        with pytest.raises(ObjectMissing, match=r"no such object|not a file|not an object"):
            store.read(f"{lake.root}/{name}")
    assert store.stat(f"{lake.root}/t/y") is None
    assert not store.exists(f"{lake.root}/t/x/y")


@pytest.mark.parametrize("length", [0, 9, 11])
def test_an_object_of_another_length_is_told_from_one_with_wrong_bytes(readable: Lake, length: int) -> None:
    readable.put("t/x", b"0123456789")
    with pytest.raises(WrongLength, match=f"10 bytes long, but its metadata says {length}"):
        readable.store().read(f"{readable.root}/t/x", expected_length=length)


def test_an_object_above_the_limit_is_not_fetched(readable: Lake) -> None:
    readable.put("t/x", b"0" * 1000)
    store = readable.store()
    with pytest.raises(LimitExceeded, match="1000 bytes long, the limit is 999"):
        store.read(f"{readable.root}/t/x", max_bytes=999)
    assert store.counts.bytes == 0
    assert len(store.read(f"{readable.root}/t/x", max_bytes=1000)) == 1000
    [(_, outcome)] = store.read_many([ReadRequest(f"{readable.root}/t/x", 1000)], max_bytes=999)
    assert isinstance(outcome, LimitExceeded)


def test_locations_beside_the_root_are_refused_and_not_probed(readable: Lake) -> None:
    readable.put("t/x", b"1")
    readable.put("t-secret/x", b"2")
    store = ObjectStore([f"{readable.root}/t"], readable.options)
    beside = f"{readable.root}/t-secret/x"
    for probe in (store.read, store.stat, store.exists, store.list):
        with pytest.raises(LocationRefused):
            probe(beside)
    [(_, outcome)] = store.read_many([ReadRequest(beside)])
    assert isinstance(outcome, LocationRefused)
    assert (store.counts.reads, store.counts.stats, store.counts.lists) == (0, 0, 0)


def test_an_operator_allows_one_more_place(readable: Lake) -> None:
    readable.put("t/x", b"1")
    readable.put("u/x", b"2")
    narrow = ObjectStore([f"{readable.root}/t"], readable.options)
    wide = narrow.allowing(f"{readable.root}/u")
    assert (wide.read(f"{readable.root}/t/x"), wide.read(f"{readable.root}/u/x")) == (b"1", b"2")
    assert wide.counts is narrow.counts
    with pytest.raises(LocationRefused):
        narrow.read(f"{readable.root}/u/x")


def test_a_listing_is_one_level_complete_and_sorted(lake: Lake) -> None:
    before = time.time()
    for name in ("t/b", "t/a", "t/c/x", "t/c/y/z", "t/a.d/x", "tt/x", "u"):
        lake.put(name, name.encode())
    store = lake.store()
    children = store.list(f"{lake.root}/t")
    assert [(child.name, child.is_folder, child.size) for child in children] == [
        ("a", False, 3),
        ("a.d", True, 0),
        ("b", False, 3),
        ("c", True, 0),
    ]
    assert [child.location for child in children] == [f"{lake.root}/t/{child.name}" for child in children]
    assert store.list(f"{lake.root}/t/") == children
    modified = children[0].modified_ms
    assert modified is not None
    assert abs(modified / 1000 - before) < 60
    assert [child.name for child in store.list(lake.root)] == ["t", "tt", "u"]


@pytest.mark.parametrize("lake", ["s3", "google", "azure"], indirect=True)
def test_an_object_and_a_folder_may_have_one_name(lake: Lake) -> None:
    for name in ("t/a", "t/a/x", "t/c/", "t/c/x"):
        lake.put(name, b"1")
    found = [(child.name, child.is_folder) for child in lake.store().list(f"{lake.root}/t")]
    assert sorted(found) == [("a", False), ("a", True), ("c", True)]


def test_a_missing_folder_lists_as_empty(lake: Lake) -> None:
    lake.put("t/x", b"1")
    store = lake.store()
    assert store.list(f"{lake.root}/u") == []
    assert store.list(f"{lake.root}/t/x") == []
    assert store.list(f"{lake.root}/t/x/y") == []


def test_a_folder_has_a_stat_result(lake: Lake) -> None:
    lake.put("t/c/x", b"1")
    info = lake.store().stat(f"{lake.root}/t")
    assert info is not None
    assert (info.name, info.size, info.is_folder) == ("t", 0, True)
    assert lake.store().stat(lake.root) is not None


def test_changes_are_seen_at_once(lake: Lake) -> None:
    store = lake.store()
    assert store.stat(f"{lake.root}/t/x") is None
    assert store.list(f"{lake.root}/t") == []
    lake.put("t/x", b"1")
    assert [child.size for child in store.list(f"{lake.root}/t")] == [1]
    lake.put("t/x", b"22")
    lake.put("t/y", b"1")
    assert store.read(f"{lake.root}/t/x") == b"22"
    info = store.stat(f"{lake.root}/t/x")
    assert info is not None
    assert info.size == 2
    assert [child.name for child in store.list(f"{lake.root}/t")] == ["x", "y"]
    lake.remove("t/x")
    assert not store.exists(f"{lake.root}/t/x")
    with pytest.raises(ObjectMissing):
        store.read(f"{lake.root}/t/x")


def test_many_objects_read_with_one_failing(readable: Lake) -> None:
    requests = [ReadRequest(f"{readable.root}/t/{number}", number) for number in range(50)]
    for number in range(50):
        readable.put(f"t/{number}", b"x" * number)
    readable.remove("t/7")
    readable.put("t/8", b"changed behind our back")
    store = readable.store()
    outcomes = {request.location: outcome for request, outcome in store.read_many(requests)}
    assert len(outcomes) == 50
    assert isinstance(outcomes.pop(f"{readable.root}/t/7"), ObjectMissing)
    assert isinstance(outcomes.pop(f"{readable.root}/t/8"), WrongLength)
    assert all(data == b"x" * int(location.rpartition("/")[2]) for location, data in outcomes.items())
    assert store.counts.reads == 50
    assert store.counts.bytes == sum(range(50)) - 15


def test_reading_many_may_stop_early(readable: Lake) -> None:
    for number in range(20):
        readable.put(f"t/{number}", b"x")
    store = readable.store()
    reading = store.read_many([ReadRequest(f"{readable.root}/t/{number}", 1) for number in range(20)], concurrency=2)
    assert next(reading)[1] == b"x"
    reading.close()  # type: ignore[attr-defined]
    assert store.counts.reads < 20
    assert store.read(f"{readable.root}/t/19") == b"x"


def test_a_walk_descends_only_into_chosen_folders(lake: Lake) -> None:
    for name in ("a/t/metadata/x", "a/t/data/y", "a/u/data/y", "b/z", "top"):
        lake.put(name, b"1")

    def descend(folder: str, children: Sequence[ObjectInfo]) -> list[ObjectInfo]:
        names = {child.name for child in children}
        return [] if "metadata" in names else list(children)

    store = lake.store()
    seen = [
        (folder.removeprefix(lake.root), [child.name for child in children])
        for folder, children in store.walk(lake.root, descend)
        if not isinstance(children, CatalogError)
    ]
    assert seen == [
        ("", ["a", "b", "top"]),
        ("/a", ["t", "u"]),
        ("/b", ["z"]),
        ("/a/t", ["data", "metadata"]),
        ("/a/u", ["data"]),
        ("/a/u/data", ["y"]),
    ]
    assert store.counts.lists == 6
    assert [folder for folder, _ in store.walk(lake.root, descend, max_depth=1)] == [
        lake.root,
        f"{lake.root}/a",
        f"{lake.root}/b",
    ]
    with pytest.raises(LimitExceeded):
        list(store.walk(lake.root, descend, max_folders=3))


def test_many_threads_share_one_store(lake: Lake) -> None:
    for number in range(8):
        lake.put(f"t/{number}", bytes([number]) * 50_000)
    store = lake.store()
    wrong: list[object] = []

    def work(number: int) -> None:
        try:
            for _ in range(5):
                if store.read(f"{lake.root}/t/{number}") != bytes([number]) * 50_000:
                    wrong.append(number)
                if len(store.list(f"{lake.root}/t")) != 8:
                    wrong.append("list")
        except CatalogError as failure:
            wrong.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert (store.counts.reads, store.counts.lists, store.counts.bytes) == (40, 40, 40 * 50_000)


def test_a_pickled_store_opens_the_same_places(lake: Lake) -> None:
    lake.put("t/x", b"1")
    again: ObjectStore = pickle.loads(pickle.dumps(lake.store(deadline_seconds=7)))
    assert again.read(f"{lake.root}/t/x") == b"1"
    with pytest.raises(LocationRefused):
        again.read(f"{lake.root}-secret/x")


def _read_in_child(store: ObjectStore, location: str, answers: multiprocessing.Queue[object]) -> None:
    many = [data for _, data in store.read_many([ReadRequest(location, 3)] * 3)]
    answers.put((store.read(location), many, len(store.list(location.rpartition("/")[0]))))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_reads_with_its_parents_store(lake: Lake) -> None:
    lake.put("t/x", b"abc")
    store = lake.store()
    assert list(store.read_many([ReadRequest(f"{lake.root}/t/x", 3)])) == [(ReadRequest(f"{lake.root}/t/x", 3), b"abc")]
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[object] = context.Queue()
    child = context.Process(target=_read_in_child, args=(store, f"{lake.root}/t/x", answers))
    child.start()
    try:
        assert answers.get(timeout=60) == (b"abc", [b"abc"] * 3, 1)
    finally:
        child.join(10)
        child.kill()
    assert store.read(f"{lake.root}/t/x") == b"abc"
