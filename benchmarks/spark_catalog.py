"""The first indexing of many tables by one Spark job, compared with that of one table with as many manifests.

``python -m benchmarks.spark_catalog --size small`` prints one JSON object: entries per second of CPU time and of
wall-clock time of each, and their ratio, which should be 0.7 or more. CPU time is of all processes of the session: the
driver, the JVM, its Python workers and their decoders. Both are warm: a small table was indexed before. Tables have 1
to ``most`` manifests of one size on a logarithmic scale: evenly, or mostly few, as in most lakes. Files and index are
local.
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
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.generate import iceberg_table
from benchmarks.spark_index import spark_session
from lakemuster.config import Settings
from lakemuster.main import build_services
from tests.journey.spark.indexing import environment

WARM = "b.warm"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Size:
    """The sizes of the tables.

    Attributes:
        most: the number of manifests of the largest table.
        files: the number of data files of each manifest.
        skew: 1 for an even distribution on the logarithmic scale; a larger value makes more tables small.
    """

    tables: int
    most: int
    files: int
    columns: int = 20
    skew: int = 1

    def manifests(self) -> list[int]:
        """Return the number of manifests of each table."""
        steps = max(1, self.tables - 1)
        places = (number * 7919 % self.tables / steps for number in range(self.tables))
        return [round(self.most**place**self.skew) for place in places]


SIZES = {
    "tiny": Size(12, 10, 20, 4),
    "small": Size(100, 50, 200),
    "medium": Size(500, 100, 500),
    "many": Size(2_000, 500, 2, 4, skew=12),
    "full": Size(2_000, 500, 500),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurement of one indexing.

    Attributes:
        jobs: the number of Spark's jobs for it.
    """

    tables: int
    manifests: int
    entries: int
    jobs: int
    cpu_seconds: float
    seconds: float

    def figures(self) -> dict[str, Any]:
        """Return the figures to print."""
        return {
            **asdict(self),
            "entries_per_cpu_second": round(self.entries / self.cpu_seconds),
            "entries_per_second": round(self.entries / self.seconds),
        }


def cpu_seconds() -> float:
    """Return the CPU seconds of the processes of this session, and of their awaited children."""
    found = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[3]) == os.getsid(0):
            found += sum(int(ticks) for ticks in words[11:15])
    return found / _TICKS


def measured(spark: Any, of: Settings, tables: dict[str, Path]) -> Measured:
    """Register tables in an empty index, and measure their indexing."""
    import lakemuster.spark  # noqa: PLC0415 - needs PySpark

    services = build_services(of)
    for name, root in tables.items():
        services.add(name, str(root), "iceberg", (), operator=True)
    services.close()
    lakemuster.spark.index(spark, WARM, settings=of)
    names = [name for name in tables if name != WARM]
    with counted_jobs(spark) as jobs:
        used, began = cpu_seconds(), time.perf_counter()
        reports = lakemuster.spark.index(spark, *names, settings=of)
        seconds, used = time.perf_counter() - began, cpu_seconds() - used
    if not all(report.published for report in reports):
        raise SystemExit("a table is not published")
    manifests, entries = (
        sum(getattr(report, field) for report in reports) for field in ("manifests_fetched", "entries_decoded")
    )
    return Measured(len(reports), manifests, entries, jobs(), round(used, 2), round(seconds, 2))


def written(size: Size, root: Path, manifests: int) -> None:
    """Write a table."""
    iceberg_table(root, files=manifests * size.files, columns=size.columns, manifests=manifests, level=1)


@contextmanager
def counted_jobs(spark: Any) -> Iterator[Any]:
    """Yield a function that returns the number of Spark's jobs since."""
    store = spark.sparkContext._jsc.sc().statusStore()  # noqa: SLF001 - Spark's own list of jobs
    before = store.jobsList(None).size()
    yield lambda: store.jobsList(None).size() - before


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.spark_catalog", description=__doc__)
    parser.add_argument("--size", choices=list(SIZES), default="small")
    parser.add_argument("--cores", type=int, default=2, help="slots on Spark: local[N]")
    given = parser.parse_args()
    if "SPARK_HOME" not in os.environ:
        # PySpark has its own environment; in a new session, CPU time is of this benchmark alone.
        command = [sys.executable, "-m", "benchmarks.spark_catalog", *sys.argv[1:]]
        raise SystemExit(subprocess.run(command, env=environment(), start_new_session=True, check=False).returncode)
    size = SIZES[given.size]
    with tempfile.TemporaryDirectory() as scratch:
        folder, manifests = Path(scratch), size.manifests()
        many = {f"b.t{number}": folder / "lake" / f"t{number}" for number in range(size.tables)}
        with ProcessPoolExecutor(given.cores, get_context("spawn")) as pool:
            list(pool.map(partial(written, size), many.values(), manifests, chunksize=max(1, size.tables // 100)))
        total = sum(manifests)
        one = {"b.one": folder / "lake" / "one"}
        iceberg_table(
            one["b.one"],
            files=total * size.files,
            columns=size.columns,
            manifests=total,
            level=1,
            processes=given.cores,
        )
        warm = {WARM: folder / "lake" / "warm"}
        iceberg_table(warm[WARM], files=1_000, columns=2, manifests=16)
        with spark_session(given.cores, folder) as spark:
            results = {
                name: measured(spark, _settings(folder / name, given.cores), warm | tables)
                for name, tables in {"one": one, "many": many}.items()
            }
    ratios = {
        f"ratio_{kind}": round(results["many"].figures()[kind] / results["one"].figures()[kind], 2)
        for kind in ("entries_per_cpu_second", "entries_per_second")
    }
    figures = {name: result.figures() for name, result in results.items()}
    sys.stdout.write(json.dumps({"size": given.size, **figures, **ratios}, indent=1) + "\n")


def _settings(folder: Path, cores: int) -> Settings:
    folder.mkdir()
    return Settings(
        database_url=f"sqlite:///{folder}/index.db",
        segments_url=str(folder / "segments"),
        cache_dir=str(folder / "cache"),
        decoders=cores,
    )


if __name__ == "__main__":
    main()
