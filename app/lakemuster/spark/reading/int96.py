"""Timestamps of Parquet's old type INT96, as their bytes are.

Arrow takes the nanoseconds of the day for a number without sign. Paimon and others write negative ones for times
before 1970, which come out 584 years late and cannot be told from such times any more. So the footer is read again with
binary values of twelve bytes in the type's place, which are stored in the same way.

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
"""Fields of the footer, list elements as 0: the type of a schema's element, and of a column chunk."""
_INT96, _BINARY = b"\x06", b"\x0e"
"""Physical types 3 and 7, FIXED_LEN_BYTE_ARRAY, as Thrift writes them."""
_LENGTH = b"\x15\x18"
"""Field after the type: its length, 12."""


def open_parquet(source: pa.NativeFile, **options: Any) -> pq.ParquetFile:
    """A Parquet file in which timestamps of INT96 are values of twelve bytes, for :func:`instants`.

    Args:
        options: of ``ParquetFile``.

    Raises:
        ArrowException, OSError: it is not a whole Parquet file, or cannot be fetched.
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
        raise pa.ArrowInvalid("its footer cannot be understood") from cause
    whole = _MAGIC + footer + len(footer).to_bytes(4, "little") + _MAGIC
    return pq.ParquetFile(source, metadata=pq.read_metadata(pa.BufferReader(whole)), **options)


def is_int96(of: pa.DataType) -> bool:
    """Whether values may be what :func:`open_parquet` gives for INT96."""
    return bool(pa.types.is_fixed_size_binary(of) and of.byte_width == _WIDTH)


def instants(values: pa.FixedSizeBinaryArray) -> pa.TimestampArray:
    """Microseconds since 1970 of such values, without a zone; what is finer is cut off."""
    start = values.offset * _WIDTH
    stored = np.frombuffer(values.buffers()[1] or b"", np.uint8)[start : start + len(values) * _WIDTH]
    parts = stored.view(np.dtype([("nanoseconds", "<i8"), ("day", "<i4")]))
    micros = (parts["day"].astype(np.int64) - _EPOCH) * _DAY + parts["nanoseconds"] // 1000
    mask = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(micros, pa.int64(), mask=mask).cast(pa.timestamp("us"))


def _rewritten(footer: bytes) -> bytes:
    """A footer with the other type."""
    parts, done = [], 0
    for path, start, end in _Walk(footer).struct(()):
        if path not in (_SCHEMA_TYPE, _CHUNK_TYPE) or footer[start:end] != _INT96:
            continue
        parts += [footer[done:start], _BINARY]
        done = end
        if path == _SCHEMA_TYPE:
            # The next field says how far it is from this one: from here on, from the one that is put between.
            header = footer[end]
            if header >> 4 == 1:
                raise KeyError("INT96 with a length")
            parts += [_LENGTH, bytes([header - 0x10 if header >> 4 else header])]
            done = end + 1
    return b"".join((*parts, footer[done:]))


_Found = Iterator[tuple[tuple[int, ...], int, int]]


class _Walk:
    """Over a struct in Thrift's compact protocol: the numbers in it, with the fields that lead to them."""

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
            if header & 15 not in (1, 2):  # truth is in the header
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
