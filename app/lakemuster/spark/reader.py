"""The reader of the data source: planned on the driver, pickled, and read with on executors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from lakemuster.client import Plan
from lakemuster.client.errors import ClientError
from lakemuster.spark.errors import TableMoved
from lakemuster.spark.options import Options
from lakemuster.spark.pinned import Pinned
from lakemuster.spark.pushed import sql_of_all
from lakemuster.spark.reading.files import files_here
from lakemuster.spark.reading.formats import reading_of
from lakemuster.spark.reading.model import Split, TableToRead
from lakemuster.spark.splits import Packing, pack, splits_of


@dataclass
class Part(InputPartition):  # type: ignore[misc]  # PySpark is not here where this is checked
    """What one task reads."""

    splits: tuple[Split, ...]


class Reader(DataSourceReader):  # type: ignore[misc]
    """Reads one table at one snapshot.

    Spark asks for ``partitions`` once per action, and then for ``read`` of each on executors.
    """

    def __init__(self, options: Options, pinned: Pinned) -> None:
        self._options = options
        self._pinned = pinned
        self._pushed: str | None = None

    def partitions(self) -> Sequence[Part]:
        """The files of a plan, packed by size.

        Raises:
            ClientError: the server refused or failed.
            TableMoved: the ref that was asked for is of another snapshot than the schema.
        """
        if self._pinned.snapshot_id is None:
            return [Part(())]
        plan = self._plan()
        packing = Packing(self._options.split_target_size, self._options.split_open_file_cost)
        splits = splits_of(plan.to_arrow(), plan.deletes_to_arrow())
        # Of no partitions Spark makes one of None.
        return [Part(splits) for splits in pack(splits, packing)] or [Part(())]

    def read(self, partition: Part) -> Iterator[pa.RecordBatch]:
        """The rows of a part.

        Raises:
            NotReadable: something that cannot be applied.
        """
        return rows_of(self._pinned.table, partition.splits)

    def _plan(self) -> Plan:
        given = self._options.filter
        try:
            return self._planned(" AND ".join(f"({one})" for one in (given, self._pushed) if one) or None)
        except ClientError as refusal:
            # What Spark asks goes beyond the server's limits, or names columns that the snapshot did not have.
            if self._pushed is None or refusal.status != 400:
                raise
        return self._planned(given)

    def _planned(self, where: str | None) -> Plan:
        table, pinned = self._pinned.table, self._pinned
        with self._options.client() as client:
            is_split = table.format == "paimon"
            sizes = (self._options.split_target_size, self._options.split_open_file_cost) if is_split else (None, None)
            plan = client.table(table.name).plan(
                where,
                limit=self._options.limit,
                splits=is_split,
                split_target_size=sizes[0],
                split_open_file_cost=sizes[1],
                **pinned.choice,
            )
            if plan.snapshot_id != pinned.snapshot_id:
                raise TableMoved(table.name, pinned.ref, pinned.snapshot_id, plan.snapshot_id)
            plan.to_arrow()  # while the connection is there
            return plan


class PushingReader(Reader):
    """The same where Spark lets filters be pushed down: they choose files, and Spark asks them of the rows again."""

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 - Spark's name
        """Take what the server can use; all of them are Spark's to check."""
        self._pushed = sql_of_all(filters)
        return filters


def rows_of(table: TableToRead, splits: Sequence[Split]) -> Iterator[pa.RecordBatch]:
    """The rows of splits, with the storage options of this process."""
    reading, files = reading_of(table), files_here()
    for split in splits:
        yield from reading.read(table, split, files)
