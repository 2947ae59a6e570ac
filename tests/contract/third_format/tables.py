"""Writer of tables of the third format, which records their rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Row = Mapping[str, Any]
FIELDS = [
    {"id": 1, "name": "id", "required": True, "type": "long"},
    {"id": 2, "name": "region", "required": False, "type": "string"},
    {"id": 3, "name": "price", "required": False, "type": "double"},
]
TYPES = pa.schema([("id", pa.int64()), ("region", pa.string()), ("price", pa.float64())])


class TinyTable:
    """A table in a folder; each commit adds files, deletes rows, or both."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._files: list[dict[str, Any]] = []
        self._rows: dict[str, list[Row]] = {}
        self._snapshots = 0
        (root / "tiny").mkdir(parents=True)
        (root / "data").mkdir()

    def add(self, rows: Sequence[Row]) -> str:
        """Write a file of rows of one region, and return its path relative to the table."""
        [region] = {row["region"] for row in rows}
        path = f"data/{len(self._files)}.parquet"
        pq.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=TYPES), self.root / path)
        known = {name: [row[name] for row in rows if row[name] is not None] for name in TYPES.names}
        self._files.append(
            {
                "path": path,
                "rows": len(rows),
                "bytes": (self.root / path).stat().st_size,
                "partition": {"region": region},
                "lower": {name: min(values) for name, values in known.items() if values},
                "upper": {name: max(values) for name, values in known.items() if values},
                "nulls": {name: len(rows) - len(values) for name, values in known.items()},
                "deleted": [],
            }
        )
        self._rows[path] = list(rows)
        return path

    def delete(self, path: str, positions: Sequence[int]) -> None:
        """Delete rows of a file."""
        file = next(file for file in self._files if file["path"] == path)
        file["deleted"] = sorted({*file["deleted"], *positions})

    def commit(self) -> int:
        """Write a snapshot of the current files, and return its id."""
        self._snapshots += 1
        name = f"manifest-{self._snapshots}.json"
        (self.root / "tiny" / name).write_text(json.dumps({"files": self._files}))
        snapshot = {"at_ms": 1000 * self._snapshots, "fields": FIELDS, "partition_by": ["region"], "manifest": name}
        (self.root / "tiny" / f"snapshot-{self._snapshots}.json").write_text(json.dumps(snapshot))
        return self._snapshots

    def rows(self) -> list[Row]:
        """Return all rows that are not deleted."""
        deleted = {file["path"]: set(file["deleted"]) for file in self._files}
        return [row for path, rows in self._rows.items() for at, row in enumerate(rows) if at not in deleted[path]]
