"""A synthetic Iceberg table of any size: metadata only, of format version 2, to benchmark a machine.

There are no data files. Every file has a path and statistics of its own, derived from its number. Needs
``lakemuster[server]``.

Source: Iceberg spec, "Manifests", "Manifest Lists", "Table Metadata", "Appendix D: Single-value serialization".
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import fastavro
import numpy as np

COLUMNS = 20
DAY_FILES = 100
"""Files of one day, which is a partition."""
FILE_ROWS = 1_000

_FIRST_DAY = 19_358
_DAY_MICROSECONDS = 86_400_000_000
_BLOCK_ENTRIES = 40
_SYNC = b"lakemuster-bench"
_COMMITTED_MS = 1_717_200_000_000
_CYCLE = ("long", "double", "string", "int")
_TYPES = {number: _CYCLE[number % len(_CYCLE)] for number in range(3, COLUMNS + 1)} | {1: "long", 2: "timestamptz"}
_NAMES = {number: f"{kind}_{number}" for number, kind in _TYPES.items()} | {1: "id", 2: "ts"}
_SPEC = [{"name": "ts_day", "transform": "day", "source-id": 2, "field-id": 1000}]


def _field(number: int, name: str, kind: object, *, optional: bool = False) -> dict[str, Any]:
    if optional:
        return {"name": name, "type": ["null", kind], "default": None, "field-id": number}
    return {"name": name, "type": kind, "field-id": number}


def _map(number: int, name: str, key: int, value: int, kind: str) -> dict[str, Any]:
    fields = [_field(key, "key", "int"), _field(value, "value", kind)]
    items = {"type": "record", "name": f"k{key}_v{value}", "fields": fields}
    return _field(number, name, {"type": "array", "items": items, "logicalType": "map"}, optional=True)


_DATA_FILE = {
    "type": "record",
    "name": "r2",
    "fields": [
        _field(134, "content", "int"),
        _field(100, "file_path", "string"),
        _field(101, "file_format", "string"),
        _field(
            102,
            "partition",
            {
                "type": "record",
                "name": "r102",
                "fields": [_field(1000, "ts_day", {"type": "int", "logicalType": "date"}, optional=True)],
            },
        ),
        _field(103, "record_count", "long"),
        _field(104, "file_size_in_bytes", "long"),
        _map(108, "column_sizes", 117, 118, "long"),
        _map(109, "value_counts", 119, 120, "long"),
        _map(110, "null_value_counts", 121, 122, "long"),
        _map(125, "lower_bounds", 126, 127, "bytes"),
        _map(128, "upper_bounds", 129, 130, "bytes"),
    ],
}
_ENTRY = fastavro.parse_schema(
    {
        "type": "record",
        "name": "manifest_entry",
        "fields": [
            _field(0, "status", "int"),
            _field(1, "snapshot_id", "long", optional=True),
            _field(3, "sequence_number", "long", optional=True),
            _field(4, "file_sequence_number", "long", optional=True),
            _field(2, "data_file", _DATA_FILE),
        ],
    }
)
_SUMMARY = {
    "type": "record",
    "name": "r508",
    "fields": [
        _field(509, "contains_null", "boolean"),
        _field(518, "contains_nan", "boolean", optional=True),
        _field(510, "lower_bound", "bytes", optional=True),
        _field(511, "upper_bound", "bytes", optional=True),
    ],
}
_MANIFEST_FILE = fastavro.parse_schema(
    {
        "type": "record",
        "name": "manifest_file",
        "fields": [
            _field(500, "manifest_path", "string"),
            _field(501, "manifest_length", "long"),
            _field(502, "partition_spec_id", "int"),
            _field(517, "content", "int"),
            _field(515, "sequence_number", "long"),
            _field(516, "min_sequence_number", "long"),
            _field(503, "added_snapshot_id", "long"),
            _field(504, "added_data_files_count", "int"),
            _field(505, "existing_data_files_count", "int"),
            _field(506, "deleted_data_files_count", "int"),
            _field(512, "added_rows_count", "long"),
            _field(513, "existing_rows_count", "long"),
            _field(514, "deleted_rows_count", "long"),
            _field(507, "partitions", {"type": "array", "items": _SUMMARY, "element-id": 508}, optional=True),
        ],
    }
)


class SyntheticTable:
    """An Iceberg table that grows by manifests; a commit adds a snapshot of all manifests so far.

    Args:
        location: the table's root, which its metadata records.
        write: writes a file, given its path below the root.

    Attributes:
        entries, manifests, size: files, manifests, and bytes of metadata that were written.
    """

    def __init__(self, location: str, write: Callable[[str, bytes], None]) -> None:
        self.location = location
        self.entries = self.manifests = self.size = 0
        self._write = write
        self._listed: list[dict[str, Any]] = []
        self._snapshots: list[dict[str, Any]] = []

    def add_manifest(self, files: int) -> None:
        """Write a manifest of further files, for the next commit."""
        numbers, snapshot = range(self.entries, self.entries + files), len(self._snapshots) + 1
        header = {
            "schema": json.dumps(_schema()),
            "partition-spec": json.dumps(_SPEC),
            "partition-spec-id": "0",
            "format-version": "2",
            "content": "data",
        }
        path = f"metadata/m{self.manifests}.avro"
        size = self._put(path, _manifest(self.location, snapshot, numbers, header))
        days = [(_FIRST_DAY + number // DAY_FILES).to_bytes(4, "little") for number in (numbers[0], numbers[-1])]
        self._listed.append(
            {
                "manifest_path": f"{self.location}/{path}",
                "manifest_length": size,
                "partition_spec_id": 0,
                "content": 0,
                "sequence_number": snapshot,
                "min_sequence_number": snapshot,
                "added_snapshot_id": snapshot,
                "added_data_files_count": files,
                "existing_data_files_count": 0,
                "deleted_data_files_count": 0,
                "added_rows_count": files * FILE_ROWS,
                "existing_rows_count": 0,
                "deleted_rows_count": 0,
                "partitions": [
                    {"contains_null": False, "contains_nan": False, "lower_bound": days[0], "upper_bound": days[1]}
                ],
            }
        )
        self.entries += files
        self.manifests += 1

    def commit(self) -> None:
        """Commit a snapshot of all files that were added so far."""
        snapshot = len(self._snapshots) + 1
        listed, document = f"metadata/snap-{snapshot}.avro", f"metadata/v{snapshot}.metadata.json"
        header = {"snapshot-id": str(snapshot), "sequence-number": str(snapshot), "format-version": "2"}
        target = io.BytesIO()
        fastavro.writer(target, _MANIFEST_FILE, self._listed, codec="deflate", metadata=header)
        self._put(listed, target.getvalue())
        parent = {"parent-snapshot-id": snapshot - 1} if snapshot > 1 else {}
        self._snapshots.append(
            {
                "snapshot-id": snapshot,
                **parent,
                "sequence-number": snapshot,
                "timestamp-ms": _COMMITTED_MS + snapshot * 60_000,
                "summary": {"operation": "append", "total-data-files": str(self.entries)},
                "manifest-list": f"{self.location}/{listed}",
                "schema-id": 0,
            }
        )
        self._put(document, json.dumps(self._metadata()).encode())
        self._put("metadata/version-hint.text", str(snapshot).encode())

    def _metadata(self) -> dict[str, Any]:
        newest = self._snapshots[-1]
        return {
            "format-version": 2,
            "table-uuid": "6c616b65-6d75-4374-8572-62656e636800",
            "location": self.location,
            "last-sequence-number": newest["sequence-number"],
            "last-updated-ms": newest["timestamp-ms"],
            "last-column-id": COLUMNS,
            "current-schema-id": 0,
            "schemas": [_schema()],
            "default-spec-id": 0,
            "partition-specs": [{"spec-id": 0, "fields": _SPEC}],
            "last-partition-id": 1000,
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "current-snapshot-id": newest["snapshot-id"],
            "refs": {"main": {"snapshot-id": newest["snapshot-id"], "type": "branch"}},
            "snapshots": self._snapshots,
        }

    def _put(self, path: str, data: bytes) -> int:
        self._write(path, data)
        self.size += len(data)
        return len(data)


def _schema() -> dict[str, Any]:
    fields = [
        {"id": number, "name": _NAMES[number], "required": False, "type": _TYPES[number]}
        for number in range(1, COLUMNS + 1)
    ]
    return {"type": "struct", "schema-id": 0, "fields": fields}


def _manifest(location: str, snapshot: int, numbers: range, header: dict[str, str]) -> bytes:
    """Return an Avro file of entries, joined from encoded columns: twenty times as fast as fastavro."""
    target = io.BytesIO()
    fastavro.writer(target, _ENTRY, [], codec="deflate", metadata=header, sync_marker=_SYNC)
    records = _records(location, snapshot, numbers)
    for start in range(0, len(records), _BLOCK_ENTRIES):
        block = records[start : start + _BLOCK_ENTRIES]
        data = zlib.compress(b"".join(block), 6, -zlib.MAX_WBITS)
        target.write(_long(len(block)) + _long(len(data)) + data + _SYNC)
    return target.getvalue()


def _records(location: str, snapshot: int, numbers: range) -> list[bytes]:
    """Return the encoded records of ``_ENTRY``, one a file."""
    columns = range(1, COLUMNS + 1)
    bounds = [_bounds(column, np.array(numbers, np.int64)) for column in columns]
    # Status ADDED, the snapshot, both sequence numbers inherited, content DATA.
    first = b"\x02" + b"\x02" + _long(snapshot) + b"\x00\x00" + b"\x00"
    rows = _long(FILE_ROWS)
    values = _map_of([_long(column) + rows for column in columns])
    sizes = [[_long(column) + _SHORT[40 + number * column % 8_000] for number in numbers] for column in columns]
    nulls = [[_long(column) + _SHORT[number * column % 5] for number in numbers] for column in columns]
    lower = [[_long(column) + _framed(low) for low in bounds[column - 1][0]] for column in columns]
    upper = [[_long(column) + _framed(high) for high in bounds[column - 1][1]] for column in columns]
    maps = zip(*(map(_map_of, zip(*one, strict=True)) for one in (sizes, nulls, lower, upper)), strict=True)
    records = []
    for number, (size, null, low, high) in zip(numbers, maps, strict=True):
        day = number // DAY_FILES
        path = f"{location}/data/day={day}/{number * 0x9E3779B97F4A7C15 % 2**64:016x}.parquet".encode()
        fixed = b"\x02" + _long(_FIRST_DAY + day) + rows + _long(FILE_ROWS * 120 + number % 4_096)
        records.append(b"".join((first, _framed(path), _framed(b"PARQUET"), fixed, size, values, null, low, high)))
    return records


def _map_of(pairs: Sequence[bytes]) -> bytes:
    """Encode a non-null optional map of encoded pairs."""
    return b"\x02" + _long(len(pairs)) + b"".join(pairs) + b"\x00"


def _framed(data: bytes) -> bytes:
    return _long(len(data)) + data


@lru_cache(2**16)
def _long(value: int) -> bytes:
    """Encode a non-negative int or long in Avro's binary encoding."""
    value, encoded = value << 1, bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*encoded, value))


_SHORT = [_long(value) for value in range(8_040)]


def _bounds(column: int, numbers: Any) -> tuple[list[bytes], list[bytes]]:
    """Return the serialized bounds of a column in each file: column 1 is clustered, 2 follows the partition."""
    kind = _TYPES[column]
    noise = (numbers * 2_654_435_761 + column * 40_503) % 1_000_003
    if column == 1:
        return _serialized("<i8", numbers * FILE_ROWS), _serialized("<i8", numbers * FILE_ROWS + FILE_ROWS - 1)
    if column == 2:
        start = (_FIRST_DAY + numbers // DAY_FILES) * _DAY_MICROSECONDS + noise
        return _serialized("<i8", start), _serialized("<i8", start + noise * 1_000)
    if kind == "double":
        return _serialized("<f8", noise / 8), _serialized("<f8", noise / 8 + 1_000)
    if kind == "string":
        return [f"a{value:015d}".encode() for value in noise], [f"b{value:015d}".encode() for value in noise]
    width = "<i4" if kind == "int" else "<i8"
    return _serialized(width, noise), _serialized(width, noise + 1_000)


def _serialized(dtype: str, values: Any) -> list[bytes]:
    data, width = values.astype(dtype).tobytes(), np.dtype(dtype).itemsize
    return [data[start : start + width] for start in range(0, len(data), width)]
