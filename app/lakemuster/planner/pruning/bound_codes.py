"""Bound codes: bounds as small integers in the order of their values, to compare many files at once.

A bound of any ordered type has a 64-bit code, which is narrowed to 32 bits. A smaller value never has the larger code.
Where two codes differ, they tell which value is less. Where they are equal and cover more than one value, the
row is a *tie*, and the bounds themselves decide. Missing bounds have codes too, so that a comparison needs no second
check.

Pure. The verdicts are those of :mod:`~lakemuster.planner.pruning.prune`, as a property test checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from uuid import UUID

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.pruning.bounds import comparable
from lakemuster.planner.pruning.native import Cells
from lakemuster.planner.pruning.prune import FieldStats, Mask, nothing_ordered
from lakemuster.predicates import NEGATIVE, BoundLeaf, Op

Wide = NDArray[np.uint64]
Narrow = NDArray[np.uint32]

COMPARED = frozenset({Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.EQ, Op.IN, Op.STARTS_WITH}) | NEGATIVE
"""The comparisons that codes decide."""

NO_LOWER, BELOW, LEAST, ABOVE, NO_UPPER = 0, 1, 2, 2**32 - 2, 2**32 - 1
_SIGN = np.uint64(1 << 63)
_BITS = 31
"""Bits of the largest code of a bound, so that there is room below and above."""
_PREFIX = 7
"""Bytes of a text that its code holds; the eighth byte holds the text's length, at most 8."""

_DECIMAL_DIGITS = 18


@dataclass(frozen=True, slots=True)
class BoundCodes:
    """A column's bounds in N files, as codes.

    Attributes:
        lower, upper: (N,) narrow codes. A missing bound is beyond every value on its side. For a file of only nulls
            and NaN, both are beyond every value on the other side. The same array where they are equal.
        least, greatest: limits of all bounds, as wide codes.
        shift: low bits that narrow codes leave out.
    """

    lower: Narrow
    upper: Narrow
    least: int
    greatest: int
    shift: int

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return int(self.lower.nbytes if self.lower is self.upper else self.lower.nbytes + self.upper.nbytes)

    def spans(self, spans: list[slice]) -> BoundCodes:
        """Return the codes of the files in some spans."""
        lower = upper = _spanned(self.lower, spans)
        if self.lower is not self.upper:
            upper = _spanned(self.upper, spans)
        return BoundCodes(lower, upper, self.least, self.greatest, self.shift)

    def narrowed(self, wide: int) -> int:
        """Return the narrow code of a wide one; ``BELOW`` or ``ABOVE`` where it is beyond all bounds."""
        if wide < self.least:
            return BELOW
        return ABOVE if wide > self.greatest else ((wide - self.least) >> self.shift) + LEAST

    def all_narrowed(self, wide: Wide) -> Narrow:
        """Return the narrow codes of ascending wide ones; all below the bounds share one, all above another."""
        least, greatest = np.uint64(self.least), np.uint64(self.greatest)
        begin, end = np.searchsorted(wide, least), np.searchsorted(wide, greatest, "right")
        within = ((wide[begin:end] - least) >> np.uint64(self.shift)).astype(np.uint32) + np.uint32(LEAST)
        above = self.narrowed(self.greatest) + 1  # nearer than ABOVE, with which most cells of a search would be empty
        ends = ([BELOW] if begin else [], [above] if end < len(wide) else [])
        before, after = (np.array(of, np.uint32) for of in ends)
        return np.concatenate([before, within, after])


def _spanned(keys: Narrow, spans: list[slice]) -> Narrow:
    return keys[spans[0]] if len(spans) == 1 else np.concatenate([keys[span] for span in spans])


def bound_codes_of(stats: FieldStats, kind: Primitive, rows: int) -> BoundCodes | None:
    """Return the codes of a column's bounds; None for types without codes."""
    least_of = wide_codes(comparable(stats.lower, kind), kind, rows)
    greatest_of = wide_codes(comparable(stats.upper, kind), kind, rows)
    if least_of is None or greatest_of is None:
        return None
    (lower, has_lower), (upper, has_upper) = least_of, greatest_of
    known = [of[has] for of, has in ((lower, has_lower), (upper, has_upper)) if has.any()]
    least = min((int(of.min()) for of in known), default=0)
    greatest = max((int(of.max()) for of in known), default=0)
    least, greatest = _aligned(least, greatest)
    shift = max(0, (greatest - least).bit_length() - _BITS)

    def narrow(wide: Wide, has: Mask, missing: int) -> Narrow:
        found = ((wide - np.uint64(least)) >> np.uint64(shift)).astype(np.uint32) + LEAST
        if not has.all():
            found[~has] = missing
        return found

    keys = BoundCodes(narrow(lower, has_lower, NO_LOWER), narrow(upper, has_upper, NO_UPPER), least, greatest, shift)
    nothing = nothing_ordered(stats, kind, rows)
    if nothing.any():
        keys.lower[nothing], keys.upper[nothing] = NO_UPPER, NO_LOWER
    return replace(keys, upper=keys.lower) if (keys.lower == keys.upper).all() else keys


def _aligned(least: int, greatest: int) -> tuple[int, int]:
    """Widen the limits to ones that columns of similar values share, unless codes lost precision."""
    bits = (greatest - least).bit_length()
    grid = 1 << max(0, bits - 3)
    low, high = least & -grid, greatest | (grid - 1)
    return (low, high) if (high - low).bit_length() <= max(bits, _BITS) else (least, greatest)


@dataclass(frozen=True, slots=True)
class CodedValues:
    """A leaf's values as codes.

    Attributes:
        wide: 64-bit codes, ascending.
        exact: whether only equal values have the same wide code.
    """

    wide: Wide
    exact: bool
    _cells: dict[tuple[int, int], Cells] = field(default_factory=dict, compare=False)

    def cells(self, keys: BoundCodes) -> Cells:
        """Return the values as narrow codes, prepared for searching; cached for the previous column's limits."""
        ends = keys.least, keys.greatest
        if (found := self._cells.get(ends)) is None:
            found = Cells.of(keys.all_narrowed(self.wide))
            self._cells.clear()
            self._cells[ends] = found
        return found

    @classmethod
    def of(cls, leaf: BoundLeaf) -> CodedValues | None:
        """Encode a leaf's values; None when some value has no code."""
        if leaf.op not in COMPARED:
            return None
        if len(leaf.values) > 1 and leaf.type.kind in _WHOLE and set(map(type, leaf.values)) == {int}:
            wide = np.sort(np.array(leaf.values, np.int64)).view(np.uint64) ^ _SIGN
        elif None in (found := [_wide_value(value, leaf.type) for value in leaf.values]):
            return None
        else:
            wide = np.array(found, np.uint64)
            wide.sort()
        return cls(wide, leaf.type.kind not in _TEXTS or bool((wide & np.uint64(0xFF) <= _PREFIX).all()))


_WHOLE = frozenset({Kind.INT, Kind.LONG, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
_TEXTS = frozenset({Kind.STRING, Kind.BINARY, Kind.UUID, Kind.FIXED})


def _wide_value(value: object, kind: Primitive) -> int | None:
    """Return the 64-bit code of a value in its internal form; None when it has none."""
    match value:
        case str() | bytes() | UUID():
            return _text_key(as_bytes(value))
        case Decimal():
            unscaled = value.scaleb(kind.scale)
            whole = int(unscaled)
            return whole + (1 << 63) if whole == unscaled and abs(whole) < 1 << 63 else None
        case float():
            return None if np.isnan(value) else int(_of_floats(np.array([value]))[0])
        case int() if -(1 << 63) <= value < 1 << 63 and kind.kind not in (Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL):
            return value + (1 << 63)
    return None


def as_bytes(value: object) -> bytes:
    """Return the bytes of a text, UUID or binary value."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, UUID):
        return value.bytes
    assert isinstance(value, bytes)
    return value


def code_after(prefix: bytes) -> int | None:
    """Return the 64-bit code of the least text above all with a prefix; None when there is none."""
    kept = prefix.rstrip(b"\xff")
    return _text_key(kept[:-1] + bytes([kept[-1] + 1])) if kept else None


def _text_key(data: bytes) -> int:
    return int.from_bytes(data[:_PREFIX].ljust(_PREFIX, b"\0") + bytes([min(len(data), _PREFIX + 1)]), "big")


def wide_codes(bounds: pa.Array | None, kind: Primitive, rows: int) -> tuple[Wide, Mask] | None:
    """Encode bounds in the form of :func:`comparable`: 64-bit codes, and which bounds exist.

    Returns:
        None for types without codes. Codes of texts whose low byte exceeds 7 may be shared by different ones.
    """
    of = arrow_type(kind) if bounds is None else bounds.type
    if of is None or not _has_keys(of):
        return None
    if bounds is None or bounds.null_count == rows:
        return np.zeros(rows, np.uint64), np.zeros(rows, np.bool_)
    if pa.types.is_floating(of):
        wide = _of_floats(np.asarray(bounds.fill_null(0).to_numpy(zero_copy_only=False), np.float64))
    elif pa.types.is_integer(of) or pa.types.is_temporal(of):
        numbers = np.frombuffer(bounds.buffers()[1], f"i{of.bit_width // 8}", len(bounds) + bounds.offset)
        wide = numbers[bounds.offset :].astype(np.int64).view(np.uint64) ^ _SIGN
    elif pa.types.is_decimal(of):
        words = np.frombuffer(bounds.buffers()[1], np.int64, 2 * (len(bounds) + bounds.offset))
        wide = words[2 * bounds.offset :: 2].view(np.uint64) ^ _SIGN
    else:
        wide = _of_texts(bounds)
    return wide, np.asarray(bounds.is_valid().to_numpy(zero_copy_only=False), np.bool_)


def _has_keys(of: pa.DataType) -> bool:
    number = pa.types.is_integer(of) or pa.types.is_temporal(of) or pa.types.is_floating(of)
    text = pa.types.is_string(of) or pa.types.is_binary(of) or pa.types.is_fixed_size_binary(of)
    return bool(number or text or (pa.types.is_decimal128(of) and of.precision <= _DECIMAL_DIGITS))


def _of_floats(values: NDArray[np.float64]) -> Wide:
    bits = (values + 0.0).view(np.int64)  # the sum turns -0.0 into 0.0
    return np.asarray((bits ^ ((bits >> 63) & np.int64(2**63 - 1))).view(np.uint64) ^ _SIGN)


def _of_texts(bounds: pa.Array) -> Wide:
    _, offsets, data = bounds.buffers()
    ends = np.frombuffer(offsets, np.int32, len(bounds) + 1, bounds.offset * 4).astype(np.int64)
    used = b"" if data is None else memoryview(data)[ends[0] : ends[-1]]
    padded = np.zeros(len(used) + 8, np.uint8)
    padded[: len(used)] = np.frombuffer(used, np.uint8)
    windows = np.lib.stride_tricks.as_strided(padded, (len(used) + 1, 8), (1, 1))
    lengths = np.minimum(np.diff(ends), _PREFIX + 1)
    words = np.ascontiguousarray(windows[ends[:-1] - ends[0]]).view(">u8").ravel().astype(np.uint64)
    kept = np.array([0, *(2**64 - 2 ** (64 - 8 * n) for n in range(1, 8)), 2**64 - 2**8], np.uint64)
    return np.asarray((words & kept[lengths]) | lengths.astype(np.uint64))
