"""Metadata lists and figures of a table or a namespace, as DataFrames."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

import pyarrow as pa

from lakemuster.client import Client, Rows, SnapshotInfo, Table
from lakemuster.client.choices import Choice
from lakemuster.client.model import Row
from lakemuster.metadata.names import parse_name
from lakemuster.spark.figure_columns import health_table, stats_table
from lakemuster.spark.frames import fitted, frame
from lakemuster.spark.lake_columns import lake_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Kind = Literal["snapshots", "manifests", "entries", "files", "partitions", "columns", "timeline", "stats", "health"]
"""Lists and figures: ``stats`` has one row per table, ``health`` one per component."""

OF_HISTORY = ("snapshots", "timeline")
OF_NOW = "health"


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
    """Return a metadata list of one table, or of all tables of a namespace in a common schema.

    For one table, partition values, bounds and counts are structs by column name, with the types of the table's
    columns.

    For a namespace, which includes nested ones, the first column is ``table``; then come the columns of both formats,
    whether or not a table has them (see ``lake_columns``). Structs by column name become maps of strings: dates and
    times in ISO 8601, numbers in decimal, bytes in hex, nested values as JSON. Null values are left out, except in
    partitions and keys. ``last_updated_at`` is a string, since Paimon's has no zone. Tables are requested one after
    the other, each at its state at that time.

    ``stats`` has one row per table: totals, sizes, partitions, deletes and Paimon's levels, as structs and arrays.
    ``columns`` has one row per column, with bounds as JSON text; ``timeline`` one per commit, newest first. ``health``
    has one row per component of a table's health, with the statement that repairs it; none before it is computed.

    Args:
        kind: ``snapshots``, ``manifests``, ``entries``, ``files``, ``partitions``, ``columns``, ``timeline``,
            ``stats`` or ``health``.
        table, namespace: exactly one of them, dotted; levels that contain a dot in backticks.
        snapshot_id, ref, as_of: which snapshot of ``table``; not for ``snapshots`` and ``timeline``, which list all; of
            these, ``timeline`` takes a ``ref``. A namespace takes only ``as_of``. ``health`` takes none.
        token: a bearer token, for servers that require one; it stays on the driver.

    Raises:
        ValueError: an invalid argument or combination.
        ClientError: the server refused or failed, for any of the tables, or a response is incomplete.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, not {kind!r}")
    if (table is None) == (namespace is None):
        raise ValueError("give a table, or a namespace")
    choice: Choice = {"snapshot_id": snapshot_id, "ref": ref, "as_of": as_of}
    given = [name for name, value in choice.items() if value is not None]
    if kind in OF_HISTORY and given and (kind, *given) != ("timeline", "ref"):
        raise ValueError(f"all snapshots are listed: {given[0]} does not apply")
    if kind == OF_NOW and given:
        raise ValueError(f"health is of now: {given[0]} does not apply")
    if namespace is not None and (snapshot_id is not None or ref is not None):
        raise ValueError(f"{given[0]} needs a single table")
    with Client(uri, token) as client:
        if table is not None:
            return frame(spark, rows_of(client.table(table), kind, choice))
        assert namespace is not None
        return frame(spark, lake(client, kind, namespace, choice))


def lake(client: Client, kind: Kind, namespace: str, choice: Choice) -> pa.Table:
    """Return the lists of all tables of a namespace, in one Arrow table."""
    wanted = parse_name(namespace)
    names = [info.name for info in client.tables() if parse_name(info.name)[:-1][: len(wanted)] == wanted]
    lists = {name: fitted(rows_of(client.table(name), kind, choice)) for name in names}
    return lake_columns(kind, lists)


def rows_of(table: Table, kind: Kind, choice: Choice) -> pa.Table:
    """Return a list of one table, its figures as one row, or the components of its health."""
    match kind:
        case "stats":
            return stats_table(table.stats(**choice))
        case "health":
            return health_table(table.health())
    return _list(table, kind, choice).to_arrow()


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
        case "columns":
            return table.columns(**choice)
        case "timeline":
            return table.timeline(ref=choice.get("ref"))
    raise AssertionError(kind)
