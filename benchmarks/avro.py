"""Write Avro containers column by column, from numpy arrays to the bytes that Java's writer produces.

Record by record, Python takes a microsecond per value, and a manifest entry has hundreds of values. Here each
piece of a record (a constant, a varint, a length-prefixed value) is one padded array over all records, and the
padding is removed in one step. ``tests/unit/benchmarks`` compares the result with fastavro's encoding.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import zstandard
from numpy.typing import NDArray

BLOCK_BYTES = 64_000
"""Java's ``DEFAULT_SYNC_INTERVAL``: the record that reaches it closes the block."""

Bytes2D = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Values:
    """One byte string per record: the first ``lengths[i]`` bytes of ``data[i]``."""

    data: Bytes2D
    lengths: NDArray[np.int64]

    def where(self, present: Mask) -> Values:
        """Return the values, with no bytes for records outside ``present``."""
        return Values(self.data, np.where(present, self.lengths, 0))

    def framed(self) -> Values:
        """Return the values as Avro ``bytes`` or ``string``: prefixed with their length."""
        return joined([varints(self.lengths), self])

    def __len__(self) -> int:
        return len(self.lengths)


def constant(data: bytes, count: int) -> Values:
    """Return the same bytes for every record."""
    matrix = np.broadcast_to(np.frombuffer(data, np.uint8), (count, len(data)))
    return Values(matrix, np.full(count, len(data)))


def fixed(matrix: NDArray[np.generic]) -> Values:
    """Return little-endian numbers of one width, one per record."""
    data = np.ascontiguousarray(matrix).view(np.uint8).reshape(len(matrix), -1)
    return Values(data, np.full(len(matrix), data.shape[1]))


def texts(values: NDArray[np.bytes_]) -> Values:
    """Return byte strings of different lengths that do not end in a zero byte."""
    data = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
    return Values(data, np.char.str_len(values).astype(np.int64))


def minimal_big_endian(values: NDArray[np.int64]) -> Values:
    """Return two's complements in the fewest bytes: the unscaled decimals of Iceberg and Avro."""
    magnitude = np.where(values < 0, ~values, values)
    lengths = np.ones(len(values), np.int64)
    for size in range(1, 8):
        lengths += magnitude >= 1 << (8 * size - 1)
    left_aligned = (values.astype(np.uint64) << (8 * (8 - lengths)).astype(np.uint64)).astype(">u8")
    return Values(np.ascontiguousarray(left_aligned).view(np.uint8).reshape(-1, 8), lengths)


def varints(values: NDArray[np.int64]) -> Values:
    """Return Avro's ``int`` and ``long``: zigzag, seven bits per byte."""
    signed = values.astype(np.int64)
    rest = ((signed << 1) ^ (signed >> 63)).view(np.uint64)
    columns, lengths = [], np.zeros(len(rest), np.int64)
    more = np.ones(len(rest), np.bool_)
    while more.any():
        lengths += more
        low, rest = (rest & np.uint64(0x7F)).astype(np.uint8), rest >> np.uint64(7)
        more &= rest > 0
        columns.append(low | (more.astype(np.uint8) << 7))
    return Values(np.column_stack(columns) if columns else np.zeros((0, 0), np.uint8), lengths)


def optional(values: Values, present: Mask | None = None) -> Values:
    """Return the union of null and the values' type, null first."""
    branches = np.full(len(values), 2, np.uint8)
    if present is None:
        return joined([fixed(branches), values])
    return joined([fixed(np.where(present, branches, np.uint8(0))), values.where(present)])


def array(items: list[tuple[Values, Mask | None]], count: int) -> Values:
    """Return Avro arrays whose items are present in some records only; one block, or none if empty."""
    present = sum((np.ones(count, np.int64) if mask is None else mask.astype(np.int64) for _, mask in items), 0)
    sizes = np.broadcast_to(np.asarray(present, np.int64), (count,))
    pieces = [varints(sizes).where(sizes > 0)]
    pieces += [values if mask is None else values.where(mask) for values, mask in items]
    return joined([*pieces, constant(b"\x00", count)])


def joined(pieces: list[Values]) -> Values:
    """Concatenate the pieces of each record."""
    data, ends = flattened(pieces)
    lengths = np.diff(ends, prepend=0)
    width = int(lengths.max(initial=0))
    if len(lengths) and (lengths == width).all():
        return Values(data.reshape(len(lengths), width), lengths)
    matrix = np.zeros((len(lengths), width), np.uint8)
    matrix[np.arange(width) < lengths[:, None]] = data
    return Values(matrix, lengths)


def flattened(pieces: list[Values]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the bytes of all records, and the end offset of each record."""
    matrix = np.concatenate([piece.data for piece in pieces], axis=1)
    mask = np.concatenate([np.arange(piece.data.shape[1]) < piece.lengths[:, None] for piece in pieces], axis=1)
    return matrix[mask], np.cumsum(sum(piece.lengths for piece in pieces))


class Container:
    """A writer of an Avro container file; records are added in slices, and blocks are cut as in Java.

    Args:
        level: the deflate level; Java's writers use 9, which takes most of the time for a big table.
    """

    def __init__(self, metadata: Mapping[str, str], codec: str, sync: bytes, level: int = 9) -> None:
        pairs = [(key, value.encode()) for key, value in metadata.items()] + [("avro.codec", codec.encode())]
        header = [b"Obj\x01", _long(len(pairs))]
        for key, value in pairs:
            header += [_long(len(key.encode())), key.encode(), _long(len(value)), value]
        self._parts = [*header, b"\x00", sync]
        self._sync = sync
        self._compress = partial(_deflate, level=level) if codec == "deflate" else _zstandard
        self._pending: list[NDArray[np.uint8]] = []
        self._pending_bytes = 0
        self._pending_records = 0

    def add(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        """Append the records that end at ``ends`` of ``data``."""
        first, start = 0, 0
        while first < len(ends):
            last = int(np.searchsorted(ends, start + BLOCK_BYTES - self._pending_bytes))
            stop = int(ends[min(last, len(ends) - 1)])
            self._pending.append(data[start:stop])
            self._pending_bytes += stop - start
            self._pending_records += min(last, len(ends) - 1) + 1 - first
            if last < len(ends):
                self._close_block()
            first, start = last + 1, stop

    def finish(self) -> bytes:
        """Return the whole file."""
        if self._pending_records:
            self._close_block()
        return b"".join(self._parts)

    def _close_block(self) -> None:
        packed = self._compress(b"".join(part.tobytes() for part in self._pending))
        self._parts += [_long(self._pending_records), _long(len(packed)), packed, self._sync]
        self._pending, self._pending_bytes, self._pending_records = [], 0, 0


def _deflate(data: bytes, level: int) -> bytes:
    packer = zlib.compressobj(level=level, wbits=-15)
    return packer.compress(data) + packer.flush()


def _zstandard(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=1).compress(data)


def _long(value: int) -> bytes:
    return bytes(varints(np.array([value])).data[0])
