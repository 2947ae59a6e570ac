"""Tables in a bucket that change by commits, and what each commit makes of them: the truth for every answer.

Every data file has a range of the column ``id``, exact as its bounds. The writers share no code with the readers
under test: Iceberg's and Paimon's Avro records are written by fastavro, objects by boto3.
"""

from __future__ import annotations

import bisect
import io
import itertools
import json
import random
import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import fastavro

from benchmarks.iceberg_schema import MANIFEST_FILE, Member, avro_schema, manifest_entry
from benchmarks.paimon_schema import MANIFEST, MANIFEST_LIST

ADDED, EXISTING, DELETED = 1, 0, 2
FIRST_COMMIT_MS = 1_717_200_000_000
RANGE = 100
"""Values of ``id`` in one file."""

_ENTRY = avro_schema(manifest_entry((Member(1000, "part", "int", required=False),)))
_LIST = avro_schema(MANIFEST_FILE)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file; ``low`` and ``high`` are its least and greatest ``id``, both in it."""

    path: str
    part: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Commit:
    """A committed state.

    Attributes:
        number: of the commit, counted from 0.
        files: of the table, by path.
    """

    snapshot_id: int
    number: int
    files: Mapping[str, DataFile]

    def matching(self, low: int, high: int) -> set[str]:
        """The paths of the files that hold an ``id`` of ``low`` to ``high``, both included."""
        return {path for path, one in self.files.items() if one.low <= high and low <= one.high}


class Bucket(Protocol):
    """Where a table's objects go."""

    def put(self, key: str, data: bytes) -> None:
        """Write an object."""

    def delete(self, keys: Iterable[str]) -> None:
        """Remove objects."""


class History:
    """A table's commits, oldest first. One thread commits, many read."""

    def __init__(self) -> None:
        self._begun: dict[int, Commit] = {}
        self._complete: list[tuple[float, Commit]] = []
        self._lock = threading.Lock()
        self._expired = 0

    def begin(self, snapshot_id: int, files: Mapping[str, DataFile]) -> None:
        """A commit that readers may see from now on."""
        with self._lock:
            self._begun[snapshot_id] = Commit(snapshot_id, len(self._begun), dict(files))

    def complete(self, snapshot_id: int) -> None:
        """A commit that readers who look from now on must see."""
        with self._lock:
            self._complete.append((time.monotonic(), self._begun[snapshot_id]))

    def expire(self, keep: int) -> None:
        """Only the newest ``keep`` commits can still be asked for."""
        with self._lock:
            self._expired = max(self._expired, len(self._complete) - keep)

    def of(self, snapshot_id: int) -> Commit | None:
        """The commit of a snapshot, also one that is not complete; None for one that nobody began."""
        with self._lock:
            return self._begun.get(snapshot_id)

    def newest(self) -> Commit:
        """The last complete commit."""
        with self._lock:
            return self._complete[-1][1]

    def retained(self) -> list[Commit]:
        """The commits that can still be asked for, oldest first."""
        with self._lock:
            return [commit for _, commit in self._complete[self._expired :]]

    def as_of(self, moment: float) -> Commit | None:
        """The newest commit that was complete at a moment, by ``time.monotonic``."""
        with self._lock:
            place = bisect.bisect_right([made_at for made_at, _ in self._complete], moment)
            return self._complete[place - 1][1] if place else None


@dataclass(slots=True)
class IcebergTable:
    """An Iceberg table of format version 2 below ``prefix`` of a bucket, with ``version-hint.text``."""

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
        """Commit new files, in a manifest of their own."""
        snapshot_id, sequence = self._next()
        entries = []
        for _ in range(count):
            one = self._new_file()
            self._files[one.path] = one
            entries.append(_entry(ADDED, snapshot_id, sequence, one))
        rows = [self._manifest(entries, snapshot_id, sequence), *self._rows()]
        self._commit("append", snapshot_id, sequence, rows)

    def remove(self) -> None:
        """Commit the deletion of every file of one partition: its manifests are written anew."""
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
        """Commit one manifest in the place of all."""
        snapshot_id, sequence = self._next()
        entries = [
            one | {"status": EXISTING}
            for row in self._rows()
            for one in self._entries[row["manifest_path"]]
            if one["status"] != DELETED
        ]
        self._commit("replace", snapshot_id, sequence, [self._manifest(entries, snapshot_id, sequence)])

    def expire(self, keep: int) -> None:
        """Remove all but the newest snapshots, and what only they needed, as Iceberg's own procedure does."""
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
        """Of the current snapshot's manifest list, without manifests of deleted entries alone."""
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
        data = _avro(_ENTRY, entries, header)
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
        self.bucket.put(self._key(path), _avro(_LIST, rows, {"format-version": "2", "snapshot-id": str(snapshot_id)}))
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


def _avro(schema: dict[str, Any], records: Iterable[dict[str, Any]], header: dict[str, str]) -> bytes:
    target = io.BytesIO()
    fastavro.writer(target, schema, list(records), codec="deflate", metadata=header, sync_interval=2_000)
    return target.getvalue()


@dataclass(slots=True)
class PaimonTable:
    """A Paimon append table below ``prefix`` of a bucket, without partitions, with its hints."""

    name: str
    bucket: Bucket
    url: str
    prefix: str
    random: random.Random
    history: History = field(default_factory=History)
    _manifests: list[dict[str, Any]] = field(default_factory=list)
    _files: dict[str, DataFile] = field(default_factory=dict)
    _lists: dict[int, list[str]] = field(default_factory=dict)
    _number: int = 0
    _earliest: int = 1

    def append(self, count: int = 5) -> None:
        """Commit new files."""
        if not self._number:
            self.bucket.put(f"{self.prefix}/schema/schema-0", json.dumps(_PAIMON_SCHEMA).encode())
        added = []
        for _ in range(count):
            number = self.random.randrange(10_000)
            name = f"data-{uuid.UUID(int=self.random.getrandbits(128))}-0.parquet"
            one = DataFile(f"{self.url}/bucket-0/{name}", 0, number * RANGE, number * RANGE + RANGE - 1)
            self._files[one.path] = one
            added.append(_paimon_entry(0, name, one))
        self._commit("APPEND", added)

    def remove(self) -> None:
        """Commit the deletion of a third of the files."""
        chosen = [one for number, one in enumerate(self._files.values()) if number % 3 == 0]
        for one in chosen:
            del self._files[one.path]
        self._commit("OVERWRITE", [_paimon_entry(1, one.path.rpartition("/")[2], one) for one in chosen])

    def compact(self) -> None:
        """Commit one manifest in the place of all: Paimon merges manifests when it commits."""
        entries = [_paimon_entry(0, one.path.rpartition("/")[2], one) for one in self._files.values()]
        self._manifests = [self._manifest(entries)]
        self._commit("COMPACT", [])

    def expire(self, keep: int) -> None:
        """Remove all but the newest snapshots and their lists; manifests stay."""
        last = self._number - keep
        if last < self._earliest:
            return
        self.history.expire(keep)
        self.bucket.put(f"{self.prefix}/snapshot/EARLIEST", str(last + 1).encode())
        gone = range(self._earliest, last + 1)
        keys = [f"{self.prefix}/snapshot/snapshot-{number}" for number in gone]
        keys += [f"{self.prefix}/manifest/{name}" for number in gone for name in self._lists.pop(number)]
        self._earliest = last + 1
        self.bucket.delete(keys)

    def _manifest(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        name = f"manifest-{uuid.UUID(int=self.random.getrandbits(128))}-0"
        data = _avro(MANIFEST, entries, {})
        self.bucket.put(f"{self.prefix}/manifest/{name}", data)
        added = sum(one["_KIND"] == 0 for one in entries)
        return {
            "_VERSION": 2,
            "_FILE_NAME": name,
            "_FILE_SIZE": len(data),
            "_NUM_ADDED_FILES": added,
            "_NUM_DELETED_FILES": len(entries) - added,
            "_PARTITION_STATS": {"_MIN_VALUES": _row(), "_MAX_VALUES": _row(), "_NULL_COUNTS": []},
            "_SCHEMA_ID": 0,
        }

    def _list(self, rows: list[dict[str, Any]]) -> tuple[str, int]:
        name = f"manifest-list-{uuid.UUID(int=self.random.getrandbits(128))}-0"
        data = _avro(MANIFEST_LIST, rows, {})
        self.bucket.put(f"{self.prefix}/manifest/{name}", data)
        return name, len(data)

    def _commit(self, kind: str, entries: list[dict[str, Any]]) -> None:
        base = list(self._manifests)
        delta = [self._manifest(entries)] if entries else []
        self._manifests += delta
        self._number += 1
        base_list, delta_list = self._list(base), self._list(delta)
        self._lists[self._number] = [base_list[0], delta_list[0]]
        changed = sum(RANGE if one["_KIND"] == 0 else -RANGE for one in entries)
        snapshot = {
            "version": 3,
            "id": self._number,
            "schemaId": 0,
            "baseManifestList": base_list[0],
            "baseManifestListSize": base_list[1],
            "deltaManifestList": delta_list[0],
            "deltaManifestListSize": delta_list[1],
            "changelogManifestList": None,
            "commitUser": "writer",
            "commitIdentifier": self._number,
            "commitKind": kind,
            "timeMillis": FIRST_COMMIT_MS + self._number * 1000,
            "logOffsets": {},
            "totalRecordCount": RANGE * len(self._files),
            "deltaRecordCount": changed,
            "changelogRecordCount": 0,
        }
        self.history.begin(self._number, self._files)
        self.bucket.put(f"{self.prefix}/snapshot/snapshot-{self._number}", json.dumps(snapshot).encode())
        self.bucket.put(f"{self.prefix}/snapshot/LATEST", str(self._number).encode())
        if self._number == 1:
            self.bucket.put(f"{self.prefix}/snapshot/EARLIEST", b"1")
        self.history.complete(self._number)


_PAIMON_SCHEMA = {
    "version": 3,
    "id": 0,
    "fields": [{"id": 0, "name": "id", "type": "BIGINT"}],
    "highestFieldId": 0,
    "partitionKeys": [],
    "primaryKeys": [],
    "options": {"bucket": "-1", "file.format": "parquet"},
    "timeMillis": FIRST_COMMIT_MS,
}


def _row(*values: int) -> bytes:
    """A BinaryRow of BIGINTs, with its arity before it."""
    return len(values).to_bytes(4, "big") + bytes(8) + b"".join(one.to_bytes(8, "little") for one in values)


def _paimon_entry(kind: int, name: str, one: DataFile) -> dict[str, Any]:
    empty = {"_MIN_VALUES": _row(), "_MAX_VALUES": _row(), "_NULL_COUNTS": []}
    file = {
        "_FILE_NAME": name,
        "_FILE_SIZE": 4096,
        "_ROW_COUNT": RANGE,
        "_MIN_KEY": _row(),
        "_MAX_KEY": _row(),
        "_KEY_STATS": empty,
        "_VALUE_STATS": {"_MIN_VALUES": _row(one.low), "_MAX_VALUES": _row(one.high), "_NULL_COUNTS": [0]},
        "_MIN_SEQUENCE_NUMBER": 0,
        "_MAX_SEQUENCE_NUMBER": RANGE - 1,
        "_SCHEMA_ID": 0,
        "_LEVEL": 0,
        "_EXTRA_FILES": [],
        "_CREATION_TIME": FIRST_COMMIT_MS,
        "_FILE_SOURCE": 0,
    }
    return {"_VERSION": 2, "_KIND": kind, "_PARTITION": _row(), "_BUCKET": 0, "_TOTAL_BUCKETS": -1, "_FILE": file}
