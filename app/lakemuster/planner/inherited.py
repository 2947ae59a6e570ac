"""Fill in the values that entries inherit from their manifests, for entries of many manifests at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import ADDED
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.planner.columns import repeated

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Entries = TypeVar("Entries", pa.RecordBatch, pa.Table)

_SEQUENCE_NUMBERS = ("sequence_number", "file_sequence_number")
_INHERITED = ("snapshot_id", *_SEQUENCE_NUMBERS)


class GivenNumbers(NamedTuple):
    """(P,) numbers that manifests give to entries without their own; arbitrary where not ``is_known``."""

    numbers: Numbers
    is_known: Mask

    @classmethod
    def of(cls, numbers: Sequence[int | None]) -> GivenNumbers:
        """Build from numbers; None for a manifest that gives none."""
        known = [number is not None for number in numbers]
        return cls(np.array([number or 0 for number in numbers], np.int64), np.array(known, np.bool_))


class Inheritance(NamedTuple):
    """The values that manifests give to their entries; ``has_row_ids`` marks manifests that also give row ids."""

    snapshot_ids: GivenNumbers
    sequence_numbers: GivenNumbers
    has_row_ids: Mask

    @classmethod
    def of(cls, headers: Sequence[ManifestHeader]) -> Inheritance:
        """Build from the manifests' headers."""
        return cls(
            GivenNumbers.of([header.added_snapshot_id for header in headers]),
            GivenNumbers.of([header.sequence_number for header in headers]),
            np.array([header.first_row_id is not None for header in headers], np.bool_),
        )


def inherited(
    entries: Entries, inheritance: Inheritance, manifests: Numbers, row_ids: pa.Array | None = None
) -> Entries:
    """Fill in what Iceberg entries inherit: like ``formats.iceberg.manifests.inherit``, for many manifests.

    Args:
        manifests: (N,) the number of each entry's manifest, ascending.
        row_ids: the entries' own or inherited row ids; None if there are none.
    """
    found, status = entries.replace_schema_metadata(None), entries.column("status")
    given: dict[bool, pa.Array] = {}
    for place, name in enumerate(_INHERITED, start=1):
        at = found.schema.get_field_index(name)
        own = None if at < 0 else found.column(at)
        if own is None or own.null_count:
            is_sequence = name in _SEQUENCE_NUMBERS
            if is_sequence not in given:  # both sequence numbers are the manifest's
                given[is_sequence] = _left_to(inheritance, name, manifests, status)
            left = given[is_sequence]
            found = _with(found, name, left if own is None else pc.coalesce(own, left), place)
    return found if row_ids is None else _with(found, "first_row_id", row_ids, found.num_columns)


def _with(entries: Entries, name: str, values: pa.Array | pa.ChunkedArray, place: int) -> Entries:
    """Replace a column of numbers, or insert it at ``place``."""
    at, field = entries.schema.get_field_index(name), pa.field(name, pa.int64())
    return entries.add_column(place, field, values) if at < 0 else entries.set_column(at, field, values)


def _left_to(inheritance: Inheritance, name: str, manifests: Numbers, status: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the values that entries inherit: sequence numbers only for added entries, but 0 (v1) for all entries."""
    is_sequence = name in _SEQUENCE_NUMBERS
    given = inheritance.sequence_numbers if is_sequence else inheritance.snapshot_ids
    low, high = int(manifests[0]), int(manifests[-1]) + 1
    numbers, is_known = given.numbers[low:high], given.is_known[low:high]
    if is_known.all() and (high - low == 1 or (numbers == numbers[0]).all()):
        values = repeated(int(numbers[0]), pa.int64(), len(status))
    else:
        values = pa.array(given.numbers[manifests], mask=~given.is_known[manifests])
    if not is_sequence or not numbers.any():
        return values
    added = status.to_numpy() == ADDED
    if added.all():
        return values
    of_all = (given.is_known & (given.numbers == 0))[manifests]
    return pc.if_else(pa.array(added | of_all), values, pa.scalar(None, pa.int64()))
