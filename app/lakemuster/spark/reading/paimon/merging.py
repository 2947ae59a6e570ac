"""Rows of one key made one row, while files of a section are read together.

Files are sorted by key. Of each, some rows are held; those before the least key up to which every file has been read
are complete, are merged at once, column by column, and given out. A file is opened when its smallest key is reached,
so that what is held is a batch for each file that overlaps there.

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
from lakemuster.spark.reading.paimon.file_rows import ROW_KIND, SEQUENCE
from lakemuster.spark.reading.paimon.folding import Folding
from lakemuster.spark.reading.paimon.ordering import ordered_form
from lakemuster.spark.reading.paimon.sources import Source, first_of, key_column

_PLACE = "_PLACE"
_ADDS = "_ADDS"


class RefusesDeletes(Exception):
    """Rows say that keys are gone, which the merge engine does not know."""


def is_added(kinds: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Which rows are there, by their kinds; the others say that a row is gone."""
    return pc.is_in(kinds, value_set=pa.array([0, 2], pa.int8()))


@dataclass(frozen=True, slots=True)
class Merging:
    """What becomes of the rows of a key.

    Attributes:
        keys: the columns of the trimmed primary key.
        sequence: columns that tell which row is newer before the rows' own numbers do.
        descending: the row with the least of them is the newest.
        keeps_first: the oldest row stays (first-row), not the newest (deduplicate).
        ignores_deletes: rows that say that a key is gone are passed over.
        folding: makes one row of all of a key, where no row stays as it is.
    """

    keys: tuple[Field, ...]
    sequence: tuple[Field, ...]
    descending: bool
    keeps_first: bool
    ignores_deletes: bool
    folding: Folding | None = None

    @property
    def needed(self) -> tuple[Field, ...]:
        """Columns to read beside the wanted ones."""
        return (*self.keys, *self.sequence, *(() if self.folding is None else self.folding.needed))

    def rows(self, sources: Sequence[Source]) -> Iterator[pa.Table]:
        """The merged rows in the order of their keys, with all columns of the sources.

        Args:
            sources: of several rows of one key that nothing else tells apart, a later source's is the newer.

        Raises:
            NotSorted: a file is not sorted.
            RefusesDeletes: rows say that a key is gone, which the merge engine does not know, or not here.
            CannotFold: values that are not made one value.
        """
        while True:
            reached = [key for source in sources if (key := source.reached) is not None]
            end = first_of(reached) if reached else None
            taken = [(place, rows) for place, source in enumerate(sources) if (rows := source.take(end)) is not None]
            if taken:
                yield self._merged(taken)
            if end is None:
                return
            for source in sources:
                if source.reached is not None and source.reached == end:
                    source.load()

    def _merged(self, taken: Sequence[tuple[int, pa.Table]]) -> pa.Table:
        rows = pa.concat_tables(
            [table.append_column(_PLACE, pa.repeat(pa.scalar(place, pa.int32()), len(table))) for place, table in taken]
        ).combine_chunks()
        adds = is_added(rows.column(ROW_KIND.name))
        rows = rows.append_column(_ADDS, adds.cast(pa.int8()))
        if self.ignores_deletes and self.folding is None:
            rows = rows.filter(pc.equal(rows.column(_ADDS), 1))
        elif self.keeps_first and not pc.all(adds).as_py():
            raise RefusesDeletes("rows say that a key is gone, which the merge engine first-row refuses")
        if not rows.num_rows:
            return rows
        rows = self._in_order(rows)
        if self.folding is not None:
            return self._folded(self.folding, rows)
        rows = rows.filter(self._is_first(rows) if self.keeps_first else self._is_last(rows))
        return rows.filter(pc.equal(rows.column(_ADDS), 1))

    def _folded(self, folding: Folding, rows: pa.Table) -> pa.Table:
        starts = np.flatnonzero(self._is_first(rows).to_numpy(zero_copy_only=False))
        adds = rows.column(_ADDS).to_numpy()
        if ((np.minimum.reduceat(adds, starts) == 0) & (np.diff(starts, append=len(adds)) > 1)).any():
            raise RefusesDeletes(
                f"rows say that a key is gone, which is not applied for the merge engine {folding.engine}"
            )
        rows = folding.folded(rows, starts)
        return rows.filter(pc.equal(rows.column(_ADDS), 1))

    def _in_order(self, rows: pa.Table) -> pa.Table:
        """By key, and of one key from the oldest to the newest."""
        names = [(key_column(number), "ascending") for number in range(len(self.keys))]
        direction = "descending" if self.descending else "ascending"
        for number, field in enumerate(self.sequence):
            form = ordered_form(rows.column(field.name).combine_chunks(), field.type)
            # A null is older than any value, whatever the direction.
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
        """Between each two rows, whether their keys differ."""
        found = None
        for number in range(len(self.keys)):
            column = rows.column(key_column(number)).combine_chunks()
            differs = pc.not_equal(column[1:], column[:-1])
            found = differs if found is None else pc.or_(found, differs)
        assert found is not None
        return found
