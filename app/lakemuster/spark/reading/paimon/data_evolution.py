"""Read rows whose columns are spread over several files (data evolution).

The files of one range of row ids hold the same rows in the same order, each with some of the columns. A column is taken
from the newest file that was written with it.

Source: Paimon's ``DataEvolutionSplitRead`` and ``DataEvolutionFileReader``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.metadata.types import Field
from lakemuster.spark.reading.model import Files, NotReadable
from lakemuster.spark.reading.paimon.deletion_vectors import deleted_positions, without_positions
from lakemuster.spark.reading.paimon.file_rows import rows_of_file
from lakemuster.spark.reading.paimon.tables import PaimonTable

_APART = (".blob", ".vector.")
"""Marks in the names of files that hold a single column of large objects, or vectors, for part of the rows."""


def data_evolution_rows(
    table: PaimonTable, section: Sequence[Row], fields: Sequence[Field], files: Files
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one range of row ids.

    Args:
        section: the plan's rows of all files of the range.
        fields: the columns to read, of the table's schema.

    Raises:
        NotReadable: the files are not of one range, or a column or deletion vector is not supported.
    """
    whole = sorted((file for file in section if not _is_apart(file)), key=lambda file: -file["max_sequence_number"])
    if not whole:
        raise NotReadable(table.name, "its rows are only in files of large objects", section[0]["file_path"])
    first = whole[0]
    for file in whole:
        if (file["first_row_id"], file["record_count"]) != (first["first_row_id"], first["record_count"]):
            raise NotReadable(table.name, "files hold columns of different rows", file["file_path"])
        if len(set(file.get("write_cols_sequences") or ())) > 1:
            raise NotReadable(table.name, "its columns are of different ages", file["file_path"])
    # The oldest file's deletion vector applies to the rows, whichever files their columns come from.
    anchor = min(whole, key=lambda file: (file["max_sequence_number"], file["file_name"]))
    for file in section:
        if file["deletion_vector"] is not None and file is not anchor:
            raise NotReadable(table.name, "a deletion vector is not of the oldest file of its rows", file["file_path"])
    parts: dict[int, list[Field]] = {}
    for field in fields:
        place = _provider(table, whole, field)
        if any(_writes(table, file, field) for file in section if _is_apart(file)):
            raise NotReadable(table.name, f"column {field.name} is in separate files", first["file_path"])
        parts.setdefault(place, []).append(field)
    rows = _side_by_side(table, whole, parts or {0: []}, [field.name for field in fields], files)
    if anchor["deletion_vector"] is not None:
        rows = without_positions(deleted_positions(table, anchor, files), rows)
    yield from rows


def _side_by_side(
    table: PaimonTable, whole: Sequence[Row], parts: Mapping[int, Sequence[Field]], names: Sequence[str], files: Files
) -> Iterator[pa.RecordBatch]:
    """Yield the joined rows; ``parts`` are the fields to read from each file, by its index in ``whole``."""
    readers = [rows_of_file(table, whole[place], of, files) for place, of in parts.items()]
    for batches in _aligned(readers):
        columns = {name: batch.column(name) for batch in batches for name in batch.schema.names}
        yield pa.RecordBatch.from_arrays([columns[name] for name in names], names=names) if names else batches[0]


def _is_apart(file: Row) -> bool:
    return any(mark in file["file_name"] for mark in _APART)


def _provider(table: PaimonTable, whole: Sequence[Row], field: Field) -> int:
    """Return the index of the file to read a column from: the newest written with it, else 0, where it is null."""
    return next((place for place, file in enumerate(whole) if _writes(table, file, field)), 0)


def _writes(table: PaimonTable, file: Row, field: Field) -> bool:
    schema = table.schemas.get(file["schema_id"])
    if schema is None:
        raise NotReadable(table.name, f"its schema {file['schema_id']} is not known", file["file_path"])
    own = next((one for one in schema if one.field_id == field.field_id), None)
    written = file["write_cols"]
    return own is not None and (written is None or own.name in written)


def _aligned(readers: Sequence[Iterator[pa.RecordBatch]]) -> Iterator[list[pa.RecordBatch]]:
    """Yield one batch of each reader at a time, sliced to cover the same rows.

    All readers have the same number of rows; each raises an error if its count differs from the recorded one.
    """
    held: list[pa.RecordBatch | None] = [None] * len(readers)
    while True:
        for place, reader in enumerate(readers):
            while (batch := held[place]) is None or not batch.num_rows:
                held[place] = batch = next(reader, None)
                if batch is None:
                    break
        batches = [batch for batch in held if batch is not None]
        if len(batches) < len(readers):
            for reader in readers:
                deque(reader, 0)
            return
        count = min(batch.num_rows for batch in batches)
        yield [batch.slice(0, count) for batch in batches]
        held = [batch.slice(count) for batch in batches]
