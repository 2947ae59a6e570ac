"""A decoder reads metadata of a hundred megabytes: the server's own memory does not grow with it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakemuster.demo import unpack
from tests.journey.servers import Running, lakemuster, served

ROOM_BYTES = 450 * 2**20
"""One or two copies of the file's bytes, and what the server allocates otherwise."""
LARGE_BYTES = 110 * 2**20


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    demo = unpack(tmp_path / "demo")
    assert lakemuster(tmp_path, "discover", str(demo)).returncode == 0
    with served(tmp_path, ROOTS=json.dumps([str(tmp_path)])) as running:
        yield running


def peak(server: Running) -> int:
    """Return the peak resident memory of the server's process, in bytes."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmHWM")


def copied(tmp_path: Path, change: dict[str, Any]) -> Path:
    """Copy a table of the demo, and change members of its newest metadata."""
    source = next(path for path in (tmp_path / "demo").rglob("metadata") if path.parent.name == "orders").parent
    target = tmp_path / "large"
    shutil.copytree(source, target)
    newest = max((target / "metadata").glob("*.metadata.json"))
    newest.write_text(json.dumps({**json.loads(newest.read_text()), **change}))
    return target


def test_hostile_metadata_is_refused_and_costs_the_server_no_memory(server: Running, tmp_path: Path) -> None:
    server.post("/tables/shop.orders/plan", {})
    before = peak(server)
    table = copied(tmp_path, {"metadata-log": [[{}, {}]] * (LARGE_BYTES // 10)})
    answer = server.http.post("/api/v1/tables", json={"name": "x.large", "location": str(table)})
    if answer.status_code == 201:
        answer = server.http.post("/api/v1/tables/x.large/refresh")
    assert answer.status_code == 502, answer.text[:500]
    assert answer.json()["error"]["code"] in ("limit_exceeded", "decode_failed", "metadata_corrupt")
    assert peak(server) - before < ROOM_BYTES
    assert server.post("/tables/shop.orders/plan", {"filter": "id > 5"})["files"]


def test_large_valid_metadata_is_read_and_loaded(server: Running, tmp_path: Path) -> None:
    log = [{"timestamp-ms": n, "metadata-file": f"s3://lake/t/metadata/{n:050}.json"} for n in range(50_000)]
    table = copied(tmp_path, {"metadata-log": log})
    server.post("/tables", {"name": "x.large", "location": str(table)}, 201)
    started = time.monotonic()
    server.post("/tables/x.large/refresh")
    assert server.post("/tables/x.large/plan", {})["files"]
    loaded = server.http.get("/iceberg/v1/namespaces/x/tables/large").json()
    assert len(loaded["metadata"]["metadata-log"]) == len(log)
    assert time.monotonic() - started < 60
