"""Rows of one key made one row column by column, by the merge engines that neither keep the first nor the last of them.

Rows lie in the order of their keys, those of one key from the oldest to the newest: a run each. Most functions only
choose the row that a value is taken from.

Source: Paimon's ``PartialUpdateMergeFunction``, ``AggregateMergeFunction``, ``FieldAggregator`` and
``ReducerMergeFunctionWrapper``, by which a row that is alone with its key stays as it is.
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
"""Of rows; below zero for none."""


class CannotFold(Exception):
    """Values that a function does not make one value of."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Where the rows of each key are.

    Attributes:
        starts: of each run's first row, ascending; the first is 0.
        total: how many rows there are.
    """

    starts: Places
    total: int

    @property
    def lengths(self) -> Places:
        """How many rows each run has."""
        return np.diff(self.starts, append=self.total)

    def greatest(self, numbers: Places) -> Places:
        """The greatest number of each run."""
        found: Places = np.maximum.reduceat(numbers, self.starts)
        return found


Function = Callable[[pa.Array, Field, Runs], pa.Array]
"""From the values of a column in all rows to one for each run."""


@dataclass(frozen=True, slots=True)
class SequenceGroup:
    """Columns of partial-update whose values are those of the row with the greatest of ``sequence``.

    Attributes:
        sequence: columns, the first counting most; a row where all are null counts for nothing.
        columns: names, those of the sequence among them.
    """

    sequence: tuple[Field, ...]
    columns: frozenset[str]

    def places(self, rows: pa.Table, runs: Runs) -> Places:
        """The row of each run that the columns are taken from; the only row of a run whatever it holds.

        Raises:
            NoOrder: a value that has no order.
        """
        forms = [ordered_form(_column(rows, field.name), field.type) for field in self.sequence]
        columns = [column for form in forms for column in (form.is_valid().cast(pa.int8()), form)]
        ranks = _ranks([*columns, pa.array(np.arange(runs.total))])
        known = np.logical_or.reduce([_known(form) for form in forms])
        found = _ranked(ranks, runs.greatest(np.where(known, ranks, -1)))
        return np.where(runs.lengths == 1, runs.starts, found)


@dataclass(frozen=True, slots=True)
class Folding:
    """What becomes of each column.

    Attributes:
        engine: the merge engine's name.
        functions: by column; the newest value that is not null where there is none.
        groups: those of the wanted columns.
        fields: the columns that functions are of, by name.
    """

    engine: str
    functions: Mapping[str, Function]
    groups: tuple[SequenceGroup, ...]
    fields: Mapping[str, Field]

    @property
    def needed(self) -> tuple[Field, ...]:
        """Columns to read beside the wanted ones."""
        return tuple(field for group in self.groups for field in group.sequence)

    def folded(self, rows: pa.Table, starts: Places) -> pa.Table:
        """One row of each run.

        Raises:
            CannotFold: a sum is beyond its type.
            NoOrder: a value of a sequence group that has no order.
        """
        runs = Runs(starts, rows.num_rows)
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


def last_non_null(values: pa.Array, _field: Field | None, runs: Runs) -> pa.Array:
    """The newest value that is not null."""
    return _taken(values, runs.greatest(np.where(_known(values), np.arange(runs.total), -1)))


def first_non_null(values: pa.Array, _field: Field, runs: Runs) -> pa.Array:
    """The oldest value that is not null."""
    oldest = -runs.greatest(np.where(_known(values), -np.arange(runs.total), -runs.total))
    return _taken(values, np.where(oldest == runs.total, -1, oldest))


def last(values: pa.Array, _field: Field, runs: Runs) -> pa.Array:
    """The newest value, null too."""
    return _taken(values, runs.starts + runs.lengths - 1)


def first(values: pa.Array, _field: Field, runs: Runs) -> pa.Array:
    """The oldest value, null too."""
    return _taken(values, runs.starts)


def greatest(values: pa.Array, field: Field, runs: Runs) -> pa.Array:
    """The greatest value that is not null."""
    ranks = _ranks([_compared(values, field)])
    return _taken(values, _ranked(ranks, runs.greatest(np.where(_known(values), ranks, -1))))


def least(values: pa.Array, field: Field, runs: Runs) -> pa.Array:
    """The least value that is not null."""
    ranks = len(values) - 1 - _ranks([_compared(values, field)])
    return _taken(values, _ranked(ranks, runs.greatest(np.where(_known(values), ranks, -1))))


def total(values: pa.Array, _field: Field, runs: Runs) -> pa.Array:
    """The sum of values that are not null, from the oldest to the newest.

    Raises:
        CannotFold: it is beyond the type.
    """
    found = _taken(values, runs.starts)
    try:
        for step in range(1, int(runs.lengths.max(initial=0))):
            more = _taken(values, np.where(runs.lengths > step, runs.starts + step, -1))
            found = pc.coalesce(_added(found, more), found, more)
    except pa.ArrowInvalid as problem:
        raise CannotFold(f"a sum is beyond {values.type}") from problem
    return found


def _added(left: pa.Array, right: pa.Array) -> pa.Array:
    if not pa.types.is_decimal(left.type):
        return pc.add_checked(left, right)
    wide = pa.decimal256(left.type.precision, left.type.scale)
    return pc.add(left.cast(wide), right.cast(wide)).cast(left.type)


def _compared(values: pa.Array, field: Field) -> pa.Array:
    """Values in a form that Arrow orders as Java does: -0.0 is below 0.0, and NaN above all numbers."""
    if not (isinstance(field.type, Primitive) and field.type.kind in (Kind.FLOAT, Kind.DOUBLE)):
        return values
    numbers = values.fill_null(0).to_numpy()
    numbers = np.where(np.isnan(numbers), np.nan, numbers).astype(numbers.dtype)
    bits = numbers.view(f"i{numbers.itemsize}").astype(np.int64)
    magnitude = np.int64(2 ** (8 * numbers.itemsize - 1) - 1)
    return pa.array(np.where(bits < 0, bits ^ magnitude, bits))


def _ranks(columns: Sequence[pa.Array]) -> Places:
    """The place of each row when they are sorted, by the first column first."""
    table = pa.table({str(number): column for number, column in enumerate(columns)})
    order = pc.sort_indices(table, sort_keys=[(name, "ascending") for name in table.column_names]).to_numpy()
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _ranked(ranks: Places, wanted: Places) -> Places:
    """The rows of some ranks; none for those below zero."""
    return np.where(wanted < 0, -1, np.argsort(ranks)[wanted])


def _known(values: pa.Array) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = values.is_valid().to_numpy(zero_copy_only=False)
    return found


def _taken(values: pa.Array, places: Places) -> pa.Array:
    return values.take(pa.array(places, mask=places < 0))


def _column(rows: pa.Table, name: str) -> pa.Array:
    return rows.column(name).combine_chunks()
