"""The change file: every process learns of every commit, whatever happens to the file."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from lakemuster.errors import IndexUnavailable
from lakemuster.index import change_file
from lakemuster.index.change_file import EVERYTHING, Change, ChangeFile

ORDERS = Change("catalog://prod/shop/orders", "prod.shop.orders")
SHOP = Change("catalog://prod/shop/")


def heard(file: ChangeFile) -> list[Change]:
    found: list[Change] = []
    file.read_new(found.append)
    return found


def opened(tmp_path: Path, run: str = "one") -> ChangeFile:
    """Return a process's change file; ``run`` identifies the machine's boot."""
    return ChangeFile(tmp_path / "changes", lambda: run)


def test_a_change_is_heard_once_by_each(tmp_path: Path) -> None:
    writer, reader = opened(tmp_path), opened(tmp_path)
    assert heard(reader) == [EVERYTHING]  # changes before the file existed
    writer.add([ORDERS])
    writer.add([SHOP, ORDERS])
    assert heard(reader) == [ORDERS, SHOP, ORDERS]
    assert heard(reader) == []
    assert heard(opened(tmp_path)) == [EVERYTHING, ORDERS, SHOP, ORDERS]


def test_what_was_told_before_a_process_ended_is_heard_by_the_next(tmp_path: Path) -> None:
    first = opened(tmp_path)
    heard(first)
    first.add([ORDERS])
    first.close()
    assert ORDERS in heard(opened(tmp_path))


@pytest.mark.parametrize("content", [None, b"", b"\0" * 100, b"one\n"])
def test_after_a_restart_of_the_machine_everything_may_have_changed(tmp_path: Path, content: bytes | None) -> None:
    before = opened(tmp_path)
    before.add([ORDERS])
    if content is None:
        (tmp_path / "changes").unlink()
    else:
        (tmp_path / "changes").write_bytes(content)
    after = opened(tmp_path, "two")
    assert heard(after) == [EVERYTHING]
    after.add([ORDERS])
    assert heard(after) == [ORDERS]


def test_a_file_that_is_removed_is_made_anew(tmp_path: Path) -> None:
    file = opened(tmp_path)
    heard(file)
    (tmp_path / "changes").unlink()
    assert heard(file) == [EVERYTHING]
    file.add([ORDERS])
    assert heard(file) == [ORDERS]


def test_a_file_that_has_grown_is_replaced_and_nothing_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_file, "MAX_BYTES", 400)
    writer, reader = opened(tmp_path), opened(tmp_path)
    heard(reader)
    for _ in range(50):
        writer.add([ORDERS])
        assert set(heard(reader)) & {ORDERS, EVERYTHING}
        assert (tmp_path / "changes").stat().st_size <= 400


def test_threads_that_add_while_the_file_is_replaced_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_file, "MAX_BYTES", 2_000)
    reader, missed = opened(tmp_path), []
    heard(reader)

    def add(number: int) -> None:
        own, listener = opened(tmp_path), opened(tmp_path)
        heard(listener)
        for at in range(100):
            change = Change(f"catalog://prod/{number}/{at}", f"prod.{number}.{at}")
            own.add([change])
            if not set(heard(listener)) & {change, EVERYTHING}:
                missed.append(change)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []


def test_a_line_that_was_cut_means_everything(tmp_path: Path) -> None:
    file = opened(tmp_path)
    heard(file)
    with (tmp_path / "changes").open("ab") as torn:
        torn.write(b'["catalog://pr')
    assert heard(file) == []
    file.add([ORDERS])
    assert heard(file) == [EVERYTHING]


def test_a_full_disk_is_an_error_of_whoever_adds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = opened(tmp_path)
    heard(file)
    monkeypatch.setattr(os, "write", lambda *_: 3)
    with pytest.raises(IndexUnavailable):
        file.add([ORDERS])


def test_without_a_folder_everything_may_have_changed(tmp_path: Path) -> None:
    file = ChangeFile(tmp_path / "none" / "changes", lambda: "one")
    assert heard(file) == heard(file) == [EVERYTHING]


@pytest.mark.parametrize(("run", "flushes"), [("one", 0), ("-", 1)])
def test_a_mark_waits_for_the_disk_only_where_restarts_cannot_be_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str, flushes: int
) -> None:
    file = opened(tmp_path, run)
    heard(file)
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)
    file.add([ORDERS])
    assert len(calls) == flushes
