"""Merge the rows of each key while the sorted files of a section are read together.

Each file is sorted by key, and rows that are read but not merged yet are buffered. Rows before the least of the keys
that the files have reached are complete: they are merged with column operations and yielded. A file is opened when its
smallest key is reached, so the buffers hold one batch for each file that overlaps there.

Source: Paimon's ``MergeTreeReaders``, ``SortMergeReaderWithLoserTree``, ``DeduplicateMergeFunction``,
``FirstRowMergeFunction``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.types import Field
from lakemuster.spark.reading.paimon.aggregation import ColumnMerge
from lakemuster.spark.reading.paimon.file_rows import ROW_KIND, SEQUENCE
from lakemuster.spark.reading.paimon.ordering import ordered_form
from lakemuster.spark.reading.paimon.sorted_cursor import SortedFile, first_of, key_column

_PLACE = "_PLACE"
_ADDS = "_ADDS"


class DeletesNotSupported(Exception):
    """There are delete rows, which the merge engine does not support."""


def is_added(kinds: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Mark the row kinds that are insert or update-after; the other kinds retract a row."""
    return pc.is_in(kinds, value_set=pa.array([0, 2], pa.int8()))


@dataclass(frozen=True, slots=True)
class Merging:
    """The rules by which the rows of a key are merged.

    Attributes:
        keys: the columns of the trimmed primary key.
        sequence: columns that order the rows of a key, before the rows' sequence numbers do.
        descending: the row with the smallest sequence is the newest.
        keeps_first: keep the oldest row (first-row) instead of the newest (deduplicate).
        ignores_deletes: skip delete rows.
        column_merge: merges column by column, for engines that do not keep a whole row; else None.
    """

    keys: tuple[Field, ...]
    sequence: tuple[Field, ...]
    descending: bool
    keeps_first: bool
    ignores_deletes: bool
    column_merge: ColumnMerge | None = None

    @property
    def needed(self) -> tuple[Field, ...]:
        """The columns to read in addition to the requested ones."""
        return (*self.keys, *self.sequence, *(() if self.column_merge is None else self.column_merge.needed))

    def rows(self, cursors: Sequence[SortedFile]) -> Iterator[pa.Table]:
        """Yield the merged rows in key order, with all columns of the cursors.

        Args:
            cursors: ordered; between otherwise equal rows of a key, a later cursor's row is the newer one.

        Raises:
            NotSorted: a file is not sorted.
            DeletesNotSupported: there are delete rows, which the merge engine does not support, or not here.
            AggregationFailed: values that an aggregate function cannot combine.
        """
        while True:
            reached = [key for cursor in cursors if (key := cursor.reached) is not None]
            end = first_of(reached) if reached else None
            taken = [(place, rows) for place, cursor in enumerate(cursors) if (rows := cursor.take(end)) is not None]
            if taken:
                yield self._merged(taken)
            if end is None:
                return
            for cursor in cursors:
                if cursor.reached is not None and cursor.reached == end:
                    cursor.load()

    def _merged(self, taken: Sequence[tuple[int, pa.Table]]) -> pa.Table:
        rows = pa.concat_tables(
            [table.append_column(_PLACE, pa.repeat(pa.scalar(place, pa.int32()), len(table))) for place, table in taken]
        ).combine_chunks()
        adds = is_added(rows.column(ROW_KIND.name))
        rows = rows.append_column(_ADDS, adds.cast(pa.int8()))
        if self.ignores_deletes and self.column_merge is None:
            rows = rows.filter(pc.equal(rows.column(_ADDS), 1))
        elif self.keeps_first and not pc.all(adds).as_py():
            raise DeletesNotSupported("rows delete keys, which the merge engine first-row does not allow")
        if not rows.num_rows:
            return rows
        rows = self._in_order(rows)
        if self.column_merge is not None:
            return self._merged_by_column(self.column_merge, rows)
        rows = rows.filter(self._is_first(rows) if self.keeps_first else self._is_last(rows))
        return rows.filter(pc.equal(rows.column(_ADDS), 1))

    def _merged_by_column(self, column_merge: ColumnMerge, rows: pa.Table) -> pa.Table:
        starts = np.flatnonzero(self._is_first(rows).to_numpy(zero_copy_only=False))
        adds = rows.column(_ADDS).to_numpy()
        if ((np.minimum.reduceat(adds, starts) == 0) & (np.diff(starts, append=len(adds)) > 1)).any():
            raise DeletesNotSupported(
                f"rows delete keys, which is not supported for the merge engine {column_merge.engine}"
            )
        rows = column_merge.merged(rows, starts)
        return rows.filter(pc.equal(rows.column(_ADDS), 1))

    def _in_order(self, rows: pa.Table) -> pa.Table:
        """Return the rows sorted by key, and within a key from the oldest to the newest."""
        names = [(key_column(number), "ascending") for number in range(len(self.keys))]
        direction = "descending" if self.descending else "ascending"
        for number, field in enumerate(self.sequence):
            form = ordered_form(rows.column(field.name).combine_chunks(), field.type)
            # A null is older than any value, in both directions.
            rows = rows.append_column(f"_KNOWN_{number}", form.is_valid().cast(pa.int8()))
            rows = rows.append_column(f"_SEQUENCE_{number}", form)
            names += [(f"_KNOWN_{number}", "ascending"), (f"_SEQUENCE_{number}", direction)]
        names += [(name, "ascending") for name in (SEQUENCE.name, _ADDS, _PLACE)]
        return rows.take(pc.sort_indices(rows, sort_keys=names))

    def _is_last(self, rows: pa.Table) -> pa.Array:
        return pa.concat_arrays([self._changes(rows), pa.array([True])])

    def _is_first(self, rows: pa.Table) -> pa.Array:
        return pa.concat_arrays([pa.array([True]), self._changes(rows)])

    def _changes(self, rows: pa.Table) -> pa.Array:
        """Return, for each pair of adjacent rows, whether their keys differ."""
        found = None
        for number in range(len(self.keys)):
            column = rows.column(key_column(number)).combine_chunks()
            differs = pc.not_equal(column[1:], column[:-1])
            found = differs if found is None else pc.or_(found, differs)
        assert found is not None
        return found
