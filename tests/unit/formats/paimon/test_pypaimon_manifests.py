"""Partitions, keys and statistics against pypaimon's decoder, for every manifest that it can read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.formats.paimon.simple_stats import trimmed_primary_key
from lakemuster.metadata.schema import Schema
from tests.tree import ROOT, lakes_folder
from tests.unit.formats.paimon.tables import ReadManifest, folders, load, read

SCRIPT = Path(__file__).with_name("pypaimon_reads.py")

# pypaimon reads neither ORC manifests nor records of sixteen fields.
UNREADABLE = {
    "append_09",
    "append_10",
    "append_10_external_path",
    "append_10_stats_dense_store",
    "pk_09",
    "append_with_empty_partition_with_empty_value",
}
TABLES = [*folders(ROOT / "tests" / "golden" / "paimon" / "tables"), *folders(lakes_folder() / "paimon")]
READABLE = [folder for folder in TABLES if folder.name not in UNREADABLE]

Answer = dict[str, Any]


@pytest.fixture(scope="module")
def answers(run_pypaimon: Callable[..., Any]) -> dict[str, dict[str, Answer]]:
    found: dict[str, dict[str, Answer]] = run_pypaimon(SCRIPT, folders=[str(folder) for folder in READABLE])
    return found


@pytest.mark.parametrize("folder", READABLE, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_pypaimon_decodes_the_same(folder: Path, answers: dict[str, dict[str, Answer]]):
    table = load(folder)
    schemas = {schema.schema_id: schema for schema in table.schemas}
    theirs = answers[str(folder)]
    seen = set()
    for snapshot in table.snapshots:
        if (snapshot.branch, snapshot.source) == ("main", "snapshot"):
            for manifest in read(table, snapshot):
                if manifest.role in ("base", "delta"):
                    name = Path(manifest.header.location).name
                    compare(manifest, theirs[name], schemas)
                    seen.add(name)
    assert seen == set(theirs)


def compare(ours: ReadManifest, theirs: Answer, schemas: dict[int, Schema]) -> None:
    assert ours.header.partitions is not None
    assert [summary.null_count for summary in ours.header.partitions] == theirs["null_counts"]
    assert ours.entries.num_rows == len(theirs["entries"])
    for row, other in enumerate(theirs["entries"]):
        entry = Entry(ours.entries, row, schemas)
        for name, key in (("file_size_in_bytes", "file_size"), ("record_count", "row_count"), ("status", "kind")):
            assert entry.own(name) == other[key] + (name == "status")
        for name in other.keys() & set(ours.entries.column_names):
            if not isinstance(other[name], dict):
                assert entry.own(name) == other[name], name
        assert entry.values("partition", entry.partition_names()) == other["partition"]
        for kind in ("min_key", "max_key"):
            # pypaimon names a file's keys by the newest schema.
            assert list(entry.values(kind, entry.key_names()).values()) == list(other[kind].values())
        for kind in ("lower", "upper"):
            assert entry.values(kind, other[kind]) == {
                name: other[kind][name] for name in entry.comparable(other[kind])
            }
        counts = dict(zip(other["lower"], other["null_counts"], strict=False))
        assert {name: entry.value("null_count", name) for name in counts} == {n: told(c) for n, c in counts.items()}


class Entry:
    """One entry, with per-field values by column name, as text."""

    def __init__(self, entries: pa.Table, row: int, schemas: dict[int, Schema]) -> None:
        self._entries, self._row = entries, row
        self._schema = schemas[self.own("schema_id")]
        self._ids = {field.name: field for field in self._schema.fields}

    def own(self, name: str) -> Any:
        return self._entries.column(name)[self._row].as_py()

    def partition_names(self) -> list[str]:
        return list(self._schema.partition_keys)

    def key_names(self) -> list[str]:
        return [field.name for field in trimmed_primary_key(self._schema) if field is not None]

    def comparable(self, names: Any) -> list[str]:
        """Return the names of columns other than TIMESTAMP(9), whose precision Python's datetime lacks."""
        return [name for name in names if name in self._ids and "TIMESTAMP(9)" not in self._ids[name].type.text]

    def values(self, kind: str, names: Any) -> dict[str, str | None]:
        return {name: self.value(kind, name) for name in self.comparable(names)}

    def value(self, kind: str, name: str) -> str | None:
        field = self._ids[name]
        for column in (f"{kind}.{field.field_id}", f"{kind}.{field.field_id}@{field.type.text}"):
            if column in self._entries.column_names:
                type_text = (self._entries.schema.field(column).metadata or {}).get(b"type")
                if type_text in (None, field.type.text.encode()):
                    return told(self.own(column))
        return None


def told(value: Any) -> str | None:
    return value.hex() if isinstance(value, bytes) else None if value is None else str(value)
