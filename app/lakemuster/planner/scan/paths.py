"""Where a file is listed, by its location: keys of the locations of packs, sorted, are searched, and hits compared.

A key is 64 bits of the end of a location. Files have names of their own almost always, and those that share a key
are told apart by what is recorded. Most packs that do not have a key are passed over by a bit for its beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index import Index
from lakemuster.planner.columns import flat
from lakemuster.planner.scan.outline import Outline
from lakemuster.planner.scan.packs import Pack, kept
from lakemuster.planner.scan.spec_outline import SpecOutline
from lakemuster.storage.locations import Rewrites

_WORDS = 12
"""Of eight bytes each, at the end of a location: what its key is of."""
_TAIL = 8 * _WORDS
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_ALL = 2**64 - 1

_BITS = 16
"""For each key: of sixteen packs without a key, one has its bit."""


class Keys(NamedTuple):
    """The keys of a pack's locations.

    Attributes:
        sorted: (N,).
        entries: (N,) the entry of the pack that each is of.
        bits: a bit for each beginning of a key, set where there is one.
        shift: what is cut off of a key to have its beginning.
    """

    sorted: NDArray[np.uint64]
    entries: NDArray[np.int32]
    bits: bytes
    shift: int

    @classmethod
    def of(cls, keys: NDArray[np.uint64]) -> Keys:
        """Sort keys, in the order of entries."""
        order = np.argsort(keys, kind="stable")
        length = max(3, (len(keys) * _BITS).bit_length())
        marks = np.zeros(1 << length, np.bool_)
        marks[keys >> np.uint64(64 - length)] = True
        return cls(keys[order], order.astype(np.int32), np.packbits(marks, bitorder="little").tobytes(), 64 - length)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.sorted.nbytes + self.entries.nbytes + len(self.bits)

    def of_key(self, key: int) -> list[int]:
        """The entries that have a key."""
        beginning = key >> self.shift
        if not self.bits[beginning >> 3] >> (beginning & 7) & 1:
            return []
        first, end = (int(self.sorted.searchsorted(np.uint64(key), side)) for side in ("left", "right"))
        return list(self.entries[first:end].tolist())


def find(outline: Outline, spec: SpecOutline, locations: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """The entries of a spec's manifests with these locations, as recorded or after rewrites.

    Yields:
        the location; the manifest's place in the spec; the entry's in the manifest.
    """
    column = "file_path" if outline.view.table.format == "iceberg" else "file_name"
    rewrites = Rewrites(outline.view.table.rewrites)
    names: dict[str, list[str]] = {}
    for location in locations:
        for recorded in rewrites.before(location) if column == "file_path" else (location.rsplit("/", 1)[-1],):
            names.setdefault(recorded, []).append(location)
    keys = {text: key_of(text) for text in names}
    for pack, first in zip(spec.packs, spec.pack_starts.tolist(), strict=False):
        for text, entry in _hits(outline.index, pack, column, keys):
            place = first + entry
            part = int(np.searchsorted(spec.part_starts, place, side="right")) - 1
            for location in names[text]:
                yield location, part, place - int(spec.part_starts[part])


def _hits(index: Index, pack: Pack, column: str, keys: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Entries of a pack by their recorded names."""
    known = kept((pack, "paths"), lambda: _keys(index, pack, column))
    for text, key in keys.items():
        for place in known.of_key(key):
            of = int(np.searchsorted(pack.starts, place, side="right")) - 1
            row = place - int(pack.starts[of])
            recorded = index.segments.open(pack.segments[of]).rows(row, row + 1, [column]).column(0)[0].as_py()
            if recorded == text:
                yield text, place


def _keys(index: Index, pack: Pack, column: str) -> tuple[Keys, int]:
    parts = [keys_of(flat(index.segments.open(name).table([column]).column(0))) for name in pack.segments]
    found = Keys.of(np.concatenate([np.zeros(0, np.uint64), *parts]))
    return found, found.nbytes


def key_of(text: str) -> int:
    """The key of one text, as :func:`keys_of` has it."""
    data = text.encode()
    found = len(data)
    for end in range(len(data), max(0, len(data) - _TAIL), -8):
        own = int.from_bytes(data[max(0, end - 8) : end].rjust(8, b"\0"), "little")
        mixed = (found ^ own) * int(_FACTOR) & _ALL
        found = mixed ^ (mixed >> int(_SHIFT))
    return found


def keys_of(texts: pa.Array) -> NDArray[np.uint64]:
    """(N,) keys of texts, of their last bytes and their lengths."""
    texts = texts.cast(pa.large_string())
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    first, last = int(ends[0]), int(ends[-1])
    # Bytes before a text are another's, or none: they are masked out, and must be there to be read.
    padded = np.zeros(last - first + _TAIL, np.uint8)
    if data is not None:
        padded[_TAIL:] = np.frombuffer(data, np.uint8)[first:last]
    windows = np.lib.stride_tricks.as_strided(padded, (len(padded) - 7, 8), (1, 1))
    stops, lengths = ends[1:] - first + _TAIL, np.diff(ends)
    found = lengths.astype(np.uint64)
    for word in range(_WORDS):
        held = np.clip(lengths - 8 * word, 0, 8)
        if not held.any():
            break
        own = np.ascontiguousarray(windows[stops - 8 * (word + 1)]).view("<u8").ravel() & _MASKS[held]
        mixed = (found ^ own) * _FACTOR
        found = np.where(held > 0, mixed ^ (mixed >> _SHIFT), found)
    return found


# Of the last n bytes of a word that is read as little-endian.
_MASKS = np.array([(2**64 - 1) ^ (2 ** (64 - 8 * held) - 1) for held in range(9)], np.uint64)
