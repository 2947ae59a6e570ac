"""Look up the data files that delete files reference, by path; a hash of a path's end rules out most others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import repeat

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

TAIL = 64
"""Bytes at the end of a path that are hashed: names of one write may differ only before an id that they share."""

_WORD = 8
_SLOTS = 16
"""Hash slots for each path."""
_AT_ONCE = 1 << 16
_BACK = np.arange(_WORD, TAIL + 1, _WORD, dtype=np.int64)
_ODD = np.random.default_rng(0).integers(0, 1 << 63, len(_BACK), np.uint64) * np.uint64(2) + np.uint64(1)


@dataclass(frozen=True, slots=True)
class KnownPaths:
    """Distinct paths, numbered from 0."""

    _numbers: dict[str, int]
    _taken: Mask

    @classmethod
    def of(cls, paths: pa.StringArray) -> KnownPaths:
        """Number distinct paths in the order given."""
        taken = np.zeros(1 << max(10, (len(paths) * _SLOTS).bit_length()), np.bool_)
        taken[0] = True
        for start in range(0, len(paths), _AT_ONCE):
            taken[_slots(paths.slice(start, _AT_ONCE), len(taken))] = True
        return cls({path: number for number, path in enumerate(paths.to_pylist())}, taken)

    def numbers(self, locations: pa.StringArray) -> Numbers:
        """Return each path's number (N,); -1 for an unknown path."""
        found = np.full(len(locations), -1, np.int64)
        some = np.flatnonzero(self._taken[_slots(locations, len(self._taken))]) if self._numbers else ()
        if len(some):
            chosen = locations.take(pa.array(some)).to_pylist()
            found[some] = np.fromiter(map(self._numbers.get, chosen, repeat(-1)), np.int64, len(some))
        return found


def _slots(paths: pa.StringArray, count: int) -> NDArray[np.uint64]:
    """Hash each path to a slot below ``count``, a power of two; paths shorter than ``TAIL`` get slot 0."""
    _, offsets, data = paths.buffers()
    ends = np.frombuffer(offsets, np.int32, len(paths) + 1, paths.offset * 4).astype(np.int64)
    slots = np.zeros(len(paths), np.uint64)
    if len(long := np.flatnonzero(np.diff(ends) >= TAIL)):
        # The eight bytes that begin at each position, as one number.
        words = np.ndarray(data.size - _WORD + 1, "<u8", data, strides=(1,))
        slots[long] = (words[ends[1:][long, None] - _BACK] @ _ODD) >> np.uint64(65 - count.bit_length())
    return slots
