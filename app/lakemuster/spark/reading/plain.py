"""Parquet files read by name: what stands in for a format's own reading until it is there."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead

_TYPES = {"long": pa.int64(), "int": pa.int32(), "string": pa.string(), "date": pa.date32(), "double": pa.float64(),
          "timestamptz": pa.timestamp("us", tz="UTC"), "timestamp": pa.timestamp("us"), "boolean": pa.bool_(),
          "float": pa.float32(), "binary": pa.binary()}  # fmt: skip


def check(table: TableToRead) -> None:
    """Nothing is known against it."""


def read_schema(table: TableToRead) -> pa.Schema:
    """The wanted columns."""
    by_name = {field["name"]: field for field in table.schema["fields"]}
    fields = []
    for name in table.columns:
        text = by_name[name]["type"]
        if isinstance(text, str) and text.startswith("decimal"):
            precision, scale = text[8:-1].split(",")
            of = pa.decimal128(int(precision), int(scale))
        elif text in _TYPES:
            of = _TYPES[text]
        else:
            raise NotReadable(table.name, f"column {name} is {text}")
        fields.append(pa.field(name, of, nullable=not by_name[name]["required"]))
    return pa.schema(fields)


def read(table: TableToRead, split: Split, files: Files) -> Iterator[pa.RecordBatch]:
    """The rows of files without deletes."""
    schema = read_schema(table)
    for file in split.files:
        if file["deletes"]:
            raise NotReadable(table.name, "delete files apply", file["file_path"])
        parquet = pq.ParquetFile(files.open(file["file_path"], file["file_size_in_bytes"]), pre_buffer=True)
        for batch in parquet.iter_batches():
            rows = pa.Table.from_batches([batch])
            columns = [
                rows.column(f.name).cast(f.type) if f.name in rows.column_names else pa.nulls(len(rows), f.type)
                for f in schema
            ]
            yield from pa.table(columns, schema=schema).to_batches()
