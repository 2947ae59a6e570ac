"""Number the partitions of some files, and look up the partitions of other files.

Two files are in the same partition when their specs and their partition tuples are equal. Null equals null,
NaN equals NaN, and other floating point values are equal when their bits are.

Source: Iceberg spec, "Scan Planning", notes 3 and 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import column
from lakemuster.metadata.partition import PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import single_array
from lakemuster.planner.pruning.bounds import numbers_of

Numbers = NDArray[np.int64]

_MOST_CODES = 1 << 16
"""Maximum codes, or the number of files if that is larger, for which a table of all codes replaces sorting."""


def is_partitioned(spec: PartitionSpec) -> bool:
    """Tell whether a spec has a field whose transform is not void."""
    return any(field.transform != "void" for field in spec.fields)


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """The distinct partition tuples of one spec's files, numbered from 0.

    Attributes:
        size: the number of distinct tuples.
    """

    size: int
    _fields: tuple[_Field, ...]

    @classmethod
    def of(
        cls, spec: PartitionSpec, tables: Sequence[pa.Table], schemas: tuple[Schema, ...]
    ) -> tuple[PartitionKeys, Numbers]:
        """Number the partitions of entries of one spec.

        Returns:
            the numbering, and each row's partition number, over the concatenated tables.
        """
        fields: list[_Field] = []
        numbers, size = np.zeros(sum(table.num_rows for table in tables), np.int64), 1
        for field in spec.fields:
            if field.transform == "void":
                continue
            target = arrow_type(result_type(field, schemas))
            columns = [_values(table, field.field_id, target).dictionary_encode() for table in tables]
            known: dict[object, int] = {}
            for values in columns:
                for value in (*values.dictionary.to_pylist(), *((None,) if values.null_count else ())):
                    known.setdefault(value, len(known))
            numbers *= len(known)
            first = 0
            for values in columns:
                numbers[first : first + len(values)] += _codes(values, known)
                first += len(values)
            pairs, numbers = _numbered(numbers, size * len(known))
            fields.append(_Field(field.field_id, target, known, _ordered(known), pairs))
            size = len(pairs)
        return cls(size, tuple(fields)), numbers

    def lookup(self, table: pa.Table) -> Numbers:
        """Return each row's partition number; -1 for an unknown partition."""
        numbers = np.zeros(table.num_rows, np.int64)
        for field in self._fields:
            codes = field.codes(_values(table, field.field_id, field.target))
            pairs = np.where((numbers < 0) | (codes < 0), -1, numbers * len(field.known) + codes)
            numbers = np.minimum(field.pairs.searchsorted(pairs), len(field.pairs) - 1)
            numbers = np.where(field.pairs[numbers] == pairs, numbers, -1)
        return numbers


@dataclass(frozen=True, slots=True)
class _Field:
    """One step of the numbering: combine the number of the preceding fields with the code of this field's value.

    Attributes:
        known: the code of each value.
        ordered: the values, ascending, and their codes, if all values except null are integers.
    """

    field_id: int
    target: pa.DataType | None
    known: Mapping[object, int]
    ordered: tuple[Numbers, Numbers] | None
    pairs: Numbers

    def codes(self, values: pa.Array) -> Numbers:
        """Return each value's code; -1 for an unknown value."""
        numbers = numbers_of(values) if pa.types.is_integer(values.type) else None
        if self.ordered is None or numbers is None:
            return _codes(values.dictionary_encode(), self.known)
        whole, codes = self.ordered
        places = np.minimum(whole.searchsorted(numbers), len(whole) - 1)
        found = np.where(whole[places] == numbers, codes[places], -1)
        if values.null_count:
            found[values.is_null().to_numpy(zero_copy_only=False)] = self.known.get(None, -1)
        return found


def _numbered(codes: Numbers, limit: int) -> tuple[Numbers, Numbers]:
    """Return the distinct codes, ascending, and each code's number; all are below ``limit``."""
    if limit > max(len(codes), _MOST_CODES):
        found, numbers = np.unique(codes, return_inverse=True)
        return found, numbers
    present = np.bincount(codes, minlength=limit) > 0
    if present.all():
        return np.arange(limit), codes
    return np.flatnonzero(present), (np.cumsum(present) - 1)[codes]


def _ordered(known: Mapping[object, int]) -> tuple[Numbers, Numbers] | None:
    values = {value: code for value, code in known.items() if value is not None}
    if not values or set(map(type, values)) != {int}:
        return None
    whole, codes = np.array(list(values), np.int64), np.array(list(values.values()), np.int64)
    order = np.argsort(whole)
    return whole[order], codes[order]


def _values(table: pa.Table, field_id: int, target: pa.DataType | None) -> pa.Array:
    """Normalize a partition field's values so that equal values compare equal, whatever type they were recorded in."""
    place = table.schema.get_field_index(column("partition", field_id))
    if place < 0:
        return pa.nulls(table.num_rows, pa.int64())
    values = single_array(table.column(place))
    if target is not None and (cast := cast_or_none(values, target)) is not None:
        values = cast
    kind = values.type
    if pa.types.is_floating(kind):
        numbers = values.to_numpy(zero_copy_only=False).astype(np.float64)
        numbers[np.isnan(numbers)] = np.nan
        values = pc.if_else(values.is_valid(), pa.array(numbers.view(np.int64)), pa.scalar(None, pa.int64()))
    elif pa.types.is_temporal(kind):
        values = values.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    return values


def _codes(values: pa.DictionaryArray, known: Mapping[object, int]) -> Numbers:
    """Return each value's code; -1 for an unknown value."""
    codes = np.asarray([known.get(value, -1) for value in (*values.dictionary.to_pylist(), None)], np.int64)
    indices = values.indices.fill_null(len(codes) - 1) if values.indices.null_count else values.indices
    return np.asarray(codes[indices.to_numpy()], np.int64)
