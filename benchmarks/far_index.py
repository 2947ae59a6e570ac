"""W2, cold index of a table on an object store that responds after 100 ms.

``python -m benchmarks.far_index --files 1000000 --manifests 1000 --store gs`` prints one JSON object. The same run
measures the bounds for comparison: I/O, which is fetching the same objects through the same store without processing
them; CPU, which is indexing them without the delay. The table is indexed twice each way, alternately, so that other
load on the machine affects both.

``least_seconds`` is the time of the requests alone, at the number of concurrent requests. CPU seconds are of this
process and its decoders, including warm-up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from lakemuster.errors import CatalogError
from lakemuster.main import build_services
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import CONCURRENT_READS

RECORDED = "s3://lake"
"""The folder's location in the table's metadata, which is rewritten for other stores."""


@dataclass(frozen=True)
class Far:
    """The access to ``benchmarks.far_store`` as one kind of store.

    Attributes:
        root: the folder's location; ``{endpoint}`` is the server's URL, ``{host}`` its host and port.
        options: the scheme's options in ``STORAGE``.
        requests: the number of requests to read an object.
    """

    root: str
    options: dict[str, object]
    requests: int = 1


_ACCOUNT = "AccountName=far;AccountKey=a2V5;BlobEndpoint={endpoint}/far"
STORES = {
    "s3": Far("s3://lake", {"endpoint_url": "{endpoint}", "key": "key", "secret": "secret"}),
    "gs": Far("gs://lake", {"endpoint_url": "{endpoint}", "token": "anon"}),
    "azure": Far("abfs://lake", {"connection_string": _ACCOUNT}),
    "hdfs": Far("hdfs://lake", {"webhdfs": "{endpoint}", "user": "lake"}, requests=2),
    "http": Far("http://{host}/lake", {}),
}


@dataclass(frozen=True)
class Served:
    """A running store."""

    kind: Far
    endpoint: str

    @property
    def root(self) -> str:
        """The folder's location."""
        return self.kind.root.format(host=self.endpoint.partition("//")[2])

    @property
    def storage(self) -> dict[str, dict[str, object]]:
        """The ``STORAGE`` setting for it."""
        options = {name: str(value).format(endpoint=self.endpoint) for name, value in self.kind.options.items()}
        return {self.root.partition("://")[0]: dict(options)}

    def settings(self, folder: Path, decoders: int) -> Settings:
        """Return settings of a service with an empty index in ``folder``."""
        folder.mkdir()
        return Settings(
            database_url=f"sqlite:///{folder}/index.db",
            segments_url=f"{folder}/segments",
            cache_dir=f"{folder}/cache",
            decoders=decoders,
            roots=(f"{self.root}/", str(folder)),
            storage=self.storage,
        )

    def index(self, folder: Path, decoders: int) -> dict[str, float]:
        """Index the table in a service whose decoders and connections are warm."""
        used = _cpu_seconds()
        services = build_services(self.settings(folder, decoders))
        for number in range(decoders):
            iceberg_table(folder / f"warm{number}", files=2_000, manifests=decoders)
            services.add(f"b.warm{number}", str(folder / f"warm{number}"), None, ())
            services.refresh(f"b.warm{number}")
        services.add("b.t", f"{self.root}/t", None, () if self.root == RECORDED else ((RECORDED, self.root),))
        reads, started = services.store.counts.reads, time.monotonic()
        report = services.refresh("b.t")
        seconds = time.monotonic() - started
        reads = services.store.counts.reads - reads
        services.close()
        used = _cpu_seconds() - used
        found = {"entries": report.entries_decoded, "reads": reads, "seconds": round(seconds, 2)}
        return found | {"cpu_seconds": round(used, 2)}

    def fetch(self, folder: Path, names: list[str], delay: float) -> dict[str, float]:
        """Fetch the manifests without processing them."""
        used = _cpu_seconds()
        services = build_services(self.settings(folder, 1))
        started, size = time.monotonic(), 0
        for _, outcome in services.store.read_many([ReadRequest(f"{self.root}/{name}") for name in names]):
            if isinstance(outcome, CatalogError):
                raise outcome
            size += len(outcome)
        seconds = time.monotonic() - started
        services.close()
        found = {"reads": len(names), "mib": size >> 20, "seconds": round(seconds, 2)}
        least = len(names) * self.kind.requests * delay / CONCURRENT_READS
        return found | {"least_seconds": round(least, 2), "cpu_seconds": round(_cpu_seconds() - used, 2)}


@contextmanager
def serving(folder: Path, delay_seconds: float, kind: Far) -> Iterator[Served]:
    """Serve a folder as a store."""
    command = [sys.executable, "-m", "benchmarks.far_store", str(folder), "--delay", str(delay_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield Served(kind, f"http://127.0.0.1:{int(server.stdout.readline())}")
        finally:
            server.kill()


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.far_index", description=__doc__)
    parser.add_argument(
        "--lake", type=Path, help="a folder with the table t, of the location s3://lake/t; made when left out"
    )
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--manifests", type=int, default=1_000)
    parser.add_argument("--decoders", type=int, default=1)
    parser.add_argument("--delay", type=float, default=0.1, help="seconds of a request")
    parser.add_argument("--store", choices=STORES, default="s3")
    given = parser.parse_args()
    kind = STORES[given.store]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        lake = given.lake.absolute() if given.lake else folder / "lake"
        if not given.lake:
            size = {"files": given.files, "columns": given.columns, "manifests": given.manifests}
            iceberg_table(lake / "t", **size, location=f"{RECORDED}/t", processes=2)
        manifests = [f"t/metadata/{path.name}" for path in lake.glob("t/metadata/*-m*.avro")]
        with serving(lake, given.delay, kind) as away, serving(lake, 0, kind) as beside:
            io = away.fetch(folder / "io", manifests, given.delay)
            far, near, again, near_again = (
                store.index(folder / name, given.decoders)
                for name, store in (("far", away), ("near", beside), ("again", away), ("near-again", beside))
            )
        if len({found["entries"] for found in (far, near, again, near_again)}) > 1:
            raise SystemExit(f"entries: {far}, {again} far, {near}, {near_again} near")
        result: dict[str, object] = {"store": given.store, "far": far, "again": again, "io_bound": io}
        result |= {"cpu_bound": near, "cpu_bound_again": near_again}
        took, cpu = ((one["seconds"] + other["seconds"]) / 2 for one, other in ((far, again), (near, near_again)))
        result["ratios"] = {"times_the_larger_bound": round(took / max(io["seconds"], cpu), 2)}
        noise = abs(far["seconds"] - again["seconds"]) / max(far["seconds"], again["seconds"])
    sys.stdout.write(json.dumps(result | {"noise": round(noise, 3)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
