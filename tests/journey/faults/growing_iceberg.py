"""An Iceberg table that grows by commits; this module writes its metadata files, manifest lists and manifests."""

from __future__ import annotations

import itertools
import json
import random
import uuid
from dataclasses import dataclass, field
from typing import Any

from benchmarks.iceberg_schema import MANIFEST_FILE, Member, avro_schema, manifest_entry
from tests.journey.faults.growing import FIRST_COMMIT_MS, RANGE, Bucket, DataFile, History, avro

ADDED, EXISTING, DELETED = 1, 0, 2

_ENTRY = avro_schema(manifest_entry((Member(1000, "part", "int", required=False),)))
_LIST = avro_schema(MANIFEST_FILE)


@dataclass(slots=True)
class IcebergTable:
    """An Iceberg table of format version 2 below ``prefix`` in a bucket, with ``version-hint.text``."""

    name: str
    bucket: Bucket
    url: str
    prefix: str
    random: random.Random
    history: History = field(default_factory=History)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))
    _snapshots: list[dict[str, Any]] = field(default_factory=list)
    _lists: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    _entries: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _files: dict[str, DataFile] = field(default_factory=dict)
    _version: int = 0

    def append(self, count: int = 5) -> None:
        """Commit new files in a new manifest."""
        snapshot_id, sequence = self._next()
        entries = []
        for _ in range(count):
            one = self._new_file()
            self._files[one.path] = one
            entries.append(_entry(ADDED, snapshot_id, sequence, one))
        rows = [self._manifest(entries, snapshot_id, sequence), *self._rows()]
        self._commit("append", snapshot_id, sequence, rows)

    def remove(self) -> None:
        """Commit the deletion of all files of one partition; the manifests that list them are rewritten."""
        snapshot_id, sequence = self._next()
        parts = sorted({one.part for one in self._files.values()})
        part = self.random.choice(parts) if parts else 0
        rows = []
        for row in self._rows():
            entries = [one for one in self._entries[row["manifest_path"]] if one["status"] != DELETED]
            if all(one["data_file"]["partition"]["part"] != part for one in entries):
                rows.append(row)
                continue
            rewritten = []
            for one in entries:
                gone = one["data_file"]["partition"]["part"] == part
                if gone:
                    del self._files[one["data_file"]["file_path"]]
                known = one | {"status": DELETED if gone else EXISTING}
                rewritten.append(known | ({"snapshot_id": snapshot_id} if gone else {}))
            rows.append(self._manifest(rewritten, snapshot_id, sequence))
        self._commit("delete", snapshot_id, sequence, rows)

    def compact(self) -> None:
        """Commit one manifest that replaces all others."""
        snapshot_id, sequence = self._next()
        entries = [
            one | {"status": EXISTING}
            for row in self._rows()
            for one in self._entries[row["manifest_path"]]
            if one["status"] != DELETED
        ]
        self._commit("replace", snapshot_id, sequence, [self._manifest(entries, snapshot_id, sequence)])

    def expire(self, keep: int) -> None:
        """Remove all but the newest ``keep`` snapshots and the metadata that only the removed ones reference."""
        gone = self._snapshots[:-keep]
        if not gone:
            return
        self.history.expire(keep)
        self._snapshots = self._snapshots[-keep:]
        before = {row["manifest_path"] for rows in self._lists.values() for row in rows}
        for snapshot in gone:
            del self._lists[snapshot["snapshot-id"]]
        needed = {row["manifest_path"] for rows in self._lists.values() for row in rows}
        self._publish()
        for path in before - needed:
            del self._entries[path]
        self.bucket.delete([self._key(one["manifest-list"]) for one in gone] + [self._key(p) for p in before - needed])

    def _next(self) -> tuple[int, int]:
        sequence = next(self._numbers)
        return self.random.randrange(10**15, 10**18) * 8 + 1, sequence

    def _new_file(self) -> DataFile:
        number = self.random.randrange(10_000)
        name = uuid.UUID(int=self.random.getrandbits(128))
        low = number * RANGE
        return DataFile(f"{self.url}/data/{name}.parquet", number % 7, low, low + RANGE - 1)

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of the current manifest list whose manifests have live entries."""
        if not self._snapshots:
            return []
        rows = self._lists[self._snapshots[-1]["snapshot-id"]]
        return [row for row in rows if row["added_data_files_count"] or row["existing_data_files_count"]]

    def _manifest(self, entries: list[dict[str, Any]], snapshot_id: int, sequence: int) -> dict[str, Any]:
        path = f"{self.url}/metadata/{uuid.UUID(int=self.random.getrandbits(128))}-m0.avro"
        spec = [{"name": "part", "transform": "identity", "source-id": 2, "field-id": 1000}]
        header = {
            "schema": json.dumps(_SCHEMA),
            "partition-spec": json.dumps(spec),
            "partition-spec-id": "0",
            "format-version": "2",
            "content": "data",
        }
        data = avro(_ENTRY, entries, header)
        self.bucket.put(self._key(path), data)
        self._entries[path] = entries
        count = {status: [one for one in entries if one["status"] == status] for status in (ADDED, EXISTING, DELETED)}
        parts = [one["data_file"]["partition"]["part"] for one in entries]
        summary = {
            "contains_null": False,
            "contains_nan": False,
            "lower_bound": min(parts, default=0).to_bytes(4, "little"),
            "upper_bound": max(parts, default=0).to_bytes(4, "little"),
        }
        return {
            "manifest_path": path,
            "manifest_length": len(data),
            "partition_spec_id": 0,
            "content": 0,
            "sequence_number": sequence,
            "min_sequence_number": min((one["sequence_number"] for one in entries), default=sequence),
            "added_snapshot_id": snapshot_id,
            "added_data_files_count": len(count[ADDED]),
            "existing_data_files_count": len(count[EXISTING]),
            "deleted_data_files_count": len(count[DELETED]),
            "added_rows_count": RANGE * len(count[ADDED]),
            "existing_rows_count": RANGE * len(count[EXISTING]),
            "deleted_rows_count": RANGE * len(count[DELETED]),
            "partitions": [summary],
        }

    def _commit(self, operation: str, snapshot_id: int, sequence: int, rows: list[dict[str, Any]]) -> None:
        path = f"{self.url}/metadata/snap-{snapshot_id}.avro"
        self.bucket.put(self._key(path), avro(_LIST, rows, {"format-version": "2", "snapshot-id": str(snapshot_id)}))
        parent = {"parent-snapshot-id": self._snapshots[-1]["snapshot-id"]} if self._snapshots else {}
        self._lists[snapshot_id] = rows
        self._snapshots.append(
            {
                "snapshot-id": snapshot_id,
                **parent,
                "sequence-number": sequence,
                "timestamp-ms": FIRST_COMMIT_MS + sequence * 1000,
                "manifest-list": path,
                "schema-id": 0,
                "summary": {"operation": operation, "total-data-files": str(len(self._files))},
            }
        )
        self.history.begin(snapshot_id, self._files)
        self._publish()
        self.history.complete(snapshot_id)

    def _publish(self) -> None:
        newest = self._snapshots[-1]
        document = {
            "format-version": 2,
            "table-uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, self.url)),
            "location": self.url,
            "last-sequence-number": newest["sequence-number"],
            "last-updated-ms": newest["timestamp-ms"],
            "last-column-id": 2,
            "current-schema-id": 0,
            "schemas": [_SCHEMA],
            "default-spec-id": 0,
            "partition-specs": [
                {
                    "spec-id": 0,
                    "fields": [{"name": "part", "transform": "identity", "source-id": 2, "field-id": 1000}],
                }
            ],
            "last-partition-id": 1000,
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": {},
            "current-snapshot-id": newest["snapshot-id"],
            "refs": {"main": {"snapshot-id": newest["snapshot-id"], "type": "branch"}},
            "snapshots": self._snapshots,
            "snapshot-log": [],
            "metadata-log": [],
        }
        self._version += 1
        self.bucket.put(f"{self.prefix}/metadata/v{self._version}.metadata.json", json.dumps(document).encode())
        self.bucket.put(f"{self.prefix}/metadata/version-hint.text", str(self._version).encode())

    def _key(self, path: str) -> str:
        return self.prefix + path.removeprefix(self.url)


_SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "required": False, "type": "long"},
        {"id": 2, "name": "part", "required": False, "type": "int"},
    ],
}


def _entry(status: int, snapshot_id: int, sequence: int, one: DataFile) -> dict[str, Any]:
    data_file = {
        "content": 0,
        "file_path": one.path,
        "file_format": "PARQUET",
        "partition": {"part": one.part},
        "record_count": RANGE,
        "file_size_in_bytes": 4096,
        "value_counts": [{"key": 1, "value": RANGE}],
        "null_value_counts": [{"key": 1, "value": 0}],
        "lower_bounds": [{"key": 1, "value": one.low.to_bytes(8, "little")}],
        "upper_bounds": [{"key": 1, "value": one.high.to_bytes(8, "little")}],
    }
    return {
        "status": status,
        "snapshot_id": snapshot_id,
        "sequence_number": sequence,
        "file_sequence_number": sequence,
        "data_file": data_file,
    }
