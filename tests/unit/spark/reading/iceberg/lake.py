"""Small Iceberg tables in local files with field ids, described as executors get them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lakemuster.client.model import Row
from lakemuster.spark.reading.iceberg import read
from lakemuster.spark.reading.model import Split, TableToRead


@dataclass
class LocalFiles:
    """Local files, with a list of the opened ones."""

    opened: list[str]

    def __init__(self) -> None:
        self.opened = []

    def open(self, location: str, size: int | None = None) -> pa.NativeFile:
        self.opened.append(location)
        return pa.memory_map(location)

    def read(self, location: str, offset: int = 0, length: int | None = None) -> bytes:
        self.opened.append(location)
        data = Path(location).read_bytes()
        return data[offset:] if length is None else data[offset : offset + length]


def column(field_id: int, name: str, type: object, *, required: Any = False, **more: object) -> dict[str, Any]:
    """Return a schema's field as the server lists it."""
    return {"id": field_id, "name": name, "required": required, "type": type, **more}


def table(*columns: Row, **more: Any) -> TableToRead:
    """Return a table of columns that are all requested, unpartitioned unless ``specs`` is given."""
    schema = {"schema_id": 0, "fields": list(columns)}
    given: dict[str, Any] = {
        "name": "db.t",
        "format": "iceberg",
        "schema": schema,
        "schemas": (schema,),
        "specs": ({"spec_id": 0, "fields": []},),
        "properties": {},
        "rewrites": (),
        "columns": tuple(one["name"] for one in columns),
    }
    return TableToRead(**{**given, **more})


def with_id(field: pa.Field, field_id: int | None) -> pa.Field:
    return field if field_id is None else field.with_metadata({"PARQUET:field_id": str(field_id)})


def data_file(path: Path, columns: list[tuple[int | None, str, pa.Array]], **more: Any) -> Row:
    """Write a Parquet file of columns and return its row of a plan."""
    fields = [with_id(pa.field(name, array.type), field_id) for field_id, name, array in columns]
    written = pa.table([array for _, _, array in columns], schema=pa.schema(fields))
    return parquet_file(path, written, **more)


def parquet_file(path: Path, written: pa.Table, *, row_group_size: int | None = None, **more: Any) -> Row:
    pq.write_table(written, path, row_group_size=row_group_size)
    return file_row(path, written.num_rows, **more)


def file_row(path: Path, record_count: int, **more: Any) -> Row:
    """Return the row of a data file in a plan."""
    row: Row = {
        "content": "data",
        "file_path": str(path),
        "file_format": "parquet",
        "spec_id": 0,
        "partition": {},
        "record_count": record_count,
        "file_size_in_bytes": path.stat().st_size,
        "key_metadata": None,
        "first_row_id": None,
        "sequence_number": 1,
        "deletes": [],
    }
    return {**row, **more}


def rows(of: TableToRead, *files: Row, by: LocalFiles | None = None) -> list[dict[str, Any]]:
    """Return the rows read from files in one split, as Python values."""
    batches = list(read(of, Split(files=tuple(files)), by or LocalFiles()))
    for batch in batches:
        batch.validate(full=True)
    return [row for batch in batches for row in batch.to_pylist()]
