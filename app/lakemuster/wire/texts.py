"""JSON texts of a column's values, in pieces until they are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

Piece: TypeAlias = str | pa.Array
"""A text that stands in every row, or one for each row; arrays hold no nulls."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A column's values as JSON texts: an array of them, null where the value is null.

    Attributes:
        array: None when every value is null, or none is and ``parts`` holds them.
        quoted: quotation marks are still to be put around each text of ``array``.
        parts: what to join to get the texts of values of which none is null; nested values need no
            copy of their own then.
        rows: how many values.
    """

    array: pa.Array | None
    quoted: bool = False
    parts: Sequence[Piece] | None = None
    rows: int = 0

    @classmethod
    def same(cls, text: str, rows: int) -> Texts:
        """One text for all values: joined as a part of its neighbours."""
        return cls(None, parts=(text,), rows=rows)

    @property
    def all_null(self) -> bool:
        """Whether there is no value at all."""
        return self.array is None and self.parts is None

    @property
    def any_null(self) -> bool:
        """Whether some value is null."""
        return self.parts is None and (self.array is None or bool(self.array.null_count))

    def pieces(self) -> Sequence[Piece]:
        """What to join to get the texts, ``null`` standing for nulls."""
        if self.parts is not None:
            return self.parts
        if self.array is None:
            return ("null",)
        if self.array.null_count:
            return (pc.fill_null(self.whole(), "null"),)
        return ('"', self.array, '"') if self.quoted else (self.array,)

    def whole(self) -> pa.Array:
        """The complete texts, nulls kept; not of values that are all null."""
        if self.parts is not None:
            return join(self.parts, self.rows)
        return quote(self.array) if self.quoted else self.array


def quote(array: pa.Array) -> pa.Array:
    """Texts in quotation marks."""
    return pc.binary_join_element_wise('"', array, '"', "")


def join(pieces: Sequence[Piece], rows: int) -> pa.Array:
    """Concatenate texts row by row."""
    merged: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    if len(merged) == 1:
        return pa.repeat(pa.scalar(merged[0]), rows) if isinstance(merged[0], str) else merged[0]
    return pc.binary_join_element_wise(*(pa.scalar(p) if isinstance(p, str) else p for p in merged), "")


def only_where(array: pa.Array, texts: pa.Array) -> pa.Array:
    """Texts, null where ``array`` is."""
    return texts if array.null_count == 0 else pc.if_else(array.is_valid(), texts, pa.scalar(None, pa.string()))


def data(texts: pa.StringArray) -> memoryview:
    """The bytes of all texts, one after the other; no copy.

    Raises:
        pa.ArrowInvalid: they are not UTF-8.
    """
    texts.validate(full=True)
    _, offsets, values = texts.buffers()
    bounds = memoryview(offsets).cast("i")
    first, last = bounds[texts.offset], bounds[texts.offset + len(texts)]
    return memoryview(values).cast("B")[first:last]
