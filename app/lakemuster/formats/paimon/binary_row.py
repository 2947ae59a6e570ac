"""Decoder of serialized ``BinaryRow`` columns: N rows as bytes in, one typed Arrow array per field out.

A serialized row is a big-endian int32 arity and the row itself, little-endian: a header byte and null bits, one
8-byte slot per field, then the bytes of the values that do not fit their slot, whose slots hold
``offset << 32 | length`` instead. Everything is read with numpy over the column's one buffer, field by field, never
row by row; every offset is checked to be inside its row before it is followed.

Two faults are distinguished. A row that breaks its layout always raises ``MetadataCorrupt``. A value with a correct
layout that its Arrow type cannot hold (a TIMESTAMP(9) outside the years 1677 to 2262, digits beyond the declared
precision, text that is not UTF-8) is a *misfit*: bounds read it as null, which is "unknown" (:attr:`Misfit.NULL`);
partition values must keep their identity, so it is refused there (:attr:`Misfit.REFUSE`), and the snapshot is
quarantined rather than read wrongly.

Source: Paimon ``BinaryRow``, ``BinarySection``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.metadata.types import Kind, Primitive, arrow_type

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

MAX_ARITY = 100_000
_LOW = np.int64(0xFFFFFFFF)
_DAY_MS = 86_400_000
_MAX_BYTES = 2**31 - 1


class Misfit(Enum):
    """How to treat a value that its Arrow type cannot hold."""

    NULL = "null"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class SerializedRows:
    """N serialized rows over one buffer, with checked extents.

    Attributes:
        data: the buffer, ending with at least 8 bytes that belong to no row.
        start: offset of each row, after its arity.
        size: bytes of each row, without its arity.
        arity: fields of each row; -1 for a null in the column. An empty value is a row without fields.
    """

    data: NDArray[np.uint8]
    start: Ints
    size: Ints
    arity: Ints

    @classmethod
    def of(cls, column: pa.Array) -> SerializedRows:
        """Read the arities of a binary array, and check that every row holds its fixed part.

        Raises:
            MetadataCorrupt: a row is too short for its arity.
        """
        column = column if pa.types.is_large_binary(column.type) else column.cast(pa.large_binary())
        _, offsets_buffer, data_buffer = column.buffers()
        count = len(column)
        if count == 0 or offsets_buffer is None:
            empty = np.zeros(0, np.int64)
            return cls(np.zeros(8, np.uint8), empty, empty, empty)
        offsets = np.frombuffer(offsets_buffer, np.int64, count + 1, column.offset * 8)
        raw = np.frombuffer(data_buffer, np.uint8) if data_buffer is not None else np.zeros(0, np.uint8)
        base, end = int(offsets[0]), int(offsets[-1])
        data = np.zeros(end - base + 8, np.uint8)
        data[:-8] = raw[base:end]
        start, length = offsets[:-1] - base, np.diff(offsets)
        arity = np.zeros(count, np.int64)
        filled = length > 0
        if (filled & (length < 4)).any():
            raise MetadataCorrupt("a BinaryRow is shorter than its arity")
        arity[filled] = _view(data, ">i4")[start[filled]]
        if ((arity < 0) | (arity > MAX_ARITY)).any():
            raise MetadataCorrupt("a BinaryRow has an impossible arity")
        size = np.where(filled, length - 4, _fixed_size(np.int64(0)))
        if (filled & (size < _fixed_size(arity))).any():
            raise MetadataCorrupt("a BinaryRow is shorter than its fields")
        if column.null_count:
            arity[column.is_null().to_numpy(zero_copy_only=False)] = -1
        return cls(data, start + 4, size, arity)

    def __len__(self) -> int:
        return len(self.start)

    def take(self, index: Ints) -> SerializedRows:
        """Return the rows at these positions, over the same buffer."""
        return SerializedRows(self.data, self.start[index], self.size[index], self.arity[index])

    def decode(self, types: Sequence[Primitive | None], misfit: Misfit) -> list[pa.Array | None]:
        """Read every field of rows that all have these fields.

        Args:
            types: one per field; None skips the field.
            misfit: how to treat values that their Arrow type cannot hold.

        Returns:
            One array of ``arrow_type`` per field, null where the row or the field is null; None for
            skipped fields and for types without an Arrow form (nested, variant, geo).

        Raises:
            MetadataCorrupt: a row has another arity or breaks its layout.
            FormatUnsupported: with ``REFUSE``, a misfit, or a type without an Arrow form.
        """
        present = self.arity >= 0
        if present.all():
            return _Decoder(self, len(types), misfit).fields(types)
        index = np.cumsum(present) - 1
        arrays = _Decoder(self.take(np.flatnonzero(present)), len(types), misfit).fields(types)
        taken = pa.array(index, mask=~present)
        return [None if array is None else array.take(taken) for array in arrays]


class _Decoder:
    """Reads the fields of rows of one arity, and sums the bytes that each row uses."""

    def __init__(self, rows: SerializedRows, arity: int, misfit: Misfit) -> None:
        if (rows.arity != arity).any():
            raise MetadataCorrupt("a BinaryRow has a different number of fields than its schema", expected=arity)
        self._rows, self._misfit = rows, misfit
        self._words = _view(rows.data, "<i8")
        self._fixed = int(_fixed_size(np.int64(arity)))
        self._header = self._fixed - 8 * arity
        self._used = np.full(len(rows), self._fixed, np.int64)

    def fields(self, types: Sequence[Primitive | None]) -> list[pa.Array | None]:
        arrays: list[pa.Array | None] = []
        for i, of in enumerate(types):
            form = None if of is None else arrow_type(of)
            if of is None or form is None:
                if of is not None and self._misfit is Misfit.REFUSE:
                    raise FormatUnsupported("values of this type cannot be read", type=of.text)
                arrays.append(None)
                continue
            arrays.append(self._field(i, of, form))
        if (self._used > self._rows.size).any():
            raise MetadataCorrupt("fields of a BinaryRow overlap")
        return arrays

    def _field(self, i: int, of: Primitive, form: pa.DataType) -> pa.Array:
        bit = i + 8
        word = self._words[self._rows.start + 8 * (bit // 64)]
        null: Mask = (word >> np.int64(bit % 64)) & 1 != 0
        slot: Ints = self._words[self._rows.start + self._header + 8 * i]
        slot[null] = 0
        match of.kind:
            case Kind.BOOLEAN:
                return _array(form, null, np.packbits((slot & 0xFF) != 0, bitorder="little"))
            case Kind.TINYINT | Kind.SMALLINT | Kind.INT | Kind.LONG | Kind.DATE:
                return _array(form, null, slot.astype(f"<i{form.bit_width // 8}"))
            case Kind.FLOAT:
                return _array(form, null, slot.astype("<i4"))
            case Kind.DOUBLE:
                return _array(form, null, slot)
            case Kind.TIME:
                time = slot.astype("<i4")
                return _array(form, self._unfit(of, null, (time < 0) | (time >= _DAY_MS)), time)
            case Kind.DECIMAL:
                return self._decimal(of, form, slot, null)
            case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
                return self._timestamp(of, form, slot, null)
            case _:
                return self._bytes(of, form, slot, null, i)

    def _decimal(self, of: Primitive, form: pa.DataType, slot: Ints, null: Mask) -> pa.Array:
        limbs = np.empty((len(slot), 2), "<i8")
        if of.precision <= 18:
            limbs[:, 0], limbs[:, 1] = slot, slot >> 63
        else:
            start, length = self._part(slot, ~null)
            if (~null & ((length < 1) | (length > 16))).any():
                raise MetadataCorrupt("a decimal of a BinaryRow is longer than 16 bytes")
            data = self._rows.data
            negative = ~null & (data[start] >= 0x80)
            little = np.where(negative, 0xFF, 0).astype(np.uint8)[:, None].repeat(16, axis=1)
            place = np.arange(16)
            inside = place < length[:, None]
            source = np.where(inside, (start + length)[:, None] - 1 - place, 0)
            little[inside] = data[source[inside]]
            limbs[:] = little.view("<i8")
        return _array(form, self._unfit(of, null, ~_within(limbs, of.precision)), limbs)

    def _timestamp(self, of: Primitive, form: pa.DataType, slot: Ints, null: Mask) -> pa.Array:
        if of.precision <= 3:
            return _array(form, null, slot)
        start, nanos = self._part(slot, ~null, size=8)
        if (nanos >= 1_000_000).any():
            raise MetadataCorrupt("a timestamp of a BinaryRow has more nanoseconds than a millisecond")
        millis = np.where(null, 0, self._words[start])
        step, rest = (1_000, 1_000) if of.unit == "us" else (1_000_000, 1)
        # A margin of one millisecond keeps the addition of the nanoseconds from overflowing.
        far = (millis > (2**63 - 1) // step - 1) | (millis < -(2**63) // step + 1)
        value = np.where(far, 0, millis) * step + nanos // rest
        return _array(form, self._unfit(of, null, far | (nanos % rest != 0)), value)

    def _bytes(self, of: Primitive, form: pa.DataType, slot: Ints, null: Mask, i: int) -> pa.Array:
        inline = slot < 0
        start, length = self._part(slot, ~(null | inline))
        if inline.any():
            short = (slot >> np.int64(56)) & 0x7F
            if (inline & (short > 7)).any():
                raise MetadataCorrupt("a short value of a BinaryRow is longer than 7 bytes")
            length = np.where(inline, short, length)
            start = np.where(inline, self._rows.start + self._header + 8 * i, start)
        ends = np.zeros(len(slot) + 1, np.int64)
        np.cumsum(length, out=ends[1:])
        if ends[-1] > _MAX_BYTES:
            raise LimitExceeded("values of one column are larger than 2 GiB")
        data = self._rows.data[np.repeat(start - ends[:-1], length) + np.arange(ends[-1])]
        offsets = ends.astype("<i4")
        if of.kind is Kind.STRING:
            invalid = _not_utf8(null, offsets, data)
            if invalid is not None:
                return self._without(of, form, null, invalid, offsets, data)
        return _array(form, null, offsets, data)

    def _without(
        self, of: Primitive, form: pa.DataType, null: Mask, invalid: Mask, offsets: NDArray[np.int32], data: object
    ) -> pa.Array:
        self._unfit(of, null, invalid)
        return _array(pa.binary(), null | invalid, offsets, data).cast(form)

    def _part(self, slot: Ints, wanted: Mask, size: int = 0) -> tuple[Ints, Ints]:
        """Return the positions and low halves of slots that point after the fixed part; 0 and 0 where not wanted.

        ``size`` is the length of each value in bytes; 0 when the low half holds it.
        """
        offset = np.where(wanted, (slot >> np.int64(32)) & _LOW, 0)
        low = np.where(wanted, slot & _LOW, 0)
        length = low if size == 0 else np.where(wanted, size, 0)
        outside = (offset < self._fixed) | (offset + length > self._rows.size)
        if (wanted & outside).any():
            raise MetadataCorrupt("an offset of a BinaryRow points outside its row")
        self._used += length
        return np.where(wanted, self._rows.start + offset, 0), low

    def _unfit(self, of: Primitive, null: Mask, unfit: Mask) -> Mask:
        unfit = unfit & ~null
        if self._misfit is Misfit.REFUSE and unfit.any():
            raise FormatUnsupported("a value does not fit its type", type=of.text)
        return null | unfit


def _view(data: NDArray[np.uint8], kind: str) -> NDArray[np.int64]:
    """Return the integer that starts at each byte, as a view: unaligned words are read without a copy of the bytes."""
    width = np.dtype(kind).itemsize
    return np.ndarray(shape=(len(data) - width + 1,), dtype=kind, buffer=data, strides=(1,))


def _fixed_size(arity: Ints | np.int64) -> Ints:
    return np.asarray((arity + 63 + 8) // 64 * 8 + 8 * arity)


def _array(form: pa.DataType, null: Mask, *buffers: object) -> pa.Array:
    nulls = int(null.sum())
    validity = pa.py_buffer(np.packbits(~null, bitorder="little")) if nulls else None
    return pa.Array.from_buffers(
        form, len(null), [validity, *(pa.py_buffer(np.ascontiguousarray(b)) for b in buffers)], nulls
    )


def _within(limbs: NDArray[np.int64], precision: int) -> Mask:
    """Return whether 128-bit numbers (low, high) have at most ``precision`` decimal digits."""
    low, high = limbs[:, 0].view("<u8"), limbs[:, 1]

    def less(than: int) -> Mask:
        edge_high, edge_low = than >> 64, np.uint64(than & (2**64 - 1))
        below: Mask = (high < edge_high) | ((high == edge_high) & (low < edge_low))
        return below

    return less(10**precision) & ~less(-(10**precision) + 1)


def _not_utf8(null: Mask, offsets: NDArray[np.int32], data: NDArray[np.uint8]) -> Mask | None:
    try:
        _array(pa.string(), null, offsets, data).validate(full=True)
    except pa.ArrowInvalid:
        raw = data.tobytes()
        return np.array([not _is_utf8(raw[a:b]) for a, b in pairwise(offsets.tolist())], bool)
    return None


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
