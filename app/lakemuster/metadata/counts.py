"""Count a manifest's entries and rows by status, and compare them with the counts in its manifest list."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass, replace
from typing import Any, Self

import pyarrow as pa

from lakemuster.metadata.files import ADDED, DELETED, EXISTING
from lakemuster.metadata.snapshot import ManifestHeader

PackedCounts = bytes
"""The bytes that :meth:`EntryCounts.pack` returns."""

_PACKED = struct.Struct("<6q")
_STATUSES = {"added": ADDED, "existing": EXISTING, "deleted": DELETED}


@dataclass(frozen=True, slots=True)
class EntryCounts:
    """The number of entries, and of the rows in their files, by status."""

    added_files_count: int
    existing_files_count: int
    deleted_files_count: int
    added_rows_count: int
    existing_rows_count: int
    deleted_rows_count: int

    @classmethod
    def of(cls, table: pa.Table) -> Self | None:
        """The counts of a decoded manifest; None for a manifest of index files, whose list has no counts."""
        if "status" not in table.column_names or "record_count" not in table.column_names:
            return None
        status, records = table.column("status").to_numpy(), table.column("record_count").to_numpy()
        found: dict[str, Any] = {}
        for name, code in _STATUSES.items():
            those = status == code
            found |= {f"{name}_files_count": int(those.sum()), f"{name}_rows_count": int(records[those].sum())}
        return cls(**found)

    def pack(self) -> bytes:
        """The counts as bytes of fixed length."""
        return _PACKED.pack(*astuple(self))

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """The counts from the bytes of :meth:`pack`."""
        return cls(*_PACKED.unpack(packed))

    def mismatches(self, header: ManifestHeader) -> dict[str, int]:
        """The true values of the counts that the manifest list records wrongly."""
        listed = ((name, getattr(header, name)) for name in EntryCounts.__slots__)
        return {name: getattr(self, name) for name, value in listed if value not in (None, getattr(self, name))}

    def corrected(self, header: ManifestHeader) -> ManifestHeader:
        """The header with its wrong counts corrected; missing ones stay missing."""
        wrong: dict[str, Any] = self.mismatches(header)
        return replace(header, **wrong) if wrong else header
