"""Local folders: what is read, and what never is."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.errors import CatalogError, LocationRefused, ObjectMissing, StorageDenied
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore

SECRET = b"SECRET"


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A root with a file, beside it and above it what must stay unread, and links between them."""
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


def test_pipes_devices_and_loops_are_no_objects(lake: Path) -> None:
    store = ObjectStore([str(lake), "/dev/zero"], {})
    for name in (f"{lake}/db/pipe", f"{lake}/db/loop", f"{lake}/db/nowhere", "/dev/zero"):
        with pytest.raises(ObjectMissing):
            store.read(name)
        assert store.stat(name) is None


def test_a_name_that_no_filesystem_takes_is_missing(lake: Path) -> None:
    store = ObjectStore([str(lake)], {})
    with pytest.raises(ObjectMissing):
        store.read(f"{lake}/{'x' * 300}")


def test_the_operating_systems_refusal_is_told(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


tricks = st.sampled_from(
    ["..", ".", "", "%2e%2e", "%2E.", "..%2f..", "..\\", "db", "t", "x", "in", "out", "out.file", "beside", "up",
     "loop", "secret", "lake", "lake-secret", "pipe", "\x00", "::", "@", "outside", "nowhere", "db/t/x", "~"]
)  # fmt: skip
starts = st.sampled_from(["{}", "{}/", "{}-secret", "{}/..", "file:{}", "file://{}", "file://localhost{}", "FILE:{}",
                          "local://{}", "//{}", "simplecache::file://{}", "file:///proc/self/root{}", "",
                          "."])  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(start=starts, parts=st.lists(tricks, max_size=6))
def test_no_trick_reads_what_lies_outside(lake: Path, start: str, parts: list[str]) -> None:
    location = "/".join([start.format(lake), *parts])
    store = ObjectStore([str(lake)], {})
    with contextlib.suppress(CatalogError):
        assert store.read(location) == b"inside"
    with contextlib.suppress(CatalogError):
        assert {child.name for child in store.list(location)} <= {"db", "in", "t", "x"}
