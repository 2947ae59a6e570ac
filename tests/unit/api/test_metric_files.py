"""Files of metric values on a disk that is or becomes full."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from lakemuster.api.metric_files import FIRST_BYTES, AllocatedDict

KEYS = [f"{number:04}" * 20 for number in range(2000)]
"""More than fit into a file's first size."""


class Disk:
    """Counts what is allocated, and is full beyond a size."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
        self.size = size
        self.allocated = 0
        self._allocate = os.posix_fallocate
        monkeypatch.setattr(os, "posix_fallocate", self.allocate)

    def allocate(self, file: int, start: int, length: int) -> None:
        if start + length > self.size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.allocated = max(self.allocated, start + length)
        self._allocate(file, start, length)


def stored(path: Path) -> dict[str, float]:
    return {key: value for key, value, _, _ in MmapedDict.read_all_values_from_file(str(path))}  # type: ignore[no-untyped-call]


def test_what_is_written_is_allocated_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, path = Disk(monkeypatch, 1 << 30), tmp_path / "counter_0.db"
    values = AllocatedDict(str(path))
    assert disk.allocated == FIRST_BYTES
    for number, key in enumerate(KEYS):
        values.write_value(key, number, 0.0)
        assert disk.allocated >= values._used
    assert disk.allocated == path.stat().st_size > FIRST_BYTES
    assert path.stat().st_blocks * 512 >= values._used
    values.close()
    assert stored(path) == {key: float(number) for number, key in enumerate(KEYS)}


@pytest.mark.parametrize("size", [0, FIRST_BYTES, 2 * FIRST_BYTES])
def test_values_without_room_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    disk, path = Disk(monkeypatch, size), tmp_path / "counter_0.db"
    values = AllocatedDict(str(path))
    for number, key in enumerate(KEYS):
        assert values.read_value(key) == (0.0, 0.0)
        values.write_value(key, number, 1.0)
        assert disk.allocated == disk.size or values._used <= disk.allocated
    assert [values.read_value(key) for key in KEYS] == [(float(number), 1.0) for number in range(len(KEYS))]
    values.close()
    assert path.exists() == (size > 0)  # a scrape fails on an empty file
    if size:
        found = stored(path)
        assert 0 < len(found) < len(KEYS)
        assert found == {key: float(number) for number, key in enumerate(KEYS) if key in found}


def test_the_next_holder_of_a_file_continues_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "counter_0.db"
    first = AllocatedDict(str(path))
    first.write_value("a", 5.0, 0.0)
    first.close()
    monkeypatch.delattr(os, "posix_fallocate")  # as on macOS
    second = AllocatedDict(str(path))
    assert second.read_value("a") == (5.0, 0.0)
    second.write_value("b", 6.0, 0.0)
    second.close()
    assert stored(path) == {"a": 5.0, "b": 6.0}
