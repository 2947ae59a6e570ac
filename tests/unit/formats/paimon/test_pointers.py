"""A pointer's listing is limited to the snapshots that the catalog has committed."""

from __future__ import annotations

import pytest

from lakemuster.errors import ObjectMissing
from lakemuster.formats.paimon.pointers import limit_pointer
from lakemuster.formats.protocol import Pointer
from lakemuster.storage.objects import ObjectInfo

ROOT = "s3://lake/t"


def look(*snapshots: str) -> Pointer:
    files = {
        "schema": ("schema-0",),
        "snapshot": snapshots,
        "branch/branch-b/snapshot": ("snapshot-9",),
    }
    listed = {
        folder: tuple(ObjectInfo(f"{ROOT}/{folder}/{name}", name, 1, False, 0) for name in names)
        for folder, names in files.items()
    }
    return Pointer("paimon", ROOT, "token", tuple(listed.items()))


def names(pointer: Pointer, folder: str = "snapshot") -> list[str]:
    return [info.name for info in dict(pointer.listings)[folder]]


def test_snapshots_after_the_newest_one_of_the_catalog_are_left_out() -> None:
    limited = limit_pointer(look("snapshot-2", "snapshot-10", "snapshot-11", "other"), 10)
    assert names(limited) == ["snapshot-2", "snapshot-10", "other"]
    assert names(limited, "branch/branch-b/snapshot") == ["snapshot-9"]
    assert limited.token == limit_pointer(look("snapshot-2", "snapshot-10", "other"), 10).token
    assert limited.token != limit_pointer(look("snapshot-2", "snapshot-10", "snapshot-11", "other"), 11).token


def test_a_table_of_no_snapshot_has_none() -> None:
    assert names(limit_pointer(look("snapshot-1"), 0)) == []


def test_a_snapshot_that_is_not_there_is_missed() -> None:
    with pytest.raises(ObjectMissing, match="snapshot-3"):
        limit_pointer(look("snapshot-1", "snapshot-4"), 3)
