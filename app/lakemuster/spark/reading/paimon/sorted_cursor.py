"""A cursor over the sorted rows of one file of a merge tree; the file is opened when its keys are reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.types import Field
from lakemuster.spark.reading.paimon.ordering import before, ordered_form

MergeKey = tuple[pa.Scalar, ...]
"""One key in the form of ``ordering.ordered_form``."""


class NotSorted(Exception):
    """The rows of a file are not sorted by key, or a key is below the recorded smallest one.

    Attributes:
        path: the file's path.
    """

    def __init__(self, reason: str, path: str) -> None:
        super().__init__(reason)
        self.path = path


class SortedFile:
    """A cursor over the rows of one file, with a buffer of the rows read but not taken yet.

    Args:
        path: the file's path.
        rows: starts reading; the batches have at least the key columns.
        keys: the columns of the trimmed primary key.
        least: a lower bound of the file's keys; None if unknown, then the first rows are read at once.
    """

    def __init__(
        self, path: str, rows: Callable[[], Iterator[pa.RecordBatch]], keys: Sequence[Field], least: MergeKey | None
    ) -> None:
        self._path = path
        self._start = rows
        self._keys = keys
        self._floor = least
        self._batches: Iterator[pa.RecordBatch] | None = None
        self._held: pa.Table | None = None
        self._ended = False
        if least is None:
            self.load()

    @property
    def reached(self) -> MergeKey | None:
        """The key before which all rows have been read; None when the file has been read to its end."""
        return None if self._ended else self._floor

    def load(self) -> None:
        """Read the next batch, which advances ``reached`` or leaves it the same.

        Raises:
            NotSorted: its rows are not sorted by key, or have a null key.
        """
        if self._batches is None:
            self._batches = self._start()
        for batch in self._batches:
            if batch.num_rows:
                self._hold(batch)
                return
        self._ended = True

    def take(self, end: MergeKey | None) -> pa.Table | None:
        """Remove and return the buffered rows before a key, or all for None; None if there are none."""
        held = self._held
        if held is None:
            return None
        count = held.num_rows if end is None else self._count_before(held, end)
        self._held = held.slice(count) if count < held.num_rows else None
        return held.slice(0, count) if count else None

    def _hold(self, batch: pa.RecordBatch) -> None:
        keys = [ordered_form(batch.column(field.name), field.type) for field in self._keys]
        if any(column.null_count for column in keys):
            raise NotSorted("a key has a null", self._path)
        if self._floor is not None and before([column[:1] for column in keys], self._floor)[0].as_py():
            raise NotSorted("its rows are not sorted by key", self._path)
        if pc.any(before([column[1:] for column in keys], [column[:-1] for column in keys])).as_py():
            raise NotSorted("its rows are not sorted by key", self._path)
        self._floor = tuple(column[-1] for column in keys)
        for number, column in enumerate(keys):
            batch = batch.append_column(key_column(number), column)
        rows = pa.Table.from_batches([batch])
        self._held = rows if self._held is None else pa.concat_tables([self._held, rows])

    def _count_before(self, held: pa.Table, end: MergeKey) -> int:
        columns = [held.column(key_column(number)) for number in range(len(self._keys))]
        return int(pc.sum(before(columns, end)).as_py() or 0)


def key_column(number: int) -> str:
    """Return the name of the added column that holds a key column in its ordered form."""
    return f"_ORDER_{number}"


def first_of(keys: Sequence[MergeKey]) -> MergeKey:
    """Return the smallest of one or more keys."""
    least = keys[0]
    for key in keys[1:]:
        if before(key, least).as_py():
            least = key
    return least
