"""Count a manifest's entries and rows by status, and compare them with the counts in its manifest list."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import ADDED, DELETED, EXISTING
from lakemuster.metadata.snapshot import ManifestHeader

PackedCounts = bytes
"""The bytes that :meth:`EntryCounts.pack` returns."""

_PACKED, _WITHOUT_BYTES = struct.Struct("<7q"), struct.Struct("<6q")
"""Older versions pack counts without ``live_bytes``."""

_UNKNOWN = -1
_STATUSES = {"added": ADDED, "existing": EXISTING, "deleted": DELETED}
_OF_HEADER = tuple(f"{status}_{what}_count" for status in _STATUSES for what in ("files", "rows"))


@dataclass(frozen=True, slots=True)
class LiveCounts:
    """Live contents of a snapshot: files, records of its data files, bytes of all files."""

    data_files: int
    delete_files: int
    records: int
    bytes: int


def exact_sum(values: NDArray[np.int64]) -> int:
    """Return the sum of 64-bit integers, which may itself need more bits."""
    if not len(values) or max(abs(int(values.min())), abs(int(values.max()))) <= 2**62 // len(values):
        return int(values.sum())
    return sum(values.tolist())


def content_bytes(table: pa.Table) -> pa.Array:
    """Return the bytes of each entry's content, 0 where they are not recorded.

    A deletion vector counts as its blob and not as the Puffin file, which several vectors share.

    Args:
        table: N entries of a decoded manifest.

    Returns:
        int64 (N,).
    """
    sizes = table.column("file_size_in_bytes").combine_chunks()
    if "content_size_in_bytes" in table.column_names:
        sizes = pc.coalesce(table.column("content_size_in_bytes").combine_chunks(), sizes)
    return pc.fill_null(sizes, 0) if sizes.null_count else sizes


@dataclass(frozen=True, slots=True)
class EntryCounts:
    """The number of entries, and of the rows in their files, by status.

    Attributes:
        live_bytes: the bytes of the files that are not deleted, as :func:`content_bytes`; None if they are not known,
            as in the counts of older versions.
    """

    added_files_count: int
    existing_files_count: int
    deleted_files_count: int
    added_rows_count: int
    existing_rows_count: int
    deleted_rows_count: int
    live_bytes: int | None = None

    @classmethod
    def of(cls, table: pa.Table) -> Self | None:
        """Return the counts of a decoded manifest; None for a manifest of index files, whose list has no counts."""
        if "status" not in table.column_names or "record_count" not in table.column_names:
            return None
        status, records = table.column("status").to_numpy(), table.column("record_count").to_numpy()
        found: dict[str, Any] = {}
        for name, code in _STATUSES.items():
            those = status == code
            found |= {f"{name}_files_count": int(those.sum()), f"{name}_rows_count": int(records[those].sum())}
        return cls(**found, live_bytes=_live_bytes(table, status != DELETED))

    @property
    def live_files(self) -> int:
        """The number of files that are not deleted."""
        return self.added_files_count + self.existing_files_count

    @property
    def live_rows(self) -> int:
        """The number of rows in files that are not deleted."""
        return self.added_rows_count + self.existing_rows_count

    def agrees(self, other: EntryCounts) -> bool:
        """Return whether two counts are equal, as far as both are known."""
        is_known = self.live_bytes is not None and other.live_bytes is not None
        return (self if is_known else replace(self, live_bytes=None)) == (
            other if is_known else replace(other, live_bytes=None)
        )

    def pack(self) -> bytes:
        """Return the counts as bytes of fixed length."""
        *counts, live_bytes = astuple(self)
        return _PACKED.pack(*counts, _UNKNOWN if live_bytes is None else live_bytes)

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Return the counts from the bytes of :meth:`pack`, also those of older versions."""
        found = cls(*(_WITHOUT_BYTES if len(packed) == _WITHOUT_BYTES.size else _PACKED).unpack(packed))
        return replace(found, live_bytes=None) if found.live_bytes == _UNKNOWN else found

    def mismatches(self, header: ManifestHeader) -> dict[str, int]:
        """Return the true values of the counts that the manifest list records wrongly."""
        listed = ((name, getattr(header, name)) for name in _OF_HEADER)
        return {name: getattr(self, name) for name, value in listed if value not in (None, getattr(self, name))}

    def corrected(self, header: ManifestHeader) -> ManifestHeader:
        """Return the header with its wrong counts corrected; missing ones stay missing."""
        wrong: dict[str, Any] = self.mismatches(header)
        return replace(header, **wrong) if wrong else header


def _live_bytes(table: pa.Table, live: NDArray[np.bool_]) -> int | None:
    """Return the bytes of the marked entries; None if the manifest has no sizes, or their sum is out of range."""
    if "file_size_in_bytes" not in table.column_names:
        return None
    total = exact_sum(content_bytes(table).to_numpy()[live])
    return total if 0 <= total < 2**63 else None
