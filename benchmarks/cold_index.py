"""W1, cold index: a new table in a running service, from pointer to publish; twice, to show the machine's noise.

The same run measures a limit and a peer on the same manifests: inflating them only, and PyIceberg's decode.
``python -m benchmarks.cold_index --files 1000000 --columns 50`` prints one JSON object: entries per second of CPU
time (of all processes together: the rate of one core), its ratio to the peer's, and the ratio of its time to the
limit's; wall-clock time, and the peak memory of all processes together. The paths that PyIceberg decodes must be
among the indexed ones, whose number must equal that of the manifests' entries.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import StaticTable

from benchmarks.generate import append_manifest, iceberg_table
from benchmarks.lakes import Lake, Shape, unchanged
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.formats.avro.container import Block, read_blocks, read_header, read_long
from lakemuster.main import build_services

SYNC_BYTES = 16


class Memory(threading.Thread):
    """Records the peak memory of this process and its children, without mapped files."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.done = threading.Event()

    def run(self) -> None:
        """Sample twice a second."""
        while not self.done.wait(0.5):
            self.peak = max(self.peak, sum(_anonymous(pid) for pid in _family(os.getpid())))


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    tasks = Path(f"/proc/{pid}/task")
    try:
        lists = [(task / "children").read_text().split() for task in tasks.iterdir()] if children.exists() else []
    except OSError:
        return [pid]
    return [pid, *(member for child in lists for number in child for member in _family(int(number)))]


def _anonymous(pid: int) -> int:
    """Return the bytes of resident memory, without mapped files."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    sizes = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith("Rss")}
    return (int(sizes.get("RssAnon", 0)) + int(sizes.get("RssShmem", 0))) * 1024


def _cpu(pids: list[int]) -> float:
    """Return the CPU seconds that processes have used so far."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _start(services: Services, folder: Path, decoders: int) -> None:
    """Start every decoder process by indexing a small table each, as in a service that has been running."""
    names = [f"b.warm{number}" for number in range(decoders)]
    for name in names:
        iceberg_table(folder / name, files=2_000, manifests=decoders)
        services.add(name, str(folder / name), None, ())
        services.refresh(name)


def index(table: Path, folder: Path, decoders: int) -> tuple[dict[str, Any], set[str]]:
    """Index a new table in a running service, then once more after one appended manifest.

    Returns:
        The figures, and the locations of the first snapshot's files.
    """
    folder.mkdir()
    settings = Settings(
        database_url=f"sqlite:///{folder}/index.db",
        segments_url=f"{folder}/segments",
        cache_dir=f"{folder}/cache",
        decoders=decoders,
        roots=(str(table.parent), str(folder / "lake")),
    )
    memory = Memory()
    memory.start()
    services = build_services(settings)
    _start(services, folder / "lake", decoders)
    services.add("b.t", str(table), None, ())
    pids = _family(os.getpid())
    before, wall = [_cpu([pid]) for pid in pids], time.monotonic()
    report = services.refresh("b.t")
    wall = time.monotonic() - wall
    own, *others = (_cpu([pid]) - used for pid, used in zip(pids, before, strict=True))
    cpu = own + sum(others)
    peak, reads = memory.peak, services.store.counts.reads
    memory.done.set()
    paths = Lake(Shape(report.entries_decoded), table, services).answer(None)
    with unchanged(table):
        append_manifest(table, files=1000)
        started = time.monotonic()
        second = services.refresh("b.t")
        again = time.monotonic() - started
        second_reads = services.store.counts.reads - reads
    services.close()
    segments = sum(path.stat().st_size for path in (folder / "segments").rglob("*") if path.is_file())
    found = {
        "entries": report.entries_decoded,
        "manifests": report.manifests_fetched,
        "wall_seconds": round(wall, 2),
        "cpu_seconds": {"server": round(own, 2), "decoders": round(sum(others), 2)},
        "entries_per_cpu_second": round(report.entries_decoded / cpu),
        "peak_memory_mib": peak // 2**20,
        "segments_mib": segments // 2**20,
        "second_snapshot": {
            "manifests": second.manifests_fetched,
            "reads": second_reads,
            "seconds": round(again, 3),
        },
    }
    return found, paths


def pyiceberg(table: Path, manifests: int, ours: set[str]) -> dict[str, Any]:
    """Measure PyIceberg's decode of some of the manifests; its paths must be among ``ours``."""
    newest = max((table / "metadata").glob("v*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)
    static = StaticTable.from_metadata(str(newest))
    io = PyArrowFileIO()
    snapshot = static.current_snapshot()
    assert snapshot is not None
    chosen = [
        manifest for manifest in snapshot.manifests(io) if manifest.added_files_count or manifest.existing_files_count
    ]
    cpu, decoded = time.process_time(), []
    for manifest in chosen[:manifests]:
        decoded += manifest.fetch_manifest_entry(io)
    cpu = time.process_time() - cpu
    entries, paths = len(decoded), {entry.data_file.file_path for entry in decoded}
    whole = sum((manifest.added_files_count or 0) + (manifest.existing_files_count or 0) for manifest in chosen)
    if not paths <= ours or len(paths) != entries or len(ours) != whole:
        raise SystemExit(
            f"{len(ours)} files here of {whole}; of PyIceberg's {entries}, {len(paths - ours)} are not there"
        )
    return {"entries": entries, "cpu_seconds": round(cpu, 2), "entries_per_cpu_second": round(entries / cpu)}


def inflating(table: Path, manifests: int, blocks: Callable[[bytes], Iterable[Block]]) -> dict[str, Any]:
    """Measure reading and inflating the largest manifests, which every decoder must do."""
    chosen = sorted(table.glob("metadata/*-m*.avro"), key=lambda path: -path.stat().st_size)[:manifests]
    cpu, entries = time.process_time(), 0
    for path in chosen:
        entries += sum(block.records for block in blocks(path.read_bytes()))
    cpu = time.process_time() - cpu
    return {"entries": entries, "cpu_seconds": round(cpu, 2), "entries_per_cpu_second": round(entries / cpu)}


def by_ours(data: bytes) -> Iterator[Block]:
    """Yield the blocks of a file, inflated by our code."""
    return read_blocks(data, read_header(data))


def by_zlib(data: bytes) -> Iterator[Block]:
    """Yield the blocks of a file, inflated by Python's zlib: it takes twice as long as ours, so its limit is looser."""
    position = read_header(data).data_offset
    while position < len(data):
        start = position
        records, position = read_long(data, position, len(data))
        size, position = read_long(data, position, len(data))
        yield Block(records, zlib.decompressobj(-zlib.MAX_WBITS).decompress(data[position : position + size]), start)
        position += size + SYNC_BYTES


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.cold_index", description=__doc__)
    parser.add_argument("--table", help="a generated table's root; made when left out")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--manifests", type=int, default=100)
    parser.add_argument("--decoders", type=int, default=1)
    parser.add_argument(
        "--peer-manifests", type=int, default=5, help="how many PyIceberg decodes; inflated are four times as many"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        table = Path(given.table).absolute() if given.table else Path(scratch, "lake", "t")
        if not given.table:
            iceberg_table(table, files=given.files, columns=given.columns, manifests=given.manifests, processes=2)
        first, paths = index(table, Path(scratch, "first"), given.decoders)
        again, _ = index(table, Path(scratch, "again"), given.decoders)
        result: dict[str, Any] = {
            "lakemuster": first,
            "again": again,
            "inflating": inflating(table, 4 * given.peer_manifests, by_ours),
            "inflating_by_zlib": inflating(table, 4 * given.peer_manifests, by_zlib),
            "pyiceberg": pyiceberg(table, given.peer_manifests, paths),
        }
        one, other, limit, looser, peer = (part["entries_per_cpu_second"] for part in result.values())
        ours = (one + other) / 2
        result["ratios"] = {
            "times_pyiceberg": round(ours / peer, 1),
            "times_inflating": round(limit / ours, 2),
            "times_inflating_by_zlib": round(looser / ours, 2),
        }
        result["noise"] = round(abs(one - other) / max(one, other), 3)
    sys.stdout.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
