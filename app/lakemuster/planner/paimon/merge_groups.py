"""Groups of Paimon files: which are pruned only as a whole, and which must be read together.

Source: Paimon ``KeyValueFileStoreScan``, ``MergeTreeSplitGenerator``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.caching import cached, nbytes
from lakemuster.formats.paimon.columns import combine, value_codes
from lakemuster.metadata.files import split_column
from lakemuster.metadata.types import arrow_type
from lakemuster.planner.casts import cast_or_none
from lakemuster.planner.columns import single_array
from lakemuster.planner.paimon.file_indexes import COLUMNS as INDEX_COLUMNS
from lakemuster.planner.paimon.file_indexes import EMBEDDED, kept_by_index
from lakemuster.planner.paimon.groups import Providers, kept_by_bucket
from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.paimon.sections import key_sections, overlapping, raw_convertible, row_ranges, whole_groups
from lakemuster.planner.paimon.splits import append_splits, data_evolution_splits, merge_tree_splits
from lakemuster.planner.paimon.statistics import DESCRIBING, FileStatistics, StatisticsKind, statistics_columns
from lakemuster.planner.pruning.partition_predicates import JointStatistics
from lakemuster.planner.pruning.prune import UNKNOWN, FieldStats, Mask, can_match
from lakemuster.planner.pruning.statistics import Arrays
from lakemuster.planner.pruning.zones import stacked
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.scan.selection import (
    Candidate,
    RowNumbers,
    entries_kept,
    entries_of,
    entry_partitions,
    readable,
    survivors,
)
from lakemuster.predicates import TRUE, Bound, references

NONE = -1
"""The number of a file without a section or split."""

Ints = NDArray[np.int64]

_OWN = frozenset(
    {"file_name", "file_size_in_bytes", "delete_row_count", "min_sequence_number", "max_sequence_number"}
    | {"first_row_id", "write_cols_sequences", "partition", "min_key", "max_key", "bucket", "level", *DESCRIBING}
)
"""The columns, or kinds of columns, that grouping and splitting read."""

_BLOB = ".blob"
_ALL: tuple[StatisticsKind, ...] = ("values", "keys")


@dataclass(frozen=True, eq=False)
class Members:
    """The N files that are left after pruning each file alone, in the order of manifests and entries.

    Attributes:
        number: (N,) the part of each file.
        row: (N,) its position in the manifest.
        table: the columns that grouping and splitting read.
    """

    number: Ints
    row: RowNumbers
    table: pa.Table

    @property
    def weight(self) -> int:
        """The approximate bytes of memory, including arrays that are computed on first use."""
        return 2000 + 32 * len(self.row) + nbytes(self.table)

    @cached_property
    def bucket(self) -> Ints:
        """(N,) a number for each file's partition and bucket."""
        names = [name for name in self.table.column_names if (split_column(name) or "")[:1] == ("partition",)]
        codes = [value_codes(single_array(self.table.column(name))) for name in sorted(names)]
        return combine(self.numbers("bucket"), *codes)

    def numbers(self, name: str) -> Ints:
        """Return a column of integers, ``UNKNOWN`` where missing."""
        values = single_array(self.table.column(name)).cast(pa.int64()).fill_null(UNKNOWN)
        return np.asarray(values.to_numpy(zero_copy_only=False), np.int64)

    def filter(self, keep: Mask) -> Members:
        """Select some of the files."""
        return Members(self.number[keep], self.row[keep], self.table.filter(pa.array(keep)))

    def by_part(self) -> Iterator[tuple[int, RowNumbers]]:
        """Yield the parts that have files, and the files' positions in the manifest."""
        for number in np.unique(self.number).tolist():
            yield number, self.row[self.of_part(number)]

    def places(self, numbers: Ints, rows: RowNumbers) -> Ints:
        """Return the indices of some of these files, given their parts and positions."""
        return np.searchsorted(self._keys, _position_keys(numbers, rows))

    @cached_property
    def _keys(self) -> Ints:
        return _position_keys(self.number, self.row)

    def of_part(self, number: int) -> slice:
        """Return the slice of a part's files."""
        return slice(*np.searchsorted(self.number, [number, number + 1]).tolist())


def _position_keys(numbers: Ints, rows: RowNumbers) -> Ints:
    return np.asarray((numbers << 40) | rows)


@dataclass(frozen=True, eq=False)
class MergeGroups:
    """How the chosen files are read.

    Attributes:
        raw_convertible: (N,) whether a plain reader may read the file alone; its deletion vector applies by position.
        section: (N,) files with the same number must be read together; ``NONE`` where raw convertible.
        whole: (N,) whether all files of the bucket are raw convertible.
    """

    raw_convertible: Mask
    section: Ints
    whole: Mask


@cached("merge groups", lambda files: files.weight, lambda scan, bound: (scan.cache_key, bound))
def chosen(scan: ScanIndex, bound: Bound) -> Members:
    """Return the files that a predicate keeps, after pruning groups of files as a whole."""
    found = members(scan, bound)
    if bound == TRUE or paimon_reading(scan).drop_group is None or not len(found.row):
        return found
    return found.filter(kept_together(scan, found, bound))


def kept_together(scan: ScanIndex, files: Members, bound: Bound) -> Mask:
    """Mark the files whose group may hold a matching row."""
    reading = paimon_reading(scan)
    if reading.drop_group == "row ids":
        return _row_ids_kept(scan, files, bound)
    may_drop_group = reading.options.buckets_can_go
    return kept_by_bucket(
        files.bucket, files.numbers("level"), _matching(scan, files, bound), may_drop_group=may_drop_group
    )


@cached("merge groups", nbytes, lambda scan, bound: (scan.cache_key, bound))
def merge_groups_of(scan: ScanIndex, bound: Bound) -> MergeGroups:
    """Return how the files of :func:`chosen` are read."""
    reading, files = paimon_reading(scan), chosen(scan, bound)
    count = len(files.row)
    if not count:
        return MergeGroups(np.zeros(0, np.bool_), np.zeros(0, np.int64), np.zeros(0, np.bool_))
    if reading.options.has_primary_key:
        section, level, deleted = _sections(files, reading), files.numbers("level"), files.numbers("delete_row_count")
        merged = reading.options.deletion_vectors or reading.options.merge_engine == "first-row"
        raw = raw_convertible(files.bucket, section, level, deleted, merged=merged)
        whole = whole_groups(files.bucket, level, deleted, merged=merged)
    elif reading.options.data_evolution:
        section = row_ranges(np.zeros(count, np.int64), files.numbers("first_row_id"), files.numbers("record_count"))
        raw = whole = np.bincount(section)[section] == 1
    else:
        section, raw = np.full(count, NONE, np.int64), np.ones(count, np.bool_)
        whole = raw
    return MergeGroups(raw, np.where(raw, NONE, section), whole)


@cached("merge groups", nbytes, lambda scan, *of: (scan.cache_key, *of))
def packed(scan: ScanIndex, bound: Bound, target_size: int, open_file_cost: int) -> Ints:
    """Return the (N,) split of each file of :func:`chosen`."""
    reading, files, order = paimon_reading(scan), chosen(scan, bound), merge_groups_of(scan, bound)
    size = files.numbers("file_size_in_bytes")
    if reading.options.has_primary_key:
        sections = _sections(files, reading)
        return merge_tree_splits(
            files.bucket, size, sections, order.whole, target_size=target_size, open_file_cost=open_file_cost
        )
    if reading.options.data_evolution:
        ranges = row_ranges(files.bucket, files.numbers("first_row_id"), files.numbers("record_count"))
        return data_evolution_splits(
            files.bucket,
            size,
            ranges,
            _blobs(files),
            count_blob_size=reading.options.count_blob_size,
            target_size=target_size,
            open_file_cost=open_file_cost,
        )
    return append_splits(
        files.bucket, size, files.numbers("min_sequence_number"), target_size=target_size, open_file_cost=open_file_cost
    )


def paimon_reading(scan: ScanIndex) -> PaimonReading:
    """Return the rules of a scan of a Paimon table."""
    assert isinstance(scan.rules, PaimonReading)
    return scan.rules


def members(scan: ScanIndex, bound: Bound) -> Members:
    """Return the files that are left after pruning each file alone."""
    found: list[tuple[Candidate, RowNumbers, pa.Table]] = []
    for candidate in survivors(scan, bound).candidates(scan):
        for start, entries in entries_of(scan, candidate, bound, more=_OWN):
            keep = readable(scan, candidate.part, entries, start)
            if bound != TRUE:
                keep = entries_kept(candidate.spec, entries, bound, keep)
            rows = np.flatnonzero(keep)
            if len(rows):
                wanted = entries.select([name for name in entries.column_names if _is_wanted(name)])
                found.append((candidate, rows + start, wanted.take(pa.array(rows))))
    if not found:
        nothing = np.zeros(0, np.int64)
        return Members(nothing, nothing, pa.table({}))
    return Members(
        np.concatenate([np.full(len(rows), candidate.number) for candidate, rows, _ in found]),
        np.concatenate([rows for _, rows, _ in found]),
        pa.concat_tables([table for _, _, table in found], promote_options="permissive"),
    )


def _is_wanted(name: str) -> bool:
    """Return whether grouping or splitting reads a column; a key recorded in several types counts as unknown."""
    return name.partition(".")[0] in _OWN and "@" not in name


def all_statistics(scan: ScanIndex, part: int, rows: RowNumbers, bound: Bound) -> JointStatistics:
    """Return the statistics of some files of a part: columns, keys and partitions."""
    spec = next(spec for spec in scan.specs if part in spec.numbers)
    segment = scan.index.segments.open(scan.data[part].manifest.segment)
    own = [segment.columns_of.get(field_id, ()) for field_id in references(bound)]
    names = [name for some in own for of in _ALL for name in statistics_columns(some, of)]
    names += [name for name in segment.schema.names if name.startswith("partition.") or name in DESCRIBING]
    entries = segment.table(names).take(pa.array(rows))
    statistics = FileStatistics(entries, paimon_reading(scan).evolution, _ALL)
    return JointStatistics(statistics, entry_partitions(spec, entries), spec.projection)


def _matching(scan: ScanIndex, files: Members, bound: Bound) -> Mask:
    """Mark the files that can hold a matching row, by all of their statistics and indexes."""
    found = []
    for part, rows in files.by_part():
        keep = can_match(bound, all_statistics(scan, part, rows, bound))
        found.append(_by_index(scan, part, rows, bound, keep))
    return np.concatenate([np.zeros(0, np.bool_), *found])


def _by_index(scan: ScanIndex, part: int, rows: RowNumbers, bound: Bound, keep: Mask) -> Mask:
    """Clear in ``keep`` the files of a part whose indexes exclude every row."""
    asked = np.flatnonzero(keep)
    if len(asked) and (entries := indexed(scan, part, rows[asked])) is not None:
        keep[asked] = kept_by_index(entries, paimon_reading(scan).evolution, bound, keep[asked])
    return keep


def indexed(scan: ScanIndex, part: int, rows: RowNumbers) -> pa.Table | None:
    """Return some files of a part with their indexes; None where the part has none, or the scan does not read them."""
    segment = scan.index.segments.open(scan.data[part].manifest.segment)
    if EMBEDDED not in segment.schema.names or not paimon_reading(scan).uses_indexes:
        return None
    return segment.table(INDEX_COLUMNS).take(pa.array(rows))


def _sections(files: Members, reading: PaimonReading) -> Ints:
    """Return sections by ranges of the primary key; a bucket without bounds of its keys is one section.

    Compacted files that are not sorted by the key are a section each: deletion vectors leave one row of each key.
    """
    if reading.options.sorts_by_clustering and reading.least_level:
        places = np.arange(len(files.row))
        return overlapping(files.bucket, places, places)
    schema = reading.evolution.schemas[0]
    ids = [schema.by_name[name].field_id for name in schema.primary_keys if name not in schema.partition_keys]
    minima, maxima = ([_key(files.table, f"{kind}.{id_}") for id_ in ids] for kind in ("min_key", "max_key"))
    return key_sections(files.bucket, minima, maxima)


def _key(table: pa.Table, name: str) -> pa.Array:
    return single_array(table.column(name)) if name in table.column_names else pa.nulls(table.num_rows, pa.int64())


def _blobs(files: Members) -> Mask:
    names = single_array(files.table.column("file_name"))
    return np.asarray(pc.ends_with(names, _BLOB).to_numpy(zero_copy_only=False), np.bool_)


def _row_ids_kept(scan: ScanIndex, files: Members, bound: Bound) -> Mask:
    """Mark the files whose range of row ids can hold a matching row."""
    evolution = paimon_reading(scan).evolution
    first, rows = files.numbers("first_row_id"), files.numbers("record_count")
    group = row_ranges(np.zeros(len(rows), np.int64), first, rows)
    sequences = single_array(files.table.column("write_cols_sequences"))
    plain = np.asarray(sequences.is_null().to_numpy(zero_copy_only=False), np.bool_)
    providers = Providers(group, first, rows, files.numbers("max_sequence_number"), _blobs(files), plain)
    described = FileStatistics(files.table, evolution)
    fields: dict[int, FieldStats] = {}
    for field_id in references(bound):
        if evolution.today(field_id) is None:
            continue
        written = described.held(field_id, tuple(evolution.name_in(field_id)))
        if (combined := providers.combined(_field(scan, files, field_id), written)) is not None:
            fields[field_id] = combined
    first_of = np.zeros(providers.count, np.int64)
    first_of[group[::-1]] = np.arange(len(group))[::-1]
    spec = scan.specs[0]
    partitions = entry_partitions(spec, files.table.take(pa.array(first_of)))
    return can_match(bound, JointStatistics(Arrays(providers.count, fields), partitions, spec.projection))[group]


def _field(scan: ScanIndex, files: Members, field_id: int) -> FieldStats | None:
    """Return one column's statistics over all files, in the column's current type."""
    evolution = paimon_reading(scan).evolution
    now = evolution.today(field_id)
    target = None if now is None else arrow_type(now)
    if now is None or target is None:
        return None
    parts: list[FieldStats] = []
    counts: list[int] = []
    for part, rows in files.by_part():
        segment = scan.index.segments.open(scan.data[part].manifest.segment)
        own = statistics_columns(segment.columns_of.get(field_id, ()), "values")
        entries = segment.table([*DESCRIBING, *own]).take(pa.array(rows))
        found = FileStatistics(entries, evolution).field(field_id) or FieldStats()
        lower, upper = (None if b is None else cast_or_none(b, target) for b in (found.lower, found.upper))
        parts.append(FieldStats(lower, upper, found.null_count, None, found.value_count))
        counts.append(len(rows))
    return stacked(parts, counts, now)
