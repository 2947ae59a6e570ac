"""Read Iceberg data files as Arrow batches, with deletes applied; without Spark, PyIceberg or a JVM.

* ``schema``      columns as Arrow types that Spark accepts
* ``file_columns``   the columns of a file, by field id
* ``projection``  a file's columns to the table's; ``casts``: type promotion, ``defaults``: missing columns
* ``open_rows``   data and delete files: ``parquet``, ``orc``, ``avro`` with ``avro_types`` and ``avro_bytes``
* ``views``       Parquet columns that Arrow reads as views
* ``field_ids``    field ids for files without them
* ``positions``   position deletes and deletion vectors
* ``equality``    equality deletes; ``keys``: lookup of rows among deleted values
* ``metadata_columns``  Iceberg's metadata columns
* ``rows``        the rows of a split
"""

from __future__ import annotations

from lakemuster.spark.reading.iceberg.open_rows import name_mapping
from lakemuster.spark.reading.iceberg.rows import read
from lakemuster.spark.reading.iceberg.schema import read_schema, wanted_fields
from lakemuster.spark.reading.model import TableToRead

__all__ = ["check", "read", "read_schema"]


def check(table: TableToRead) -> None:
    """Check that a table can be read.

    Raises:
        NotReadable: a column does not exist, or the schema or the name mapping is invalid.
    """
    wanted_fields(table)
    name_mapping(table)
