"""Put texts in order: numbers that are less for lesser texts, and equal for equal texts only.

Pure. Texts are compared by their bytes, eight at a time as one 64-bit number. Most differ within the first eight bytes
after those that all have in common; only the others are compared further.
"""

from __future__ import annotations

from itertools import takewhile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.planner.columns import single_array

Ranks = NDArray[np.int64]
Words = NDArray[np.uint64]
Lengths = NDArray[np.uint8]

_WORD = 8
"""Bytes of a text that one number holds."""
_KEPT = np.array([0, *(2**64 - (1 << 64 - 8 * n) for n in range(1, _WORD + 1)), 2**64 - 1], np.uint64)
"""The bits of a word that belong to a text, by its length."""
_MOST_ALIKE = 16
"""From this many texts per distinct first word on, ranking the distinct texts is faster than sorting all."""


def text_ranks(texts: pa.ChunkedArray) -> Ranks:
    """Return (N,) numbers in the order of binary texts, shared by equal ones only; 0 for null."""
    if not texts.null_count:
        return _ranks(texts)
    ranks = np.zeros(len(texts), np.int64)
    ranks[texts.is_valid().to_numpy()] = _ranks(texts.drop_null())
    return ranks


def _ranks(texts: pa.ChunkedArray) -> Ranks:
    """Return (N,) numbers in the order of texts, none of them null, shared by equal ones only."""
    skipped = _common_prefix(texts)
    words, lengths = _words(texts, skipped)
    order = words.argsort()
    words = words[order]
    is_new = np.concatenate([[True], words[1:] != words[:-1]])[: len(words)]
    if _MOST_ALIKE * int(is_new.sum()) < len(words):
        return ranks_of_distinct(texts)
    shared = np.flatnonzero(_shared(is_new))
    while len(shared):
        skipped += _WORD
        runs, places = is_new[shared].cumsum(), order[shared]
        words, next_lengths = _words(texts.take(pa.array(places)), skipped)
        # A text that ends within the former word precedes all longer ones, which have zeros there.
        within = np.lexsort((words, lengths[places], runs))
        order[shared] = places = places[within]
        words, ending = words[within], lengths[places]
        is_new[shared[1:]] = (runs[1:] != runs[:-1]) | (words[1:] != words[:-1]) | (ending[1:] != ending[:-1])
        lengths[places] = next_lengths[within]
        shared = shared[_shared(is_new[shared]) & (ending > _WORD)]
    ranks = np.empty(len(order), np.int64)
    ranks[order] = is_new.cumsum()
    return ranks


def ranks_of_distinct(values: pa.ChunkedArray) -> Ranks:
    """Return the dense ranks of values of any type, which equal values share; 0 for null."""
    if not len(values):
        return np.zeros(0, np.int64)
    encoded = single_array(values.dictionary_encode())
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    ranks = np.zeros(len(order) + 1, np.int64)
    ranks[order] = np.arange(len(order))
    places = encoded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return np.asarray(ranks[places])


def _common_prefix(texts: pa.ChunkedArray) -> int:
    """Return the length in bytes of the prefix that all texts share."""
    ends = [end.as_py() for end in pc.min_max(texts).values() if end.is_valid]
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*ends, strict=False)))


def _words(texts: pa.ChunkedArray, skipped: int) -> tuple[Words, Lengths]:
    """Return (N,) the eight bytes of texts after the first ``skipped`` as numbers, zeros where a text ends before.

    The second array tells how many bytes the texts have after the first ``skipped``; 9 for all that have more than 8.
    """
    found = [(np.zeros(0, np.uint64), np.zeros(0, np.uint8))]
    for chunk in filter(len, texts.chunks):  # an array without rows may lack offsets
        _, offsets, data = chunk.buffers()
        ends = np.frombuffer(offsets, np.int32, len(chunk) + 1, chunk.offset * 4).astype(np.int64)
        used = b"" if data is None else memoryview(data)[ends[0] : ends[-1]]
        padded = np.zeros(len(used) + _WORD, np.uint8)
        padded[: len(used)] = np.frombuffer(used, np.uint8)
        windows = np.lib.stride_tricks.as_strided(padded, (len(used) + 1, _WORD), (1, 1))
        ends -= ends[0]
        starts = np.minimum(ends[:-1] + skipped, ends[1:])
        lengths = np.minimum(ends[1:] - starts, _WORD + 1)
        words = np.ascontiguousarray(windows[starts]).view(">u8").ravel().astype(np.uint64)
        found.append((words & _KEPT[lengths], lengths.astype(np.uint8)))
    all_words, all_lengths = zip(*found, strict=True)
    return np.concatenate(all_words), np.concatenate(all_lengths)


def _shared(is_new: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the sorted values that are equal to the one before or after them."""
    alike = ~is_new
    alike[:-1] |= ~is_new[1:]
    return alike
