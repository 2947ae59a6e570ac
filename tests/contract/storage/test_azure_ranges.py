"""Azure's SDK reads a large object in several concurrent ranges, which together equal the object."""

from __future__ import annotations

import hashlib
from contextlib import closing
from urllib.parse import urlsplit

from lakemuster.storage.store import ObjectStore
from tests.counterparts.azure_blobs import connection_string
from tests.journey.faults.proxies import Loop, StorageProxy
from tests.object_stores import Bucket

SIZE = 64 << 20


def test_ranges_of_a_large_object_are_read_at_the_same_time(azure_endpoint: str, azure_container: Bucket) -> None:
    data = hashlib.shake_128(b"large").digest(SIZE)
    azure_container.put("t/x", data)
    port = urlsplit(azure_endpoint).port
    assert port is not None
    with closing(Loop()) as loop, closing(StorageProxy(loop, port, "", 1)) as proxy:
        storage = {"abfs": {"connection_string": connection_string(f"http://127.0.0.1:{proxy.port}")}}
        assert ObjectStore([azure_container.url], storage).read(f"{azure_container.url}/t/x") == data
        [path] = proxy.asked
        assert proxy.asked[path] == 1 + (SIZE - (32 << 20)) // (4 << 20)
        assert proxy.most_at_once[path] > 1
