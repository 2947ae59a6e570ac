"""Commit delete files to a generated Iceberg table, each kind in its own snapshot.

A position delete file identifies one data file by its bounds, as Spark writes them with file granularity. A deletion
vector references its data file. An equality delete file has one partition, and bounds of the column that it compares.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import fastavro
import numpy as np

from benchmarks.avro import BLOCK_BYTES
from benchmarks.columns import Files, draw, table_files
from benchmarks.iceberg_manifests import PARTITION, SPEC, ManifestTask, Shape, file_paths, table_schema, uuid_of
from benchmarks.iceberg_schema import avro_schema, iceberg_schema, manifest_entry
from benchmarks.iceberg_table import IcebergTable, commit_manifests

Kind = Literal["positions", "vectors", "equality"]
_PATH = 2147483546
_COMPARED = 3  # user_id


def append_deletes(folder: Path | str, kind: Kind, count: int) -> IcebergTable:
    """Commit ``count`` delete files of a kind, for data files (equality: partitions) spread evenly over the table."""
    folder = Path(folder).absolute()
    version = int((folder / "metadata" / "version-hint.text").read_text())
    metadata = json.loads((folder / "metadata" / f"v{version}.metadata.json").read_text())
    shape = Shape(**json.loads(metadata["properties"]["benchmark.shape"]))
    if kind == "vectors":
        metadata |= {"format-version": 3, "next-row-id": metadata.get("next-row-id", 0)}

    def write(snapshot_id: int, sequence: int) -> list[dict[str, Any]]:
        number = int(metadata["properties"]["benchmark.files"])
        task = ManifestTask(folder, metadata["location"], shape, snapshot_id, sequence, 0, range(number))
        return [_write(task, kind, count)]

    return commit_manifests(folder, metadata, write, files=0)


def _write(task: ManifestTask, kind: Kind, count: int) -> dict[str, Any]:
    entry = manifest_entry(PARTITION, deletes=True)
    header = {
        "schema": json.dumps(table_schema(task.shape.columns), separators=(",", ":")),
        "format-version": "3" if kind == "vectors" else "2",
        "partition-spec-id": "0",
        "iceberg.schema": json.dumps(iceberg_schema(entry), separators=(",", ":")),
        "partition-spec": json.dumps(SPEC, separators=(",", ":")),
        "content": "deletes",
    }
    name = f"{uuid_of(task.sequence_number, 1)}-m0.avro"
    target = task.folder / "metadata" / name
    records = list(_records(task, kind, count))
    with target.open("wb") as file:
        fastavro.writer(file, avro_schema(entry), records, codec="deflate", sync_interval=BLOCK_BYTES, metadata=header)
    days, buckets = ([record["data_file"]["partition"][part.name] for record in records] for part in PARTITION)
    return {
        "manifest_path": f"{task.location}/metadata/{name}",
        "manifest_length": target.stat().st_size,
        "partition_spec_id": 0,
        "content": 1,
        "sequence_number": task.sequence_number,
        "min_sequence_number": task.sequence_number,
        "added_snapshot_id": task.snapshot_id,
        "added_data_files_count": count,
        "existing_data_files_count": 0,
        "deleted_data_files_count": 0,
        "added_rows_count": 10 * count,
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
        "partitions": [
            {
                "contains_null": False,
                "contains_nan": False,
                "lower_bound": min(values).to_bytes(4, "little"),
                "upper_bound": max(values).to_bytes(4, "little"),
            }
            for values in (days, buckets)
        ],
    }


def _records(task: ManifestTask, kind: Kind, count: int) -> Iterator[dict[str, Any]]:
    shape, files = task.shape, len(task.numbers)
    numbers = np.unique(np.arange(count, dtype=np.int64) * files // count + (kind == "vectors"))
    of = table_files(numbers % files, days=shape.days, buckets=shape.buckets, day_files=shape.day_files)
    own = [path.decode() for path in _texts(of, task)]
    for place in range(len(numbers)):
        data_file: dict[str, Any] = {
            "content": 2 if kind == "equality" else 1,
            "file_path": f"{task.location}/data/{uuid_of(place, 60)}-deletes.parquet",
            "file_format": "PARQUET",
            "partition": {"ts_day": int(of.day[place]), "user_id_bucket": int(of.bucket[place])},
            "record_count": 10,
            "file_size_in_bytes": 1_500,
        }
        if kind == "positions":
            path = own[place].encode()
            data_file |= {"lower_bounds": _bounds(_PATH, path), "upper_bounds": _bounds(_PATH, path)}
        elif kind == "vectors":
            data_file |= {"file_format": "PUFFIN", "referenced_data_file": own[place]}
            data_file |= {"content_offset": 4 + 60 * place, "content_size_in_bytes": 60}
        else:
            value = int(draw(numbers[place : place + 1], 99, 1_000_000_000)[0])
            low, high = (n.to_bytes(8, "little") for n in (value, value + 1_000))
            data_file |= {"equality_ids": [_COMPARED]}
            data_file |= {"lower_bounds": _bounds(_COMPARED, low), "upper_bounds": _bounds(_COMPARED, high)}
            data_file |= {"value_counts": [{"key": _COMPARED, "value": 10}]}
            data_file |= {"null_value_counts": [{"key": _COMPARED, "value": 0}]}
        yield {"status": 1, "snapshot_id": task.snapshot_id, "data_file": data_file}


def _bounds(field_id: int, value: bytes) -> list[dict[str, Any]]:
    return [{"key": field_id, "value": value}]


def _texts(files: Files, task: ManifestTask) -> list[bytes]:
    paths = file_paths(files, task)
    return [bytes(row[:length]) for row, length in zip(paths.data, paths.lengths.tolist(), strict=True)]
