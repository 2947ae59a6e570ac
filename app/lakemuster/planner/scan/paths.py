"""Find the entries that list a file, by its location: each pack has a sorted array of hashes of locations.

A key is a 64-bit hash of a location's last bytes and its length. Its low bits are replaced by the entry's number in the
pack, so that both sort as one word. Locations nearly always have different keys; a hit is confirmed by comparing the
recorded location. A bitmap of key prefixes rules out most packs that do not have a key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.index import Index
from lakemuster.planner.columns import single_array
from lakemuster.planner.scan.packs import Pack, pack_cache
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.spec_index import SpecIndex
from lakemuster.storage.locations import Rewrites

_TAIL = 96
"""Bytes at the end of a location that its key hashes; shorter locations are padded with zeros in front."""
_ODD: NDArray[np.uint64] = np.random.default_rng(0).integers(0, 1 << 63, _TAIL // 8 + 1, np.uint64) * np.uint64(
    2
) + np.uint64(1)
_ALL = 2**64 - 1
_HALF = 32
_AT_ONCE = 1 << 14
"""Locations whose ends are copied at once: they must fit a core's cache."""

_BITS = 16
"""Bits of the bitmap per key: about one in sixteen packs without a key has its bit set."""


class PathKeys(NamedTuple):
    """The sorted keys of a pack's locations, and a bitmap of their prefixes.

    Attributes:
        sorted: (N,) keys, ascending; the low ``cut`` bits of each hold the entry's number in the pack.
        cut: number of replaced low bits of a key.
        bits: a bit for each prefix, set where a key has it.
        shift: number of bits to shift a key to the right for its prefix.
    """

    sorted: NDArray[np.uint64]
    cut: int
    bits: bytes
    shift: int

    @classmethod
    def of(cls, keys: NDArray[np.uint64]) -> PathKeys:
        """Sort keys, which are given in the order of entries."""
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
        """Return the entries with a key, in order; their keys may differ from it in the low ``cut`` bits."""
        beginning = key >> self.shift
        if not self.bits[beginning >> 3] >> (beginning & 7) & 1:
            return []
        least = key >> self.cut << self.cut
        most = least | ((1 << self.cut) - 1)
        first = int(self.sorted.searchsorted(np.uint64(least)))
        end = int(self.sorted.searchsorted(np.uint64(most), side="right"))
        return [word & (most - least) for word in self.sorted[first:end].tolist()]


def find(scan: ScanIndex, spec: SpecIndex, locations: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Find the entries of a spec's manifests that have one of these locations, as recorded or after rewrites.

    Yields:
        the location; the manifest's position in the spec; the entry's position in the manifest.
    """
    column = spec.rules.path_column
    rewrites = Rewrites(scan.view.table.rewrites)
    names: dict[str, list[str]] = {}
    for location in locations:
        for recorded in spec.rules.recorded_names(location, rewrites):
            names.setdefault(recorded, []).append(location)
    keys = {text: key_of(text) for text in names}
    for pack, first in zip(spec.packs, spec.pack_starts.tolist(), strict=False):
        for text, entry in _hits(scan.index, pack, column, keys):
            place = first + entry
            part = int(np.searchsorted(spec.part_starts, place, side="right")) - 1
            for location in names[text]:
                yield location, part, place - int(spec.part_starts[part])


def _hits(index: Index, pack: Pack, column: str, keys: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield the names that entries of a pack record, each with the entry's place in the pack."""
    known: PathKeys = pack_cache.get_or_make((pack, "paths"), lambda: _keys(index, pack, column))
    for text, key in keys.items():
        for place in known.of_key(key):
            of = int(np.searchsorted(pack.starts, place, side="right")) - 1
            row = place - int(pack.starts[of])
            recorded = index.segments.open(pack.segments[of]).rows(row, row + 1, [column]).column(0)[0].as_py()
            if recorded == text:
                yield text, place


def _keys(index: Index, pack: Pack, column: str) -> PathKeys:
    parts = [keys_of(single_array(index.segments.open(name).table([column]).column(0))) for name in pack.segments]
    return PathKeys.of(np.concatenate([np.zeros(0, np.uint64), *parts]))


def key_of(text: str) -> int:
    """Return the key of one text, the same as :func:`keys_of` returns."""
    data = text.encode()
    words = np.frombuffer(data[-_TAIL:].rjust(_TAIL, b"\0"), "<u8").tolist()
    found: int = sum(word * odd for word, odd in zip([*words, len(data)], _ODD.tolist(), strict=True)) & _ALL
    return (found ^ found >> _HALF) * _ODD.item(0) & _ALL


def keys_of(texts: pa.Array) -> NDArray[np.uint64]:
    """Return the (N,) keys of texts: hashes of their last bytes and their lengths."""
    texts = texts.cast(pa.large_string())
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    first, last = int(ends[0]), int(ends[-1])
    # The bytes in front of a short text belong to the text before it: they are copied too, and zeroed below.
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
