"""Local folders: files that may be read, and files that must not."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.errors import (
    CatalogError,
    LimitExceeded,
    LocationRefused,
    MetadataCorrupt,
    ObjectMissing,
    StorageDenied,
    StorageUnavailable,
)
from lakemuster.storage import local
from lakemuster.storage.local import LocalFile, _real_path
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore
from tests.examples import examples

SECRET = b"SECRET"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A root with a file, files outside the root that must not be read, and links between them."""
    for folder in ("lake/db/t", "lake-secret", "outside/t"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("secret", "lake-secret/x", "outside/secret", "outside/t/x", "lake.json"):
        (tmp_path / name).write_bytes(SECRET)
    (tmp_path / "lake/db/t/x").write_bytes(b"inside")
    (tmp_path / "lake/db/in").symlink_to(tmp_path / "lake/db/t")
    (tmp_path / "lake/db/out").symlink_to(tmp_path / "outside")
    (tmp_path / "lake/db/out.file").symlink_to(tmp_path / "secret")
    (tmp_path / "lake/db/beside").symlink_to("../../lake-secret")
    (tmp_path / "lake/db/nowhere").symlink_to("nothing")
    (tmp_path / "lake/db/loop").symlink_to("loop")
    (tmp_path / "lake/db/t/up").symlink_to("..")
    os.mkfifo(tmp_path / "lake/db/pipe")
    (tmp_path / "outside/lake").symlink_to(tmp_path / "lake")
    return tmp_path / "lake"


def test_links_within_the_root_are_followed(lake: Path) -> None:
    store = ObjectStore([str(lake)], {})
    assert store.read(f"{lake}/db/in/x") == b"inside"
    assert [child.name for child in store.list(f"{lake}/db/in")] == ["x"]


def test_a_removed_current_folder_matters_only_for_relative_roots(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = tmp_path / "current"
    current.mkdir()
    monkeypatch.chdir(current)
    current.rmdir()
    assert ObjectStore([str(lake)], {}).allowing("s3://lake").read(f"{lake}/db/in/x") == b"inside"
    with pytest.raises(LocationRefused):
        ObjectStore(["lake"], {}).read(f"{lake}/db/in/x")


@pytest.mark.parametrize("name", ["db/out/secret", "db/out/t/x", "db/out.file", "db/beside/x", "db/out", "db/out/none"])
def test_links_that_lead_outside_are_refused(lake: Path, name: str) -> None:
    store = ObjectStore([str(lake)], {})
    for probe in (store.read, store.stat, store.exists, store.list):
        with pytest.raises(LocationRefused, match="symbolic link") as caught:
            probe(f"{lake}/{name}")
        assert "outside/" not in str(caught.value)
    [(_, outcome)] = store.read_many([ReadRequest(f"{lake}/{name}")])
    assert isinstance(outcome, LocationRefused)


def test_a_link_to_another_root_is_followed(lake: Path) -> None:
    store = ObjectStore([str(lake), str(lake.parent / "outside")], {})
    assert store.read(f"{lake}/db/out/t/x") == SECRET


def test_a_root_may_itself_be_a_link(lake: Path) -> None:
    root = lake.parent / "outside" / "lake"
    assert ObjectStore([str(root)], {}).read(f"{root}/db/t/x") == b"inside"


def test_a_listing_leaves_out_what_cannot_be_opened(lake: Path) -> None:
    os.mkfifo(lake / "pipe")
    Path(os.fsdecode(os.fsencode(lake) + b"/\xff\xfe")).write_bytes(b"")
    store = ObjectStore([str(lake)], {})
    assert [child.name for child in store.list(f"{lake}/db")] == ["in", "t"]
    assert [child.name for child in store.list(f"{lake}/db/t")] == ["x"]
    assert [child.name for child in store.list(str(lake))] == ["db"]


def test_pipes_devices_and_link_loops_are_not_objects(lake: Path) -> None:
    store = ObjectStore([str(lake), "/dev/zero"], {})
    for name in (f"{lake}/db/pipe", f"{lake}/db/loop", f"{lake}/db/nowhere", "/dev/zero"):
        with pytest.raises(ObjectMissing):
            store.read(name)
        assert store.stat(name) is None


def test_an_impossible_name_is_missing(lake: Path) -> None:
    store = ObjectStore([str(lake)], {})
    with pytest.raises(ObjectMissing):
        store.read(f"{lake}/{'x' * 300}")


def test_an_operating_system_error_is_reported(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied: hunter2")

    store = ObjectStore([str(lake)], {})
    for function, probe in (("open", store.read), ("stat", store.stat), ("scandir", store.list)):
        with monkeypatch.context() as patch:
            patch.setattr(os, function, refuse)
            with pytest.raises(StorageDenied, match="access denied") as caught:
                probe(f"{lake}/db/t/x")
        assert "hunter2" not in str(caught.value)


def test_relative_roots_count_from_the_current_folder(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lake.parent)
    store = ObjectStore(["lake"], {})
    monkeypatch.chdir("/")
    assert store.read(f"{lake}/db/t/x") == b"inside"
    monkeypatch.chdir(lake)
    assert ObjectStore([], {}).allowing("./db/../db").read(f"{lake}/db/t/x") == b"inside"
    with pytest.raises(LocationRefused):
        store.read("db/t/x")


def found(store: ObjectStore, location: str, length: int | None = None) -> LocalFile | CatalogError:
    [(_, outcome)] = store.admit_many([ReadRequest(location, length)])
    assert not isinstance(outcome, bytes)
    return outcome


def read_elsewhere(file: LocalFile) -> bytes:
    """Read a file in another process, which has no store."""
    code = (
        f"import pickle, sys; sys.path[:] = {sys.path!r}; sys.stdout.buffer.write(pickle.load(sys.stdin.buffer).read())"
    )
    given = pickle.dumps(file)
    return subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, check=True).stdout


def test_an_admitted_file_is_read_by_another_process(lake: Path) -> None:
    store = ObjectStore([str(lake)], {})
    file = found(store, f"{lake}/db/in/x", 6)
    assert isinstance(file, LocalFile)
    assert (len(file), read_elsewhere(file)) == (6, b"inside")
    assert (store.counts.reads, store.counts.bytes) == (1, 6)


def test_a_forbidden_file_is_not_admitted(lake: Path) -> None:
    store = ObjectStore([str(lake)], {})
    wrong = {
        "db/out.file": LocationRefused,
        "db/out/t/x": LocationRefused,
        "db/pipe": ObjectMissing,
        "db": ObjectMissing,
    }
    for name, error in wrong.items():
        assert isinstance(found(store, f"{lake}/{name}"), error)
    assert isinstance(found(store, f"{lake.parent}/secret"), LocationRefused)
    assert isinstance(found(store, f"{lake}/db/t/x", 7), MetadataCorrupt)
    [(_, outcome)] = store.admit_many([ReadRequest(f"{lake}/db/t/x")], max_bytes=5)
    assert isinstance(outcome, LimitExceeded)


def link_the_file(lake: Path) -> None:
    (lake / "db/t/x").unlink()
    (lake / "db/t/x").symlink_to(lake.parent / "secret")


def link_the_folder(lake: Path) -> None:
    (lake / "db/t").rename(lake / "db/was")
    (lake / "db/t").symlink_to(lake.parent / "outside/t")


def put_another(lake: Path) -> None:
    (lake / "db/t/other").write_bytes(SECRET)
    (lake / "db/t/other").replace(lake / "db/t/x")


def put_a_pipe(lake: Path) -> None:
    (lake / "db/t/x").unlink()
    os.mkfifo(lake / "db/t/x")


def shorten(lake: Path) -> None:
    os.truncate(lake / "db/t/x", 3)


def lengthen(lake: Path) -> None:
    with (lake / "db/t/x").open("ab") as file:
        file.write(SECRET)


def remove(lake: Path) -> None:
    (lake / "db/t/x").unlink()


@pytest.mark.parametrize("change", [link_the_file, link_the_folder, put_another, put_a_pipe, shorten, lengthen, remove])
def test_a_replaced_file_is_not_read(lake: Path, change: Callable[[Path], None]) -> None:
    file = found(ObjectStore([str(lake)], {}), f"{lake}/db/t/x")
    assert isinstance(file, LocalFile)
    assert len(SECRET) == len(file)  # so that lengths do not differ
    change(lake)
    with pytest.raises((StorageUnavailable, ObjectMissing)):
        file.read()


tricks = st.sampled_from(
    ["..", ".", "", "%2e%2e", "%2E.", "..%2f..", "..\\", "db", "t", "x", "in", "out", "out.file", "beside", "up",
     "loop", "secret", "lake", "lake-secret", "pipe", "\x00", "::", "@", "outside", "nowhere", "db/t/x", "~"]
)  # fmt: skip
starts = st.sampled_from(["{}", "{}/", "{}-secret", "{}/..", "file:{}", "file://{}", "file://localhost{}", "FILE:{}",
                          "local://{}", "//{}", "simplecache::file://{}", "file:///proc/self/root{}", "",
                          "."])  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(300))
@given(start=starts, parts=st.lists(tricks, max_size=6))
def test_no_trick_reads_outside_the_roots(lake: Path, start: str, parts: list[str]) -> None:
    location = "/".join([start.format(lake), *parts])
    store = ObjectStore([str(lake)], {})
    with contextlib.suppress(CatalogError):
        assert store.read(location) == b"inside"
    file = found(store, location)
    assert isinstance(file, CatalogError) or file.read() == b"inside"
    with contextlib.suppress(CatalogError):
        assert {child.name for child in store.list(location)} <= {"db", "in", "t", "x"}


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/file").write_bytes(b"")
    (tmp_path / "a/pipe (deleted)").write_bytes(b"")
    for link, target in {
        "to_b": "a/b",
        "absolute": str(tmp_path / "a"),
        "chain": "to_b",
        "up": "a/b/../..",
        "dangling": "a/nothing",
        "dangling_outside": "/nowhere/at/all",
        "self": "self",
        "to_file": "a/file",
    }.items():
        (tmp_path / link).symlink_to(target)
    return tmp_path


NAMES = ["", "a", "a/b", "a/file", "a/file/x", "a/pipe (deleted)", "to_b", "to_b/x", "chain", "chain/x/y", "absolute/b",
         "absolute/nothing", "up", "up/a", "dangling", "dangling/x", "dangling_outside", "dangling_outside/x", "self",
         "to_file", "nothing", "nothing/at/all", "a/./b", "a//b"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_linux", [True, False])
def test_a_real_path_is_that_of_python(
    linked: Path, name: str, is_linux: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_NAMES_OPENED", is_linux and local._NAMES_OPENED)
    path = os.path.join(linked, name)
    assert _real_path(path) == os.path.realpath(path)


def test_a_folder_that_may_not_be_read_is_named_too(linked: Path) -> None:
    (linked / "a/b").chmod(0)
    try:
        assert _real_path(str(linked / "chain")) == os.path.realpath(linked / "chain")
    finally:
        (linked / "a/b").chmod(0o755)
