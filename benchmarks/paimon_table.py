"""Write the metadata of a Paimon table as Java 1.3 does; there are no data files.

The table is partitioned by ``dt``. An append table has no buckets. A primary-key table has sixteen, and a second
snapshot in which a compaction deleted a tenth of the files and added merged files on the top level.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import fastavro
import numpy as np
from numpy.typing import NDArray

from benchmarks import avro
from benchmarks.avro import Values
from benchmarks.binary_row import Cell, rows
from benchmarks.columns import ROWS, Files, Longs, hex_digits, statistics, table_columns, table_files
from benchmarks.iceberg_manifests import SLICE_BYTES, uuid_of
from benchmarks.paimon_schema import MANIFEST, MANIFEST_LIST

FIRST_COMMIT_MS = 1_717_200_000_000
TOP_LEVEL = 5
BUCKETS = 16
_TYPES = {
    "long": "BIGINT",
    "timestamptz": "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "string": "STRING",
    "decimal": "DECIMAL(18, 2)",
    "double": "DOUBLE",
    "date": "DATE",
    "int": "INT",
    "boolean": "BOOLEAN",
}


@dataclass(frozen=True, slots=True)
class PaimonTable:
    """A written table; ``entries`` counts ADD and DELETE."""

    folder: Path
    snapshot_id: int
    files: int
    entries: int
    manifests: int


@dataclass(frozen=True, slots=True)
class _Shape:
    folder: Path
    columns: int
    primary_key: bool
    days: int
    day_files: int


@dataclass(frozen=True, slots=True)
class _Task:
    """A manifest to write, with ``files``; a ``compaction`` deletes a tenth of them and adds merged files."""

    shape: _Shape
    snapshot_id: int
    number: int
    files: range
    compaction: bool


def paimon_table(
    folder: Path | str,
    *,
    files: int,
    columns: int = 20,
    manifests: int = 1,
    primary_key: bool = False,
    days: int = 365,
    processes: int = 1,
) -> PaimonTable:
    """Write a table of ``files`` files, added in ``manifests`` manifests of equal size.

    Args:
        folder: the table's root, which is created and must be empty.
        columns: columns with statistics, besides the partition column ``dt``.
        primary_key: whether the table has a key, 16 buckets, and a compaction of a tenth of its files.
        days: the number of partitions.
        processes: the number of processes that write manifests.
    """
    folder = Path(folder).absolute()
    for name in ("manifest", "schema", "snapshot"):
        (folder / name).mkdir(parents=True)
    shape = _Shape(folder, columns, primary_key, days, max(1, -(-files // days)))
    (folder / "schema" / "schema-0").write_text(json.dumps(_schema(shape), indent=2))
    edges = [files * number // manifests for number in range(manifests + 1)]
    added = [_Task(shape, 1, number, range(*edges[number : number + 2]), False) for number in range(manifests)]
    delta = _each(added, processes)
    live = _commit(folder, 1, "APPEND", [], delta, 0)
    if not primary_key:
        return PaimonTable(folder, 1, files, files, manifests)
    step = -(-manifests // 10) * -(-files // manifests)
    starts = range(0, files, step)
    merged = [
        _Task(shape, 2, number, range(start, min(start + step, files)), True) for number, start in enumerate(starts)
    ]
    compacted = _each(merged, processes)
    _commit(folder, 2, "COMPACT", delta, compacted, live)
    gone = sum(row["_NUM_DELETED_FILES"] for row, _ in compacted)
    more = sum(row["_NUM_ADDED_FILES"] for row, _ in compacted)
    return PaimonTable(folder, 2, files - gone + more, files + gone + more, manifests + len(merged))


_Row = tuple[dict[str, Any], int]
"""A row of the manifest list, and the number of records that its entries add."""


def _each(tasks: list[_Task], processes: int) -> list[_Row]:
    if processes == 1:
        return [_write_manifest(task) for task in tasks]
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return list(pool.map(_write_manifest, tasks, chunksize=max(1, len(tasks) // (processes * 8))))


def _write_manifest(task: _Task) -> _Row:
    name = f"manifest-{uuid_of(task.snapshot_id, 11)}-{task.number}"
    sync = bytes.fromhex(uuid_of(task.snapshot_id * 100_003 + task.number, 13).replace("-", ""))
    container = avro.Container({"avro.schema": json.dumps(MANIFEST, separators=(",", ":"))}, "zstandard", sync)
    counts, records, levels = [0, 0], 0, set[int]()
    parts = list[Files]()
    for files, kind, level in _parts(task):
        container.add(*avro.flattened(_entries(files, task.shape, kind, level)))
        counts[kind] += len(files.numbers)
        records += int(files.rows.sum()) * (-1 if kind else 1)
        levels.add(level)
        parts.append(files)
    data = container.finish()
    (task.shape.folder / "manifest" / name).write_bytes(data)
    days, buckets = np.concatenate([part.day for part in parts]), np.concatenate([part.bucket for part in parts])
    row = {
        "_VERSION": 2,
        "_FILE_NAME": name,
        "_FILE_SIZE": len(data),
        "_NUM_ADDED_FILES": counts[0],
        "_NUM_DELETED_FILES": counts[1],
        "_PARTITION_STATS": {
            "_MIN_VALUES": _partition_row(days.min()),
            "_MAX_VALUES": _partition_row(days.max()),
            "_NULL_COUNTS": [0],
        },
        "_SCHEMA_ID": 0,
        "_MIN_BUCKET": int(buckets.min()),
        "_MAX_BUCKET": int(buckets.max()),
        "_MIN_LEVEL": min(levels),
        "_MAX_LEVEL": max(levels),
    }
    return row, records


def _parts(task: _Task) -> Iterator[tuple[Files, Literal[0, 1], int]]:
    """Yield slices of the manifest's entries: their files, ADD or DELETE, and level."""
    size = max(1, SLICE_BYTES // (400 + 120 * task.shape.columns))
    chosen = range(-(-task.files.start // 10) * 10, task.files.stop, 10) if task.compaction else task.files
    buckets = BUCKETS if task.shape.primary_key else 1
    of = partial(table_files, days=task.shape.days, buckets=buckets, day_files=task.shape.day_files)
    for start in range(0, len(chosen), size):
        files = of(np.array(chosen[start : start + size], np.int64))
        yield files, int(task.compaction), 0  # type: ignore[misc]
        if task.compaction:
            yield _merged(files), 0, TOP_LEVEL


def _merged(files: Files) -> Files:
    """Merge each run of files of a bucket into one file."""
    starts = np.flatnonzero(np.diff(files.day * BUCKETS + files.bucket, prepend=-1))
    return Files(
        files.numbers[starts],
        files.day[starts],
        files.bucket[starts],
        np.add.reduceat(files.rows, starts),
        np.add.reduceat(files.sizes, starts),
    )


def _entries(files: Files, shape: _Shape, kind: Literal[0, 1], level: int) -> list[Values]:
    """Return the fields of the ``MANIFEST`` records."""
    count = len(files.numbers)
    null, zero = avro.constant(b"\x00", count), np.zeros(count, np.int64)
    dates = _dates(files.day)
    stats = [(column, statistics(column, files)) for column in table_columns(shape.columns)]
    key = stats[:1] if shape.primary_key else []
    lowers = [Cell(column.kind, one.lower, one.has_bounds) for column, one in stats]
    uppers = [Cell(column.kind, one.upper, one.has_bounds) for column, one in stats]
    day = [Cell("string", dates)]
    low_key, high_key = rows(lowers[: len(key)], count), rows(uppers[: len(key)], count)
    names = [avro.constant(b"data-", count)]
    for place, digits in enumerate((8, 4, 4, 4, 12)):
        names += [avro.fixed(hex_digits(files.numbers, 50 + place + level, digits)), avro.constant(b"-", count)]
    names.append(avro.constant(b"0.parquet", count))
    return [
        avro.constant(b"\x04", count),  # _VERSION
        avro.varints(zero + kind),
        rows(day, count),
        avro.varints(files.bucket),
        avro.varints(zero + (BUCKETS if shape.primary_key else -1)),
        avro.joined(names).framed(),
        avro.varints(files.sizes),
        avro.varints(files.rows),
        low_key,
        high_key,
        low_key,
        high_key,
        _null_counts([one.null_counts for _, one in key], count),
        rows(lowers + day, count),
        rows(uppers + day, count),
        _null_counts([one.null_counts for _, one in stats] + [zero], count),
        avro.varints(files.numbers * ROWS),
        avro.varints(files.numbers * ROWS + files.rows - 1),
        avro.varints(zero),
        avro.varints(zero + level),
        null,  # _EXTRA_FILES
        avro.optional(avro.varints(FIRST_COMMIT_MS + files.numbers)),
        avro.optional(avro.varints(zero)),
        null,
        avro.optional(avro.varints(zero + (level > 0))),
        *[null] * 4,  # _VALUE_STATS_COLS … _WRITE_COLS
    ]


def _null_counts(counts: list[Any], count: int) -> Values:
    return avro.optional(avro.array([(avro.optional(avro.varints(one)), None) for one in counts], count))


def _dates(days: Longs) -> NDArray[np.bytes_]:
    first = int(days.min())
    texts: NDArray[np.bytes_] = np.arange(first, int(days.max()) + 1).astype("M8[D]").astype("S10")
    return texts[days - first]


def _partition_row(day: np.int64) -> bytes:
    framed = rows([Cell("string", _dates(np.array([day])))], 1)
    return bytes(framed.data[0][1:])


def _commit(folder: Path, snapshot_id: int, kind: str, base: list[_Row], delta: list[_Row], records: int) -> int:
    """Write both manifest lists and the snapshot; return the table's number of records."""
    base_list = _write_list(folder, snapshot_id, 0, base)
    delta_list = _write_list(folder, snapshot_id, 1, delta)
    added = sum(records for _, records in delta)
    snapshot = {
        "version": 3,
        "id": snapshot_id,
        "schemaId": 0,
        "baseManifestList": base_list[0],
        "baseManifestListSize": base_list[1],
        "deltaManifestList": delta_list[0],
        "deltaManifestListSize": delta_list[1],
        "changelogManifestList": None,
        "commitUser": uuid_of(0, 12),
        "commitIdentifier": snapshot_id,
        "commitKind": kind,
        "timeMillis": FIRST_COMMIT_MS + snapshot_id * 60_000,
        "logOffsets": {},
        "totalRecordCount": records + added,
        "deltaRecordCount": added,
        "changelogRecordCount": 0,
        "nextRowId": 0,
    }
    (folder / "snapshot" / f"snapshot-{snapshot_id}").write_text(json.dumps(snapshot, indent=2))
    (folder / "snapshot" / "LATEST").write_text(str(snapshot_id))
    (folder / "snapshot" / "EARLIEST").write_text("1")
    return records + added


def _write_list(folder: Path, snapshot_id: int, number: int, listed: list[_Row]) -> tuple[str, int]:
    name = f"manifest-list-{uuid_of(snapshot_id, 14)}-{number}"
    sync = bytes.fromhex(uuid_of(snapshot_id, 15 + number).replace("-", ""))
    container = avro.Container({"avro.schema": json.dumps(MANIFEST_LIST, separators=(",", ":"))}, "zstandard", sync)
    for row, _ in listed:
        target = io.BytesIO()
        fastavro.schemaless_writer(target, MANIFEST_LIST, row)
        record = np.frombuffer(target.getvalue(), np.uint8)
        container.add(record, np.array([len(record)]))
    data = container.finish()
    (folder / "manifest" / name).write_bytes(data)
    return name, len(data)


def _schema(shape: _Shape) -> dict[str, Any]:
    columns = table_columns(shape.columns)
    fields: list[dict[str, Any]] = [
        {"id": number, "name": column.name, "type": _TYPES[column.kind]} for number, column in enumerate(columns)
    ]
    fields.append({"id": len(columns), "name": "dt", "type": "STRING"})
    if shape.primary_key:
        fields[0] |= {"type": "BIGINT NOT NULL"}
        fields[-1] |= {"type": "STRING NOT NULL"}
    return {
        "version": 3,
        "id": 0,
        "fields": fields,
        "highestFieldId": len(columns),
        "partitionKeys": ["dt"],
        "primaryKeys": ["dt", columns[0].name] if shape.primary_key else [],
        "options": {"bucket": str(BUCKETS if shape.primary_key else -1), "file.format": "parquet"},
        "timeMillis": FIRST_COMMIT_MS,
    }
