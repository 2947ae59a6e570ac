"""Write the metadata of an Iceberg table of format version 2 as Java's writer does; there are no data files.

The table is partitioned by ``day(ts)`` and ``bucket(16, user_id)``, or unpartitioned. The table's properties contain
everything that a later commit needs.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import fastavro
import numpy as np

from benchmarks.avro import BLOCK_BYTES
from benchmarks.columns import draw
from benchmarks.iceberg_manifests import SPEC, ManifestTask, Shape, table_schema, uuid_of, write_manifest
from benchmarks.iceberg_schema import MANIFEST_FILE, avro_schema, iceberg_schema

FIRST_COMMIT_MS = 1_717_200_000_000


@dataclass(frozen=True, slots=True)
class IcebergTable:
    """A written table."""

    folder: Path
    metadata: Path
    snapshot_id: int
    files: int
    manifests: int


def iceberg_table(
    folder: Path | str,
    *,
    files: int,
    columns: int = 20,
    manifests: int = 1,
    partitioned: bool = True,
    days: int = 365,
    scattered: bool = False,
    level: int = 9,
    location: str | None = None,
    processes: int = 1,
) -> IcebergTable:
    """Write a table with one snapshot of ``files`` data files in ``manifests`` manifests of equal size.

    Args:
        folder: the table's root, which is created and must be empty.
        columns: columns, nearly all with bounds: clustered, random, wide, strings, decimals, some bounds missing.
        days: days that the files spread over, with 16 buckets each.
        scattered: whether each manifest has files of all days, or only of a few.
        level: the deflate level of manifests: 9 as in Java's writers, 1 takes a third of the time.
        location: the root that the metadata records; the folder itself by default.
        processes: the number of processes that write manifests.
    """
    folder = Path(folder).absolute()
    (folder / "metadata").mkdir(parents=True)
    shape = Shape(columns, partitioned, days, 16, max(1, -(-files // days)), scattered, level)
    metadata = _new_metadata(location or str(folder), shape)
    return _commit(folder, metadata, shape, files, min(manifests, files), processes)


def append_manifest(folder: Path | str, *, files: int = 1_000) -> IcebergTable:
    """Commit a new snapshot with one more manifest of ``files`` data files, as a streaming writer does."""
    folder = Path(folder).absolute()
    version = int((folder / "metadata" / "version-hint.text").read_text())
    metadata = json.loads((folder / "metadata" / f"v{version}.metadata.json").read_text())
    shape = Shape(**json.loads(metadata["properties"]["benchmark.shape"]))
    return _commit(folder, metadata, shape, files, 1, 1)


def _commit(
    folder: Path, metadata: dict[str, Any], shape: Shape, files: int, manifests: int, processes: int
) -> IcebergTable:
    known = int(metadata["properties"]["benchmark.files"])
    edges = [files * number // manifests for number in range(manifests + 1)]
    if shape.scattered:
        parts = [range(known + number, known + files, manifests) for number in range(manifests)]
    else:
        parts = [range(known + start, known + end) for start, end in itertools.pairwise(edges)]

    def write(snapshot_id: int, sequence: int) -> list[dict[str, Any]]:
        location = metadata["location"]
        tasks = [
            ManifestTask(folder, location, shape, snapshot_id, sequence, number, part)
            for number, part in enumerate(parts)
        ]
        return list(_each(tasks, processes))

    return commit_manifests(folder, metadata, write, files=files)


def commit_manifests(
    folder: Path, metadata: dict[str, Any], write: Callable[[int, int], list[dict[str, Any]]], *, files: int
) -> IcebergTable:
    """Commit one more snapshot.

    Args:
        metadata: the table's newest metadata, which is modified.
        write: takes a snapshot id and a sequence number, writes manifests, and returns their rows of the manifest list.
        files: the number of data files that the manifests add.
    """
    sequence = metadata["last-sequence-number"] + 1
    snapshot_id = 10**18 + int(draw(np.array([sequence]), 77, 8 * 10**18)[0])
    known, records = int(metadata["properties"]["benchmark.files"]), 0
    rows: list[Any] = []
    if metadata["snapshots"]:
        parent = metadata["snapshots"][-1]
        records = int(parent["summary"]["total-records"])
        with (folder / "metadata" / parent["manifest-list"].rsplit("/", 1)[1]).open("rb") as previous:
            rows = list(fastavro.reader(previous))
    new = write(snapshot_id, sequence)
    added = sum(row["added_rows_count"] for row in new if row["content"] == 0)
    snapshot = _snapshot(metadata, snapshot_id, sequence, _write_list(folder, metadata, snapshot_id, new + rows))
    snapshot["summary"] |= {
        "added-data-files": str(files),
        "added-records": str(added),
        "total-records": str(records + added),
        "total-data-files": str(known + files),
    }
    metadata["properties"] |= {"benchmark.files": str(known + files)}
    return IcebergTable(folder, _publish(folder, metadata, snapshot), snapshot_id, known + files, len(new + rows))


def _write_list(folder: Path, metadata: dict[str, Any], snapshot_id: int, rows: list[dict[str, Any]]) -> str:
    """Write the manifest list, and return its file name."""
    sequence = metadata["last-sequence-number"] + 1
    name = f"snap-{snapshot_id}-1-{uuid_of(sequence, 2)}.avro"
    header = {
        "snapshot-id": str(snapshot_id),
        "format-version": "2",
        "sequence-number": str(sequence),
        "iceberg.schema": json.dumps(iceberg_schema(MANIFEST_FILE), separators=(",", ":")),
        "parent-snapshot-id": str(metadata["current-snapshot-id"]) if metadata["snapshots"] else "null",
    }
    schema, sync = avro_schema(MANIFEST_FILE), bytes.fromhex(uuid_of(sequence, 5).replace("-", ""))
    with (folder / "metadata" / name).open("wb") as target:
        fastavro.writer(
            target, schema, rows, codec="deflate", sync_interval=BLOCK_BYTES, metadata=header, sync_marker=sync
        )
    return name


def _each(tasks: list[ManifestTask], processes: int) -> Iterable[dict[str, Any]]:
    if processes == 1:
        return map(write_manifest, tasks)
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return list(pool.map(write_manifest, tasks, chunksize=max(1, len(tasks) // (processes * 8))))


def _new_metadata(location: str, shape: Shape) -> dict[str, Any]:
    return {
        "format-version": 2,
        "table-uuid": uuid_of(0, 4),
        "location": location,
        "last-sequence-number": 0,
        "last-updated-ms": FIRST_COMMIT_MS,
        "last-column-id": shape.columns,
        "current-schema-id": 0,
        "schemas": [table_schema(shape.columns)],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": SPEC if shape.partitioned else []}],
        "last-partition-id": 1001 if shape.partitioned else 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {
            "write.parquet.compression-codec": "zstd",
            "benchmark.shape": json.dumps(asdict(shape)),
            "benchmark.files": "0",
        },
        "current-snapshot-id": -1,
        "refs": {},
        "snapshots": [],
        "statistics": [],
        "snapshot-log": [],
        "metadata-log": [],
    }


def _snapshot(metadata: dict[str, Any], snapshot_id: int, sequence: int, manifest_list: str) -> dict[str, Any]:
    parent = {"parent-snapshot-id": metadata["current-snapshot-id"]} if metadata["snapshots"] else {}
    totals = {"total-delete-files": "0", "total-position-deletes": "0", "total-equality-deletes": "0"}
    return {
        "sequence-number": sequence,
        "snapshot-id": snapshot_id,
        **parent,
        "timestamp-ms": FIRST_COMMIT_MS + sequence * 60_000,
        "summary": {"operation": "append", **totals},
        "manifest-list": f"{metadata['location']}/metadata/{manifest_list}",
        "schema-id": 0,
    }


def _publish(folder: Path, metadata: dict[str, Any], snapshot: dict[str, Any]) -> Path:
    """Make the snapshot current: write the next metadata file, then the hint."""
    hint = folder / "metadata" / "version-hint.text"
    if metadata["snapshots"]:
        version = int(hint.read_text())
        previous = {
            "timestamp-ms": metadata["last-updated-ms"],
            "metadata-file": f"{metadata['location']}/metadata/v{version}.metadata.json",
        }
        metadata["metadata-log"].append(previous)
    else:
        version = 0
    metadata |= {
        "last-sequence-number": snapshot["sequence-number"],
        "last-updated-ms": snapshot["timestamp-ms"],
        "current-snapshot-id": snapshot["snapshot-id"],
        "refs": {"main": {"snapshot-id": snapshot["snapshot-id"], "type": "branch"}},
    }
    metadata["snapshots"].append(snapshot)
    metadata["snapshot-log"].append({"timestamp-ms": snapshot["timestamp-ms"], "snapshot-id": snapshot["snapshot-id"]})
    target = folder / "metadata" / f"v{version + 1}.metadata.json"
    target.write_text(json.dumps(metadata, indent=2))
    hint.write_text(str(version + 1))
    return target
