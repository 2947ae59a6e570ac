"""Convert pieces of rows to the kernel's input arrays; a column is converted once, its rows may be written often."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import SegmentCorrupt
from lakemuster.metadata.numbers import number_type
from lakemuster.wire.json_kernel import kernel
from lakemuster.wire.json_kernel.columns import Dates, Integers, JsonTexts, KernelColumn, Lists, RowPart, Strings

FEW = 64
"""Up to this many scattered rows, Python gathers values faster than Arrow."""

RowSelection: TypeAlias = slice | NDArray[np.int64]
"""Selected rows: a range, or ascending row numbers."""
Flags = NDArray[np.uint8]


class Constant(NamedTuple):
    """The same text in every row."""

    text: bytes


class NumberInput(NamedTuple):
    """(N,) integers or days; ``flags`` are 0 for null, None if there are no nulls."""

    kind: np.uint64
    quoted_from: int
    numbers: NDArray[np.int64]
    flags: Flags | None


class TextInput(NamedTuple):
    """N texts in ``octets``, delimited by ``bounds``."""

    kind: np.uint64
    bounds: NDArray[np.int32]
    octets: bytes | memoryview
    flags: Flags | None
    piece: KernelColumn | pa.Array


class ListInput(NamedTuple):
    """N lists in ``numbers``, delimited by ``bounds``."""

    bounds: NDArray[np.int32]
    numbers: NDArray[np.int64]
    flags: Flags | None
    piece: Lists


Input: TypeAlias = Constant | NumberInput | TextInput | ListInput


def input_of(piece: RowPart) -> Input:
    """Convert a piece to the kernel's input."""
    if isinstance(piece, str):
        return Constant(piece.encode())
    if isinstance(piece, Integers) and not pa.types.is_uint64(piece.array.type):
        return NumberInput(kernel.INTEGER, piece.quoted_from, _numbers_of(piece.array), _flags_of(piece.array))
    if isinstance(piece, Dates) and piece.is_usual:
        return NumberInput(kernel.DATE, 0, _numbers_of(piece.array.view(pa.int32())), _flags_of(piece.array))
    if isinstance(piece, Lists) and piece.array.values.null_count == 0:
        return ListInput(_bounds_of(piece.array), _numbers_of(piece.array.values), _flags_of(piece.array), piece)
    if isinstance(piece, Strings):
        return _texts_of(kernel.ESCAPED, piece.array, piece)
    if isinstance(piece, JsonTexts):
        return _texts_of(kernel.QUOTED if piece.quoted else kernel.TEXT, piece.array, piece)
    whole = piece.whole() if isinstance(piece, KernelColumn) else piece
    return _texts_of(kernel.TEXT, whole, whole)


def own_bytes(given: Input, shared: Collection[int]) -> int:
    """Return the bytes that an input retains, except buffers (by address) in ``shared``, which are retained anyway."""
    if isinstance(given, Constant):
        return len(given.text)
    size = 0 if given.flags is None else given.flags.nbytes
    if isinstance(given, NumberInput):
        return size + (given.numbers.nbytes if given.numbers.flags.owndata else 0)
    array = given.piece.array if isinstance(given.piece, KernelColumn) else given.piece
    for buffer in array.buffers():
        size += buffer.size if buffer and buffer.address not in shared else 0
    return size


def _texts_of(kind: np.uint64, array: pa.StringArray, piece: KernelColumn | pa.Array) -> TextInput:
    octets = array.buffers()[2]
    return TextInput(kind, _bounds_of(array), b"" if octets is None else memoryview(octets), _flags_of(array), piece)


def _bounds_of(array: pa.Array) -> NDArray[np.int32]:
    return np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]


def _numbers_of(array: pa.Array) -> NDArray[np.int64]:
    """Return the values as 64-bit signed integers; arbitrary where null."""
    every = np.frombuffer(array.buffers()[1] or b"", number_type(array.type))
    return every[array.offset : array.offset + len(array)].astype(np.int64, copy=False)


def _flags_of(array: pa.Array) -> Flags | None:
    if not array.null_count:
        return None
    bits = np.frombuffer(array.buffers()[0], np.uint8)
    skipped = array.offset % 8
    return np.unpackbits(bits[array.offset // 8 :], count=skipped + len(array), bitorder="little")[skipped:]


@dataclass
class KernelInput:
    """The kernel's input for some rows, collected piece by piece.

    Attributes:
        rows: the number of rows to write.
        room: an upper limit of the bytes that the rows take.
    """

    rows: int
    room: int = kernel.WIDEST

    def __post_init__(self) -> None:
        self._texts: list[bytes | memoryview] = []
        self._words: list[NDArray[np.uint64]] = []
        self._flags: list[Flags] = []
        self._operations: list[tuple[np.uint64 | int, int, int, int]] = []
        self._bytes = self._numbers = self._marks = 0

    @property
    def arrays(self) -> tuple[Flags, NDArray[np.uint64], Flags, NDArray[np.uint64]]:
        """Texts, numbers, flags and operations."""
        texts = np.frombuffer(b"".join(self._texts), np.uint8)
        words = np.concatenate(self._words) if self._words else _NO_WORDS
        flags = np.concatenate(self._flags) if self._flags else _NO_FLAGS
        return texts, words, flags, np.array(self._operations, np.uint64).reshape(-1, 4)

    def add(self, given: Input, chosen: RowSelection) -> None:
        """Add the chosen rows of one more piece; as many as the input has.

        Raises:
            SegmentCorrupt: lists or texts exceed their column.
        """
        if isinstance(given, Constant):
            self._operate(kernel.CONSTANT, self._bytes, None, chosen, self._bytes + len(given.text))
            self._text(given.text)
            self.room += len(given.text) * self.rows
        elif isinstance(given, NumberInput):
            self._operate(given.kind, self._numbers, given.flags, chosen, given.quoted_from)
            self._number(given.numbers[chosen])
            self.room += kernel.WIDEST * self.rows
        elif isinstance(chosen, np.ndarray) and len(chosen) > FEW:
            self.add(input_of(_taken(given.piece, chosen)), slice(0, len(chosen)))
        elif isinstance(given, TextInput):
            parts, bounds = _of_texts(given, chosen)
            size = int(bounds[-1])
            self._operate(given.kind, self._numbers, given.flags, chosen, 0)
            self._number(bounds + self._bytes)
            self._texts += parts
            self._bytes += size
            self.room += (kernel.MOST_ESCAPED if given.kind == kernel.ESCAPED else 1) * size + 2 * self.rows
        else:
            lists, bounds = _of_lists(given, chosen)
            size = int(bounds[-1])
            self._operate(kernel.INTEGERS, self._numbers, given.flags, chosen, given.piece.quoted_from)
            self._number(bounds + (self._numbers + self.rows + 1))
            for numbers in lists:
                self._number(numbers)
            self.room += (kernel.WIDEST + 1) * size + 2 * self.rows

    def _operate(self, kind: np.uint64, first: int, flags: Flags | None, chosen: RowSelection, last: int) -> None:
        own = None if flags is None else flags[chosen]
        self._operations.append((kind, first, 0 if own is None else self._marks + 1, last))
        if own is not None:
            self._flags.append(own)
            self._marks += self.rows
            self.room += 4 * self.rows

    def _number(self, numbers: NDArray[np.int64]) -> None:
        self._words.append(numbers.view(np.uint64))
        self._numbers += len(numbers)

    def _text(self, text: bytes | memoryview) -> None:
        self._texts.append(text)
        self._bytes += len(text)


_NO_WORDS, _NO_FLAGS = np.empty(0, np.uint64), np.empty(0, np.uint8)


def _of_texts(given: TextInput, chosen: RowSelection) -> tuple[list[bytes | memoryview], NDArray[np.int64]]:
    """Return the chosen texts and their bounds, from 0."""
    starts, bounds = _edges(given.bounds, chosen, len(given.octets))
    octets = given.octets
    if isinstance(chosen, slice):
        first = int(starts[0]) if len(starts) else 0
        return [octets[first : first + int(bounds[-1])]], bounds
    return [octets[at : at + size] for at, size in zip(starts.tolist(), np.diff(bounds).tolist(), strict=True)], bounds


def _of_lists(given: ListInput, chosen: RowSelection) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    starts, bounds = _edges(given.bounds, chosen, len(given.numbers))
    numbers = given.numbers
    if isinstance(chosen, slice):
        first = int(starts[0]) if len(starts) else 0
        return [numbers[first : first + int(bounds[-1])]], bounds
    return [numbers[at : at + size] for at, size in zip(starts.tolist(), np.diff(bounds).tolist(), strict=True)], bounds


def _edges(ends: NDArray[np.int32], chosen: RowSelection, size: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return where each chosen item starts in the column, and the items' bounds when concatenated, from 0."""
    if isinstance(chosen, slice):
        own = ends[chosen.start : chosen.stop + 1]
        starts, bounds = own[:-1], own.astype(np.int64) - int(own[0])
        lowest, highest = int(own[0]), int(own[-1])
    else:
        starts, stops = ends[chosen], ends[chosen + 1]
        bounds = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(stops - starts, out=bounds[1:])
        lowest, highest = int(starts.min(initial=0)), int(stops.max(initial=0))
        if len(chosen) and (stops < starts).any():
            raise SegmentCorrupt("texts exceed their column")
    if lowest < 0 or highest < lowest or highest > size:
        raise SegmentCorrupt("texts exceed their column")
    return starts, bounds


def _taken(piece: KernelColumn | pa.Array, rows: NDArray[np.int64]) -> RowPart:
    places = pa.array(rows)
    return replace(piece, array=piece.array.take(places)) if isinstance(piece, KernelColumn) else piece.take(places)
