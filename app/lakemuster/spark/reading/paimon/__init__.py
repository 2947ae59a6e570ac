"""Read the rows of Paimon data files: merged by key, schemas evolved, deletion vectors applied.

The modules, in the direction of imports::

    sections > engines > merging > aggregation | sorted_cursor > ordering
    sections > deletion_vectors > file_rows > data_files | evolution > casts | arrays | tables > schemas
    data_evolution > file_rows

* ``schemas``     columns from the server's JSON, and their types in Spark
* ``tables``      a table's columns, keys, schemas and options
* ``arrays``      stored values to Spark's form of their type
* ``evolution``, ``casts``  columns of older schemas to the table's current ones
* ``data_files``  Parquet, ORC and Avro files: batches of columns by name
* ``file_rows``   the rows of one file
* ``deletion_vectors``   the rows of one file without those in its deletion vector
* ``ordering``, ``sorted_cursor``, ``merging``, ``sections``  merge the rows of a key from several files
* ``engines``, ``aggregation``  the rules of the table's merge engine; ``aggregation``: merge column by column
* ``data_evolution``   rows whose columns are in several files (data evolution)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.column_stats import Condition
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead
from lakemuster.spark.reading.paimon.arrays import has_nulls_against
from lakemuster.spark.reading.paimon.data_evolution import data_evolution_rows
from lakemuster.spark.reading.paimon.sections import rows_alone, section_rows
from lakemuster.spark.reading.paimon.tables import PaimonTable, of_branch

__all__ = ["check", "read", "read_schema"]


def check(table: TableToRead) -> None:
    """Check that a table can be read.

    Raises:
        NotReadable: it cannot be read; gives the reason.
    """
    read_schema(table)


def read_schema(table: TableToRead) -> pa.Schema:
    """Return the columns to read, as Arrow types that Spark accepts.

    Raises:
        NotReadable: Spark has no type for a column.
    """
    return PaimonTable.of(table).arrow_schema


def read(
    table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a split's files, in :func:`read_schema`, merged and without deleted rows.

    All files of a split are of one branch.

    Args:
        conditions: rows that do not match all of them may be omitted; used only for files that need no merging.

    Raises:
        NotReadable: the table or a file needs something unsupported, or a file contradicts its metadata.
    """
    schema = read_schema(table)
    branch = next((file["branch"] for file in split.files if file.get("branch") is not None), None)
    known = PaimonTable.of(of_branch(table, branch))
    sections: dict[int, list[Row]] = {}
    for file in split.files:
        if file["content"] != "data":
            raise NotReadable(table.name, f"it holds {file['content']}, not rows", file["file_path"])
        if file["raw_convertible"]:
            for batch in rows_alone(known, file, known.wanted, files, conditions):
                yield _as_promised(known, schema, batch, file["file_path"])
        else:
            sections.setdefault(file["section"], []).append(file)
    for section in sections.values():
        together = section_rows if known.primary_keys else data_evolution_rows
        for batch in together(known, section, known.wanted, files):
            yield _as_promised(known, schema, batch, section[0]["file_path"])


def _as_promised(table: PaimonTable, schema: pa.Schema, batch: pa.RecordBatch, file_path: str) -> pa.RecordBatch:
    """Convert a batch to the read schema, and check that required columns have no nulls: Spark relies on it."""
    for field, values in zip(schema, batch.columns, strict=True):
        if has_nulls_against(field, values):
            raise NotReadable(table.name, f"column {field.name} is NOT NULL, or a part of it, and has nulls", file_path)
    return batch if not schema else pa.RecordBatch.from_arrays(batch.columns, schema=schema)
