"""The reader of the data source: planned on the driver, pickled, and read with on executors.

Spark 4.1 to 4.3 keep one plan for all uses of a loaded table (``PythonDataSourceV2.readInfo``), that of the filters
which were pushed last: a frame that is filtered in two ways, or used with and without a filter, would then lose rows.
So filters are pushed there only for frames whose user says that there is one; the option ``filter`` is in all plans.

There is no way around it from here. Every frame and view over a loaded table shares its relation, of Connect sessions
too once their server has cached the table's plan; two uses in one query (a union, a join) share one plan, and the last
push wins. A use without filters pushes nothing, and nothing is asked of this side again: what it reads is told apart
neither on the driver nor on executors. Tables in Spark's catalog lose their options, and are one relation within a
query as well. To plan for all filters that were ever pushed is no way out: of two threads' plans Spark may keep the
earlier. After 4.3 Spark keeps the plan with each scan (SPARK-58551); ``pushdown`` finds out whether it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from lakemuster.spark.errors import in_one_line
from lakemuster.spark.options import Options
from lakemuster.spark.pinned import Pinned
from lakemuster.spark.planning import parts_of, rows_of
from lakemuster.spark.pushed import sql_of_all


class Reader(DataSourceReader):  # type: ignore[misc]  # PySpark is not here where this is checked
    """Reads one table at one snapshot.

    Spark asks for ``partitions`` when a loaded table is first used, and then for ``read`` of each on executors.
    """

    def __init__(self, options: Options, pinned: Pinned) -> None:
        self._options = options
        self._pinned = pinned
        self._pushed: str | None = None

    def partitions(self) -> Sequence[InputPartition]:
        """The files of a plan, packed by size; parts of the plan itself when they are many.

        Raises:
            ClientError: the server refused or failed.
            TableMoved: the ref that was asked for is of another snapshot than the schema.
        """
        with in_one_line(self._options.table):
            return [InputPartition(part) for part in parts_of(self._options, self._pinned, self._pushed)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part.

        Raises:
            NotReadable: something that cannot be applied.
        """
        with in_one_line(self._options.table):
            yield from rows_of(self._options, self._pinned.table, partition.value, self._pushed)


class PushingReader(Reader):
    """The same with filters pushed down: they choose files, and Spark asks them of the rows again."""

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 - Spark's name
        """Take what the server can use; all of them are Spark's to check."""
        self._pushed = sql_of_all(filters)
        return filters
