"""Memory of mapped segments is released under a budget, and arrays taken from them stay valid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.index import segment_store
from lakemuster.index.segments import SegmentStore, write_segment

ROWS = 200_000


def resident(path: Path) -> int:
    """Return the KiB of a mapped file that are resident in this process."""
    size, inside = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split(" ", 1)[0]:
            inside = line.endswith(str(path))
        elif inside and line.startswith("Rss:"):
            size += int(line.split()[1])
    return size


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Path, list[str]]:
    names = [f"{number:064x}" for number in range(4)]
    store = SegmentStore(str(tmp_path))
    for number, name in enumerate(names):
        file = store.workspace / name
        write_segment(pa.table({"a": np.arange(ROWS) * (number + 1)}), file)
        store.put(name, file)
    return tmp_path, names


def path_of(root: Path, name: str) -> Path:
    return root / name[:2] / f"{name}.arrow"


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not tell what of a file is resident")
def test_segments_over_the_budget_are_released_and_stay_readable(stored):
    root, names = stored
    store = SegmentStore(str(root), max_mapped=2 * ROWS * 8 + 10_000)
    tables = [store.open(name).table() for name in names]
    for number, table in enumerate(tables):
        assert table.column("a").to_numpy().sum() == (number + 1) * ROWS * (ROWS - 1) // 2
        store.open(names[number])
    store.open(names[0]), store.open(names[1])
    assert resident(path_of(root, names[2])) < 100
    assert [table.column("a")[ROWS - 1].as_py() for table in tables] == [(n + 1) * (ROWS - 1) for n in range(4)]


def test_a_segment_above_the_budget_is_served(stored):
    root, names = stored
    store = SegmentStore(str(root), max_mapped=1)
    for name in [*names, *names]:
        assert store.open(name).num_rows == ROWS


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what is resident")
def test_segments_stay_resident_while_their_read_columns_fit(stored, monkeypatch: pytest.MonkeyPatch):
    root, names = stored
    monkeypatch.setattr(segment_store, "_in_memory", lambda: ROWS * 8)
    store = SegmentStore(str(root), max_mapped=2 * ROWS * 8)
    tables = [store.open(name).table() for name in names]
    assert sum(int(table.column("a").to_numpy().sum()) for table in tables)
    store.open(names[0]), store.open(names[1])
    assert all(resident(path_of(root, name)) > 1000 for name in names)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not tell what of a file is resident")
def test_other_columns_of_resident_segments_are_released_too(stored, monkeypatch: pytest.MonkeyPatch):
    root, names = stored
    in_memory = 1
    monkeypatch.setattr(segment_store, "_in_memory", lambda: in_memory)
    store = SegmentStore(str(root), max_mapped=2 * ROWS * 8)
    for name in [*names, *names]:
        store.open(name).table().column("a").to_numpy().sum()
    assert all(resident(path_of(root, name)) > 1000 for name in names)
    in_memory = 4 * ROWS * 8
    store.open(names[3])
    assert resident(path_of(root, names[0])) < 100
