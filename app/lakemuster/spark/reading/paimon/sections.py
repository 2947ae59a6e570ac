"""Read the files of a section of a merge tree together, and files that need no merging alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.formats.paimon.options import sorts_by_clustering
from lakemuster.metadata.types import Field
from lakemuster.spark.reading.column_stats import Condition
from lakemuster.spark.reading.model import Files, NotReadable
from lakemuster.spark.reading.paimon.aggregation import AggregationFailed
from lakemuster.spark.reading.paimon.arrays import NotOfType, of_metadata
from lakemuster.spark.reading.paimon.deletion_vectors import live_rows
from lakemuster.spark.reading.paimon.engines import merging_of
from lakemuster.spark.reading.paimon.file_rows import ROW_KIND, SEQUENCE
from lakemuster.spark.reading.paimon.merging import DeletesNotSupported, is_added
from lakemuster.spark.reading.paimon.ordering import NoOrder, ordered_form
from lakemuster.spark.reading.paimon.sorted_cursor import MergeKey, NotSorted, SortedFile
from lakemuster.spark.reading.paimon.tables import PaimonTable

_POSTPONE = -2


def rows_alone(
    table: PaimonTable, file: Row, fields: Sequence[Field], files: Files, conditions: Sequence[Condition] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file that needs no merging; arguments and errors as for :func:`live_rows`.

    Old versions of Paimon did not record a file's number of delete rows; such files are read with their row kinds, and
    delete rows are dropped.
    """
    if not table.primary_keys or file["delete_row_count"] is not None:
        return live_rows(table, file, fields, files, conditions)
    return _without_deletes(table, file, fields, files, conditions)


def _without_deletes(
    table: PaimonTable, file: Row, fields: Sequence[Field], files: Files, conditions: Sequence[Condition] = ()
) -> Iterator[pa.RecordBatch]:
    return _added(live_rows(table, file, (*fields, ROW_KIND), files, conditions), [field.name for field in fields])


def _added(batches: Iterator[pa.RecordBatch], names: list[str]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.filter(is_added(batch.column(ROW_KIND.name))).select(names)


def section_rows(
    table: PaimonTable, section: Sequence[Row], fields: Sequence[Field], files: Files
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one section of a merge tree: at most one per key.

    Args:
        section: the plan's rows of all files of the section.
        fields: the columns to read, of the table's schema.

    Raises:
        NotReadable: the merge engine or one of its options is not supported, or a file is damaged.
    """
    if sorts_by_clustering(table.options) and all(file["level"] > 0 for file in section):
        # Deletion vectors leave one row of each key.
        for file in section:
            yield from _without_deletes(table, file, fields, files)
        return
    merging = merging_of(table, fields)
    if any(file["bucket"] == _POSTPONE for file in section):
        raise NotReadable(table.name, "its rows are not assigned to a bucket yet", section[0]["file_path"])
    needed = {field.field_id: field for field in (*fields, *merging.needed, SEQUENCE, ROW_KIND)}
    names = [field.name for field in fields]
    ordered = sorted(section, key=lambda file: -file["level"])
    by_snapshot = table.flag("sequence.snapshot-ordering")
    try:
        cursors = []
        for file in ordered:
            rows = partial(_rows, table, file, tuple(needed.values()), files, by_snapshot=by_snapshot)
            cursors.append(SortedFile(file["file_path"], rows, merging.keys, _least_key(file, merging.keys)))
        for rows in merging.rows(cursors):
            for batch in rows.to_batches():
                yield batch.select(names)
    except NotSorted as problem:
        raise NotReadable(table.name, str(problem), problem.path) from problem
    except (DeletesNotSupported, NoOrder, AggregationFailed) as problem:
        raise NotReadable(table.name, str(problem), section[0]["file_path"]) from problem


def _least_key(file: Row, keys: Sequence[Field]) -> MergeKey | None:
    """Return the smallest key recorded in a file's entry; None if it is missing or cannot be decoded."""
    recorded = file["min_key"] or {}
    try:
        found = [ordered_form(of_metadata(recorded.get(field.name), field.type), field.type) for field in keys]
    except (NotOfType, NoOrder, pa.ArrowException):
        return None
    return None if any(column.null_count for column in found) else tuple(column[0] for column in found)


def _rows(
    table: PaimonTable, file: Row, fields: Sequence[Field], files: Files, *, by_snapshot: bool
) -> Iterator[pa.RecordBatch]:
    source = file["file_source"]
    if by_snapshot and source is None:
        raise NotReadable(table.name, "sequence.snapshot-ordering needs to know what wrote a file", file["file_path"])
    for batch in live_rows(table, file, fields, files):
        if by_snapshot and source == "append":
            number = pa.repeat(pa.scalar(file["min_sequence_number"], pa.int64()), batch.num_rows)
            yield batch.set_column(batch.schema.get_field_index(SEQUENCE.name), SEQUENCE.name, number)
        else:
            yield batch
