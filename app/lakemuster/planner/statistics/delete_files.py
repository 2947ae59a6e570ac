"""Delete files: how many of each kind, which data files carry them, how many rows they delete, which are dangling.

A deletion vector tells exactly how many rows of its data file it deletes. Other position deletes may repeat a position,
and one file may list positions of removed data files; equality deletes may delete any number of rows. So the rows
that they delete are within an interval.

Source: Iceberg spec, "Delete Formats", "Scan Planning".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster.metadata.files import EQUALITY_DELETES
from lakemuster.planner.columns import single_array
from lakemuster.planner.deletes.deletes import DeleteIndex
from lakemuster.planner.pruning.statistics import counts
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.statistics.live_files import Question, SpecFiles
from lakemuster.planner.statistics.numbers import Ints, column_numbers, known_sum, sums

Mask = NDArray[np.bool_]

VECTORS_ONLY = "only deletion vectors delete rows"
NO_DELETES = "nothing deletes rows"
NO_CHOICE = "what delete files list leaves one possibility"
POSITIONS = "position delete files may repeat positions, or list those of other data files"
EQUALITIES = "equality deletes may delete any number of rows of their data files"


@dataclass(frozen=True, slots=True)
class DeleteKind:
    """Delete files of one kind.

    Attributes:
        count: entries; several deletion vectors may share a file.
        files: distinct locations.
        records: rows of the files, or rows that the vectors delete; None where some are not recorded.
        bytes: the size of the files, or of the vectors within their files.
    """

    count: int = 0
    files: int = 0
    records: int | None = 0
    bytes: int = 0

    def __add__(self, other: DeleteKind) -> DeleteKind:
        """Add files of another branch."""
        records = None if self.records is None or other.records is None else self.records + other.records
        return DeleteKind(self.count + other.count, self.files + other.files, records, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class DeletesByKind:
    """Delete files by kind."""

    position_deletes: DeleteKind = field(default_factory=DeleteKind)
    equality_deletes: DeleteKind = field(default_factory=DeleteKind)
    deletion_vectors: DeleteKind = field(default_factory=DeleteKind)

    def __add__(self, other: DeletesByKind) -> DeletesByKind:
        """Add files of another branch."""
        return DeletesByKind(
            self.position_deletes + other.position_deletes,
            self.equality_deletes + other.equality_deletes,
            self.deletion_vectors + other.deletion_vectors,
        )


@dataclass(frozen=True, slots=True)
class RowsDeleted:
    """The number of deleted rows of data files: at least ``lower``; at most ``upper``, None if there is no limit."""

    lower: int
    upper: int | None
    reason: str

    @property
    def exact(self) -> bool:
        """Whether both limits are equal."""
        return self.lower == self.upper

    def __add__(self, other: RowsDeleted) -> RowsDeleted:
        """Add rows of another branch."""
        upper = None if self.upper is None or other.upper is None else self.upper + other.upper
        reasons = dict.fromkeys(of.reason for of in (self, other) if of.upper != 0) or {self.reason: None}
        return RowsDeleted(self.lower + other.lower, upper, "; ".join(reasons))


@dataclass(frozen=True, slots=True)
class Deletes:
    """The deletes of some data files.

    Attributes:
        files: all delete files that apply to any of them; of a whole snapshot, all live ones.
        data_files: how many data files carry deletes.
        rows: how many of their rows are deleted.
        dangling: the live delete files that apply to no live data file; None unless the files are all of a snapshot.
    """

    files: DeletesByKind
    data_files: int
    rows: RowsDeleted
    dangling: DeletesByKind | None

    def __add__(self, other: Deletes) -> Deletes:
        """Add the deletes of another branch."""
        dangling = None if self.dangling is None or other.dangling is None else self.dangling + other.dangling
        return Deletes(self.files + other.files, self.data_files + other.data_files, self.rows + other.rows, dangling)


def nothing(question: Question) -> Deletes:
    """Return the deletes of a table that has none."""
    none = DeletesByKind()
    return Deletes(none, 0, RowsDeleted(0, 0, NO_DELETES), none if question.is_whole else None)


def deletes_of(question: Question, _files: Sequence[SpecFiles]) -> Deletes:
    """Match delete files with the data files of a question.

    Raises:
        LimitExceeded: too many delete files apply to the data files of one batch.
    """
    scan = question.scan
    index = scan.delete_index
    if index is None:
        return nothing(question)
    entries = _Entries.of([table for _, table in scan.delete_tables], index)
    matched = _Matched.of(Plan(scan, question.predicate, details=False), entries)
    chosen = np.ones(len(entries.records), np.bool_) if question.is_whole else matched.attached
    return Deletes(
        entries.by_kind(chosen),
        matched.data_files,
        matched.rows_deleted(entries),
        entries.by_kind(~matched.attached) if question.is_whole else None,
    )


@dataclass(frozen=True, slots=True)
class _Entries:
    """The D live delete entries of a snapshot."""

    is_equality: Mask
    is_vector: Mask
    of_one_file: Mask
    records: Ints
    sizes: Ints
    vector_sizes: Ints
    paths: pa.Array

    @classmethod
    def of(cls, tables: Sequence[pa.Table], index: DeleteIndex) -> _Entries:
        filled = [table for table in tables if table.num_rows]
        names = ("record_count", "file_size_in_bytes", "content_size_in_bytes")
        records, sizes, vector_sizes = (column_numbers(filled, name) for name in names)
        return cls(
            np.asarray(index.content == EQUALITY_DELETES),
            index.is_vector,
            index.of_one_file,
            records,
            sizes,
            vector_sizes,
            pa.concat_arrays([single_array(table.column("file_path")) for table in filled]),
        )

    @property
    def is_position(self) -> Mask:
        """Mask of the position delete files that are not deletion vectors."""
        return ~self.is_equality & ~self.is_vector

    def by_kind(self, chosen: Mask) -> DeletesByKind:
        """Sum some of the entries."""
        return DeletesByKind(
            self._kind(chosen & self.is_position),
            self._kind(chosen & self.is_equality),
            replace(self._kind(chosen & self.is_vector), bytes=known_sum(self.vector_sizes[chosen & self.is_vector])),
        )

    def _kind(self, mask: Mask) -> DeleteKind:
        places = np.flatnonzero(mask)
        locations = self.paths.take(pa.array(places)).dictionary_encode()
        _, first = np.unique(locations.indices.to_numpy(zero_copy_only=False), return_index=True)
        records = self.records[places]
        rows = None if (records < 0).any() else int(records.sum())
        return DeleteKind(len(places), len(first), rows, known_sum(self.sizes[places[first]]))


@dataclass(frozen=True, slots=True)
class _Matched:
    """The result of delete matching, summed over data files.

    Attributes:
        attached: (D,) whether a delete entry applies to any of the data files.
        spread: (D,) whether it may list rows of several data files, and applies to one without equality deletes.
        lower, upper: limits of deleted rows, file by file; ``upper`` is None where the rows of a file are unknown.
        listed: rows of files with equality deletes, and rows that delete entries of one data file list of others.
    """

    attached: Mask
    spread: Mask
    data_files: int
    lower: int
    upper: int | None
    listed: int

    @classmethod
    def of(cls, plan: Plan, entries: _Entries) -> _Matched:
        attached, spread = (np.zeros(len(entries.records), np.bool_) for _ in range(2))
        data_files = lower = listed = 0
        upper: int | None = 0
        for batch in plan.batches():
            pairs = np.diff(batch.delete_offsets)
            carrying = np.flatnonzero(pairs)
            if not len(carrying):
                continue
            records = counts(batch.entries.recorded.column("record_count"))[carrying]
            found = _of_batch(pairs[carrying], batch.deletes, records, entries)
            attached[batch.deletes] = True
            spread[batch.deletes[found.is_spread]] = True
            data_files += len(carrying)
            lower += int(found.lower.sum())
            upper = None if upper is None or (records < 0).any() else upper + int(found.upper.sum())
            listed += found.listed
        return cls(attached, spread, data_files, lower, upper, listed)

    def rows_deleted(self, entries: _Entries) -> RowsDeleted:
        """Return the limits of deleted rows: no more than the data files have, nor than delete entries list."""
        upper, spread = self.upper, entries.records[self.spread]
        if upper is not None and not (spread < 0).any():
            upper = min(upper, self.listed + int(spread.sum()))
        of_kinds = (entries.is_position, POSITIONS), (entries.is_equality, EQUALITIES)
        reasons = [reason for of_kind, reason in of_kinds if (self.attached & of_kind).any()]
        if not reasons:
            reasons = [VECTORS_ONLY if self.attached.any() else NO_DELETES]
        elif self.lower == upper:
            reasons = [NO_CHOICE]
        return RowsDeleted(self.lower, upper, "; ".join(reasons))


@dataclass(frozen=True, slots=True)
class _FilesDeletes:
    """The deletes of N data files that carry some, in P pairs of a data file and a delete entry.

    Attributes:
        is_spread, listed: as of ``_Matched``; ``is_spread`` (P,).
        lower, upper: (N,) limits of deleted rows.
    """

    is_spread: Mask
    lower: Ints
    upper: Ints
    listed: int


def _of_batch(pairs: Ints, deletes: Ints, records: Ints, entries: _Entries) -> _FilesDeletes:
    """Limit the deleted rows of N data files; ``pairs`` (N,) counts the entries of each in ``deletes`` (P,)."""
    count = len(pairs)
    of_file = np.arange(count).repeat(pairs)

    def some(mask: Mask) -> Mask:
        return np.bincount(of_file[mask], minlength=count) > 0

    rows = entries.records[deletes]
    is_vector, is_equality = entries.is_vector[deletes], entries.is_equality[deletes]
    is_position = ~is_vector & ~is_equality
    of_one_file = is_vector | (is_position & entries.of_one_file[deletes])
    exact = sums(of_file[is_vector], count, rows[is_vector])
    at_most = exact + sums(of_file[is_position], count, rows[is_position])
    has_equality = some(is_equality)
    # Position deletes of one data file delete at least one of its rows, unless they are empty.
    at_least = np.maximum(exact, some(is_position & of_one_file & (rows > 0)))
    unlimited = has_equality | some(rows < 0)
    upper = np.maximum(np.where(unlimited, records, np.minimum(at_most, records)), at_least)
    limited = ~has_equality[of_file]
    listed = int(records[has_equality].sum()) + int(rows[of_one_file & limited].sum())
    return _FilesDeletes(is_position & ~of_one_file & limited, at_least, upper, listed)
