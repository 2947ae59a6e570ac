"""The batch reader of the data source: it plans on the driver, is pickled, and reads on executors.

Spark 4.1 to 4.3 cache one plan for all uses of a loaded table (``PythonDataSourceV2.readInfo``), the plan of the
filters pushed last. A frame with two different filters, or used with and without a filter, would then lose rows. On
these versions filters are pushed down only if the user sets the option ``pushdown``; the option ``filter`` is part of
every plan.

The data source cannot work around this. All frames and views over a loaded table share its relation, in Connect
sessions too once the server has cached the table's plan. Two uses in one query (a union, a join) share one plan, and
the last push wins. A use without filters pushes nothing and calls nothing here again, so neither the driver nor the
executors can tell which use they read for. Tables in Spark's catalog lose their options, and are one relation within a
query too. Planning for the union of all filters ever pushed does not help: of two threads' plans Spark may keep the
earlier. After 4.3 Spark keeps a plan per scan (SPARK-58551); ``pushdown_probe`` detects this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from lakemuster.spark.errors import in_one_line
from lakemuster.spark.filter_sql import filters_to_sql, rounded_columns
from lakemuster.spark.options import Options
from lakemuster.spark.planning import task_inputs, task_rows
from lakemuster.spark.reading.formats import format_reader, register
from lakemuster.spark.snapshot_pin import PinnedTable


class Reader(DataSourceReader):  # type: ignore[misc]  # PySpark is not installed where mypy runs
    """Reads one table at one snapshot.

    Spark calls ``partitions`` when a loaded table is first used, and then ``read`` for each partition on executors.
    """

    def __init__(self, options: Options, pinned: PinnedTable) -> None:
        self._options = options
        self._pinned = pinned
        self._rows = format_reader(pinned.table)
        self._pushed: str | None = None

    def partitions(self) -> Sequence[InputPartition]:
        """Divide a plan's files into partitions by size; use plan tasks for more than ``task_threshold`` files.

        Raises:
            ClientError: the server refused or failed.
            RefMoved: the ref has moved to another snapshot since the schema was read.
        """
        with in_one_line(self._options.table):
            return [InputPartition(part) for part in task_inputs(self._options, self._pinned, self._pushed)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part.

        Raises:
            NotReadable: the table, a file or the filter cannot be read here.
        """
        register(self._rows)
        with in_one_line(self._options.table):
            yield from task_rows(self._options, self._pinned.table, partition.value, self._pushed)


class PushingReader(Reader):
    """A reader with filter pushdown: the filters prune files, and Spark evaluates them on the rows again."""

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 - Spark's name
        """Remember the filters that the server can use; return all, so that Spark evaluates them too."""
        self._pushed = filters_to_sql(filters, rounded_columns(self._rows.schema(self._pinned.table)))
        return filters
