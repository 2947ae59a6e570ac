"""The folder that workers share: worker numbers, unresponsive workers, and left-over files."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import tempfile
import threading
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from lakemuster.api import worker_folder as module
from lakemuster.api.worker_folder import VARIABLE, WorkerFolder, worker_folder


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    monkeypatch.delenv(VARIABLE, raising=False)


def test_a_worker_takes_the_lowest_free_number(tmp_path: Path) -> None:
    first, second = WorkerFolder(tmp_path), WorkerFolder(tmp_path)
    assert (first.number, second.number) == (0, 1)
    first.close()
    third = WorkerFolder(tmp_path)
    assert third.number == 0
    second.close()
    third.close()


def test_gauges_of_the_last_holder_of_a_number_are_removed_and_counters_stay(tmp_path: Path) -> None:
    for name in ("gauge_liveall_0.db", "counter_0.db", "gauge_liveall_1.db"):
        (tmp_path / name).touch()
    WorkerFolder(tmp_path).close()
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["counter_0.db", "gauge_liveall_1.db"]


def test_the_others_write_when_they_are_asked(tmp_path: Path) -> None:
    first, second = WorkerFolder(tmp_path), WorkerFolder(tmp_path)
    written = threading.Event()
    second.answer(written.set)
    assert first.ask_others() == {0: os.getpid(), 1: os.getpid()}
    assert written.is_set()
    second.close()
    first.close()


def test_a_worker_answers_again_after_it_had_no_file_descriptor_left(tmp_path: Path) -> None:
    folder, written = WorkerFolder(tmp_path), threading.Event()
    folder.answer(written.set)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(5)
        free = os.dup(asking.fileno())
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
        try:
            asking.connect(str(tmp_path / "0.socket"))
            time.sleep(0.1)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert not written.is_set()
        assert asking.recv(1) == b""
    assert written.is_set()
    folder.close()


def test_a_worker_answers_again_after_metrics_could_not_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = WorkerFolder(tmp_path), WorkerFolder(tmp_path)
    write = Mock(side_effect=[RuntimeError("changed size"), None])
    second.answer(write)
    first.ask_others()
    first.ask_others()
    assert write.call_count == 2
    assert "the metrics of a worker cannot be written" in caplog.text
    second.close()
    first.close()


def test_a_worker_that_ended_is_not_live_and_one_that_hangs_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.05)
    first, second = WorkerFolder(tmp_path), WorkerFolder(tmp_path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as silent:
        silent.bind(str(tmp_path / "1.socket"))
        silent.listen()
        assert first.ask_others() == {0: os.getpid(), 1: os.getpid()}
    assert first.ask_others() == {0: os.getpid()}
    second.close()
    first.close()


@pytest.mark.parametrize("removed", ["0.lock", "folder"])
def test_a_worker_whose_files_were_removed_ends_and_its_successor_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removed: str
) -> None:
    monkeypatch.setattr(module, "WRITE_SECONDS", 0.05)
    worker, ended = WorkerFolder(tmp_path / "folder"), threading.Event()
    worker.end = ended.set
    worker.answer(lambda: None)
    assert not ended.wait(0.2)
    if removed == "folder":
        shutil.rmtree(tmp_path / "folder")
    else:
        (tmp_path / "folder" / removed).unlink()
    assert worker.ask_others() == {0: os.getpid()}  # a scrape meanwhile does not fail
    assert ended.wait(10)
    shutil.rmtree(tmp_path / "folder")
    successor = WorkerFolder(tmp_path / "folder")
    assert successor.number == 0
    worker.close()
    successor.close()


def test_the_times_of_a_workers_files_are_updated(tmp_path: Path) -> None:
    worker = WorkerFolder(tmp_path)
    os.utime(tmp_path / "0.lock", (5, 5))
    worker.touch()
    assert (tmp_path / "0.lock").stat().st_mtime > 5
    worker.close()


def test_the_folder_is_private_told_to_workers_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with worker_folder() as folder:
        assert os.environ[VARIABLE] == str(folder)
        assert folder.stat().st_mode & 0o077 == 0
        place = WorkerFolder.of_environment()
        assert place is not None
        place.close()
    assert not folder.exists()
    assert VARIABLE not in os.environ
    assert WorkerFolder.of_environment() is None


def test_folders_of_killed_servers_are_removed_and_those_of_live_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead, orphaned = tmp_path / "lakemuster-workers-dead", tmp_path / "lakemuster-workers-orphaned"
    for folder in (dead, orphaned):
        folder.mkdir()
        (folder / "parent.lock").touch()
    worker = WorkerFolder(orphaned)  # its parent was killed
    for folder in (dead, orphaned):
        os.utime(folder, (time.time() - 3600,) * 2)
    with worker_folder() as own:
        assert {path.name for path in tmp_path.iterdir()} == {orphaned.name, own.name}
    worker.close()
