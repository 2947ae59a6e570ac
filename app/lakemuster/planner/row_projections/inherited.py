"""What entries leave to their manifests, of entries of many manifests at once."""

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


class Given(NamedTuple):
    """(P,) a number that each of some manifests gives to entries that have none; any where it is not known."""

    numbers: Numbers
    is_known: Mask

    @classmethod
    def of(cls, numbers: Sequence[int | None]) -> Given:
        """Numbers; None where a manifest gives none."""
        known = [number is not None for number in numbers]
        return cls(np.array([number or 0 for number in numbers], np.int64), np.array(known, np.bool_))


class Inheritance(NamedTuple):
    """What some manifests give to their entries; ``has_row_ids`` tells those that give row ids, too."""

    snapshot_ids: Given
    sequence_numbers: Given
    has_row_ids: Mask

    @classmethod
    def of(cls, headers: Sequence[ManifestHeader]) -> Inheritance:
        """Of their rows in manifest lists."""
        return cls(
            Given.of([header.added_snapshot_id for header in headers]),
            Given.of([header.sequence_number for header in headers]),
            np.array([header.first_row_id is not None for header in headers], np.bool_),
        )


def inherited(
    entries: Entries, inheritance: Inheritance, manifests: Numbers, row_ids: pa.Array | None = None
) -> Entries:
    """Entries of Iceberg with what they leave to their manifests: as ``formats.iceberg.manifests.inherit``, of many.

    Args:
        manifests: (N,) which one each entry is of, ascending.
        row_ids: the entries' own or inherited ones; None when there are none.
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
    """The entries with a column of numbers in its place, at ``place`` if they had none."""
    at, field = entries.schema.get_field_index(name), pa.field(name, pa.int64())
    return entries.add_column(place, field, values) if at < 0 else entries.set_column(at, field, values)


def _left_to(inheritance: Inheritance, name: str, manifests: Numbers, status: pa.Array | pa.ChunkedArray) -> pa.Array:
    """What each manifest gives to entries without a value: sequence numbers to added ones, those of v1 (0) to all."""
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
