"""The storage server of workload W2 is readable as each kind of store."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.far_index import STORES, serving
from lakemuster.errors import ObjectMissing
from lakemuster.storage.store import ObjectStore


@pytest.mark.parametrize("kind", STORES)
def test_a_folder_is_served_as_each_store(kind: str, tmp_path: Path) -> None:
    data = bytes(range(256)) * 20
    (tmp_path / "t" / "b").mkdir(parents=True)
    (tmp_path / "t" / "a 1").write_bytes(data)
    (tmp_path / "t" / "b" / "c").write_bytes(b"")
    with serving(tmp_path, 0, STORES[kind]) as served:
        store = ObjectStore([served.root], served.storage)
        assert store.read(f"{served.root}/t/a 1", expected_length=len(data)) == data
        assert store.read(f"{served.root}/t/b/c") == b""
        found = store.stat(f"{served.root}/t/a 1")
        assert found is not None
        assert found.size == len(data)
        assert store.stat(f"{served.root}/t/nothing") is None
        with pytest.raises(ObjectMissing):
            store.read(f"{served.root}/t/nothing")
        if kind != "http":
            assert [(one.name, one.is_folder, one.size) for one in store.list(f"{served.root}/t")] == [
                ("a 1", False, len(data)),
                ("b", True, 0),
            ]
