"""Sets of partitions: a scan skips those that it reads from another branch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lakemuster.formats.paimon.columns import combine, value_codes
from lakemuster.metadata.files import column
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.prune import Mask


@dataclass(frozen=True, eq=False)
class Partitions:
    """Distinct partition tuples. Values may be null; floats are compared by their bits.

    Attributes:
        field_ids: the ids of the partition fields, in their order.
    """

    field_ids: tuple[int, ...]
    values: frozenset[tuple[object, ...]]

    @classmethod
    def of(cls, field_ids: tuple[int, ...], tables: Iterable[pa.Table]) -> Partitions:
        """Collect the partitions of entries; a missing column counts as null."""
        return cls(field_ids, frozenset(values for table in tables for values in _distinct(field_ids, table)[0]))

    def holds(self, entries: pa.Table) -> Mask:
        """Mark the entries whose partition is in the set."""
        found, place = _distinct(self.field_ids, entries)
        return np.array([values in self.values for values in found], np.bool_)[place]


def _distinct(
    field_ids: tuple[int, ...], entries: pa.Table
) -> tuple[list[tuple[object, ...]], np.typing.NDArray[np.intp]]:
    """Return the distinct partitions of N entries, and (N,) the number of each entry's partition."""
    count = entries.num_rows
    present = set(entries.column_names)
    columns = [
        _bits(single_array(entries.column(name))) if (name := column("partition", field_id)) in present else None
        for field_id in field_ids
    ]
    codes = [value_codes(values) for values in columns if values is not None]
    combined = combine(np.zeros(count, np.int64), *codes)
    _, first, place = np.unique(combined, return_index=True, return_inverse=True)
    chosen = pa.array(first)
    lists = [[None] * len(first) if values is None else values.take(chosen).to_pylist() for values in columns]
    return list(zip(*lists, strict=True)) if lists else [()] * len(first), place.reshape(-1)


def _bits(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type):
        return values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    return values
