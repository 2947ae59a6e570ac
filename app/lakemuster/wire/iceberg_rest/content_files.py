"""Write content files and file scan tasks as JSON text, a column at a time.

The format is that of Java's ``ContentFileParser`` since 1.11, which PyIceberg and DuckDB also read: words in
lower case, integers always as numbers, binary values and bounds as the upper-case hex of their bytes, partition
values by position in the JSON single-value form. Values that were not recorded are left out. Newer clients read the
two sequence numbers (``data-sequence-number``, ``file-sequence-number``); Java up to 1.12 and PyIceberg 0.12
ignore them.

Some partition values cannot be read by clients in any form: Java's parser refuses floats that are not finite,
even those that it wrote itself.

Source: Iceberg REST OpenAPI, ``ContentFile`` and ``FileScanTask``; Java's ``ContentFileParser``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.metadata.files import DATA, EQUALITY_DELETES, POSITION_DELETES, column
from lakemuster.metadata.partition import PartitionField, PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import arrow_type
from lakemuster.wire.iceberg_rest.content_files_texts import (
    array_of,
    keyed,
    member,
    value_texts,
)
from lakemuster.wire.json_kernel.columns import Lists, RowPart
from lakemuster.wire.texts import ColumnTexts, data, join

Bound = OneOf["lower", "upper"]

_CONTENTS = {DATA: "data", POSITION_DELETES: "position-deletes", EQUALITY_DELETES: "equality-deletes"}
_CHUNK_BYTES = 64 * 2**20
_FRAME_BYTES = 400
"""Estimated bytes of a task's keys and punctuation."""
_COUNTS = {
    "column-sizes": "column_size",
    "value-counts": "value_count",
    "null-value-counts": "null_count",
    "nan-value-counts": "nan_count",
}
_BOUNDS: dict[str, Bound] = {"lower-bounds": "lower", "upper-bounds": "upper"}


def _as_recorded(locations: pa.Array) -> pa.Array:
    return locations


@dataclass(frozen=True, slots=True)
class ContentFiles:
    """Files of one partition spec.

    Attributes:
        table: entries in the shape of ``metadata.files``, inherited values filled in.
        spec: the partition spec of all files.
        schema: the table's current schema, to which clients bind specs.
        rewritten: maps recorded locations to the locations that are sent to clients.
        statistics: ids of the columns whose statistics are requested.
        bounds: returns the recorded bytes of a column's bounds; needed for bounds in ``statistics``.
        for_pyiceberg: write partition values so that PyIceberg 0.12 can read them. It rejects the whole plan if one is
            null, and takes the others as JSON values, regardless of their type. So dates and times are numbers, and a
            tuple ends before its first value that is null or that only text could represent. PyIceberg reads a value
            when a data file lacks the partition's column, and fails when there is none: see
            :func:`readable_by_pyiceberg`.
    """

    table: pa.Table
    spec: PartitionSpec
    schema: Schema
    rewritten: Callable[[pa.Array], pa.Array] = _as_recorded
    statistics: frozenset[int] = frozenset()
    bounds: Callable[[pa.Table, Bound, int], pa.Array] | None = None
    for_pyiceberg: bool = False


@dataclass(frozen=True, slots=True)
class References:
    """The delete files of N files: file i has ``numbers[offsets[i]:offsets[i + 1]]``.

    Attributes:
        offsets: (N+1,), from 0.
        numbers: indexes into the response's list of delete files.
    """

    offsets: NDArray[np.int64]
    numbers: NDArray[np.int64]

    def of(self, start: int, rows: int) -> References:
        """Return the references of ``rows`` files from ``start`` on."""
        offsets = self.offsets[start : start + rows + 1]
        return References(offsets - offsets[0], self.numbers[offsets[0] : offsets[-1]])


def file_scan_tasks(
    files: ContentFiles, references: References, residuals: Sequence[str], residual: NDArray[np.int64]
) -> bytes:
    """Write the tasks of data files, separated by commas: the inside of the array ``file-scan-tasks``.

    Args:
        files: N data files.
        references: their delete files.
        residuals: residual filters as JSON texts.
        residual: (N,) each file's index into ``residuals``.

    Raises:
        SegmentCorrupt: a text is not UTF-8.
    """
    longest = max(map(len, residuals), default=0) + int(np.diff(references.offsets).max(initial=0)) * 10
    return _array(
        ([*data_file(chunk), *task_end(references.of(at, rows), residuals, residual[at : at + rows])], rows)
        for at, rows, chunk in _chunks(files, longest)
    )


def delete_files(files: ContentFiles) -> bytes:
    """Write delete files, separated by commas: the inside of the array ``delete-files``.

    Raises:
        SegmentCorrupt: a text is not UTF-8.
    """
    return _array((_file(chunk, _contents(chunk.table)), rows) for _, rows, chunk in _chunks(files, 0))


def _chunks(files: ContentFiles, added: int) -> Iterator[tuple[int, int, ContentFiles]]:
    """Divide files into chunks whose text fits an Arrow array; yield each chunk's start, size and files."""
    table = files.table
    total = table.num_rows
    size = sum(map(pa.ipc.get_record_batch_size, table.to_batches()))  # ``nbytes`` takes ten times as long
    step = max(1, _CHUNK_BYTES // (_FRAME_BYTES + added + 4 * size // max(total, 1)))
    for at in range(0, total, step):
        chunk = table.slice(at, step)
        yield at, chunk.num_rows, replace(files, table=chunk)


def _array(objects: Iterable[tuple[list[RowPart], int]]) -> bytes:
    texts = [data(join([*pieces, ","], rows)) for pieces, rows in objects]
    return b"".join([*texts[:-1], *(last[:-1] for last in texts[-1:])])


def data_file(files: ContentFiles) -> list[RowPart]:
    """Return the pieces of the first part of tasks; :func:`task_end` returns the rest."""
    return ['{"data-file":', *_file(files, ["data"])]


def task_end(references: References, residuals: Sequence[str], residual: NDArray[np.int64]) -> list[RowPart]:
    """Return the pieces of the last part of tasks; arguments as for :func:`file_scan_tasks`."""
    pieces: list[RowPart] = []
    if len(references.numbers):
        offsets = references.offsets.astype(np.int32)
        # A list whose offset is null is null, and is left out.
        places = pa.array(offsets, mask=np.append(np.diff(offsets) == 0, False))
        listed = pa.ListArray.from_arrays(places, pa.array(references.numbers))
        pieces += member("delete-file-references", ColumnTexts(Lists(listed)))
    used = [0] if len(residuals) == 1 else np.unique(residual)
    what: RowPart = residuals[used[0]] if len(used) == 1 else pa.array(residuals, pa.string()).take(pa.array(residual))
    return [*pieces, ',"residual-filter":', what, "}"]


def _file(files: ContentFiles, content: list[RowPart]) -> list[RowPart]:
    """Return the pieces of files as JSON objects."""
    table = files.table
    return [
        f'{{"spec-id":{files.spec.spec_id},"content":"',
        *content,
        '","file-path":',
        *_locations(files, "file_path").pieces(),
        ',"file-format":',
        *_formats(table),
        ',"partition":[',
        *_partition(files),
        '],"file-size-in-bytes":',
        *_texts(table, "file_size_in_bytes").pieces(),
        ',"record-count":',
        *_texts(table, "record_count").pieces(),
        *_statistics(files),
        *member("key-metadata", _texts(table, "key_metadata")),
        *member("split-offsets", _lists(table, "split_offsets")),
        *member("equality-ids", _lists(table, "equality_ids")),
        *member("sort-order-id", _texts(table, "sort_order_id")),
        *member("first-row-id", _texts(table, "first_row_id")),
        *member("data-sequence-number", _texts(table, "sequence_number")),
        *member("file-sequence-number", _texts(table, "file_sequence_number")),
        *member("referenced-data-file", _locations(files, "referenced_data_file")),
        *member("content-offset", _texts(table, "content_offset")),
        *member("content-size-in-bytes", _texts(table, "content_size_in_bytes")),
        "}",
    ]


def _texts(table: pa.Table, name: str) -> ColumnTexts:
    array = array_of(table, name)
    return ColumnTexts(None) if array is None else value_texts(array)


def _lists(table: pa.Table, name: str) -> ColumnTexts:
    array = array_of(table, name)
    return ColumnTexts(None) if array is None else ColumnTexts(Lists(array))


def _locations(files: ContentFiles, name: str) -> ColumnTexts:
    array = array_of(files.table, name)
    return ColumnTexts(None) if array is None else value_texts(files.rewritten(array))


def _formats(table: pa.Table) -> Sequence[RowPart]:
    array = array_of(table, "file_format")
    if array is None:
        return ("null",)
    return value_texts(pc.utf8_lower(array)).pieces()


def _contents(table: pa.Table) -> list[RowPart]:
    codes = array_of(table, "content")
    if codes is None:
        return ["data"]
    return [pa.array(list(_CONTENTS.values())).take(pc.fill_null(codes, DATA).cast(pa.int32()))]


def _partition(files: ContentFiles) -> list[RowPart]:
    """Return the pieces of partition tuples: values separated by commas."""
    values = [_partition_value(files, field) for field in files.spec.fields]
    pieces: list[RowPart] = []
    if not files.for_pyiceberg or not any(texts.any_null for texts in values):
        for at, texts in enumerate(values):
            pieces += ["," if at else "", *texts.pieces()]
        return pieces
    going_on: pa.Array | None = None
    for at, texts in enumerate(values):
        if texts.all_null:
            break
        whole = texts.whole()
        going_on = whole.is_valid() if going_on is None else pc.and_(going_on, whole.is_valid())
        shown = pc.binary_join_element_wise("," if at else "", pc.fill_null(whole, ""), "")
        pieces.append(pc.if_else(going_on, shown, ""))
    return pieces


def readable_by_pyiceberg(files: ContentFiles) -> Iterator[tuple[PartitionField, NDArray[np.bool_]]]:
    """Yield the partition fields in order, each with (N,) whether a file's tuple for PyIceberg includes its value."""
    told = np.ones(files.table.num_rows, np.bool_)
    for field in files.spec.fields:
        texts = _partition_value(files, field)
        if texts.all_null:
            told = np.zeros_like(told)
        elif texts.any_null:
            told = told & texts.whole().is_valid().to_numpy(zero_copy_only=False)
        yield field, told


def has_odd_floats(files: ContentFiles) -> bool:
    """Tell whether a partition value is NaN or infinite, which Java's JSON parser refuses."""
    for field in files.spec.fields:
        array = array_of(files.table, column("partition", field.field_id))
        if array is not None and pa.types.is_floating(array.type) and not pc.all(pc.is_finite(array)).as_py():
            return True
    return False


def has_statistics(table: pa.Table, field_id: int) -> NDArray[np.bool_]:
    """Mark (N,) the files that certainly have a column: their writer recorded a count or size of it."""
    found = np.zeros(table.num_rows, np.bool_)
    for kind in _COUNTS.values():
        if (array := array_of(table, column(kind, field_id))) is not None:
            found |= array.is_valid().to_numpy(zero_copy_only=False)
    return found


def _partition_value(files: ContentFiles, field: PartitionField) -> ColumnTexts:
    if not all(source in files.schema.by_id for source in field.source_ids):
        # Java gives such a field the unknown type, and then refuses all values except null.
        return ColumnTexts(None)
    name = column("partition", field.field_id)
    array = array_of(files.table, name)
    if array is None:
        return ColumnTexts(None)
    recorded = (files.table.schema.field(name).metadata or {}).get(b"type", b"").decode()
    if files.for_pyiceberg:
        return _untyped(array)
    of = result_type(field, (files.schema,))
    target = arrow_type(of)
    if target is None or target == array.type:
        return value_texts(array, recorded)
    try:
        return value_texts(array.cast(target), of.text)
    except pa.ArrowException:
        return value_texts(array, recorded)


def _untyped(array: pa.Array) -> ColumnTexts:
    """Return the JSON texts of values that can be read without their type; null for others."""
    kind = array.type
    if pa.types.is_temporal(kind):
        return value_texts(array.cast(pa.int32() if kind.bit_width == 32 else pa.int64()))
    if pa.types.is_floating(kind):
        return value_texts(pc.if_else(pc.is_finite(array), array, pa.scalar(None, kind)))
    plain = pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_string(kind)
    return value_texts(array) if plain else ColumnTexts(None)


def _statistics(files: ContentFiles) -> list[RowPart]:
    table, ids = files.table, sorted(files.statistics)
    if not ids:
        return []
    pieces: list[RowPart] = []
    for key, kind in _COUNTS.items():
        found = {field_id: array_of(table, column(kind, field_id)) for field_id in ids}
        pieces += keyed(
            key, {field_id: array for field_id, array in found.items() if array is not None}, table.num_rows
        )
    if files.bounds is None:
        return pieces
    for key, bound in _BOUNDS.items():
        pieces += keyed(key, {field_id: files.bounds(table, bound, field_id) for field_id in ids}, table.num_rows)
    return pieces
