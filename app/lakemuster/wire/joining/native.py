"""Pieces of rows to JSON text by machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import SegmentCorrupt
from lakemuster.kernels.loading import Kernel
from lakemuster.wire.joining import kernel
from lakemuster.wire.joining.columns import Column, Dates, Integers, Lists, Piece, Ready, Strings

run_compiled = Kernel(kernel.join)
is_available = run_compiled.is_available
"""Whether this process can join with the kernel; loads it."""


def join_native(pieces: Sequence[Piece], rows: int, run: Callable[..., int] = run_compiled) -> pa.StringArray:
    """The pieces' texts, row by row.

    Args:
        pieces: columns of ``rows`` values each, and what stands in every row.
        run: the kernel to use.

    Raises:
        SegmentCorrupt: texts do not lie within their column.
        pa.ArrowCapacityError: they are more than one Arrow array holds.
    """
    made = _Inputs(rows)
    for piece in pieces:
        made.add(piece)
    if made.room >= 2**31:
        raise pa.ArrowCapacityError("texts of more than 2 GiB")
    octets, ends = np.empty(made.room, np.uint8), np.empty(rows + 1, np.uint32)
    texts = np.frombuffer(b"".join(made.texts), np.uint8)
    words = np.concatenate(made.words) if made.words else _NO_WORDS
    flags = np.concatenate(made.flags) if made.flags else _NO_FLAGS
    program = np.array(made.program, np.uint64).reshape(-1, 4)
    if run(texts, words, flags, program, np.uint64(rows), octets, ends) != kernel.DONE:
        raise SegmentCorrupt("texts do not lie within their column")
    return pa.StringArray.from_buffers(rows, pa.py_buffer(ends), pa.py_buffer(octets))


_NO_WORDS, _NO_FLAGS = np.empty(0, np.uint64), np.empty(0, np.uint8)


class _Inputs:
    """What the kernel reads, gathered piece by piece.

    Attributes:
        room: bytes that the rows may take.
    """

    def __init__(self, rows: int) -> None:
        self.texts: list[bytes | memoryview] = []
        self.words: list[NDArray[np.uint64]] = []
        self.flags: list[NDArray[np.uint8]] = []
        self.program: list[tuple[int, int, int, int]] = []
        self.room = kernel.WIDEST
        self._rows = rows
        self._bytes = self._numbers = self._marks = 0

    def add(self, piece: Piece) -> None:
        """One more piece."""
        if isinstance(piece, str):
            text = piece.encode()
            self._operate(kernel.CONSTANT, self._bytes, 0, self._bytes + len(text))
            self._text(text)
            self.room += len(text) * self._rows
        elif isinstance(piece, Integers) and not pa.types.is_uint64(piece.array.type):
            self._operate(kernel.INTEGER, self._numbers, self._flag(piece.array), piece.quoted_from)
            self._number(_numbers_of(piece.array))
            self.room += kernel.WIDEST * self._rows
        elif isinstance(piece, Dates) and piece.is_usual:
            self._operate(kernel.DATE, self._numbers, self._flag(piece.array), 0)
            self._number(_numbers_of(piece.array.view(pa.int32())))
            self.room += kernel.WIDEST * self._rows
        elif isinstance(piece, Lists) and piece.array.values.null_count == 0:
            self._lists(piece)
        elif isinstance(piece, Strings):
            self._strings(kernel.ESCAPED, piece.array)
        elif isinstance(piece, Ready):
            self._strings(kernel.QUOTED if piece.quoted else kernel.TEXT, piece.array)
        else:
            self._strings(kernel.TEXT, piece.whole() if isinstance(piece, Column) else piece)

    def _lists(self, piece: Lists) -> None:
        array = piece.array
        offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + self._rows + 1]
        first, last = int(offsets[0]), int(offsets[-1])
        self._operate(kernel.INTEGERS, self._numbers, self._flag(array), piece.quoted_from)
        self._number(offsets.astype(np.int64) + (self._numbers + self._rows + 1 - first))
        self._number(_numbers_of(array.values.slice(first, last - first)))
        self.room += (kernel.WIDEST + 1) * (last - first) + 2 * self._rows

    def _strings(self, kind: np.uint64, array: pa.StringArray) -> None:
        _, offsets, octets = array.buffers()
        bounds = np.frombuffer(offsets, np.int32)[array.offset : array.offset + self._rows + 1]
        first, last = int(bounds[0]), int(bounds[-1])
        self._operate(kind, self._numbers, self._flag(array), 0)
        self._number(bounds.astype(np.int64) + (self._bytes - first))
        self._text(b"" if octets is None else memoryview(octets)[first:last])
        most = kernel.MOST_ESCAPED if kind == kernel.ESCAPED else 1
        self.room += most * (last - first) + 2 * self._rows

    def _flag(self, array: pa.Array) -> int:
        """Where its flags stand; 0 where none is null."""
        if not array.null_count:
            return 0
        bits = np.frombuffer(array.buffers()[0], np.uint8)
        skipped = array.offset % 8
        flags = np.unpackbits(bits[array.offset // 8 :], count=skipped + self._rows, bitorder="little")[skipped:]
        self.flags.append(flags)
        self._marks += self._rows
        self.room += 4 * self._rows
        return self._marks - self._rows + 1

    def _operate(self, kind: np.uint64, first: int, flag: int, last: int) -> None:
        self.program.append((int(kind), first, flag, last))

    def _number(self, numbers: NDArray[np.int64]) -> None:
        self.words.append(numbers.view(np.uint64))
        self._numbers += len(numbers)

    def _text(self, text: bytes | memoryview) -> None:
        self.texts.append(text)
        self._bytes += len(text)


def _numbers_of(array: pa.Array) -> NDArray[np.int64]:
    """Signed integers in one width; any number where null."""
    every = np.frombuffer(array.buffers()[1], array.type.to_pandas_dtype())
    return every[array.offset : array.offset + len(array)].astype(np.int64, copy=False)
