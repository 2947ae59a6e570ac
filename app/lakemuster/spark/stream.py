"""``spark.readStream.format("lakemuster")``: the rows that are appended to a table, snapshot after snapshot.

An offset is a snapshot id, and a batch what was appended after one and up to another: asked again after a restart, it
is the same. Snapshots that append nothing are passed over when they leave all rows as they were (compactions), and
refused when they do not, unless an option says that they may be passed over too.

Source: the streaming reads of Iceberg (``SparkMicroBatchStream``, the options ``streaming-skip-*``) and Paimon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from lakemuster.client import Table
from lakemuster.client.catalog import Choice
from lakemuster.spark.appends import check_appends
from lakemuster.spark.errors import NotFollowed, OptionInvalid, in_one_line
from lakemuster.spark.options import Options
from lakemuster.spark.pinned import Pinned, with_newest
from lakemuster.spark.planning import Since, parts_of, rows_of

Offset = Mapping[str, str]
"""``{"snapshot_id": "…"}``: all up to that snapshot; an empty text is before the first."""

_KEY = "snapshot_id"


class StreamReader(DataSourceStreamReader):  # type: ignore[misc]  # PySpark is not here where this is checked
    """Follows one table.

    Raises:
        OptionInvalid: an option that is of one snapshot.
        NotFollowed: the table's rows are merged by key: what is written to it is no append.
    """

    def __init__(self, options: Options, pinned: Pinned) -> None:
        for name in ("snapshot_id", "ref", "as_of", "limit"):
            if getattr(options, name) is not None:
                raise OptionInvalid(name, "is of one snapshot: a stream follows the table")
        table = pinned.table
        if table.format == "paimon" and table.schema.get("primary_keys"):
            raise NotFollowed(table.name, "it has a primary key: what is written to it changes rows")
        self._options = options
        self._pinned = pinned

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's name
        """Where a new query starts; one that goes on starts at its checkpoint."""
        if self._options.start_snapshot_id is not None:
            return {_KEY: str(self._options.start_snapshot_id)}
        return self.latestOffset() if self._options.start == "latest" else {_KEY: ""}

    def latestOffset(self) -> Offset:  # noqa: N802 - Spark's name
        """The newest snapshot.

        Raises:
            ClientError: the server refused or failed.
        """
        with in_one_line(self._options.table), self._options.client() as client:
            snapshot_id = _newest(client.table(self._pinned.table.name))
        return {_KEY: "" if snapshot_id is None else str(snapshot_id)}

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """What was appended after ``start`` and up to ``end``; of a start before all, the rows that were there then.

        Raises:
            NotFollowed: a snapshot between them removed or changed rows, or they do not follow one another.
            ClientError: the server refused or failed.
        """
        with in_one_line(self._options.table):
            return self._partitions(start, end)

    def _partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        if start[_KEY] == end[_KEY]:
            return []
        last = int(end[_KEY])
        with self._options.client() as client:
            table = client.table(self._pinned.table.name)
            now = replace(self._pinned, table=with_newest(self._pinned.table, table), snapshot_id=last)
            since = Since(int(start[_KEY]), last) if start[_KEY] else None
            if since is not None:
                check_appends(now.table.name, list(table.snapshots()), since.start, since.end, self._options.skipped)
        # The table may have schemas and specs by now that it did not have when the stream was started.
        return [InputPartition((now.table, part)) for part in parts_of(self._options, now, None, since)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part.

        Raises:
            NotReadable: something that cannot be applied.
        """
        table, part = partition.value
        with in_one_line(self._options.table):
            yield from rows_of(self._options, table, part)


def _newest(table: Table) -> int | None:
    one: Choice = {"page_size": 1}
    return table.plan(limit=1, **one).snapshot_id
