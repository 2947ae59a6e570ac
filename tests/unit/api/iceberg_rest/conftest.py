"""The fake catalog with readable Iceberg metadata files and one Paimon table."""

from __future__ import annotations

import gzip
from types import SimpleNamespace

import orjson
import pytest

from tests.unit.api.conftest import FakeServices, table

DOCUMENT = {
    "format-version": 2,
    "table-uuid": "0d1b7a3e-2f8e-4a0c-9f3a-6f6f6f6f6f6f",
    "location": "data/orders",
    "properties": {"owner": "me", "write.data.path": "data/elsewhere"},
    "current-snapshot-id": 9223372036854775807,
    "refs": {
        "main": {"snapshot-id": 9223372036854775807, "type": "branch"},
        "v1": {"snapshot-id": 11, "type": "tag"},
    },
    "snapshots": [
        {"snapshot-id": 10, "manifest-list": "data/orders/metadata/snap-10.avro"},
        {"snapshot-id": 11, "manifest-list": "data/orders/metadata/snap-11.avro"},
        {"snapshot-id": 9223372036854775807, "manifest-list": "s3://elsewhere/snap-12.avro"},
    ],
    "statistics": [{"snapshot-id": 10, "statistics-path": "data/orders/metadata/s.puffin"}],
    "metadata-log": [{"timestamp-ms": 1, "metadata-file": "data/orders/metadata/v2.metadata.json"}],
    "unknown": {"of": [1.5, None, "ä"]},
}


class FakeStore:
    """Object storage with one metadata file."""

    def __init__(self) -> None:
        self.file = orjson.dumps(DOCUMENT, option=orjson.OPT_INDENT_2)
        self.reads = 0

    def read(self, location: str, *, max_bytes: int) -> bytes:
        self.reads += 1
        return self.file

    def compress(self) -> None:
        self.file = gzip.compress(self.file)


@pytest.fixture
def store(services: FakeServices) -> FakeStore:
    """The storage that all tables are read from."""
    found = FakeStore()
    services.names["shop.clicks"] = table("shop.clicks", 4)
    services.names["shop.clicks"].format = "paimon"
    services.names["solo"] = table("solo", 5)
    for record in services.names.values():
        record.pointer = "p1"
        record.rewrites = ()
    services.refresher = SimpleNamespace(
        upstreams=services.refresher.upstreams,
        totals=services.refresher.totals,
        ensure_fresh=lambda table: services.stale,
        is_fresh=lambda table: True,
        store_for=lambda table: found,
        pool=None,  # documents as small as these are parsed here
        share=lambda key, table, work: work(),
        threads=services.refresher.threads,
        measures=services.refresher.measures,
        decoder_tasks=services.refresher.decoder_tasks,
        decoder_counts=services.refresher.decoder_counts,
    )
    return found
