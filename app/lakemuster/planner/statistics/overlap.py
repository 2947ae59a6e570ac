"""How many files' bounds contain a value: the depth at which a query for one value reads a table.

Pure. The depth is exact for the bounds that files record. A missing bound is open: it contains every value on its side.
A bound that a writer cut short contains the values that it stands for: Iceberg and Paimon raise upper bounds when they
cut them, and leave out those that cannot be raised. The depth is counted at the lower bound of each file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.types import Primitive
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


def bound_order(lower: pa.Array, upper: pa.Array, kind: Primitive) -> BoundOrder:
    """Return numbers in the order of bounds.

    Args:
        lower, upper: (N,) in the form of ``bounds.comparable``: of one type, null where missing.
    """
    if pa.types.is_boolean(lower.type):
        lower, upper = lower.cast(pa.int8()), upper.cast(pa.int8())
    rows = len(lower)
    begins, ends = wide_codes(lower, kind, rows), wide_codes(upper, kind, rows)
    if begins is not None and ends is not None and (_is_number(lower.type) or not _are_long(*begins, *ends)):
        return BoundOrder(*begins, *ends)
    has_lower, has_upper = (of.is_valid().to_numpy(zero_copy_only=False) for of in (lower, upper))
    ranks = _ranks(pa.concat_arrays([lower, upper]))
    return BoundOrder(ranks[:rows], has_lower, ranks[rows:], has_upper)


def _is_number(kind: pa.DataType) -> bool:
    """Tell whether 64-bit codes of a type are exact."""
    return not (pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind))


def _are_long(lower: NDArray[np.uint64], has_lower: Mask, upper: NDArray[np.uint64], has_upper: Mask) -> bool:
    """Tell whether different texts may share a code."""
    last = np.uint64(0xFF)
    return any(
        bool(((codes & last)[has] > _WHOLE_TEXT).any()) for codes, has in ((lower, has_lower), (upper, has_upper))
    )


def _ranks(values: pa.Array) -> NDArray[np.int64]:
    """Return numbers in the order of values of any type, 0 for null."""
    encoded = values.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    ranks = np.zeros(len(order) + 1, np.int64)
    ranks[order] = np.arange(len(order))
    places = encoded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return np.asarray(ranks[places])
