"""``spark.read.format("lakemuster")``: Spark's Python data source, of the driver. Needs PySpark 4.1 or newer."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from lakemuster.spark.options import Options
from lakemuster.spark.pinned import Pinned, pin
from lakemuster.spark.reader import PushingReader, Reader
from lakemuster.spark.reading.formats import reading_of
from lakemuster.spark.spark_types import struct_type
from lakemuster.spark.table_comments import comments_of

NAME = "lakemuster"


class LakemusterSource(DataSource):  # type: ignore[misc]  # PySpark is not here where this is checked
    """A table of a Lakemuster server.

    Made in a Python worker of the driver's for each ``load``, asked for its schema, and pickled: the snapshot that the
    schema is of is the one that all rows are of, in every action on the DataFrame.
    """

    reads_with: type[Reader] = PushingReader

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._asked = Options.of(options)
        self._pinned: Pinned | None = None

    @classmethod
    def name(cls) -> str:
        """What ``format`` is given."""
        return NAME

    def schema(self) -> StructType:
        """The columns that are read, as Spark's own readers of the format have them.

        Raises:
            NotReadable: the table cannot be read, or Spark has no type for a column.
            ClientError: the server refused or failed.
        """
        with self._asked.client() as client:
            self._pinned = pin(client.table(self._asked.table), self._asked)
        table = self._pinned.table
        reading = reading_of(table)
        reading.check(table)
        return struct_type(reading.read_schema(table), comments_of(table.schema), keeps_required=True)

    def reader(self, schema: StructType) -> Reader:
        """Reads what :meth:`schema` pinned."""
        assert self._pinned is not None
        return self.reads_with(self._asked, self._pinned)


class WithoutPushdown(LakemusterSource):
    """The same for sessions that do not allow filters to be pushed down: Spark refuses readers that take any."""

    reads_with = Reader
