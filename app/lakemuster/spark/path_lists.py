"""List file paths for ``spark.read.parquet``, where that reader returns the table's rows."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from lakemuster.client import Client, SnapshotInfo, Table
from lakemuster.client.choices import Choice, Where
from lakemuster.client.model import Row
from lakemuster.spark.errors import NotPlainParquet
from lakemuster.spark.plain_parquet_check import check_files, file_requirements
from lakemuster.spark.plain_parquet_formats import FileRequirements, plain_parquet_rules
from lakemuster.spark.session_zone import reads_times_otherwise

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ATTEMPTS = 3


def paths(
    spark: SparkSession | None,
    uri: str,
    table: str,
    where: Where = None,
    *,
    snapshot_id: int | str | None = None,
    ref: str | None = None,
    as_of: datetime | str | None = None,
    token: str | None = None,
) -> list[str]:
    """Return the paths of the files that a query must read, for ``spark.read.parquet(*paths)``; may be empty.

    Paths are returned only if reading the table's columns by name gives the table's rows: no delete files or deletion
    vectors, only Parquet, raw convertible, and every file with the table's current columns. Iceberg files do not record
    their schema, so all schemas in the table's history must agree. For added columns and for identity partition
    sources, each file's statistics must show that the file contains the column.

    ``where`` selects files, not rows: filter the rows again. Files may also hold columns of the format, with names that
    start with an underscore (Paimon's keys and row kinds): select the table's columns.

    Args:
        spark: its setting decides whether names are case-sensitive; with None they are not, which is the default. If
            its zone is not UTC, a condition that may name a timestamp with a zone leaves out no file: ``where`` of
            Spark reads times in that zone, the server in UTC.
        where, snapshot_id, ref, as_of, token: as for ``files``.

    Raises:
        NotPlainParquet: Spark would miss rows, return deleted ones, or read values of another column.
        ClientError: as for ``files``.
    """
    is_case_sensitive = spark is not None and str(spark.conf.get("spark.sql.caseSensitive", "false")).lower() == "true"
    choice: Choice = {"snapshot_id": snapshot_id, "ref": ref, "as_of": as_of}
    with Client(uri, token) as client:
        of_table = client.table(table)
        if spark is not None and isinstance(where, str) and reads_times_otherwise(spark, of_table, where):
            where = None
        return list_paths(of_table, where, choice, is_case_sensitive=is_case_sensitive)


def list_paths(table: Table, where: Where, choice: Choice, *, is_case_sensitive: bool) -> list[str]:
    """Like :func:`paths`, for a client's table."""
    if choice.get("as_of") is not None:
        snapshot_id = table.plan(limit=1, page_size=1, as_of=choice["as_of"]).snapshot_id
        if snapshot_id is None:
            return []
        choice = {"snapshot_id": snapshot_id}
    described = _TableSchemas(table, choice)
    for _ in range(_ATTEMPTS):
        requirements = described.requirements(is_case_sensitive=is_case_sensitive)
        pinned: Choice = {**choice, "page_size": 1}
        files = table.plan(where, stats=requirements.shown or None, **pinned).to_arrow()
        # The schemas were read before the plan: a file of the plan may have a newer one.
        after = _TableSchemas(table, choice)
        if after == described:
            check_files(requirements, files)
            paths: list[str] = files.column("file_path").to_pylist()
            return paths
        described = after
    raise NotPlainParquet(table.name, "its columns changed while its files were listed")


class _TableSchemas:
    """A table's schemas, partition specs and properties, and the schema that the chosen snapshot is read with.

    Raises:
        NotPlainParquet: the schema cannot be determined.
    """

    def __init__(self, table: Table, choice: Choice) -> None:
        info = table.info()
        self._table = table
        self._format = info.format
        self._properties = dict(info.row.get("properties") or {})
        self._schemas = list(table.schemas())
        self._specs = list(table.specs())
        self._branch = "main"
        snapshot_id = choice.get("snapshot_id")
        if (name := choice.get("ref")) is not None:
            named = next((ref for ref in table.refs() if ref.name == name), None)
            if named is not None:
                self._branch = named.branch
                snapshot_id = named.snapshot_id if named.type == "tag" else None
        self._schemas = [row for row in self._schemas if row["branch"] == self._branch]
        needs_all_schemas = plain_parquet_rules(table.name, self._format).needs_all_schemas
        snapshots: list[SnapshotInfo] = []
        if needs_all_schemas:
            snapshots = list(table.snapshots())
        elif snapshot_id is not None:
            snapshots = [table.snapshot(snapshot_id, ref=None if self._branch == "main" else self._branch)]
        self._target = self._schema(snapshot_id, snapshots)
        if needs_all_schemas and any(snapshot.schema_id is None for snapshot in snapshots):
            raise NotPlainParquet(table.name, "its older snapshots do not say their schemas")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _TableSchemas) and self._state == other._state

    def __hash__(self) -> int:
        return hash(self._format)

    @property
    def _state(self) -> tuple[object, ...]:
        return self._format, self._properties, self._schemas, self._specs, self._target

    def requirements(self, *, is_case_sensitive: bool) -> FileRequirements:
        """Return the requirements on the files.

        Raises:
            NotPlainParquet: as for ``plain_parquet_check.file_requirements``.
        """
        return file_requirements(
            self._table.name,
            self._format,
            self._target,
            self._schemas,
            self._specs,
            self._properties,
            is_case_sensitive=is_case_sensitive,
        )

    def _schema(self, snapshot_id: int | str | None, snapshots: list[SnapshotInfo]) -> Row:
        """Return the schema to read with: a chosen snapshot's own, else the branch's current one."""
        if snapshot_id is None:
            return next(row for row in self._schemas if row["current"])
        for snapshot in snapshots:
            if str(snapshot.snapshot_id) == str(snapshot_id) and snapshot.row["branch"] == self._branch:
                for row in self._schemas:
                    if row["schema_id"] == snapshot.schema_id:
                        return row
        raise NotPlainParquet(self._table.name, f"snapshot {snapshot_id} does not say its schema")
