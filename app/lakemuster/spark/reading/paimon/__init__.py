"""Rows of Paimon's data files.

The map, in the direction of imports::

    sections > engines > merging > folding | sources > ordering
    sections > vectors > file_rows > data_files | evolution > casts | arrays | tables > schemas
    spread > file_rows

* ``schemas``     columns from the server's JSON, and what Spark has for their types
* ``tables``      a table as its files are read
* ``arrays``      values as they lie in files, made Spark's form of their type
* ``evolution``, ``casts``  columns of older schemas as the table has them now
* ``data_files``  containers: columns by name, some rows at a time
* ``file_rows``   the rows of one file
* ``vectors``     ... without those that its deletion vector marks
* ``ordering``, ``sources``, ``merging``, ``sections``  rows of one key in several files made one row
* ``engines``, ``folding``  ... as the table's merge engine says, column by column for some
* ``spread``      rows whose columns lie in several files
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.reading.bounds import Condition
from lakemuster.spark.reading.model import Files, NotReadable, Split, TableToRead
from lakemuster.spark.reading.paimon.arrays import has_nulls_against
from lakemuster.spark.reading.paimon.sections import rows_alone, section_rows
from lakemuster.spark.reading.paimon.spread import spread_rows
from lakemuster.spark.reading.paimon.tables import PaimonTable, of_branch

__all__ = ["check", "read", "read_schema"]


def check(table: TableToRead) -> None:
    """Refuse a table that cannot be read at all.

    Raises:
        NotReadable: it cannot, and why.
    """
    read_schema(table)


def read_schema(table: TableToRead) -> pa.Schema:
    """The wanted columns as Arrow types that Spark takes.

    Raises:
        NotReadable: Spark has no equal of a column's type.
    """
    return PaimonTable.of(table).arrow_schema


def read(
    table: TableToRead, split: Split, files: Files, conditions: Sequence[Condition] = ()
) -> Iterator[pa.RecordBatch]:
    """The rows of a split's files, in :func:`read_schema`, merged and without deleted ones.

    The files are of one branch: plans put no others into a split.

    Args:
        conditions: rows that do not match all of them may be left out; they are of files that are read alone.

    Raises:
        NotReadable: something cannot be applied, or a file is not what its metadata says.
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
        together = section_rows if known.primary_keys else spread_rows
        for batch in together(known, section, known.wanted, files):
            yield _as_promised(known, schema, batch, section[0]["file_path"])


def _as_promised(table: PaimonTable, schema: pa.Schema, batch: pa.RecordBatch, file_path: str) -> pa.RecordBatch:
    """A batch in the schema of the answer; Spark trusts what it says of nulls."""
    for field, values in zip(schema, batch.columns, strict=True):
        if has_nulls_against(field, values):
            raise NotReadable(table.name, f"column {field.name} is NOT NULL, or a part of it, and has nulls", file_path)
    return batch if not schema else pa.RecordBatch.from_arrays(batch.columns, schema=schema)
