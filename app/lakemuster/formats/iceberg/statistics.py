"""Convert maps of statistics, one per entry, to one column per field.

All maps of a manifest become one matrix of item numbers, fields by entries; a few gathers over
the whole matrix then give the columns. Writers give nearly all entries the same keys in the
same order, and there is a fast path for that. If a map holds a key twice, its last value
counts, as in Java's maps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg.native import DECIMAL, Form, is_available, read_bounds
from lakemuster.formats.iceberg.slices import WIDTHS, Decoded, Index, Items, Mask, bitmap, decode, pick
from lakemuster.metadata.files import column, count_type, typed_field
from lakemuster.metadata.numbers import number_type
from lakemuster.metadata.types import Kind, Primitive, arrow_type

MAX_KEYS = 50_000
"""The most distinct keys in the maps of one manifest."""

_MAX_GROUPS = 8
_SMALL_KEY = 2**16
_BATCHED: dict[Kind, int] = {kind: width for kind, width in WIDTHS.items() if kind not in (Kind.BOOLEAN, Kind.TIME)}

_NUMPY = {of: number_type(of) for of in (pa.int8(), pa.int16(), pa.int32(), pa.int64())}

Counts = NDArray[np.signedinteger]
Column = tuple[pa.Field, pa.Array]


@dataclass(frozen=True, slots=True)
class KeyMatrix:
    """Maps as a matrix.

    Attributes:
        keys: int32 (K,), distinct.
        items: int64 (K, N): the position of the value of key k in row n; 0 where it has none.
        present: whether row n has key k: bool (K, N), or (N,) for all keys alike, or None when
            every row has every key.
        begin: the first item if rows follow each other without gaps and all have the same keys: item (k, n) is
            ``begin + n * K + k``. Else None.
    """

    keys: NDArray[np.int32]
    items: Index
    present: Mask | None
    begin: int | None = None

    def spread(self, values: Counts) -> Counts:
        """Return the values of all items as a new matrix (K, N)."""
        if self.begin is None:
            return values.take(self.items)
        keys, rows = self.items.shape
        return np.array(values[self.begin : self.begin + keys * rows].reshape(rows, keys).T, order="C")

    def present_at(self, k: int) -> Mask | None:
        """Return the rows that have one key; None if all do."""
        if self.present is None or self.present.ndim == 1:
            return self.present
        mask: Mask = self.present[k]
        return None if mask.all() else mask


class KeyMatrixBuilder:
    """Converts maps to matrices; reuses the last matrix if the next maps have the same keys, as most do."""

    def __init__(self) -> None:
        self._last: tuple[NDArray[np.int32], Index, Index, KeyMatrix] | None = None

    def explode(self, maps: pa.ListArray, key: str) -> KeyMatrix:
        """Convert maps to a matrix.

        Args:
            maps: lists of structs; null where an entry has no map.
            key: the name of the structs' member that is the key.

        Raises:
            MetadataCorrupt: a key is null.
            LimitExceeded: more than ``MAX_KEYS`` keys.
        """
        keys, starts, lengths = _entries(maps, key)
        if self._last is not None:
            last_keys, last_starts, last_lengths, exploded = self._last
            alike = np.array_equal(starts, last_starts) and np.array_equal(lengths, last_lengths)
            if alike and np.array_equal(keys, last_keys):
                return exploded
        exploded = _explode(keys, starts, lengths)
        self._last = keys, starts, lengths, exploded
        return exploded


def _entries(maps: pa.ListArray, key: str) -> tuple[NDArray[np.int32], Index, Index]:
    """Return all keys, and the start and number of each row's keys."""
    keys = maps.values.field(key)
    if keys.null_count:
        raise MetadataCorrupt("a map of statistics has a null key")
    offsets = maps.offsets.to_numpy().astype(np.int64)
    lengths = np.diff(offsets)
    if maps.null_count:
        lengths = np.where(maps.is_valid().to_numpy(zero_copy_only=False), lengths, 0)
    return _as(keys, pa.int32()).to_numpy(), offsets[:-1], lengths


def _explode(keys: NDArray[np.int32], starts: Index, lengths: Index) -> KeyMatrix:
    if not lengths.any():
        return KeyMatrix(np.zeros(0, np.int32), np.zeros((0, len(starts)), np.int64), None)
    exploded = _uniform(keys, starts, lengths) or _grouped(keys, starts, lengths) or _irregular(keys, starts, lengths)
    if len(exploded.keys) > MAX_KEYS:
        raise LimitExceeded(f"statistics of more than {MAX_KEYS} columns in one manifest", limit=MAX_KEYS)
    return exploded


def _uniform(keys: NDArray[np.int32], starts: Index, lengths: Index) -> KeyMatrix | None:
    """Return the matrix if every row has the same keys and rows follow each other without gaps; else None."""
    width, begin = int(lengths[0]), int(starts[0])
    if not width or not (lengths == width).all():
        return None
    matrix = keys[begin : begin + width * len(starts)].reshape(-1, width)
    first = matrix[0]
    if len(np.unique(first)) < width or not (matrix == first).all():
        return None
    return KeyMatrix(first, np.arange(width)[:, None] + starts, None, begin)


def _grouped(keys: NDArray[np.int32], starts: Index, lengths: Index) -> KeyMatrix | None:
    """Return the matrix if there are few distinct lists of keys, which determine where a row's keys are; else None."""
    groups: list[NDArray[np.int32]] = []
    group_of = np.zeros(len(starts), np.int64)  # 0: no keys
    rest = np.flatnonzero(lengths)
    while len(rest):
        if len(groups) == _MAX_GROUPS:
            return None
        width = int(lengths[rest[0]])
        rows = rest[lengths[rest] == width]
        matrix = keys[starts[rows][:, None] + np.arange(width)]
        groups.append(matrix[0])
        group_of[rows] = len(groups)
        group_of[rows[np.flatnonzero(matrix != matrix[0]) // width]] = 0
        rest = rest[group_of[rest] == 0]
    found = np.unique(np.concatenate(groups))
    if len(found) > MAX_KEYS:
        return KeyMatrix(found, np.zeros((0, 0), np.int64), None)
    places = np.zeros((len(found), len(groups) + 1), np.int64)
    has = np.zeros(places.shape, np.bool_)
    for number, own in enumerate(groups, 1):
        codes = np.searchsorted(found, own)
        places[codes, number] = np.arange(len(own))  # the last one of a repeated key wins
        has[codes, number] = True
    present = has.take(group_of, axis=1)
    items = places.take(group_of, axis=1)
    items += starts
    items *= present
    return KeyMatrix(found, items, lengths > 0 if len(groups) == 1 else present)


def _irregular(keys: NDArray[np.int32], starts: Index, lengths: Index) -> KeyMatrix:
    # Positions of all items, row after row; null maps may leave gaps.
    positions = np.arange(int(lengths.sum()))
    shifts = starts - (np.cumsum(lengths) - lengths)
    positions += np.repeat(shifts, lengths) if (shifts != shifts[0]).any() else shifts[0]
    found, codes = _codes(keys[positions])
    if len(found) > MAX_KEYS:
        return KeyMatrix(found, np.zeros((0, 0), np.int64), None)
    items = np.full((len(found), len(starts)), -1)
    places = codes * len(starts)
    places += np.repeat(np.arange(len(starts)), lengths)
    items.reshape(-1)[places] = positions  # the last one of a repeated key wins
    present = items >= 0
    return KeyMatrix(found, np.maximum(items, 0, out=items), present)


def _codes(keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], Index]:
    """Return the distinct keys, and for each key its index among them."""
    if keys.min() < 0 or keys.max() >= _SMALL_KEY:
        found, codes = np.unique(keys, return_inverse=True)
        return found, codes
    seen = np.zeros(_SMALL_KEY, np.bool_)
    seen[keys] = True
    found = np.flatnonzero(seen).astype(np.int32)
    numbers = np.zeros(_SMALL_KEY, np.int64)
    numbers[found] = np.arange(len(found))
    return found, numbers[keys]


def count_columns(
    maps: pa.ListArray, key: str, value: str, kind: str, exploder: KeyMatrixBuilder | None = None
) -> Iterator[Column]:
    """Yield one column of counts per key.

    Args:
        maps: lists of structs of a key and an integer.
        key, value: names of the structs' members.
        kind: the kind of column (``value_count`` …).
        exploder: shared by the maps of one manifest.

    Raises:
        MetadataCorrupt: a key is null.
    """
    exploded = (exploder or KeyMatrixBuilder()).explode(maps, key)
    if not len(exploded.keys):
        return
    values = maps.values.field(value)
    present = exploded.present
    if values.null_count:
        valid = values.is_valid().to_numpy(zero_copy_only=False)[exploded.items]
        present = valid if present is None else valid & present
        values = values.fill_null(0)
    matrix = exploded.spread(_narrow(_as(values, pa.int64()).to_numpy()))
    if present is not None:
        matrix *= present
    bits = bitmap(present) if present is not None and present.ndim == 1 else None
    least, most = matrix.min(axis=1).tolist(), matrix.max(axis=1).tolist()
    for k in np.argsort(exploded.keys).tolist():
        if present is not None and present.ndim == 2:
            if not present[k].any():
                continue
            bits = None if present[k].all() else bitmap(present[k])
        of = count_type(least[k], most[k])
        counts = matrix[k].astype(_NUMPY[of], copy=False)
        array = pa.Array.from_buffers(of, len(counts), [bits, pa.py_buffer(counts)])
        yield count_field(kind, int(exploded.keys[k]), of), array


def bound_columns(
    maps: pa.ListArray,
    key: str,
    value: str,
    kind: str,
    type_of: Callable[[int], Primitive],
    exploder: KeyMatrixBuilder | None = None,
) -> Iterator[Column]:
    """Yield one typed column per key, and one of raw bytes where they are not canonical.

    Args:
        maps: lists of structs of a key and single-value bytes.
        key, value: names of the structs' members.
        kind: ``lower`` or ``upper``.
        type_of: the type of a column by field id.
        exploder: shared by the maps of one manifest.

    Raises:
        MetadataCorrupt: a key is null.
    """
    exploded = (exploder or KeyMatrixBuilder()).explode(maps, key)
    if not len(exploded.keys):
        return
    values = maps.values.field(value)
    if values.null_count:
        valid = values.is_valid().to_numpy(zero_copy_only=False)[exploded.items]
        present = valid if exploded.present is None else valid & exploded.present
        exploded = KeyMatrix(exploded.keys, exploded.items, present)
    items = Items(values)
    types = [type_of(key) for key in exploded.keys.tolist()]
    batched = _batch(items, exploded, types)
    for k in np.argsort(exploded.keys).tolist():
        of, field_id = types[k], int(exploded.keys[k])
        decoded = batched.get(k) or decode(items, exploded.items[k], exploded.present_at(k), of)
        if decoded.values is not None and decoded.values.null_count < len(decoded.values):
            yield bound_field(kind, field_id, decoded.values.type, of.text), decoded.values
        if decoded.odd is not None:
            raw = pick(items, exploded.items[k], decoded.odd)
            yield bound_field(f"{kind}_raw", field_id, pa.binary(), of.text), raw


# Cached: thousands of small manifests have the same columns.
@lru_cache(4096)
def count_field(kind: str, field_id: int, of: pa.DataType) -> pa.Field:
    """Return the Arrow field of a column of counts."""
    return pa.field(column(kind, field_id), of)


@lru_cache(4096)
def bound_field(kind: str, field_id: int, of: pa.DataType, text: str) -> pa.Field:
    """Return the Arrow field of a column of bounds of a type."""
    return typed_field(column(kind, field_id), of, text)


def _narrow(counts: Counts) -> Counts:
    of = count_type(int(counts.min()), int(counts.max())) if len(counts) else pa.int8()
    return counts.astype(_NUMPY[of], copy=False)


def _as(array: pa.Array, of: pa.DataType) -> pa.Array:
    return array if array.type == of else array.cast(of)


def _batch(items: Items, exploded: KeyMatrix, types: list[Primitive]) -> dict[int, Decoded]:
    """Decode many columns at once: those whose values are all in the canonical form, and strings."""
    chosen = [k for k, of in enumerate(types) if _form(of) is not None]
    done: dict[int, Decoded] = {}
    if is_available():
        groups = [chosen]
    else:
        groups = [
            [k for k in chosen if types[k].kind in _BATCHED and WIDTHS[types[k].kind] == width] for width in (4, 8)
        ]
    for group in groups:
        if group:
            done |= _batch_numbers(items, exploded, types, np.array(group, np.int64))
    return done | _batch_strings(items, exploded, types)


def canonical(items: Items, rows: Index, present: Mask | None, of: Primitive) -> Decoded | None:
    """Decode one column; return None if a value is not canonical, or if no kernel decodes the type."""
    if _form(of) is None or not is_available():
        return None
    exploded = KeyMatrix(np.zeros(1, np.int32), rows[None], None if present is None else present[None])
    return _batch_numbers(items, exploded, [of], np.zeros(1, np.int64)).get(0)


def _form(of: Primitive) -> Form | None:
    if of.kind is Kind.DECIMAL:
        return Form(DECIMAL, of.precision)
    return Form(_BATCHED[of.kind]) if of.kind in _BATCHED else None


def _batch_numbers(items: Items, exploded: KeyMatrix, types: list[Primitive], chosen: Index) -> dict[int, Decoded]:
    present, rows = exploded.present, exploded.items.shape[1]
    forms = [form for k in chosen.tolist() if (form := _form(types[k])) is not None]
    buffers, regular = _read(items, _rows_of(exploded.items, chosen), forms)
    here = None if present is None else present if present.ndim == 1 else present[chosen]
    if here is not None:
        regular |= ~here
    shared = bitmap(here) if here is not None and here.ndim == 1 else None
    done: dict[int, Decoded] = {}
    for at in np.flatnonzero(regular.all(axis=1)).tolist():
        bits = bitmap(here[at]) if here is not None and here.ndim == 2 else shared
        k = int(chosen[at])
        done[k] = Decoded(pa.Array.from_buffers(arrow_type(types[k]), rows, [bits, buffers[at]]), None)
    return done


def _read(items: Items, some: Index, forms: list[Form]) -> tuple[list[pa.Buffer], Mask]:
    if is_available():
        return read_bounds(items.bytes, items.offsets, some, forms)
    (width,) = {form.width for form in forms}
    matrix = items.read(items.offsets.take(some), f"<i{width}")
    buffer, size = pa.py_buffer(matrix), some.shape[1] * width
    return [buffer.slice(at * size, size) for at in range(len(some))], items.lengths.take(some) == width


def _rows_of(matrix: Index, chosen: Index) -> Index:
    return matrix if len(chosen) == len(matrix) else matrix[chosen]


def _batch_strings(items: Items, exploded: KeyMatrix, types: list[Primitive]) -> dict[int, Decoded]:
    chosen = [k for k, of in enumerate(types) if of.kind is Kind.STRING]
    if not chosen:
        return {}
    some = exploded.items[chosen]
    here = exploded.present
    if here is not None:
        here = np.broadcast_to(here, exploded.items.shape)[chosen].ravel()
    try:
        texts = pick(items, some.ravel(), here).cast(pa.string())
    except pa.ArrowException:
        # A value is not UTF-8, or the result is larger than an Arrow array: decode the columns one by one.
        return {}
    rows = some.shape[1]
    return {k: Decoded(texts.slice(at * rows, rows), None) for at, k in enumerate(chosen)}
