"""Keyed maps: the slots of the maps' keys, and the columns that ``kernel_keyed`` writes their values to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import LimitExceeded
from lakemuster.formats.avro.native import kernel_keyed as kernel
from lakemuster.formats.avro.native.memory import ENDS, INTS, LONGS, OCTETS, Memory, Values
from lakemuster.formats.avro.native.program import KeyedMap, Path

MAX_KEYS = 50_000
"""The most distinct keys of one map in a file."""

AS_INT, AS_LONG, AS_4, AS_8, AS_BYTES = (
    int(kind) for kind in (kernel.AS_INT, kernel.AS_LONG, kernel.AS_4, kernel.AS_8, kernel.AS_BYTES)
)
_KIND_OF = {4: AS_4, 8: AS_8}
_WIDTHS = (4, 8, 4, 8)
_COLUMN_OF = np.array([INTS, LONGS, INTS, LONGS, ENDS])
_WIDER = np.array([AS_LONG, AS_LONG, AS_BYTES, AS_BYTES, AS_BYTES])
_ARROW = (pa.int32(), pa.int64(), pa.binary(4), pa.binary(8), pa.binary())
_FEW_BYTES = 16
"""Bytes of initial room for a value of any length."""

Widths = Callable[[int], int]
"""Maps a key to the expected bytes of its values, 4 or 8; to 0 when they have any length."""

FirstKind = Callable[[int], int]
"""Maps a key to the initial kind of its column."""

Columns = dict[int, pa.Array]
"""By key, its values in all rows: integers, or binaries that may have a fixed size; null in rows without the key."""


@dataclass(frozen=True, slots=True)
class Slots:
    """One slot per key of each map, in the order of the maps, and by rising zig-zag number within each.

    Attributes:
        maps: the number of each slot's map.
        keys: as zig-zag numbers.
        kinds: see ``kernel_keyed.KIND``.
        flags: whether a column of flags marks the rows that have the key.
    """

    maps: NDArray[np.int64]
    keys: NDArray[np.uint64]
    kinds: NDArray[np.int64]
    flags: NDArray[np.bool_]

    @classmethod
    def none(cls) -> Slots:
        """Return slots of no keys."""
        empty = np.zeros(0, np.int64)
        return cls(empty, empty.astype(np.uint64), empty, empty.astype(np.bool_))

    def with_keys(
        self, found: Sequence[NDArray[np.int32]], kinds: Sequence[Callable[[int], int]], *, flags: bool
    ) -> Slots:
        """Return these slots, and new ones for the keys found in each map that have none."""
        parts = [self]
        for number, keys in enumerate(found):
            some = zigzag(np.unique(keys))
            some = np.setdiff1d(some, self.keys[self.maps == number])
            of = kinds[number]
            new = np.array([of(key) for key in _keys(some).tolist()], np.int64)
            parts.append(Slots(np.full(len(some), number), some, new, np.full(len(some), flags)))
        whole = Slots(
            np.concatenate([part.maps for part in parts]),
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.kinds for part in parts]),
            np.concatenate([part.flags for part in parts]),
        )
        return whole.some(np.lexsort((whole.keys, whole.maps)))

    def fitting(self, kinds: Sequence[FirstKind]) -> Slots:
        """Return slots of the same keys with their initial kinds; a kind that is the next wider one is retained."""
        keys = _keys(self.keys).tolist()
        first = np.array([kinds[of](key) for of, key in zip(self.maps.tolist(), keys, strict=True)], np.int64)
        return Slots(self.maps, self.keys, np.where(self.kinds == _WIDER[first], self.kinds, first), self.flags)

    def some(self, chosen: NDArray[np.integer] | NDArray[np.bool_]) -> Slots:
        """Return the slots selected by an index or a mask."""
        return Slots(self.maps[chosen], self.keys[chosen], self.kinds[chosen], self.flags[chosen])


def first_kind(keyed: KeyedMap, widths: Mapping[Path, Widths]) -> FirstKind:
    """Return the function from a key of a map to the initial kind of its column."""
    if not keyed.has_blobs:
        return lambda _: AS_INT
    width_of = widths[keyed.path]
    return lambda key: _KIND_OF.get(width_of(key), AS_BYTES)


class KeyedColumns:
    """The columns of keyed maps in a ``Memory``, after ``first`` other columns, and the kernel's table of slots.

    Attributes:
        slots: the current slots.
        table: uint64 (slots and maps, 8), see ``kernel_keyed``.
        heads: the row of each map's head in ``table``.
        rows: the columns that hold one value per row.
    """

    def __init__(self, memory: Memory, first: int, maps: Sequence[KeyedMap]) -> None:
        self._memory, self._first, self._maps = memory, first, maps
        self.slots = Slots.none()
        self._arrange()

    def _arrange(self) -> None:
        slots, count = self.slots, len(self._maps)
        self.heads = np.searchsorted(slots.maps, np.arange(count)) + np.arange(count)
        self._at = np.arange(len(slots.keys)) + slots.maps + 1
        sizes = 1 + slots.flags + (slots.kinds == AS_BYTES)
        self._columns = self._first + np.cumsum(sizes) - sizes + slots.flags
        table = np.zeros((len(slots.keys) + count, 8), np.uint64)
        table[self._at, int(kernel.CODE)] = _codes_of(slots.keys.tobytes(), slots.kinds.tobytes())
        table[self._at, int(kernel.KEY)] = slots.keys
        table[self._at, int(kernel.KIND)] = slots.kinds
        table[self._at, int(kernel.COLUMN)] = self._columns
        table[self._at, int(kernel.FLAGS)] = slots.flags
        following = np.arange(1, len(table) + 1)
        following[self._lasts()] = self.heads
        table[:, int(kernel.NEXT)] = following
        self.table = table
        self.rows = np.sort(np.concatenate([self._columns, self._columns[slots.flags] - 1]))

    def _lasts(self) -> NDArray[np.int64]:
        return np.append(self.heads, len(self.slots.keys) + len(self._maps))[1:] - 1

    @property
    def many(self) -> NDArray[np.int64]:
        """The number of keys of each map."""
        return self._lasts() - self.heads

    def wider(self) -> Slots:
        """Return the slots, widened as the kernel requested in ``NEEDS``."""
        needs, slots = self.table[self._at, int(kernel.NEEDS)], self.slots
        kinds = np.where(needs & kernel.OTHER_KIND > 0, _WIDER[slots.kinds], slots.kinds)
        return Slots(slots.maps, slots.keys, kinds, slots.flags | (needs & kernel.FLAGS_TOO > 0))

    def change(self, slots: Slots, rows: int) -> None:
        """Replace the slots, and convert the columns to them.

        Args:
            slots: all current slots, which may be wider, and new ones.
            rows: the number of rows that the columns hold so far.

        Raises:
            LimitExceeded: too many keys.
        """
        held = self._held(rows) if rows else {}
        self.slots = slots
        self._arrange()
        if int(self.many.max(initial=0)) > MAX_KEYS:
            raise LimitExceeded("a map of more different keys than we decode", limit=MAX_KEYS)
        begins = self._columns - self._first
        with_bytes = slots.kinds == AS_BYTES
        kinds = np.full(int((1 + slots.flags + with_bytes).sum()), OCTETS)
        kinds[begins] = _COLUMN_OF[slots.kinds]
        room = int(self._memory.rooms[self._maps[0].columns[-1]]) if self._maps else 0
        rooms = np.full(len(kinds), room)
        rooms[begins[with_bytes] + 1] = room * _FEW_BYTES
        values: dict[int, Values] = {}
        if rows:
            for k, pair in enumerate(self._pairs()):
                column, kind = int(self._columns[k]), int(slots.kinds[k])
                kind_then, then, flags = held.get(pair) or _missing(kind, rows)
                if slots.flags[k]:
                    values[column - 1] = np.ones(rows, np.uint8) if flags is None else flags
                values |= dict(enumerate(_widened(then, kind_then, kind, flags), column))
        for column, some in values.items():
            rooms[column - self._first] = max(rooms[column - self._first], len(some))
        self._memory.replace(self._first, kinds.tolist(), rooms.tolist(), values)

    def expect(self, rows: int) -> None:
        """Reserve room for ``rows`` rows at the next change of slots; no row may have been written yet."""
        for keyed in self._maps:
            self._memory.rooms[keyed.columns[-1]] = max(rows, 1)

    def settle(self, rows: int) -> None:
        """Record how many values the columns hold."""
        self._memory.used[self.rows] = rows

    def columns(self, rows: int) -> tuple[dict[Path, Columns], Slots]:
        """Return the columns that have a value, by map and key, and their slots."""
        self.settle(rows)
        whole, (begins, sizes) = pa.py_buffer(self._memory.octets), self._memory.spans()
        found: dict[Path, Columns] = {keyed.path: {} for keyed in self._maps}
        of_map = [found[keyed.path] for keyed in self._maps]
        slots, has_values = self.slots, np.zeros(len(self.slots.keys), np.bool_)
        parts = (slots.maps, _keys(slots.keys), slots.kinds, slots.flags, self._columns)
        listed = zip(*(part.tolist() for part in parts), strict=True)
        for k, (number, key, kind, has_flags, column) in enumerate(listed):
            bits, nulls = self._validity(column - 1, rows) if has_flags else (None, 0)
            if nulls < rows:
                has_values[k] = True
                buffers = [bits, whole.slice(begins[column], sizes[column])]
                if kind == AS_BYTES:
                    buffers.append(whole.slice(begins[column + 1], sizes[column + 1]))
                of_map[number][key] = pa.Array.from_buffers(_ARROW[kind], rows, buffers, nulls)
        return found, slots.some(has_values)

    def _validity(self, column: int, rows: int) -> tuple[pa.Buffer | None, int]:
        flags = self._memory.column(column)
        nulls = rows - int(np.count_nonzero(flags))
        return (pa.py_buffer(np.packbits(flags, bitorder="little")) if nulls else None), nulls

    def _pairs(self) -> list[tuple[int, int]]:
        return list(zip(self.slots.maps.tolist(), self.slots.keys.tolist(), strict=True))

    def _held(self, rows: int) -> dict[tuple[int, int], _Held]:
        """Return the kind, the values (of bytes: the ends, then the bytes) and any flags, by map and key."""
        self.settle(rows)
        held: dict[tuple[int, int], _Held] = {}
        for k, pair in enumerate(self._pairs()):
            column, kind = int(self._columns[k]), int(self.slots.kinds[k])
            values = [self._memory.column(column + more) for more in range(1 + (kind == AS_BYTES))]
            held[pair] = kind, values, self._memory.column(column - 1) if self.slots.flags[k] else None
        return held


_Held = tuple[int, list[Values], Values | None]


def _missing(kind: int, rows: int) -> _Held:
    """Return the column of a key that no row has."""
    if kind == AS_BYTES:
        return kind, [np.zeros((rows + 1) * 4, np.uint8), np.zeros(0, np.uint8)], np.zeros(rows, np.uint8)
    return kind, [np.zeros(rows * _WIDTHS[kind], np.uint8)], np.zeros(rows, np.uint8)


def _widened(values: list[Values], kind: int, wanted: int, flags: Values | None) -> list[Values]:
    """Convert the values of a column to another kind."""
    if kind == wanted:
        return values
    if wanted == AS_LONG:
        return [values[0].view(np.int32).astype(np.int64).view(np.uint8)]
    width = _WIDTHS[kind]
    matrix = values[0].reshape(-1, width)
    ends = np.zeros(len(matrix) + 1, np.int32)
    np.cumsum(np.full(len(matrix), width) if flags is None else flags.astype(np.int32) * width, out=ends[1:])
    return [ends.view(np.uint8), (matrix if flags is None else matrix[flags > 0]).reshape(-1)]


def zigzag(keys: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return the zig-zag numbers of keys, as Avro encodes them."""
    wide = keys.astype(np.int64)
    return ((wide << 1) ^ (wide >> 31)).astype(np.uint64)


def _keys(numbers: NDArray[np.uint64]) -> NDArray[np.int64]:
    signed = numbers.astype(np.int64)
    return (signed >> 1) ^ -(signed & 1)


@lru_cache(16)
def _codes_of(keys: bytes, kinds: bytes) -> NDArray[np.uint64]:
    """Call :func:`_codes` with bytes as arguments, which can be cached: the files of a table have the same keys."""
    return _codes(np.frombuffer(keys, np.uint64), np.frombuffer(kinds, np.int64))


def _codes(numbers: NDArray[np.uint64], kinds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the ``kernel_keyed.CODE`` of each key, given its kind."""
    codes, bits = np.zeros(len(numbers), np.uint64), np.zeros(len(numbers), np.uint64)
    more = np.ones(len(numbers), np.bool_)
    for place in range(5):
        rest = numbers >> np.uint64(7 * place)
        octet = (rest & np.uint64(0x7F)) | np.where(rest > 0x7F, np.uint64(0x80), np.uint64(0))
        codes |= np.where(more, octet << np.uint64(8 * place), np.uint64(0))
        bits += np.where(more, np.uint64(8), np.uint64(0))
        more &= rest > 0x7F
    for kind, width in ((AS_4, 4), (AS_8, 8)):
        codes |= np.where(kinds == kind, np.uint64(2 * width) << bits, np.uint64(0))
        bits += np.where(kinds == kind, np.uint64(8), np.uint64(0))
    return codes | bits << np.uint64(56)
