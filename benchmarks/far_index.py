"""W2, cold index of a table on an object store that answers each GET after 100 ms.

``python -m benchmarks.far_index --files 1000000 --manifests 1000`` prints one JSON object. The bounds that the
index is held against are measured in the same run: I/O, which is fetching the same objects through the same store
with nothing done to them; CPU, which is indexing them without the delay. The table is indexed twice, for the noise.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from lakemuster.errors import CatalogError
from lakemuster.main import build_services
from lakemuster.storage.objects import ReadRequest

SCHEMES = ("s3", "gs")
"""The stores that benchmarks.far_store speaks as."""


@contextmanager
def serving(folder: Path, delay_seconds: float) -> Iterator[str]:
    """Serve a folder, and yield the server's URL."""
    command = [sys.executable, "-m", "benchmarks.far_store", str(folder), "--delay", str(delay_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def settings(folder: Path, endpoint: str, decoders: int, scheme: str) -> Settings:
    """Settings of a service with an empty index in ``folder``."""
    folder.mkdir()
    secrets = {"s3": {"key": "key", "secret": "secret"}, "gs": {"token": "anon"}}
    return Settings(
        database_url=f"sqlite:///{folder}/index.db",
        segments_url=f"{folder}/segments",
        cache_dir=f"{folder}/cache",
        decoders=decoders,
        roots=(f"{scheme}://lake/", str(folder)),
        storage={scheme: {"endpoint_url": endpoint, **secrets[scheme]}},
    )


def index(folder: Path, endpoint: str, decoders: int, scheme: str) -> dict[str, float]:
    """Index the table in a service whose decoders and connections have been in use."""
    services = build_services(settings(folder, endpoint, decoders, scheme))
    for number in range(decoders):
        iceberg_table(folder / f"warm{number}", files=2_000, manifests=decoders)
        services.add(f"b.warm{number}", str(folder / f"warm{number}"), None, ())
        services.refresh(f"b.warm{number}")
    services.add("b.t", f"{scheme}://lake/t", None, ())
    reads, started = services.store.counts.reads, time.monotonic()
    report = services.refresh("b.t")
    seconds = time.monotonic() - started
    reads = services.store.counts.reads - reads
    services.close()
    return {"entries": report.entries_decoded, "reads": reads, "seconds": round(seconds, 2)}


def fetch(folder: Path, endpoint: str, manifests: list[str], scheme: str) -> dict[str, float]:
    """Fetch the manifests and do nothing with them."""
    services = build_services(settings(folder, endpoint, 1, scheme))
    started, size = time.monotonic(), 0
    for _, outcome in services.store.read_many([ReadRequest(location) for location in manifests]):
        if isinstance(outcome, CatalogError):
            raise outcome
        size += len(outcome)
    seconds = time.monotonic() - started
    services.close()
    return {"reads": len(manifests), "mib": size >> 20, "seconds": round(seconds, 2)}


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.far_index", description=__doc__)
    parser.add_argument(
        "--lake", type=Path, help="a folder with the table t, of the location STORE://lake/t; made when left out"
    )
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--manifests", type=int, default=1_000)
    parser.add_argument("--decoders", type=int, default=1)
    parser.add_argument("--delay", type=float, default=0.1, help="seconds of a GET")
    parser.add_argument("--store", choices=SCHEMES, default="s3")
    given = parser.parse_args()
    location = f"{given.store}://lake/t"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        lake = given.lake.absolute() if given.lake else folder / "lake"
        if not given.lake:
            size = {"files": given.files, "columns": given.columns, "manifests": given.manifests}
            iceberg_table(lake / "t", **size, location=location, processes=2)
        manifests = [f"{location}/metadata/{path.name}" for path in lake.glob("t/metadata/*-m*.avro")]
        with serving(lake, given.delay) as endpoint:
            io = fetch(folder / "io", endpoint, manifests, given.store)
            far = index(folder / "far", endpoint, given.decoders, given.store)
            again = index(folder / "again", endpoint, given.decoders, given.store)
        with serving(lake, 0) as endpoint:
            near = index(folder / "near", endpoint, given.decoders, given.store)
        if not far["entries"] == again["entries"] == near["entries"]:
            raise SystemExit(f"entries: {far['entries']}, {again['entries']} far, {near['entries']} near")
        mean, bound = (far["seconds"] + again["seconds"]) / 2, max(io["seconds"], near["seconds"])
        result = {"far": far, "again": again, "io_bound": io, "cpu_bound": near}
        result["ratios"] = {"times_the_larger_bound": round(mean / bound, 2)}
        noise = abs(far["seconds"] - again["seconds"]) / max(far["seconds"], again["seconds"])
    sys.stdout.write(json.dumps(result | {"noise": round(noise, 3)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
