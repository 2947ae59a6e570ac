"""JSON texts of a column's values, as pieces until they are joined row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import SegmentCorrupt
from lakemuster.wire.json_kernel.columns import JsonTexts, KernelColumn, RowPart, Strings
from lakemuster.wire.json_kernel.native import is_available, join_native


@dataclass(frozen=True, slots=True)
class ColumnTexts:
    """A column's values as JSON texts.

    Attributes:
        column: null where the value is null; None if all values are null, or ``parts`` holds the texts.
        parts: the pieces to join to get the texts, if no value is null; nested values then need no
            copy of their own.
        rows: the number of values in ``parts``.
    """

    column: KernelColumn | None
    parts: Sequence[RowPart] | None = None
    rows: int = 0

    @classmethod
    def same(cls, text: str, rows: int) -> ColumnTexts:
        """Return one text for all values, which :func:`merged` joins with neighbouring constant pieces."""
        return cls(None, parts=(text,), rows=rows)

    @property
    def all_null(self) -> bool:
        """Whether all values are null."""
        return self.column is None and self.parts is None

    @property
    def any_null(self) -> bool:
        """Whether some value is null."""
        return self.parts is None and (self.column is None or bool(self.column.array.null_count))

    def pieces(self) -> Sequence[RowPart]:
        """Return the pieces to join to get the texts; nulls become ``null``."""
        if self.parts is not None:
            return self.parts
        return ("null",) if self.column is None else (self.column,)

    def whole(self) -> pa.Array:
        """Return the complete texts; nulls stay null. Not for values that are all null."""
        if self.parts is not None:
            return join(self.parts, self.rows)
        assert self.column is not None
        return self.column.whole()


def join(pieces: Sequence[RowPart], rows: int) -> pa.Array:
    """Concatenate texts row by row; nulls of columns become ``null``.

    Raises:
        SegmentCorrupt: texts of a column are not UTF-8, or exceed it.
    """
    found = merged(pieces)
    if len(found) == 1 and isinstance(found[0], pa.Array):
        return found[0]
    return join_native(found, rows) if is_available() else join_plain(found, rows)


def merged(pieces: Sequence[RowPart]) -> list[RowPart]:
    """Validate pieces for joining, and merge adjacent constant texts.

    Raises:
        SegmentCorrupt: texts of a column are not UTF-8, or exceed it.
    """
    found: list[RowPart] = []
    for piece in pieces:
        if not isinstance(piece, str):
            _check(piece)
            found.append(piece)
        elif found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def _check(piece: pa.Array | KernelColumn) -> None:
    """Validate the input of a join, which is smaller than its result."""
    texts = piece.array if isinstance(piece, Strings | JsonTexts) else piece
    if isinstance(texts, pa.Array):
        try:
            texts.validate(full=True)
        except pa.ArrowInvalid as cause:
            raise SegmentCorrupt("a text column does not hold UTF-8") from cause


def join_plain(pieces: Sequence[RowPart], rows: int) -> pa.Array:
    """Like :func:`join`, with Arrow's functions: the fallback without the compiled kernel."""
    found = [pc.fill_null(piece.whole(), "null") if isinstance(piece, KernelColumn) else piece for piece in pieces]
    if len(found) == 1:
        return pa.repeat(pa.scalar(found[0]), rows) if isinstance(found[0], str) else found[0]
    return pc.binary_join_element_wise(*(pa.scalar(one) if isinstance(one, str) else one for one in found), "")


def data(texts: pa.StringArray) -> memoryview:
    """Return the bytes of all texts, concatenated, without a copy."""
    _, offsets, values = texts.buffers()
    bounds = memoryview(offsets).cast("i")
    first, last = bounds[texts.offset], bounds[texts.offset + len(texts)]
    return memoryview(values).cast("B")[first:last]
