"""The rows of a split's data files, as columns of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.metadata.types import Field
from lakemuster.spark.reading.iceberg.parquet import ParquetRows
from lakemuster.spark.reading.iceberg.projection import Column, NotProjectedError, leaves_of, projection
from lakemuster.spark.reading.iceberg.schema import read_schema, wanted_fields
from lakemuster.spark.reading.iceberg.stored import Stored, has_ids, prune, with_position_ids
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead


def read(table: TableToRead, split: Split, files: Files) -> Iterator[pa.RecordBatch]:
    """The rows of a split, in ``schema.read_schema(table)``, deletes applied.

    Raises:
        NotReadable: a file, or a delete file of it, cannot be applied; some rows may have been given before.
    """
    schema, fields = read_schema(table), wanted_fields(table)
    for file in split.files:
        with naming(table, file["file_path"]):
            yield from _rows(table, file, files, schema, fields)


def _rows(
    table: TableToRead, file: Row, files: Files, schema: pa.Schema, fields: Sequence[Field]
) -> Iterator[pa.RecordBatch]:
    path = file["file_path"]
    if file.get("deletes"):
        raise NotReadable(table.name, "deletes apply to it", path)
    if file.get("key_metadata") is not None:
        raise NotReadable(table.name, "it is encrypted", path)
    if file["file_format"] != "parquet":
        raise NotReadable(table.name, f"its format is {file['file_format']}", path)
    rows = ParquetRows(files.open(path, file.get("file_size_in_bytes")))
    recorded = file.get("record_count")
    if recorded is not None and recorded >= 0 and rows.num_rows != recorded:
        raise NotReadable(table.name, f"it holds {rows.num_rows} rows, not {recorded} as recorded", path)
    columns = with_ids(rows.columns)
    leaves = leaves_of(fields, columns)
    make = projection(fields, prune(columns, leaves), partition_constants(table, file))
    count = 0
    for batch in rows.batches(leaves):
        count += batch.num_rows
        yield _made(batch, make, schema)
    if count != rows.num_rows:
        raise NotReadable(table.name, f"it gave {count} rows, not {rows.num_rows}", path)


def with_ids(columns: tuple[Stored, ...]) -> tuple[Stored, ...]:
    """The columns with the ids that the format's rules give them."""
    return columns if has_ids(columns) else with_position_ids(columns)


def _made(batch: pa.RecordBatch, make: Sequence[Column], schema: pa.Schema) -> pa.RecordBatch:
    if not make:
        return batch.select([])
    return pa.RecordBatch.from_arrays([column(batch) for column in make], schema=schema)


def partition_constants(table: TableToRead, file: Row) -> Mapping[int, object]:
    """The values of identity partition sources, which hold for every row of the file, by field id.

    Raises:
        NotReadable: the file's spec is not known.
    """
    spec = next((spec for spec in table.specs if spec["spec_id"] == file["spec_id"]), None)
    if spec is None:
        raise NotReadable(table.name, f"its partition spec {file['spec_id']} is not known", file["file_path"])
    values = file.get("partition") or {}
    return {
        field["source_ids"][0]: values[field["name"]]
        for field in spec["fields"]
        if field["transform"] == "identity" and field["name"] in values
    }


@contextmanager
def naming(table: TableToRead, path: str) -> Iterator[None]:
    """Name the table and the file in what Arrow and the projection say."""
    try:
        yield
    except NotProjectedError as cause:
        raise NotReadable(table.name, str(cause), path) from cause
    except pa.ArrowException as cause:
        raise NotReadable(table.name, f"it is broken: {cause}", path) from cause
    except OSError as cause:
        if cause.filename is not None or type(cause) is not OSError:
            raise  # the storage's own error
        raise NotReadable(table.name, f"it cannot be read to its end: {cause}", path) from cause
