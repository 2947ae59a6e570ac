"""Bounds as small numbers in the order of their values: what many files are compared by at once.

A bound of any ordered type is a 64-bit number, and that a 32-bit one, such that a smaller value never has the larger
number. Where two numbers differ, that tells which value is less; where they are equal and stand for more than one
value, the row is a *tie*, and is left to the bounds themselves. What is missing is folded into the numbers: a
comparison needs no second look.

Pure. The verdicts are those of :mod:`~lakemuster.planner.pruning.prune`, which a property test holds them to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal
from uuid import UUID

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.metadata.predicate import BoundLeaf, Op
from lakemuster.metadata.types import Kind, Primitive, arrow_type
from lakemuster.planner.pruning.bounds import comparable
from lakemuster.planner.pruning.prune import FieldStats, Mask, cannot, nothing_ordered

Wide = NDArray[np.uint64]
Narrow = NDArray[np.uint32]

COMPARED = frozenset({Op.LT, Op.LT_EQ, Op.GT, Op.GT_EQ, Op.EQ, Op.IN, Op.STARTS_WITH})
"""What keys can tell of."""

_NO_LOWER, _NO_UPPER = np.uint32(0), np.uint32(2**32 - 1)
_BELOW, _LEAST, _ABOVE = np.uint32(1), np.uint32(2), np.uint32(2**32 - 2)
_SIGN = np.uint64(1 << 63)
_PREFIX = 7
"""Bytes of a text that its key holds; the eighth tells how many there are."""

_FEW_VALUES, _FEW_BITS, _MANY_BITS = 1 << 10, 14, 18
_DECIMAL_DIGITS = 18
_MAX_TIES = 1 / 8


@dataclass(frozen=True, slots=True)
class Keys:
    """A column's bounds of N files.

    Attributes:
        lower, upper: (N,) keys; a missing bound is beyond every value on its side, and of a file that holds
            nothing but nulls and NaN both are beyond every value on the other side.
        least, greatest: of all bounds, before they were made narrow.
        shift: bits that were cut off to make them narrow.
    """

    lower: Narrow
    upper: Narrow
    least: int
    greatest: int
    shift: int

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return int(self.lower.nbytes + self.upper.nbytes)

    def spans(self, spans: list[slice]) -> Keys:
        """Those of some files."""
        lower, upper = (np.concatenate([of[span] for span in spans]) for of in (self.lower, self.upper))
        return Keys(lower, upper, self.least, self.greatest, self.shift)

    def narrowed(self, wide: Wide) -> Narrow:
        """The narrow keys of wide ones; below and above all bounds, those of nothing."""
        least, greatest = np.uint64(self.least), np.uint64(self.greatest)
        found = ((np.clip(wide, least, greatest) - least) >> np.uint64(self.shift)).astype(np.uint32) + _LEAST
        return np.where(wide < least, _BELOW, np.where(wide > greatest, _ABOVE, found))


def keys_of(field: FieldStats, kind: Primitive, rows: int) -> Keys | None:
    """The keys of a column's bounds; None for types that have none."""
    least_of = _wide(comparable(field.lower, kind), kind, rows)
    greatest_of = _wide(comparable(field.upper, kind), kind, rows)
    if least_of is None or greatest_of is None:
        return None
    (lower, has_lower), (upper, has_upper) = least_of, greatest_of
    known = [of[has] for of, has in ((lower, has_lower), (upper, has_upper)) if has.any()]
    least = min((int(of.min()) for of in known), default=0)
    greatest = max((int(of.max()) for of in known), default=0)
    shift = max(0, (greatest - least).bit_length() - 31)

    def narrow(wide: Wide, has: Mask, missing: np.uint32) -> Narrow:
        found = ((wide - np.uint64(least)) >> np.uint64(shift)).astype(np.uint32) + _LEAST
        if not has.all():
            found[~has] = missing
        return found

    keys = Keys(narrow(lower, has_lower, _NO_LOWER), narrow(upper, has_upper, _NO_UPPER), least, greatest, shift)
    nothing = nothing_ordered(field, kind, rows)
    if nothing.any():
        keys.lower[nothing], keys.upper[nothing] = _NO_UPPER, _NO_LOWER
    return keys


@dataclass(frozen=True, slots=True)
class Values:
    """A leaf's values as keys.

    Attributes:
        wide: 64-bit, ascending.
        exact: whether only equal values have the same wide key.
    """

    wide: Wide
    exact: bool

    @classmethod
    def of(cls, leaf: BoundLeaf) -> Values | None:
        """None when some value has no key."""
        if leaf.op not in COMPARED:
            return None
        if leaf.type.kind in _WHOLE and set(map(type, leaf.values)) == {int}:
            wide = np.sort(np.array(leaf.values, np.int64)).view(np.uint64) ^ _SIGN
        elif None in (found := [_wide_value(value, leaf.type) for value in leaf.values]):
            return None
        else:
            wide = np.sort(np.array(found, np.uint64))
        return cls(wide, leaf.type.kind not in _TEXTS or bool((wide & np.uint64(0xFF) <= _PREFIX).all()))


@dataclass(frozen=True, slots=True)
class KeyedField:
    """A column of N files, compared by keys where it has some, and else by its bounds.

    Attributes:
        keys: made when they are asked for; None for a type that has none.
        bounds: the statistics themselves, of the files at some places or (None) of all.
        values: of each leaf that was asked before, by its identity.
    """

    rows: int
    kind: Primitive
    keys: Callable[[], Keys | None]
    bounds: Callable[[NDArray[np.int64] | None], FieldStats]
    values: dict[int, Values | None]

    def cannot(self, leaf: BoundLeaf) -> Mask:
        """Where no row can match."""
        if id(leaf) not in self.values:
            self.values[id(leaf)] = Values.of(leaf)
        values = self.values[id(leaf)]
        keys = None if values is None or leaf.type != self.kind else self.keys()
        if values is None or keys is None:
            return cannot(leaf, self.bounds(None), self.rows)
        sure, ties = outside(leaf, values, keys)
        if ties is not None and len(places := np.flatnonzero(ties & ~sure)):
            if len(places) > self.rows * _MAX_TIES:
                return cannot(leaf, self.bounds(None), self.rows)
            sure[places] = cannot(leaf, self.bounds(places), len(places))
        return sure


def outside(leaf: BoundLeaf, values: Values, keys: Keys) -> tuple[Mask, Mask | None]:
    """Where a comparison surely matches nothing, and where keys do not tell (None: nowhere)."""
    narrow = keys.narrowed(values.wide)
    key, exact = narrow[0], values.exact and not keys.shift
    exact = exact or (len(narrow) == 1 and bool(key in (_BELOW, _ABOVE)))
    lower, upper = keys.lower, keys.upper
    match leaf.op:
        case Op.LT:
            return (lower >= key, None) if exact else (lower > key, lower == key)
        case Op.GT:
            return (upper <= key, None) if exact else (upper < key, upper == key)
        case Op.LT_EQ:
            return lower > key, None if exact else lower == key
        case Op.GT_EQ:
            return upper < key, None if exact else upper == key
        case Op.EQ:
            return (lower > key) | (upper < key), None if exact else (lower == key) | (upper == key)
        case Op.IN:
            return _outside_all(narrow, keys, exact=exact)
    return _outside_prefix(_bytes(leaf.values[0]), key, keys)


def _outside_prefix(prefix: bytes, first: np.uint32, keys: Keys) -> tuple[Mask, Mask]:
    sure, ties = keys.upper < first, keys.upper == first
    if kept := prefix.rstrip(b"\xff"):
        after = _text_key(kept[:-1] + bytes([kept[-1] + 1]))
        beyond = keys.narrowed(np.array([after], np.uint64))[0]
        sure |= keys.lower > beyond
        ties |= keys.lower == beyond
    return sure, ties


def _outside_all(values: Narrow, keys: Keys, *, exact: bool) -> tuple[Mask, Mask | None]:
    """Where no value lies between the bounds; the work hardly grows with the number of values.

    How many values lie before each of many equal cells tells for most files whether there is one between, and whether
    there is none; only the rest search.
    """
    values = values[np.flatnonzero(np.diff(values, prepend=0))]
    first, last = values[0], values[-1]
    sure = (keys.lower > last) | (keys.upper < first)
    if len(values) > 1:
        bits = _FEW_BITS if len(values) <= _FEW_VALUES else _MANY_BITS
        shift = np.uint32(max(0, int(last - first).bit_length() - bits))
        before = np.zeros((1 << bits) + 2, np.int32)
        np.cumsum(np.bincount((values - first) >> shift, minlength=1 << bits), out=before[1:-1])
        before[-1] = before[-2]
        low = ((np.clip(keys.lower, first, last) - first) >> shift).astype(np.intp)
        high = ((np.clip(keys.upper, first, last) - first) >> shift).astype(np.intp)
        inside = before[high] > before[low + 1]
        near = before[high + 1] > before[low]
        sure |= ~near
        asked = np.flatnonzero(near & ~(sure | inside))
        if len(asked):
            sure[asked] |= ~_some_between(values, keys.lower[asked], keys.upper[asked], side="left")
    if exact:
        return sure, None
    # A value whose key is that of a bound may lie beyond the bound.
    ties = ~sure
    left = np.flatnonzero(ties)
    ties[left] = ~_some_between(values, keys.lower[left], keys.upper[left] - np.uint32(1), side="right")
    return sure, ties


def _some_between(values: Narrow, lower: Narrow, upper: Narrow, *, side: Literal["left", "right"]) -> Mask:
    """Where a value is from ``lower`` (right: from above it) to ``upper``."""
    after = np.searchsorted(values, lower, side)
    return np.asarray((after < len(values)) & (values[np.minimum(after, len(values) - 1)] <= upper))


_WHOLE = frozenset({Kind.INT, Kind.LONG, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
_TEXTS = frozenset({Kind.STRING, Kind.BINARY, Kind.UUID, Kind.FIXED})


def _wide_value(value: object, kind: Primitive) -> int | None:
    """The 64-bit key of a value in its internal form; None when it has none."""
    match value:
        case str() | bytes() | UUID():
            return _text_key(_bytes(value))
        case Decimal():
            unscaled = value.scaleb(kind.scale)
            whole = int(unscaled)
            return whole + (1 << 63) if whole == unscaled and abs(whole) < 1 << 63 else None
        case float():
            return None if np.isnan(value) else int(_of_floats(np.array([value]))[0])
        case int() if -(1 << 63) <= value < 1 << 63 and kind.kind not in (Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL):
            return value + (1 << 63)
    return None


def _bytes(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, UUID):
        return value.bytes
    assert isinstance(value, bytes)
    return value


def _text_key(data: bytes) -> int:
    return int.from_bytes(data[:_PREFIX].ljust(_PREFIX, b"\0") + bytes([min(len(data), _PREFIX + 1)]), "big")


def _wide(bounds: pa.Array | None, kind: Primitive, rows: int) -> tuple[Wide, Mask] | None:
    """64-bit keys of bounds of the predicate's type, and which of them there are; None for types without keys."""
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
    bits = (values + 0.0).view(np.int64)  # the sum makes one zero of both
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
