"""How many files' bounds contain a value: the depth at which a query for one value reads a table.

Pure. The depth is exact for the bounds that files record. A missing bound is open: it contains every value on its side.
A bound that a writer cut short contains the values that it stands for: Iceberg and Paimon raise upper bounds when they
cut them, and leave out those that cannot be raised. The depth is counted at the lower bound of each file.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.bound_codes import wide_codes
from lakemuster.planner.statistics.numbers import nearest_rank

Mask = NDArray[np.bool_]
Codes = NDArray[np.uint64] | NDArray[np.int64]

_WHOLE_TEXT = 7
"""Codes of texts of up to so many bytes are exact: see ``bound_codes``."""


class BoundOrder(NamedTuple):
    """The bounds of N files as numbers in the order of their values, arbitrary where there is none."""

    lower: Codes
    has_lower: Mask
    upper: Codes
    has_upper: Mask


@dataclass(frozen=True, slots=True)
class Overlap:
    """The depth at S lower bounds.

    Attributes:
        samples: S: files with a lower bound.
        unbounded: files without any bound, which count at every value.
        mean, p99, max: of the S depths, by nearest rank; None without samples.
        place: the file at whose lower bound the depth is greatest; of several, that with the least bound.
    """

    samples: int
    unbounded: int
    mean: float | None
    p99: int | None
    max: int | None
    place: int | None


def overlap(bounds: BoundOrder, holding: Mask) -> Overlap:
    """Count at each lower bound the files whose bounds contain it.

    Args:
        bounds: of N files.
        holding: (N,) whether a file may hold a value at all; one that has only nulls contains none.
    """
    lower, has_lower, upper, has_upper = bounds
    # Bounds the wrong way round contain nothing.
    holding = holding & ~(has_lower & has_upper & (lower > upper))
    unbounded = int((holding & ~has_lower & ~has_upper).sum())
    begins, ends = np.sort(lower[holding & has_lower]), np.sort(upper[holding & has_upper])
    if not len(begins):
        return Overlap(0, unbounded, None, None, None, None)
    begun = begins.searchsorted(begins, "right") + int((holding & ~has_lower).sum())
    depth = begun - ends.searchsorted(begins, "left")
    deepest = int(depth.argmax())
    place = int(np.flatnonzero(holding & has_lower & (lower == begins[deepest]))[0])
    most, mean = int(depth[deepest]), int(depth.sum()) / len(depth)
    depth.partition(rank := nearest_rank(len(depth), 99))
    return Overlap(len(begins), unbounded, mean, int(depth[rank]), most, place)


def bound_order(lower: pa.Array | pa.ChunkedArray, upper: pa.Array | pa.ChunkedArray, kind: Primitive) -> BoundOrder:
    """Return numbers in the order of bounds.

    Args:
        lower, upper: (N,) in the form of ``bounds.comparable``: of one type, null where missing.
    """
    lower, upper = (of if isinstance(of, pa.ChunkedArray) else pa.chunked_array([of]) for of in (lower, upper))
    if pa.types.is_boolean(lower.type):
        lower, upper = lower.cast(pa.int8()), upper.cast(pa.int8())
    is_text = pa.types.is_string(lower.type) or pa.types.is_binary(lower.type)
    if is_text:
        lower, upper = lower.cast(pa.binary()), upper.cast(pa.binary())
    skipped = _common_prefix(lower, upper) if is_text else 0
    begins, ends = (_codes(of, kind, skipped) for of in (lower, upper))
    if begins is not None and ends is not None and not is_text:
        return BoundOrder(*begins, *ends)
    both = pa.chunked_array([*lower.chunks, *upper.chunks], lower.type)
    if begins is None or ends is None:
        has, codes = both.is_valid().to_numpy(), _ranks(both)
    else:
        has = np.concatenate([begins[1], ends[1]])
        codes = _told_apart(np.concatenate([begins[0], ends[0]]), has, both, skipped)
    rows = len(lower)
    return BoundOrder(codes[:rows], has[:rows], codes[rows:], has[rows:])


def _common_prefix(*sides: pa.ChunkedArray) -> int:
    """Return how many bytes all texts begin with alike."""
    ends = [end.as_py() for side in sides for end in pc.min_max(side).values() if end.is_valid]
    pairs = zip(min(ends), max(ends), strict=False) if ends else ()
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _codes(bounds: pa.ChunkedArray, kind: Primitive, skipped: int) -> tuple[NDArray[np.uint64], Mask] | None:
    """Return 64-bit codes, of texts without their first bytes, and which bounds exist; None for types without codes."""
    found = [(np.zeros(0, np.uint64), np.zeros(0, np.bool_))]
    for chunk in bounds.chunks:
        codes = wide_codes(chunk, kind, len(chunk), skipped)
        if codes is None:
            return None
        found.append(codes)
    codes, has = zip(*found, strict=True)
    return np.concatenate(codes), np.concatenate(has)


def _told_apart(codes: NDArray[np.uint64], has: Mask, texts: pa.ChunkedArray, skipped: int) -> NDArray[np.int64]:
    """Return numbers in the order of texts, shared by equal ones only.

    Sorts by codes, and where several long texts share one, those by their next bytes, until none do.

    Args:
        codes, has: (N,) codes of the texts without their first bytes, ``skipped``; and which texts exist.
    """
    order = codes.argsort()
    codes = codes[order]
    is_new = np.concatenate([[True], codes[1:] != codes[:-1]])[: len(codes)]
    if 16 * int(is_new.sum()) < len(codes):
        return _ranks(texts)  # so few that finding each text once is quicker
    shared = np.flatnonzero(_shared(is_new) & _are_long(codes) & has[order])
    while len(shared):
        skipped += _WHOLE_TEXT
        runs, places = is_new.cumsum()[shared], order[shared]
        found = _codes(texts.take(pa.array(places)), Primitive(Kind.BINARY, "binary"), skipped)
        assert found is not None
        within = np.lexsort((found[0], runs))
        order[shared], next_codes = places[within], found[0][within]
        is_new[shared[1:]] = (runs[1:] != runs[:-1]) | (next_codes[1:] != next_codes[:-1])
        shared = shared[_shared(is_new[shared]) & _are_long(next_codes)]
    ranks = np.empty(len(order), np.int64)
    ranks[order] = is_new.cumsum()
    return ranks


def _shared(is_new: Mask) -> Mask:
    """Return which of sorted values is equal to the one before it, or to the one after it."""
    alike = ~is_new
    alike[:-1] |= ~is_new[1:]
    return alike


def _are_long(codes: NDArray[np.uint64]) -> Mask:
    """Return which codes of texts do not hold the whole text."""
    return (codes & np.uint64(0xFF)) > _WHOLE_TEXT


def _ranks(values: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return numbers in the order of values of any type, 0 for null; equal values share one, and none is left out."""
    if not len(values):
        return np.zeros(0, np.int64)
    encoded = single_array(values.dictionary_encode())
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    ranks = np.zeros(len(order) + 1, np.int64)
    ranks[order] = np.arange(len(order))
    places = encoded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return np.asarray(ranks[places])
