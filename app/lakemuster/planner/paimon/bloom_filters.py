"""Probe the bloom filters of many files at once: containers of one table often have the same layout.

A fast path for the usual case, a predicate on a value that most files do not hold;
:mod:`~lakemuster.planner.paimon.file_indexes` gives the same results file by file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.errors import CatalogError
from lakemuster.formats.paimon.file_index.bloom_filter import which_may_hold_any
from lakemuster.formats.paimon.file_index.container import IndexRange, head_length, parse_container
from lakemuster.formats.paimon.file_index.evaluation import BLOOM_FILTER, filter_hashes, supports
from lakemuster.metadata.types import Primitive
from lakemuster.planner.pruning.prune import Mask
from lakemuster.predicates import Bound, BoundLeaf, conjuncts

IndexedAs = Callable[[int], Mapping[int, tuple[str, Primitive]]]

_MOST_HEADS = 4
"""Limit of distinct container heads; files with other heads are left to the slow path."""

_LONGEST_HEAD = 4096
"""Limit of a head's length in bytes; longer heads are not compared."""


@dataclass(frozen=True, slots=True)
class _Containers:
    """N containers over one buffer.

    Attributes:
        data: the buffer.
        start, size: (N,) each container's offset and size in bytes.
    """

    data: NDArray[np.uint8]
    start: NDArray[np.int64]
    size: NDArray[np.int64]

    @classmethod
    def of(cls, column: pa.Array) -> _Containers:
        column = column.cast(pa.large_binary())
        _, offsets, data = column.buffers()
        edges = np.frombuffer(offsets, np.int64, len(column) + 1, column.offset * 8)
        raw = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        return cls(raw, edges[:-1], np.diff(edges))

    def bytes_of(self, number: int) -> bytes:
        """Return one container."""
        return self.data[self.start[number] : self.start[number] + self.size[number]].tobytes()

    def begin_with(self, head: bytes, among: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the containers of ``among`` that begin with the bytes of ``head``."""
        long_enough = among[self.size[among] >= len(head)]
        places = self.start[long_enough][:, None] + np.arange(len(head))
        equal: NDArray[np.bool_] = (self.data[places] == np.frombuffer(head, np.uint8)).all(axis=1)
        return long_enough[equal]


def without_values(column: pa.Array, schema_ids: NDArray[np.int64], indexed_as: IndexedAs, bound: Bound) -> Mask:
    """Mark (N,) the files whose bloom filter proves that they hold none of a conjunct's values.

    Args:
        column: N index containers, none null.
        schema_ids: (N,) each file's schema.
        indexed_as: maps a field id to the column's name and type by schema.
    """
    dropped = np.zeros(len(column), np.bool_)
    leaves = [leaf for leaf in conjuncts(bound) if isinstance(leaf, BoundLeaf) and supports(BLOOM_FILTER, leaf.op)]
    if not leaves or len(column) < 2:
        return dropped
    containers = _Containers.of(column)
    left = np.arange(len(column))
    for _ in range(_MOST_HEADS):
        if not len(left):
            break
        schema_id, first = int(schema_ids[left[0]]), containers.bytes_of(int(left[0]))
        try:
            indexes, head = parse_container(first), first[: head_length(first)]
        except CatalogError:
            break
        if len(head) > _LONGEST_HEAD:
            break
        begun = containers.begin_with(head, left[schema_ids[left] == schema_id])
        # A truncated container is not trusted, even if some of its indexes are complete.
        end = max((where.start + where.length for of in indexes.values() for where in of), default=0)
        alike = begun[containers.size[begun] >= end]
        for leaf in leaves:
            place = indexed_as(leaf.field_id).get(schema_id)
            hashes = None if place is None or leaf.transform is not None else filter_hashes(place[1], leaf)
            if place is not None and hashes is not None:
                for where in indexes.get(place[0], ()):
                    if where.kind == BLOOM_FILTER:
                        dropped[alike] |= ~_may_hold(containers, alike, where, hashes)
        left = np.setdiff1d(left, begun, assume_unique=True)
    return dropped


def _may_hold(
    containers: _Containers, some: NDArray[np.int64], where: IndexRange, hashes: tuple[int, ...]
) -> NDArray[np.bool_]:
    found = np.ones(len(some), np.bool_)
    whole = containers.size[some] >= where.start + where.length
    found[whole] = which_may_hold_any(
        containers.data, containers.start[some[whole]] + where.start, where.length, hashes
    )
    return found
