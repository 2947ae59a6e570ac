"""Write the manifests of the generated Iceberg tables, in slices of vectorised entries."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import avro
from benchmarks.avro import Values
from benchmarks.columns import (
    FIRST_DAY,
    Column,
    Files,
    Statistics,
    decimal_digits,
    hex_digits,
    statistics,
    table_columns,
    table_files,
)
from benchmarks.iceberg_schema import Member, avro_schema, iceberg_schema, manifest_entry

SLICE_BYTES = 64 * 2**20
SPEC = [
    {"name": "ts_day", "transform": "day", "source-id": 2, "field-id": 1000},
    {"name": "user_id_bucket", "transform": "bucket[16]", "source-id": 3, "field-id": 1001},
]
PARTITION = (
    Member(1000, "ts_day", "date", required=False),
    Member(1001, "user_id_bucket", "int", required=False),
)
_ICEBERG_TYPES = {"decimal": "decimal(18, 2)"}
_DTYPES = {"long": "<i8", "timestamptz": "<i8", "double": "<f8", "date": "<i4", "int": "<i4", "boolean": "u1"}


@dataclass(frozen=True, slots=True)
class Shape:
    """The layout of a table's files.

    Attributes:
        scattered: whether every manifest has files of every day.
        level: the deflate level of manifests.
    """

    columns: int
    partitioned: bool
    days: int
    buckets: int
    day_files: int
    scattered: bool
    level: int = 9


@dataclass(frozen=True, slots=True)
class ManifestTask:
    """A manifest to write, with the numbers of its files; plain data, for a worker process."""

    folder: Path
    location: str
    shape: Shape
    snapshot_id: int
    sequence_number: int
    manifest: int
    numbers: range


def write_manifest(task: ManifestTask) -> dict[str, Any]:
    """Write one manifest, and return its row of the manifest list."""
    name = f"{uuid_of(task.sequence_number, 1)}-m{task.manifest}.avro"
    entry = manifest_entry(PARTITION if task.shape.partitioned else ())
    spec = SPEC if task.shape.partitioned else []
    sync = uuid.UUID(uuid_of(task.sequence_number * 100_003 + task.manifest, 3)).bytes
    container = avro.Container(
        {
            "schema": json.dumps(table_schema(task.shape.columns), separators=(",", ":")),
            "avro.schema": json.dumps(avro_schema(entry), separators=(",", ":")),
            "format-version": "2",
            "partition-spec-id": "0",
            "iceberg.schema": json.dumps(iceberg_schema(entry), separators=(",", ":")),
            "partition-spec": json.dumps(spec, separators=(",", ":")),
            "content": "data",
        },
        "deflate",
        sync,
        task.shape.level,
    )
    rows, days, buckets = 0, set[int](), set[int]()
    for files in _slices(task):
        container.add(*avro.flattened(_entries(files, task)))
        rows += int(files.rows.sum())
        days.update((int(files.day.min()), int(files.day.max())))
        buckets.update((int(files.bucket.min()), int(files.bucket.max())))
    data = container.finish()
    (task.folder / "metadata" / name).write_bytes(data)
    summaries = [(min(days), max(days)), (min(buckets), max(buckets))] if task.shape.partitioned else []
    return {
        "manifest_path": f"{task.location}/metadata/{name}",
        "manifest_length": len(data),
        "partition_spec_id": 0,
        "content": 0,
        "sequence_number": task.sequence_number,
        "min_sequence_number": task.sequence_number,
        "added_snapshot_id": task.snapshot_id,
        "added_data_files_count": len(task.numbers),
        "existing_data_files_count": 0,
        "deleted_data_files_count": 0,
        "added_rows_count": rows,
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
        "partitions": [
            {
                "contains_null": False,
                "contains_nan": False,
                "lower_bound": low.to_bytes(4, "little"),
                "upper_bound": high.to_bytes(4, "little"),
            }
            for low, high in summaries
        ],
    }


def _slices(task: ManifestTask) -> Iterator[Files]:
    """Yield the manifest's files in slices, to bound memory: an entry being built takes up to 60 bytes per column."""
    size = max(1, SLICE_BYTES // (400 + 120 * task.shape.columns))
    shape = task.shape
    for start in range(0, len(task.numbers), size):
        numbers = np.array(task.numbers[start : start + size], np.int64)
        yield table_files(numbers, days=shape.days, buckets=shape.buckets, day_files=shape.day_files)


def _entries(files: Files, task: ManifestTask) -> list[Values]:
    """Return the fields of the ``manifest_entry`` records."""
    count = len(files.numbers)
    columns = table_columns(task.shape.columns)
    recorded = [(column, statistics(column, files)) for column in columns]
    null = avro.constant(b"\x00", count)
    partition = [avro.optional(avro.varints(files.day)), avro.optional(avro.varints(files.bucket))]
    counts = [
        [(column, stats.sizes) for column, stats in recorded],
        [(column, files.rows) for column, _ in recorded],
        [(column, stats.null_counts) for column, stats in recorded],
        [(column, stats.nan_counts) for column, stats in recorded if stats.nan_counts is not None],
    ]
    return [
        avro.constant(b"\x02", count),  # status: ADDED
        avro.optional(avro.varints(np.full(count, task.snapshot_id))),
        null,
        null,
        avro.constant(b"\x00", count),  # content: data
        file_paths(files, task).framed(),
        avro.constant(b"\x0ePARQUET", count),
        *(partition if task.shape.partitioned else []),
        avro.varints(files.rows),
        avro.varints(files.sizes),
        *(_map([(column, avro.varints(values), None) for column, values in kind], count) for kind in counts),
        _map([(column, _bound(column, stats.lower), _mask(stats)) for column, stats in recorded], count),
        _map([(column, _bound(column, stats.upper), _mask(stats)) for column, stats in recorded], count),
        null,
        avro.optional(avro.array([(avro.varints(np.full(count, 4)), None)], count)),
        null,
        avro.optional(avro.varints(np.zeros(count, np.int64))),
    ]


def _map(items: list[tuple[Column, Values, avro.Mask | None]], count: int) -> Values:
    keyed = [
        (avro.joined([avro.varints(np.full(count, column.field_id)), values]), mask) for column, values, mask in items
    ]
    return avro.optional(avro.array(keyed, count))


def _mask(stats: Statistics) -> avro.Mask | None:
    return None if stats.has_bounds.all() else stats.has_bounds


def _bound(column: Column, values: Any) -> Values:
    """Return values in Iceberg's single-value serialization, as Avro bytes."""
    match column.kind:
        case "string":
            return avro.texts(values).framed()
        case "decimal":
            return avro.minimal_big_endian(values).framed()
    return avro.fixed(values.astype(_DTYPES[column.kind])).framed()


def file_paths(files: Files, task: ManifestTask) -> Values:
    """Return the locations of the data files."""
    count, numbers = len(files.numbers), files.numbers
    pieces = [avro.constant(f"{task.location}/data/".encode(), count)]
    if task.shape.partitioned:
        days = (np.arange(task.shape.days) + FIRST_DAY).astype("M8[D]").astype("S10")
        buckets = np.arange(task.shape.buckets).astype("S2")
        pieces += [avro.constant(b"ts_day=", count), avro.texts(days[files.day - FIRST_DAY])]
        pieces += [avro.constant(b"/user_id_bucket=", count), avro.texts(buckets[files.bucket])]
        pieces.append(avro.constant(b"/", count))
    pieces += [avro.fixed(decimal_digits(numbers % 100_000, 5)), avro.constant(b"-", count)]
    pieces += [avro.fixed(decimal_digits(numbers // 100_000 % 10_000, 4)), avro.constant(b"-", count)]
    for place, digits in enumerate((8, 4, 4, 4, 12)):
        pieces += [avro.fixed(hex_digits(numbers, 50 + place, digits)), avro.constant(b"-", count)]
    return avro.joined([*pieces, avro.constant(b"00001.parquet", count)])


def table_schema(columns: int) -> dict[str, Any]:
    """Return the table's schema in its JSON form."""
    fields = [
        {"id": one.field_id, "name": one.name, "required": False, "type": _ICEBERG_TYPES.get(one.kind, one.kind)}
        for one in table_columns(columns)
    ]
    return {"type": "struct", "schema-id": 0, "fields": fields}


def uuid_of(number: int, salt: int) -> str:
    """Return a UUID derived from two numbers."""
    digits = hex_digits(np.array([number]), 90 + salt, 32).tobytes().decode()
    return str(uuid.UUID(digits))
