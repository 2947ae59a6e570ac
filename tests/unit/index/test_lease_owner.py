"""Lease owners: a dead process is detected, and a live one is never taken for dead."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lakemuster.index import lease_owner
from lakemuster.index.lease_owner import is_dead, new_owner

SAY_HOLDER = "from lakemuster.index.lease_owner import new_owner; print(new_owner(), flush=True); input()"


def test_names_differ() -> None:
    assert len({new_owner() for _ in range(100)}) == 100


def test_this_process_is_alive() -> None:
    assert not is_dead(new_owner())


def test_an_ended_process_is_dead() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SAY_HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        holder = process.stdout.readline().strip()
        assert not is_dead(holder)
        process.kill()
    assert is_dead(holder)


def test_a_later_process_with_the_same_id_is_another() -> None:
    name, place, pid, _ = new_owner().split(" ")
    assert is_dead(f"{name} {place} {pid} 1")


@pytest.mark.parametrize("other", ["", "x", "a - 1 -", "a elsewhere/pid:[1] 1 5", "a b c d", "a b 1 2 3"])
def test_an_unknown_owner_counts_as_alive(other: str) -> None:
    assert not is_dead(other)


def test_a_process_that_proc_hides_counts_as_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holder = new_owner()
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text(Path("/proc/sys/kernel/random/boot_id").read_text())
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to(Path("/proc/self/ns/pid").readlink())
    with subprocess.Popen([sys.executable, "-c", SAY_HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        other = holder.split(" ")
        other[2] = str(process.pid)
        monkeypatch.setattr(lease_owner, "_PROC", tmp_path)
        assert not is_dead(holder)
        assert not is_dead(" ".join(other))
        process.kill()
    assert is_dead(" ".join(other))
