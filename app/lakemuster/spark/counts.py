"""Count a table's rows: from metadata where that is exact, with the data source otherwise."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from lakemuster.client import Client
from lakemuster.spark.options import token_of
from lakemuster.spark.register import PUSHDOWN
from lakemuster.spark.session_zone import reads_times_otherwise

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def count(
    spark: SparkSession,
    uri: str,
    table: str,
    where: str | None = None,
    *,
    snapshot_id: int | str | None = None,
    ref: str | None = None,
    as_of: datetime | str | None = None,
    token_env: str | None = None,
    token_file: str | None = None,
) -> int:
    """Return the exact number of rows of one snapshot that match a condition.

    Spark reads all columns of a Python data source for ``count(*)``. This function reads no rows if metadata
    proves their number (``Table.statistics``): every file that may match matches whole, only deletion vectors delete,
    and nothing is merged. Otherwise the data source reads the planned files, which needs :func:`register`.

    Args:
        where: a SQL condition.
        snapshot_id, ref, as_of: which snapshot, at most one of the three; the current one otherwise.
        token_env: the environment variable, on driver and executors, that holds a bearer token.
        token_file: the file, on driver and executors, that holds it instead.

    Raises:
        ClientError: the server refused or failed.
        OptionInvalid: the variable is not set, or a file is named, too.
    """
    with Client(uri, token_of(token_env, token_file)) as client:
        of_table = client.table(table)
        found = None
        if where is None or not reads_times_otherwise(spark, of_table, where):
            # Spark orders NaN above all other values.
            found = of_table.statistics(
                ["count"], where, case_sensitive=False, nan="greatest", snapshot_id=snapshot_id, ref=ref, as_of=as_of
            )
    if found is not None and (answer := found["count"]).exact:
        return int(answer.value)
    chosen = {"snapshot_id": snapshot_id, "ref": ref, "as_of": as_of}
    chosen |= {"token_env": token_env, "token_file": token_file}
    # By its id, the current snapshot would be read with its own schema, where columns may have other names.
    if as_of is not None and found is not None and found.snapshot_id is not None:
        chosen |= {"snapshot_id": found.snapshot_id, "as_of": None}
    options = {name: str(value) for name, value in chosen.items() if value is not None}
    if spark.conf.get(PUSHDOWN, "false") == "true":
        options["pushdown"] = "true"  # safe: this frame has one filter
    rows = spark.read.format("lakemuster").option("uri", uri).options(**options).load(table)
    return int((rows if where is None else rows.where(where)).count())
