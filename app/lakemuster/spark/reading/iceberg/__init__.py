"""Rows of Iceberg data files as Arrow batches, deletes applied; without Spark, PyIceberg or a JVM.

* ``schema``      columns as Arrow columns that Spark takes
* ``stored``      the columns that a file holds, by field id
* ``projection``  a file's columns to the table's; ``casts``: values, ``defaults``: what is not in the file
* ``open_rows``   files of rows: ``parquet``, ``orc``, ``avro`` with ``avro_types`` and ``avro_bytes``
* ``ids``         field ids of files that do not say them
* ``positions``   rows deleted by position
* ``equality``    rows deleted by value; ``keys``: the values, to find rows in
* ``metadata_columns``  where a row is stored
* ``bounded``     what is kept of delete files that several files share
* ``rows``        all together
"""

from __future__ import annotations

from lakemuster.spark.reading.iceberg.open_rows import name_mapping
from lakemuster.spark.reading.iceberg.rows import read
from lakemuster.spark.reading.iceberg.schema import read_schema, wanted_fields
from lakemuster.spark.reading.model import TableToRead

__all__ = ["check", "read", "read_schema"]


def check(table: TableToRead) -> None:
    """Hold a table against what can be read at all.

    Raises:
        NotReadable: no rows of it can be read with these columns.
    """
    wanted_fields(table)
    name_mapping(table)
