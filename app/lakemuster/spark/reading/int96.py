"""Read timestamps of Parquet's legacy type INT96 correctly, from their bytes.

Arrow reads the nanoseconds of the day as an unsigned number. Paimon and others write negative ones for times before
1970, which Arrow returns 584 years late, indistinguishable from real times. So the footer is rewritten to declare a
binary type of twelve bytes, which has the same storage, in place of INT96.

Source: Parquet's ``parquet.thrift`` and the compact protocol of Thrift; ``ParquetRowDataWriter`` of Paimon.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_MAGIC = b"PAR1"
_WIDTH = 12
_EPOCH = 2_440_588
"""The Julian day of 1970-01-01."""
_DAY = 86_400_000_000
_SCHEMA_TYPE = (2, 0, 1)
_CHUNK_TYPE = (4, 0, 1, 0, 3, 1)
"""Paths of field numbers in the footer, 0 for list elements: the type of a schema element, and of a column chunk."""
_INT96, _BINARY = b"\x06", b"\x0e"
"""Physical types 3 (INT96) and 7 (FIXED_LEN_BYTE_ARRAY), as Thrift encodes them."""
_LENGTH = b"\x15\x18"
"""The field after the type, encoded: the type's length, 12."""


def open_parquet(source: pa.NativeFile, **options: Any) -> pq.ParquetFile:
    """Open a Parquet file so that INT96 timestamps are read as twelve-byte values, for :func:`instants`.

    Args:
        options: as for ``ParquetFile``.

    Raises:
        ArrowException, OSError: it is not a complete Parquet file, or cannot be fetched.
    """
    file = pq.ParquetFile(source, **options)
    if not any(file.schema.column(at).physical_type == "INT96" for at in range(len(file.schema))):
        return file
    size = source.size()
    source.seek(size - 8)
    length = int.from_bytes(source.read(4), "little")
    source.seek(size - 8 - length)
    try:
        footer = _rewritten(source.read(length))
    except (IndexError, KeyError, RecursionError) as cause:
        raise pa.ArrowInvalid("its footer cannot be parsed") from cause
    whole = _MAGIC + footer + len(footer).to_bytes(4, "little") + _MAGIC
    return pq.ParquetFile(source, metadata=pq.read_metadata(pa.BufferReader(whole)), **options)


def is_int96(of: pa.DataType) -> bool:
    """Return whether a type is the one that :func:`open_parquet` reads INT96 as."""
    return bool(pa.types.is_fixed_size_binary(of) and of.byte_width == _WIDTH)


def instants(values: pa.FixedSizeBinaryArray) -> pa.TimestampArray:
    """Return INT96 values as timestamps in microseconds, without a zone; nanoseconds are rounded down."""
    start = values.offset * _WIDTH
    stored = np.frombuffer(values.buffers()[1] or b"", np.uint8)[start : start + len(values) * _WIDTH]
    parts = stored.view(np.dtype([("nanoseconds", "<i8"), ("day", "<i4")]))
    micros = (parts["day"].astype(np.int64) - _EPOCH) * _DAY + parts["nanoseconds"] // 1000
    mask = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(micros, pa.int64(), mask=mask).cast(pa.timestamp("us"))


def _rewritten(footer: bytes) -> bytes:
    """Return the footer with FIXED_LEN_BYTE_ARRAY(12) in place of INT96."""
    parts, done = [], 0
    for path, start, end in _Walk(footer).struct(()):
        if path not in (_SCHEMA_TYPE, _CHUNK_TYPE) or footer[start:end] != _INT96:
            continue
        parts += [footer[done:start], _BINARY]
        done = end
        if path == _SCHEMA_TYPE:
            # The next field's header holds its distance from the previous field, which is now the inserted one.
            header = footer[end]
            if header >> 4 == 1:
                raise KeyError("INT96 with a length")
            parts += [_LENGTH, bytes([header - 0x10 if header >> 4 else header])]
            done = end + 1
    return b"".join((*parts, footer[done:]))


_Found = Iterator[tuple[tuple[int, ...], int, int]]


class _Walk:
    """Walks a struct in Thrift's compact protocol and yields each integer's path of field numbers, start and end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._values: dict[int, Callable[[tuple[int, ...]], _Found]] = {
            3: lambda _: self._skipped(1),
            4: self._number,
            5: self._number,
            6: self._number,
            7: lambda _: self._skipped(8),
            8: lambda _: self._skipped(self._varint()),
            9: self._list,
            10: self._list,
            12: self.struct,
        }

    def struct(self, path: tuple[int, ...]) -> _Found:
        field = 0
        while header := self._byte():
            if header >> 4:
                field += header >> 4
            else:
                number = self._varint()
                field = (number >> 1) ^ -(number & 1)
            if header & 15 not in (1, 2):  # a boolean's value is in the header
                yield from self._values[header & 15]((*path, field))

    def _list(self, path: tuple[int, ...]) -> _Found:
        header = self._byte()
        count = self._varint() if header >> 4 == 15 else header >> 4
        kind = header & 15
        for _ in range(count):
            yield from self._skipped(1) if kind in (1, 2) else self._values[kind]((*path, 0))

    def _number(self, path: tuple[int, ...]) -> _Found:
        start = self._at
        self._varint()
        yield path, start, self._at

    def _skipped(self, count: int) -> _Found:
        self._at += count
        return iter(())

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
