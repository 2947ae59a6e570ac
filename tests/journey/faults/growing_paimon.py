"""A Paimon table that grows by commits: it has snapshots, manifest lists, manifests and hints."""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass, field
from typing import Any

from benchmarks.paimon_schema import MANIFEST, MANIFEST_LIST
from tests.journey.faults.growing import FIRST_COMMIT_MS, RANGE, Bucket, DataFile, History, avro


@dataclass(slots=True)
class PaimonTable:
    """An unpartitioned Paimon append table below ``prefix`` in a bucket, with hint files."""

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
        """Commit one manifest that replaces all others: Paimon merges manifests when it commits."""
        entries = [_paimon_entry(0, one.path.rpartition("/")[2], one) for one in self._files.values()]
        self._manifests = [self._manifest(entries)]
        self._commit("COMPACT", [])

    def expire(self, keep: int) -> None:
        """Remove all but the newest ``keep`` snapshots and their manifest lists; manifests stay."""
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
        data = avro(MANIFEST, entries, {})
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
        data = avro(MANIFEST_LIST, rows, {})
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
    """Return a BinaryRow of BIGINTs, preceded by its arity."""
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
