"""The lists of a table, or of all tables of a namespace, as DataFrames."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

import pyarrow as pa

from lakemuster.client import Client, Rows, SnapshotInfo, Table
from lakemuster.client.catalog import Choice
from lakemuster.client.model import Row
from lakemuster.metadata.names import parse_name
from lakemuster.spark.frames import fitted, frame
from lakemuster.spark.lake_columns import lake_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Kind = Literal["snapshots", "manifests", "entries", "files", "partitions"]


def metadata(
    spark: SparkSession,
    uri: str,
    kind: Kind,
    *,
    table: str | None = None,
    namespace: str | None = None,
    snapshot_id: int | str | None = None,
    ref: str | None = None,
    as_of: datetime | str | None = None,
    token: str | None = None,
) -> DataFrame:
    """A list of one table in its own columns, or that of all tables of a namespace in the same columns for all.

    One table: partition values, bounds and counts are structs by column name, typed as the table's columns are.

    A namespace, with those below it: a column ``table`` first, then the columns of both formats whether or not a
    table has them (see ``lake_columns``). What is a struct by column name is a map of texts: dates and times in ISO
    8601, numbers in decimal, bytes in hex, what is nested as JSON; values that are null are left out, but for
    partitions and keys. ``last_updated_at`` is text: Paimon's has no zone. Each table is read as it is when it is
    asked for.

    Args:
        kind: ``snapshots``, ``manifests``, ``entries``, ``files`` or ``partitions``.
        table, namespace: one of them, dotted, levels with a dot in backticks.
        snapshot_id, ref, as_of: which snapshot of ``table``; ``snapshots`` are all there are. A namespace takes
            ``as_of`` alone.
        token: a bearer token, for servers that ask for one; it stays on the driver.

    Raises:
        ValueError: an argument that is none of the above.
        ClientError: the server refused or failed, also for one table of many, or an answer is not whole.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"no list is called {kind!r}: {', '.join(get_args(Kind))} are")
    if (table is None) == (namespace is None):
        raise ValueError("give a table, or a namespace")
    choice: Choice = {"snapshot_id": snapshot_id, "ref": ref, "as_of": as_of}
    given = [name for name, value in choice.items() if value is not None]
    if kind == "snapshots" and given:
        raise ValueError(f"snapshots are all there are: {given[0]} chooses none")
    if namespace is not None and (snapshot_id is not None or ref is not None):
        raise ValueError(f"{given[0]} is of one table")
    with Client(uri, token) as client:
        if table is not None:
            return frame(spark, _list(client.table(table), kind, choice).to_arrow())
        assert namespace is not None
        return frame(spark, lake(client, kind, namespace, choice))


def lake(client: Client, kind: Kind, namespace: str, choice: Choice) -> pa.Table:
    """The list of every table of a namespace, in one Arrow table."""
    wanted = parse_name(namespace)
    names = [info.name for info in client.tables() if parse_name(info.name)[:-1][: len(wanted)] == wanted]
    lists = {name: fitted(_list(client.table(name), kind, choice).to_arrow()) for name in names}
    return lake_columns(kind, lists)


def _list(table: Table, kind: Kind, choice: Choice) -> Rows[SnapshotInfo] | Rows[Row]:
    match kind:
        case "snapshots":
            return table.snapshots()
        case "manifests":
            return table.manifests(**choice)
        case "entries":
            return table.entries(**choice)
        case "files":
            return table.files(**choice)
        case "partitions":
            return table.partitions(**choice)
