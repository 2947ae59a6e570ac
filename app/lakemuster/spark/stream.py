"""The stream reader behind ``spark.readStream.format("lakemuster")``: rows appended to a table.

An offset is a snapshot id. A batch is the rows appended after one offset and up to another, so it is the same again
after a restart. Snapshots that change no rows (compactions) are skipped. Snapshots that remove or replace rows are
refused, unless an option allows skipping them.

Source: the streaming reads of Iceberg (``SparkMicroBatchStream``, the options ``streaming-skip-*``) and Paimon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from lakemuster.client import Table
from lakemuster.client.choices import Choice
from lakemuster.spark.append_check import check_appends, check_same
from lakemuster.spark.errors import NotAppendOnly, OptionInvalid, in_one_line
from lakemuster.spark.options import Options
from lakemuster.spark.planning import SnapshotInterval, task_inputs, task_rows
from lakemuster.spark.reading.formats import format_reader, register
from lakemuster.spark.snapshot_pin import PinnedTable, identity_of, with_newest

Offset = Mapping[str, str]
"""``{"snapshot_id": "…"}``: everything up to that snapshot; an empty string is before the first one.

``identity`` is added for formats whose snapshot ids can be used again; checkpoints of older versions lack it.
"""

_KEY = "snapshot_id"
_IDENTITY = "identity"
_LATEST = "latest"
"""The start of a query that reads only new appends: equal to the end of its first batch, whatever that is.

Spark asks for the start after the end, and again if the first batch is repeated, when the table may have grown.
"""


class StreamReader(DataSourceStreamReader):  # type: ignore[misc]  # PySpark is not installed where mypy runs
    """Follows the appends to one table.

    Raises:
        OptionInvalid: an option selects a single snapshot.
        NotAppendOnly: the table merges rows by primary key, so writes are not appends.
    """

    def __init__(self, options: Options, pinned: PinnedTable) -> None:
        for name in ("snapshot_id", "ref", "as_of", "limit"):
            if getattr(options, name) is not None:
                raise OptionInvalid(name, "is of one snapshot: a stream follows the table")
        table = pinned.table
        self._rows = format_reader(table)
        if (reason := self._rows.changes_rows(table)) is not None:
            raise NotAppendOnly(table.name, reason)
        self._options = options
        self._pinned = pinned

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's name
        """Return the offset where a new query starts; a restarted query continues at its checkpoint."""
        if self._options.start_snapshot_id is not None:
            return {_KEY: str(self._options.start_snapshot_id)}
        return {_KEY: _LATEST if self._options.start == "latest" else ""}

    def latestOffset(self) -> Offset:  # noqa: N802 - Spark's name
        """Return the offset of the newest snapshot.

        Raises:
            ClientError: the server refused or failed.
        """
        with in_one_line(self._options.table), self._options.client() as client:
            table = client.table(self._pinned.table.name)
            snapshot_id = _newest(table)
            identity = identity_of(table, self._rows, snapshot_id, None)
        offset = {_KEY: "" if snapshot_id is None else str(snapshot_id)}
        return offset if identity is None else {**offset, _IDENTITY: identity}

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Divide the rows appended after ``start`` and up to ``end``; if ``start`` is empty, all rows at ``end``.

        Raises:
            NotAppendOnly: a snapshot between them removed or changed rows, or ``start`` is not an ancestor of ``end``.
            SnapshotReplaced: the id of ``end`` is that of another snapshot now.
            ClientError: the server refused or failed.
        """
        with in_one_line(self._options.table):
            return self._partitions(start, end)

    def _partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        name = self._pinned.table.name
        before, after = start.get(_IDENTITY), end.get(_IDENTITY)
        if start[_KEY] == _LATEST or (start[_KEY] == end[_KEY] and (None in (before, after) or before == after)):
            return []
        if not end[_KEY]:
            raise NotAppendOnly(name, f"it has no snapshot, and the position of the stream is {start[_KEY]}")
        last = int(end[_KEY])
        with self._options.client() as client:
            table = client.table(name)
            now = replace(self._pinned, table=with_newest(self._pinned.table, table), snapshot_id=last, identity=after)
            since = SnapshotInterval(int(start[_KEY]), last) if start[_KEY] else None
            if since is not None:
                snapshots = list(table.snapshots())
                check_same(name, snapshots, since.start, before, self._rows.snapshot_identity)
                check_appends(name, snapshots, since.start, since.end, self._options.skipped)
        # The table may have got new schemas and partition specs since the stream started.
        return [InputPartition((now.table, part)) for part in task_inputs(self._options, now, None, since)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part.

        Raises:
            NotReadable: the table, a file or the filter cannot be read here.
        """
        table, part = partition.value
        register(self._rows)
        with in_one_line(self._options.table):
            yield from task_rows(self._options, table, part)


def _newest(table: Table) -> int | None:
    one: Choice = {"page_size": 1}
    return table.plan(limit=1, **one).snapshot_id
