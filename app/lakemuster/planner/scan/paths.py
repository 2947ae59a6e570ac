"""Where a file is listed, by its location: keys of the locations of packs, sorted, are searched, and hits compared.

A key is 64 bits of the end of a location, of which some make room for the entry's number, so that both are sorted as
one word. Files have names of their own almost always, and those that share a key are told apart by what is recorded.
Most packs that do not have a key are passed over by a bit for its beginning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index import Index
from lakemuster.planner.columns import flat
from lakemuster.planner.scan.packs import Pack, kept
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.storage.locations import Rewrites

_TAIL = 96
"""Bytes at the end of a location that its key is of; of shorter ones all, and zeros before them."""
_ODD: NDArray[np.uint64] = np.random.default_rng(0).integers(0, 1 << 63, _TAIL // 8 + 1, np.uint64) * np.uint64(
    2
) + np.uint64(1)
_ALL = 2**64 - 1
_HALF = 32
_AT_ONCE = 1 << 14
"""Locations whose ends are copied together: what fits near a core."""

_BITS = 16
"""For each key: of sixteen packs without a key, one has its bit."""


class Keys(NamedTuple):
    """The keys of a pack's locations.

    Attributes:
        sorted: (N,) keys, each with the number of the pack's entry that it is of instead of its end.
        cut: how many bits of a key are cut off.
        bits: a bit for each beginning of a key, set where there is one.
        shift: what is cut off of a key to have its beginning.
    """

    sorted: NDArray[np.uint64]
    cut: int
    bits: bytes
    shift: int

    @classmethod
    def of(cls, keys: NDArray[np.uint64]) -> Keys:
        """Sort keys, in the order of entries."""
        cut = len(keys).bit_length()
        words = (keys >> np.uint64(cut) << np.uint64(cut)) | np.arange(len(keys), dtype=np.uint64)
        words.sort()
        length = max(3, (len(keys) * _BITS).bit_length())
        marks = np.zeros(1 << length, np.bool_)
        marks[words >> np.uint64(64 - length)] = True
        return cls(words, cut, np.packbits(marks, bitorder="little").tobytes(), 64 - length)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.sorted.nbytes + len(self.bits)

    def of_key(self, key: int) -> list[int]:
        """The entries that have a key, and perhaps some whose key only begins like it; in order."""
        beginning = key >> self.shift
        if not self.bits[beginning >> 3] >> (beginning & 7) & 1:
            return []
        least = key >> self.cut << self.cut
        most = least | ((1 << self.cut) - 1)
        first = int(self.sorted.searchsorted(np.uint64(least)))
        end = int(self.sorted.searchsorted(np.uint64(most), side="right"))
        return [word & (most - least) for word in self.sorted[first:end].tolist()]


def find(scan: ScanIndex, spec: SpecIndex, locations: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """The entries of a spec's manifests with these locations, as recorded or after rewrites.

    Yields:
        the location; the manifest's place in the spec; the entry's in the manifest.
    """
    column = "file_path" if scan.view.table.format == "iceberg" else "file_name"
    rewrites = Rewrites(scan.view.table.rewrites)
    names: dict[str, list[str]] = {}
    for location in locations:
        for recorded in rewrites.before(location) if column == "file_path" else (location.rsplit("/", 1)[-1],):
            names.setdefault(recorded, []).append(location)
    keys = {text: key_of(text) for text in names}
    for pack, first in zip(spec.packs, spec.pack_starts.tolist(), strict=False):
        for text, entry in _hits(scan.index, pack, column, keys):
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
    words = np.frombuffer(data[-_TAIL:].rjust(_TAIL, b"\0"), "<u8").tolist()
    found: int = sum(word * odd for word, odd in zip([*words, len(data)], _ODD.tolist(), strict=True)) & _ALL
    return (found ^ found >> _HALF) * _ODD.item(0) & _ALL


def keys_of(texts: pa.Array) -> NDArray[np.uint64]:
    """(N,) keys of texts, of their last bytes and their lengths."""
    texts = texts.cast(pa.large_string())
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    first, last = int(ends[0]), int(ends[-1])
    # What is before a text is another's, or nothing: it must be there to be copied, and is made zeros then.
    padded = np.zeros(last - first + _TAIL, np.uint8)
    if data is not None:
        padded[_TAIL:] = np.frombuffer(data, np.uint8)[first:last]
    tails = np.ndarray(last - first + 1, f"V{_TAIL}", padded, strides=(1,))
    stops, lengths = ends[1:] - first, np.diff(ends)
    found: NDArray[np.uint64] = lengths.astype(np.uint64) * _ODD[-1]
    for start in range(0, len(texts), _AT_ONCE):
        own = tails[stops[start : start + _AT_ONCE]].view(np.uint8).reshape(-1, _TAIL)
        short = np.flatnonzero(lengths[start : start + _AT_ONCE] < _TAIL)
        own[short] *= np.arange(_TAIL) >= _TAIL - lengths[start + short, None]
        found[start : start + _AT_ONCE] += own.view("<u8") @ _ODD[:-1]
    return np.asarray((found ^ found >> np.uint64(_HALF)) * _ODD[0])
