"""Random lakes of several tables below one root, and the expected orphan files.

The tables' writers share no code with the code under test. References are computed from the writers' own records: the
snapshots that a table has, the manifests that they list, and the live entries in these. Files that an expiry left
behind, and planted files, are orphans.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.journey.faults.growing import DataFile
from tests.journey.faults.growing_iceberg import ADDED, DELETED, IcebergTable, _entry
from tests.journey.faults.growing_paimon import PaimonTable

DAY = 86_400
OLD = 10 * DAY
HOSTILE = (
    "a\nb.parquet",
    "100%.parquet",
    "a%20b.parquet",
    "día=ñ/ü.parquet",
    "two  spaces.parquet",
    "tab\there.avro",
    "-rf.parquet",
    "quote'\".parquet",
    "%2e%2e.parquet",
    "semi;colon::x.parquet",
    "😀.orc",
)


class Folder:
    """A local folder as a bucket; removed files may remain, as after an interrupted expiry."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.keeps = False

    def put(self, key: str, data: bytes) -> None:
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            if not self.keeps:
                (self.root / key).unlink(missing_ok=True)


class Iceberg(IcebergTable):
    """An Iceberg table with branches, tags, rollbacks, statistics, a metadata log and differently spelled locations."""

    def start(self) -> Iceberg:
        self.refs: dict[str, dict[str, Any]] = {}
        self.statistics: list[dict[str, Any]] = []
        self.log: list[dict[str, Any]] = []
        self.current: int | None = None
        self.hints = self.random.random() < 0.7
        self.spelling = self.random.choice(["plain", "plain", "file", "url", "slashes", "encoded"])
        return self

    def spelled(self, path: str) -> str:
        match self.spelling:
            case "file":
                return f"file:{path}"
            case "url":
                return f"file://{path}"
            case "slashes":
                head, _, tail = path.rpartition("/")
                return f"{head}//{tail}"
            case "encoded":
                head, _, tail = path.rpartition("/")
                return f"{head}/%{ord(tail[0]):02x}{tail[1:]}"
        return path

    def _rows(self) -> list[dict[str, Any]]:
        if self.current is None:
            return []
        rows = self._lists[self.current]
        return [row for row in rows if row["added_data_files_count"] or row["existing_data_files_count"]]

    def _new_file(self) -> Any:
        one = super()._new_file()
        return type(one)(self.spelled(one.path), one.part, one.low, one.high)

    def _commit(self, operation: str, snapshot_id: int, sequence: int, rows: list[dict[str, Any]]) -> None:
        self.current = snapshot_id
        super()._commit(operation, snapshot_id, sequence, rows)

    def mark(self, kind: str) -> None:
        """Create a tag or a branch at a random snapshot."""
        chosen = self.random.choice(self._snapshots)["snapshot-id"]
        self.refs[f"{kind}{len(self.refs)}"] = {"snapshot-id": chosen, "type": kind}
        self._publish()

    def adopt(self, path: str) -> None:
        """Commit a file that already exists."""
        snapshot_id, sequence = self._next()
        one = _file_of(path, 0)
        self._files[path] = one
        rows = [self._manifest([_entry(ADDED, snapshot_id, sequence, one)], snapshot_id, sequence), *self._rows()]
        self._commit("append", snapshot_id, sequence, rows)

    def roll_back(self) -> None:
        """Make an earlier snapshot current; later ones remain until they expire."""
        self.current = self.random.choice(self._snapshots)["snapshot-id"]
        self._files.clear()
        for row in self._lists[self.current]:
            for one in self._entries[row["manifest_path"]]:
                if one["status"] != DELETED:
                    path = one["data_file"]["file_path"]
                    part = one["data_file"]["partition"]["part"]
                    self._files[path] = _file_of(path, part)
        self._publish()

    def describe(self) -> None:
        """Write a statistics file of a snapshot."""
        chosen = self.random.choice(self._snapshots)["snapshot-id"]
        path = f"{self.url}/metadata/{uuid.UUID(int=self.random.getrandbits(128))}.stats"
        self.bucket.put(self._key(path), b"PFA1")
        self.statistics.append({"snapshot-id": chosen, "statistics-path": path})
        self._publish()

    def expire(self, keep: int) -> None:
        """Remove all snapshots except the newest ``keep``, the current one, and those of refs."""
        needed = {self.current, *(one["snapshot-id"] for one in self.refs.values())}
        needed |= {one["snapshot-id"] for one in self._snapshots[-keep:]}
        gone = [one for one in self._snapshots if one["snapshot-id"] not in needed]
        if not gone:
            return
        before = self.references()
        self._snapshots = [one for one in self._snapshots if one["snapshot-id"] in needed]
        for one in gone:
            del self._lists[one["snapshot-id"]]
        self.statistics = [one for one in self.statistics if one["snapshot-id"] in needed]
        self._publish()
        self.bucket.delete(self._key(path) for path in before - self.references() if "metadata.json" not in path)

    def references(self) -> set[str]:
        """Return the paths of all files that the table refers to."""
        found = {path for one in self._snapshots for path in [one["manifest-list"]]}
        for rows in self._lists.values():
            for row in rows:
                found.add(row["manifest_path"])
                entries = self._entries[row["manifest_path"]]
                found |= {one["data_file"]["file_path"] for one in entries if one["status"] != DELETED}
        found |= {one["statistics-path"] for one in self.statistics}
        found |= {one["metadata-file"] for one in self.log}
        found |= {f"{self.url}/metadata/version-hint.text", self._metadata(self._version)}
        return {_plain(path) for path in found}

    def _metadata(self, version: int) -> str:
        return f"{self.url}/metadata/v{version}.metadata.json"

    def _key(self, path: str) -> str:
        return self.prefix + _plain(path).removeprefix(self.url)

    def _publish(self) -> None:
        if self._version:
            self.log = [*self.log, {"timestamp-ms": 1, "metadata-file": self._metadata(self._version)}][-3:]
        super()._publish()
        path = f"{self.prefix}/metadata/v{self._version}.metadata.json"
        document = json.loads((self.bucket.root / path).read_bytes())  # type: ignore[attr-defined]
        current = next(one for one in self._snapshots if one["snapshot-id"] == self.current)
        document |= {
            "current-snapshot-id": self.current,
            "refs": {"main": {"snapshot-id": self.current, "type": "branch"}, **self.refs},
            "statistics": [
                {**one, "file-size-in-bytes": 4, "file-footer-size-in-bytes": 4, "blob-metadata": []}
                for one in self.statistics
            ],
            "metadata-log": self.log,
            "last-updated-ms": current["timestamp-ms"],
        }
        self.bucket.put(path, json.dumps(document).encode())


class Paimon(PaimonTable):
    """A Paimon table with tags, changelogs, a branch, a consumer, statistics and external files."""

    def start(self, external: str) -> Paimon:
        self.names: set[str] = {f"{self.prefix}/schema/schema-0"}
        self.kept: dict[str, dict[str, Any]] = {}
        self.external = external
        self.outside: dict[str, bool] = {}
        return self

    def tag(self, prefix: str = "tag/tag-") -> None:
        """Save the newest snapshot as a tag or a changelog."""
        snapshot = self._snapshot(self._number)
        name = f"{prefix}{self._number if 'changelog' in prefix else f't{len(self.kept)}'}"
        self.bucket.put(f"{self.prefix}/{name}", json.dumps(snapshot).encode())
        self.kept[name] = snapshot

    def branch(self) -> None:
        """Copy the schema and the newest snapshot to a branch."""
        at = f"branch/branch-b{len(self.kept)}"
        snapshot = self._snapshot(self._number)
        schema = (self.bucket.root / f"{self.prefix}/schema/schema-0").read_bytes()  # type: ignore[attr-defined]
        self.bucket.put(f"{self.prefix}/{at}/schema/schema-0", schema)
        self.names.add(f"{self.prefix}/{at}/schema/schema-0")
        name = f"{at}/snapshot/snapshot-{self._number}"
        self.bucket.put(f"{self.prefix}/{name}", json.dumps(snapshot).encode())
        self.kept[name] = snapshot

    def outlive(self) -> None:
        """Expire snapshots so that only a tag and a changelog retain them."""
        self.tag()
        self.compact()
        self.tag("changelog/changelog-")
        self.remove()
        self.compact()
        self.expire(1)

    def consume(self) -> None:
        """Write a consumer's position."""
        self.bucket.put(f"{self.prefix}/consumer/consumer-c", json.dumps({"nextSnapshot": self._number}).encode())
        self.names.add(f"{self.prefix}/consumer/consumer-c")

    def describe(self) -> None:
        """Commit a statistics file, as ``ANALYZE`` does."""
        self._commit("ANALYZE", [])
        name = f"stat-{uuid.UUID(int=self.random.getrandbits(128))}-0"
        statistics = {"snapshotId": self._number, "schemaId": 0, "colStats": {}}
        self.bucket.put(f"{self.prefix}/statistics/{name}", json.dumps(statistics).encode())
        self._write_snapshot(self._number, self._snapshot(self._number) | {"statistics": name})

    def expire(self, keep: int) -> None:
        """Remove all but the newest ``keep`` snapshots; retain lists that a tag, branch or changelog needs."""
        last = self._number - keep
        if last < self._earliest:
            return
        needed = {name for one in self.kept.values() for name in _lists(one)}
        self.bucket.put(f"{self.prefix}/snapshot/EARLIEST", str(last + 1).encode())
        for number in range(self._earliest, last + 1):
            (self.bucket.root / f"{self.prefix}/snapshot/snapshot-{number}").unlink()  # type: ignore[attr-defined]
            names = [f"{self.prefix}/manifest/{name}" for name in self._lists.pop(number) if name not in needed]
            self.bucket.delete(names)
        self._earliest = last + 1

    def references(self) -> set[str]:
        """Return the paths of all files that the table refers to, also by deleted entries, as Paimon does."""
        found = {f"{self.prefix}/snapshot/{hint}" for hint in ("LATEST", "EARLIEST")} | self.names
        found |= {f"{self.prefix}/{name}" for name in self.kept}
        snapshots = [self._snapshot(number) for number in range(self._earliest, self._number + 1)]
        found |= {f"{self.prefix}/snapshot/snapshot-{one['id']}" for one in snapshots}
        for one in (*snapshots, *self.kept.values()):
            if one.get("statistics"):
                found.add(f"{self.prefix}/statistics/{one['statistics']}")
            for name in _lists(one):
                found.add(f"{self.prefix}/manifest/{name}")
                for manifest in self.listed[name]:
                    found.add(f"{self.prefix}/manifest/{manifest}")
                    found |= self.entries[manifest]
        return {f"{self.bucket.root}/{key}" for key in found}  # type: ignore[attr-defined]

    listed: dict[str, list[str]]
    entries: dict[str, set[str]]

    def _manifest(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        for one in entries:
            name = one["_FILE"]["_FILE_NAME"]
            if self.outside.setdefault(name, bool(self.external) and self.random.random() < 0.2):
                root = self.bucket.root  # type: ignore[attr-defined]
                one["_FILE"]["_EXTERNAL_PATH"] = f"file://{root}/{self.external}/{name}"
        row = super()._manifest(entries)
        self.entries[row["_FILE_NAME"]] = {self._key_of(one["_FILE"]) for one in entries}
        return row

    def _list(self, rows: list[dict[str, Any]]) -> tuple[str, int]:
        found = super()._list(rows)
        self.listed[found[0]] = [row["_FILE_NAME"] for row in rows]
        return found

    def _key_of(self, file: dict[str, Any]) -> str:
        if file.get("_EXTERNAL_PATH"):
            return f"{self.external}/{file['_FILE_NAME']}"
        return f"{self.prefix}/bucket-0/{file['_FILE_NAME']}"

    def _snapshot(self, number: int) -> dict[str, Any]:
        path = self.bucket.root / f"{self.prefix}/snapshot/snapshot-{number}"  # type: ignore[attr-defined]
        found: dict[str, Any] = json.loads(path.read_bytes())
        return found

    def _write_snapshot(self, number: int, snapshot: dict[str, Any]) -> None:
        self.bucket.put(f"{self.prefix}/snapshot/snapshot-{number}", json.dumps(snapshot).encode())


class Lake:
    """Tables below one root, some of them inside another table's folder."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        self.bucket = Folder(root)
        self.tables: dict[str, Iceberg | Paimon] = {}
        self.planted: set[str] = set()
        for number in range(self.random.randint(2, 3)):
            self._add(number)
        for _ in range(self.random.randint(6, 12)):
            self.step()
        for table in self.tables.values():
            if isinstance(table, Paimon) and self.random.random() < 0.5:
                table.outlive()

    def _add(self, number: int) -> None:
        inside = self.random.choice(list(self.tables.values())).prefix if number and self.random.random() < 0.3 else "w"
        prefix = f"{inside}/t{number}"
        url, own = f"{self.root}/{prefix}", random.Random(self.random.random())
        table: Iceberg | Paimon
        if self.random.random() < 0.6:
            table = Iceberg(f"t{number}", self.bucket, url, prefix, own).start()
        else:
            table = Paimon(f"t{number}", self.bucket, url, prefix, own)
            table.listed, table.entries = {}, {}
            table.start(self.random.choice(["", "w/external", "elsewhere"]))
        self.tables[table.name] = table
        table.append(2)

    def step(self) -> None:
        """Apply a random change to a random table."""
        table = self.random.choice(list(self.tables.values()))
        self.bucket.keeps = self.random.random() < 0.5
        actions = ["append", "append", "remove", "compact", "expire", "describe"]
        actions += (
            ["tag", "branch", "back"] if isinstance(table, Iceberg) else ["tag", "changelog", "branch", "consume"]
        )
        match self.random.choice(actions):
            case "append":
                table.append(self.random.randint(1, 3))
            case "expire":
                table.expire(self.random.randint(1, 3))
            case "back" if isinstance(table, Iceberg):
                table.roll_back()
            case "tag" | "branch" as kind if isinstance(table, Iceberg):
                table.mark(kind)
            case "changelog" if isinstance(table, Paimon):
                table.tag("changelog/changelog-")
            case action:
                getattr(table, action)()
        self.bucket.keeps = False

    def references(self) -> set[str]:
        """Return the paths of all files that a table refers to."""
        return set().union(*(table.references() for table in self.tables.values()))

    def settle(self, now: float) -> None:
        """Write the data files of live and expired snapshots, and make all files old."""
        for path in self._data_files():
            file = Path(path)
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(b"rows")
        for path in self.files():
            os.utime(path, (now - OLD, now - OLD))

    def _data_files(self) -> set[str]:
        found: set[str] = set()
        for table in self.tables.values():
            if isinstance(table, Iceberg):
                entries = [one for manifest in table._entries.values() for one in manifest]
                found |= {_plain(one["data_file"]["file_path"]) for one in entries}
            else:
                found |= {f"{self.root}/{key}" for keys in table.entries.values() for key in keys}
        return found

    def files(self) -> set[str]:
        """Return the paths of all files of the lake."""
        return {os.path.join(folder, name) for folder, _, names in os.walk(self.root) for name in names}

    def plant(self, now: float, count: int = 8) -> None:
        """Write unreferenced files, old and recent, beside referenced files and elsewhere, with unusual names."""
        folders = sorted({os.path.dirname(path) for path in self.files()})
        for _ in range(count):
            folder = self.random.choice(folders)
            name = self._name()
            path = os.path.join(folder, name)
            is_old = self.random.random() < 0.8
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(b"x" * self.random.randint(0, 50))
            age = self.random.uniform(3.1, 30) if is_old else self.random.uniform(0, 2.9)
            os.utime(path, (now - age * DAY, now - age * DAY))
            if is_old:
                self.planted.add(path)

    def _name(self) -> str:
        if self.random.random() < 0.5:
            return f"{self.random.randrange(10**6)}-{self.random.choice(HOSTILE)}"
        unique = uuid.UUID(int=self.random.getrandbits(128))
        return self.random.choice(
            [
                f"{unique}.parquet",
                f"{unique}-m0.avro",
                f"snap-{unique}.avro",
                f"data-{unique}-0.parquet",
                f"manifest-{unique}-0",
            ]
        )

    def orphans(self, now: float, age: float = 3 * DAY) -> set[str]:
        """Return the paths of all old files that no table refers to."""
        known = self.references()
        return {path for path in self.files() - known if os.stat(path).st_mtime < now - age}

    def remove(self) -> None:
        """Remove the whole lake."""
        shutil.rmtree(self.root)


def _lists(snapshot: dict[str, Any]) -> list[str]:
    members = ("baseManifestList", "deltaManifestList", "changelogManifestList")
    return [snapshot[name] for name in members if snapshot.get(name)]


def _plain(path: str) -> str:
    return "/" + "/".join(part for part in unquote(path.removeprefix("file:")).split("/") if part)


def _file_of(path: str, part: int) -> Any:
    return DataFile(path, part, 0, 99)
