"""Reading manifest lists of several tables: a denied list fails its table without waiting for the table's others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from lakemuster.errors import CatalogError, StorageDenied
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.list_reading import ReadLists, TableLists, read_lists
from lakemuster.ingest.work import PackedMetadata
from lakemuster.metadata.snapshot import ManifestListRef, Snapshot
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore


class DenyingStore:
    """Storage that denies every read and counts the denials."""

    def __init__(self) -> None:
        self.denied = 0

    def admit_many(self, requests: Iterable[ReadRequest]) -> Iterator[tuple[ReadRequest, CatalogError]]:
        for request in requests:
            self.denied += 1
            yield request, StorageDenied("access denied")


def lists(store: DenyingStore, numbers: Iterable[int]) -> TableLists:
    snapshots = [Snapshot(number, 0, (ManifestListRef("manifests", f"/lake/snap-{number}"),)) for number in numbers]
    return TableLists(cast("ObjectStore", store), Rewrites(()), PackedMetadata("iceberg", b""), snapshots)


def test_a_table_that_is_denied_is_not_waited_for() -> None:
    store = DenyingStore()
    tables = [lists(store, range(3)), lists(store, ()), lists(store, range(3))]
    found = read_lists(cast("DecoderPool", None), tables)
    assert [type(one) for one in found] == [StorageDenied, ReadLists, StorageDenied]
    assert store.denied == 2
