"""Response bodies as several buffers, which a server can send in one vectored write without joining them.

This is an ASGI extension of Lakemuster: a server with :data:`VECTORED` in a scope's ``extensions`` accepts a
:class:`VectoredBody` as the ``body`` of ``http.response.body``. Other servers get bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import pyarrow as pa

VECTORED = "lakemuster.buffers"

Buffer: TypeAlias = bytes | memoryview | pa.Buffer
"""A contiguous buffer."""

Part: TypeAlias = "Buffer | VectoredBody"
"""One buffer, or several."""


class VectoredBody:
    """A part of a body as several buffers; its length is in bytes.

    Args:
        length: total length of the buffers, if known, to avoid summing.
    """

    __slots__ = ("_bytes", "buffers")

    def __init__(self, buffers: Sequence[Buffer], length: int | None = None) -> None:
        self.buffers = buffers
        self._bytes = sum(map(len, buffers)) if length is None else length

    @classmethod
    def of(cls, parts: Sequence[Part]) -> VectoredBody:
        """Concatenate parts of a body without copying them."""
        buffers: list[Buffer] = []
        for part in parts:
            buffers += part.buffers if isinstance(part, VectoredBody) else (part,)
        return cls(buffers, sum(map(len, parts)))

    def __len__(self) -> int:
        return self._bytes

    def joined(self) -> bytes:
        """Return the buffers as one bytes object."""
        return b"".join(self.buffers)
