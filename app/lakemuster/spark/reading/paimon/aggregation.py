"""Merge the rows of each key column by column, for the merge engines partial-update and aggregation.

Rows are sorted by key, and within a key from the oldest to the newest. The rows of one key are a run. Most functions
only choose the row that a value is taken from.

Source: Paimon's ``PartialUpdateMergeFunction``, ``AggregateMergeFunction``, ``FieldAggregator`` and
``ReducerMergeFunctionWrapper``; in the latter, the only row of a key stays unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.spark.reading.paimon.ordering import ordered_form

Places = npt.NDArray[np.int64]
"""Row indices; negative for no row."""


class AggregationFailed(Exception):
    """Values that an aggregate function cannot combine."""


@dataclass(frozen=True, slots=True)
class KeyRuns:
    """The runs of rows with equal keys.

    Attributes:
        starts: the index of each run's first row, ascending from 0.
        total: the number of rows.
    """

    starts: Places
    total: int

    @property
    def lengths(self) -> Places:
        """The number of rows of each run."""
        return np.diff(self.starts, append=self.total)

    def greatest(self, numbers: Places) -> Places:
        """Return the greatest number of each run."""
        found: Places = np.maximum.reduceat(numbers, self.starts)
        return found


Function = Callable[[pa.Array, Field, KeyRuns], pa.Array]
"""Combines a column's values in all rows to one value per run."""


@dataclass(frozen=True, slots=True)
class SequenceGroup:
    """A sequence group of partial-update: its columns are taken from the row with the greatest sequence.

    Attributes:
        sequence: the sequence columns, most significant first; a row where all are null is ignored.
        columns: the names of the group's columns, sequence columns included.
    """

    sequence: tuple[Field, ...]
    columns: frozenset[str]

    def places(self, rows: pa.Table, runs: KeyRuns) -> Places:
        """Return the row of each run that the columns are taken from; in a run of one row, always that row.

        Raises:
            NoOrder: a sequence value has no order.
        """
        forms = [ordered_form(_column(rows, field.name), field.type) for field in self.sequence]
        columns = [column for form in forms for column in (form.is_valid().cast(pa.int8()), form)]
        ranks = _ranks([*columns, pa.array(np.arange(runs.total))])
        known = np.logical_or.reduce([_known(form) for form in forms])
        found = _ranked(ranks, runs.greatest(np.where(known, ranks, -1)))
        return np.where(runs.lengths == 1, runs.starts, found)


@dataclass(frozen=True, slots=True)
class ColumnMerge:
    """The functions that merge the columns of a table.

    Attributes:
        engine: the merge engine's name.
        functions: by column name; other columns take the newest value that is not null.
        groups: the sequence groups of the columns to read.
        fields: the columns to read, by name.
    """

    engine: str
    functions: Mapping[str, Function]
    groups: tuple[SequenceGroup, ...]
    fields: Mapping[str, Field]

    @property
    def needed(self) -> tuple[Field, ...]:
        """The columns to read in addition to the requested ones."""
        return tuple(field for group in self.groups for field in group.sequence)

    def merged(self, rows: pa.Table, starts: Places) -> pa.Table:
        """Return one merged row per run.

        Raises:
            AggregationFailed: a sum overflows its type.
            NoOrder: a value of a sequence group has no order.
        """
        runs = KeyRuns(starts, rows.num_rows)
        places: dict[str, Places] = {}
        for group in self.groups:
            places |= dict.fromkeys(group.columns, group.places(rows, runs))
        columns = {}
        for name in rows.column_names:
            values = _column(rows, name)
            if name in places:
                columns[name] = _taken(values, places[name])
            elif name in self.functions:
                columns[name] = self.functions[name](values, self.fields[name], runs)
            else:
                columns[name] = last_non_null(values, None, runs)
        return pa.table(columns)


def last_non_null(values: pa.Array, _field: Field | None, runs: KeyRuns) -> pa.Array:
    """Return the newest value that is not null."""
    return _taken(values, runs.greatest(np.where(_known(values), np.arange(runs.total), -1)))


def first_non_null(values: pa.Array, _field: Field, runs: KeyRuns) -> pa.Array:
    """Return the oldest value that is not null."""
    oldest = -runs.greatest(np.where(_known(values), -np.arange(runs.total), -runs.total))
    return _taken(values, np.where(oldest == runs.total, -1, oldest))


def last(values: pa.Array, _field: Field, runs: KeyRuns) -> pa.Array:
    """Return the newest value, which may be null."""
    return _taken(values, runs.starts + runs.lengths - 1)


def first(values: pa.Array, _field: Field, runs: KeyRuns) -> pa.Array:
    """Return the oldest value, which may be null."""
    return _taken(values, runs.starts)


def greatest(values: pa.Array, field: Field, runs: KeyRuns) -> pa.Array:
    """Return the greatest value that is not null."""
    ranks = _ranks([_compared(values, field)])
    return _taken(values, _ranked(ranks, runs.greatest(np.where(_known(values), ranks, -1))))


def least(values: pa.Array, field: Field, runs: KeyRuns) -> pa.Array:
    """Return the least value that is not null."""
    ranks = len(values) - 1 - _ranks([_compared(values, field)])
    return _taken(values, _ranked(ranks, runs.greatest(np.where(_known(values), ranks, -1))))


def total(values: pa.Array, _field: Field, runs: KeyRuns) -> pa.Array:
    """Return the sum of the values that are not null, added from the oldest to the newest.

    Raises:
        AggregationFailed: it overflows the type.
    """
    found = _taken(values, runs.starts)
    try:
        for step in range(1, int(runs.lengths.max(initial=0))):
            more = _taken(values, np.where(runs.lengths > step, runs.starts + step, -1))
            found = pc.coalesce(_added(found, more), found, more)
    except pa.ArrowInvalid as problem:
        raise AggregationFailed(f"a sum is beyond {values.type}") from problem
    return found


def _added(left: pa.Array, right: pa.Array) -> pa.Array:
    if not pa.types.is_decimal(left.type):
        return pc.add_checked(left, right)
    wide = pa.decimal256(left.type.precision, left.type.scale)
    return pc.add(left.cast(wide), right.cast(wide)).cast(left.type)


def _compared(values: pa.Array, field: Field) -> pa.Array:
    """Convert values to a form that Arrow sorts as Java does: -0.0 below 0.0, and NaN above all numbers."""
    if not (isinstance(field.type, Primitive) and field.type.kind in (Kind.FLOAT, Kind.DOUBLE)):
        return values
    numbers = values.fill_null(0).to_numpy()
    numbers = np.where(np.isnan(numbers), np.nan, numbers).astype(numbers.dtype)
    bits = numbers.view(f"i{numbers.itemsize}").astype(np.int64)
    magnitude = np.int64(2 ** (8 * numbers.itemsize - 1) - 1)
    return pa.array(np.where(bits < 0, bits ^ magnitude, bits))


def _ranks(columns: Sequence[pa.Array]) -> Places:
    """Return the rank of each row when sorted by the columns, most significant first."""
    table = pa.table({str(number): column for number, column in enumerate(columns)})
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in table.column_names]).to_numpy()
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _ranked(ranks: Places, wanted: Places) -> Places:
    """Return the rows with the wanted ranks; -1 for a negative rank."""
    return np.where(wanted < 0, -1, np.argsort(ranks)[wanted])


def _known(values: pa.Array) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = values.is_valid().to_numpy(zero_copy_only=False)
    return found


def _taken(values: pa.Array, places: Places) -> pa.Array:
    return values.take(pa.array(places, mask=places < 0))


def _column(rows: pa.Table, name: str) -> pa.Array:
    return rows.column(name).combine_chunks()
