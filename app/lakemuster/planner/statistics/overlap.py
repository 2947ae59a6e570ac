"""The number of files whose bounds contain a value: the depth at which a query for one value reads a table.

Pure. The depth is exact for the bounds that files record. A missing bound is open: it contains every value on its side.
A bound that a writer cut short contains the values that it stands for: Iceberg and Paimon raise upper bounds when they
cut them, and leave out those that cannot be raised. The depth is counted at the lower bound of each file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.metadata.types import Primitive
from lakemuster.planner.pruning.bound_codes import wide_codes
from lakemuster.planner.statistics.numbers import nearest_rank
from lakemuster.planner.statistics.text_order import ranks_of_distinct, text_ranks

Mask = NDArray[np.bool_]
Codes = NDArray[np.uint64] | NDArray[np.int64]


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
        mean, p99, max: figures of the S depths, p99 by nearest rank; None without samples.
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
    begins, ends = (None, None) if is_text else (_codes(lower, kind), _codes(upper, kind))
    if begins is not None and ends is not None:
        return BoundOrder(*begins, *ends)
    both = pa.chunked_array([*lower.chunks, *upper.chunks], lower.type)
    ranks = text_ranks(both.cast(pa.binary())) if is_text else ranks_of_distinct(both)
    has, rows = np.asarray(both.is_valid().to_numpy(), np.bool_), len(lower)
    return BoundOrder(ranks[:rows], has[:rows], ranks[rows:], has[rows:])


def _codes(bounds: pa.ChunkedArray, kind: Primitive) -> tuple[NDArray[np.uint64], Mask] | None:
    """Return 64-bit codes of bounds other than texts, and which bounds exist; None for types without codes."""
    found = [(np.zeros(0, np.uint64), np.zeros(0, np.bool_))]
    for chunk in bounds.chunks:
        codes = wide_codes(chunk, kind, len(chunk))
        if codes is None:
            return None
        found.append(codes)
    codes, has = zip(*found, strict=True)
    return np.concatenate(codes), np.concatenate(has)
