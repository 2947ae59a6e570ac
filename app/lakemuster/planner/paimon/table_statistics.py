"""Paimon's rules of statistics: levels, sorted runs, files that a read merges, deletion vectors.

Source: Paimon ``CoreOptions`` (``target-file-size``; a file below 70 % of it may be compacted), ``Levels``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.formats.paimon.options import TableOptions
from lakemuster.planner.columns import single_array
from lakemuster.planner.paimon.details import vectors_of
from lakemuster.planner.paimon.merge_groups import chosen, merge_groups_of, paimon_reading
from lakemuster.planner.paimon.rows import file_formats
from lakemuster.planner.paimon.statistics import DESCRIBING, FileStatistics, statistics_columns
from lakemuster.planner.pruning.statistics import counts
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.planner.statistics.delete_files import (
    NO_DELETES,
    VECTORS_ONLY,
    DeleteKind,
    Deletes,
    DeletesByKind,
    RowsDeleted,
    nothing,
)
from lakemuster.planner.statistics.live_files import Question, SpecFiles
from lakemuster.planner.statistics.merging import Merging
from lakemuster.planner.statistics.numbers import Ints, Quantiles, by_number, column_numbers, distinct, known_sum
from lakemuster.planner.statistics.rules import StatisticsRules, TargetFileSize
from lakemuster.planner.view import View

TARGET_FILE_SIZE = "target-file-size"
DEFAULT_BYTES, KEYED_DEFAULT_BYTES = 256 << 20, 128 << 20
SMALL_PERCENT = 70
NOT_RECORDED = "the number of rows that some deletion vectors delete is not recorded"


def target(view: View) -> TargetFileSize:
    """Return the table's target; without the option, the default of tables with or without a primary key."""
    options = TableOptions.of(view.schemas[0])
    if options.target_file_size is not None:
        return TargetFileSize(options.target_file_size, SMALL_PERCENT, TARGET_FILE_SIZE)
    default = KEYED_DEFAULT_BYTES if options.has_primary_key else DEFAULT_BYTES
    return TargetFileSize(default, SMALL_PERCENT, f"the default of {TARGET_FILE_SIZE}")


def deletes(question: Question, files: Sequence[SpecFiles]) -> Deletes:
    """Match the snapshot's deletion vectors with the files."""
    index = vectors_of(question.scan)
    if index is None or not len(index):
        return nothing(question)
    tables = [table for of in files for table in of.tables]
    found = pa.chunked_array([index.match(table.combine_chunks()) for table in tables], index.vectors.type)
    carried = single_array(found)
    carries = carried.is_valid().to_numpy(zero_copy_only=False)
    vectors = carried.filter(pa.array(carries))
    every = _kind(index.vectors)
    own = _kind(vectors)
    rows = counts(pa.chunked_array([vectors.field("cardinality")]))
    records = column_numbers(tables, "record_count")[carries]
    dangling = None
    if question.is_whole:
        left = _without(index.vectors, vectors)
        dangling = DeletesByKind(deletion_vectors=_kind(left))
    return Deletes(
        DeletesByKind(deletion_vectors=every if question.is_whole else own),
        int(carries.sum()),
        _rows_deleted(rows, records),
        dangling,
    )


def _rows_deleted(rows: Ints, records: Ints) -> RowsDeleted:
    """Limit the rows that (V,) vectors delete of files with ``records`` rows."""
    if not len(rows):
        return RowsDeleted(0, 0, NO_DELETES)
    unknown = rows < 0
    if not unknown.any():
        return RowsDeleted(int(rows.sum()), int(rows.sum()), VECTORS_ONLY)
    return RowsDeleted(known_sum(rows), int(np.where(unknown, records, rows).sum()), NOT_RECORDED)


def _kind(vectors: pa.StructArray) -> DeleteKind:
    rows = counts(pa.chunked_array([vectors.field("cardinality")]))
    sizes = counts(pa.chunked_array([vectors.field("length")]))
    files = len(pc.unique(vectors.field("file_path")))
    return DeleteKind(len(vectors), files, None if (rows < 0).any() else int(rows.sum()), known_sum(sizes))


def _without(all_vectors: pa.StructArray, some: pa.StructArray) -> pa.StructArray:
    """Return the vectors that are not in ``some``; a vector is identified by its file and offset."""
    taken = set(zip(some.field("file_path").to_pylist(), some.field("offset").to_pylist(), strict=True))
    places = zip(all_vectors.field("file_path").to_pylist(), all_vectors.field("offset").to_pylist(), strict=True)
    return all_vectors.filter(pa.array([place not in taken for place in places], pa.bool_()))


def merging(files: Sequence[SpecFiles]) -> Merging:
    """Count files by level, the sorted runs of buckets, and the files that a read merges."""
    tables = [table for of in files for table in of.tables]
    names = ("record_count", "file_size_in_bytes", "level", "delete_row_count")
    records, sizes, levels, deleted = (column_numbers(tables, name) for name in names)
    runs = [_sorted_runs(of) for of in files]
    found = np.concatenate([np.zeros(0, np.int64), *runs])
    merged, sections, read = np.zeros((0, 2), np.int64), 0, 0
    keyed = False
    for question in dict.fromkeys(of.question for of in files):
        scan, bound = question.scan, question.predicate
        members, groups = chosen(scan, bound), merge_groups_of(scan, bound)
        keyed |= paimon_reading(scan).options.has_primary_key
        read += len(members.row)
        parts = ~groups.raw_convertible
        if parts.any():
            own = np.stack([members.numbers("record_count")[parts], members.numbers("file_size_in_bytes")[parts]], 1)
            merged = np.concatenate([merged, own])
            sections += len(np.unique(groups.section[parts]))
    return Merging(
        by_number(levels, records, sizes),
        len(found),
        Quantiles.of(found) if keyed else None,
        len(merged),
        known_sum(merged[:, 0]),
        known_sum(merged[:, 1]),
        sections,
        len(sizes) - read,
        None if (deleted < 0).any() else int(deleted.sum()),
    )


def _sorted_runs(files: SpecFiles) -> Ints:
    """Count the sorted runs of each bucket: its files on level 0, and its other levels that have files."""
    _, partition = files.partitions()
    bucket, level = (column_numbers(files.tables, name) for name in ("bucket", "level"))
    least, levels = int(bucket.min(initial=0)), int(level.max(initial=0)) + 1
    span = int(bucket.max(initial=0)) - least + 1
    _, place = distinct(partition * span + bucket - least)
    count = int(place.max(initial=-1)) + 1
    upper = level > 0
    taken = np.unique(place[upper] * levels + level[upper]) // levels
    return np.asarray(np.bincount(place[~upper], minlength=count) + np.bincount(taken, minlength=count), np.int64)


def field_columns(of_field: Iterable[str]) -> list[str]:
    """Return the columns of a field in a segment that hold statistics of values or of keys."""
    own = list(of_field)
    return [*statistics_columns(own, "values"), *statistics_columns(own, "keys")]


def statistics(scan: ScanIndex, entries: pa.Table) -> FileStatistics:
    """Return all statistics of values and keys in the table's present types, also if they may not drop a file alone."""
    return FileStatistics(entries, paimon_reading(scan).evolution, ("values", "keys"))


PAIMON_STATISTICS = StatisticsRules(
    target,
    ("file_name", "bucket", "level", "delete_row_count", *DESCRIBING),
    file_formats,
    field_columns,
    statistics,
    deletes,
    merging,
)
