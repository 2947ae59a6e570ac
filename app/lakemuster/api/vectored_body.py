"""Response bodies as several buffers, which a server may send with one vectored write, without joining them.

An ASGI extension of ours: a server that names :data:`VECTORED` in a scope's ``extensions`` takes a
:class:`VectoredBody` as the ``body`` of ``http.response.body``. Other servers get bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import pyarrow as pa

VECTORED = "lakemuster.pieces"

Piece: TypeAlias = bytes | memoryview | pa.Buffer
"""Bytes in a row."""

Part: TypeAlias = "Piece | VectoredBody"
"""One piece, or several."""


class VectoredBody:
    """A part of a body; its length is in bytes.

    Args:
        length: of all pieces, where it is known: to ask each takes its time.
    """

    __slots__ = ("_bytes", "pieces")

    def __init__(self, pieces: Sequence[Piece], length: int | None = None) -> None:
        self.pieces = pieces
        self._bytes = sum(map(len, pieces)) if length is None else length

    @classmethod
    def of(cls, parts: Sequence[Part]) -> VectoredBody:
        """Parts of a body, one behind the other."""
        pieces: list[Piece] = []
        for part in parts:
            pieces += part.pieces if isinstance(part, VectoredBody) else (part,)
        return cls(pieces, sum(map(len, parts)))

    def __len__(self) -> int:
        return self._bytes

    def joined(self) -> bytes:
        """All in one row."""
        return b"".join(self.pieces)
