"""Count a table's rows: from metadata where that is exact, with the data source otherwise."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.client import Client
from lakemuster.client.plans import Plan
from lakemuster.spark.options import token_of
from lakemuster.spark.register import PUSHDOWN

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
) -> int:
    """The exact number of rows of one snapshot that match a condition.

    Spark reads all columns of a Python data source for ``count(*)``. This function reads no rows if the plan's files
    hold matching rows only, have no deletes and need no merging. Otherwise the data source reads the planned files,
    which needs :func:`register`.

    Args:
        where: a SQL condition.
        snapshot_id, ref, as_of: which snapshot, at most one of the three; the current one otherwise.
        token_env: the environment variable, on driver and executors, that holds a bearer token.

    Raises:
        ClientError: the server refused or failed.
        OptionInvalid: the variable is not set.
    """
    with Client(uri, token_of(token_env)) as client:
        of_table = client.table(table)
        plan = of_table.plan(where, case_sensitive=False, snapshot_id=snapshot_id, ref=ref, as_of=as_of, page_size=1)
        counted_rows = counted(plan)
    if counted_rows is not None:
        return counted_rows
    chosen = {"snapshot_id": snapshot_id, "ref": ref, "as_of": as_of, "token_env": token_env}
    if ref is None and plan.snapshot_id is not None:
        chosen |= {"snapshot_id": plan.snapshot_id, "as_of": None}
    options = {name: str(value) for name, value in chosen.items() if value is not None}
    if spark.conf.get(PUSHDOWN, "false") == "true":
        options["pushdown"] = "true"  # safe: this frame has one filter
    rows = spark.read.format("lakemuster").option("uri", uri).options(**options).load(table)
    return int((rows if where is None else rows.where(where)).count())


def counted(plan: Plan) -> int | None:
    """The number of matching rows in a plan's files; None if metadata alone does not give it."""
    files = plan.to_arrow()
    if not files.num_rows:
        return 0
    # Files with a subset of the columns (write_cols) repeat the rows of other files.
    for name in ("residual", "deletion_vector", "write_cols"):
        if name in files.column_names and files.column(name).null_count < files.num_rows:
            return None
    if "deletes" in files.column_names and pc.sum(pc.list_value_length(files.column("deletes"))).as_py():
        return None
    if "raw_convertible" in files.column_names:
        rows_go = pc.sum(_or_zero(files, "delete_row_count")).as_py()
        if rows_go or not pc.all(pc.fill_null(files.column("raw_convertible"), False)).as_py():
            return None
    if files.column("record_count").null_count:
        return None
    return int(pc.sum(files.column("record_count")).as_py())


def _or_zero(files: pa.Table, name: str) -> pa.ChunkedArray | pa.Array:
    """A column of counts: 0 when it is missing, and 1 for null, which means unknown."""
    if name not in files.column_names:
        return pa.array([0])
    return pc.fill_null(files.column(name).cast(pa.int64()), 1)
