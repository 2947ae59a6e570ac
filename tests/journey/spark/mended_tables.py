"""Unhealthy tables written by Spark, each with the health component that reports the problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.spark import Spark

MERGED = "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read', 'write.merge.mode'='merge-on-read'"


NAMESPACE = "ailing"


@dataclass(frozen=True, slots=True)
class Ailing:
    """A table and the component of its health that the remedy must restore.

    Attributes:
        case: the name of the case, and by default of the table.
        component: the name of the component.
        statements: statements that write the table; ``{t}`` is its name in SQL.
        levels: the table's name, if not that of the case.
        later: statements after the remedy, which the component needs to show its effect.
        equality: ids for which equality deletes are written.
        exact: the number of the gain that must be exact.
    """

    case: str
    component: str
    statements: Sequence[str]
    levels: tuple[str, ...] = ()
    later: Sequence[str] = ()
    equality: Sequence[int] = ()
    exact: str | None = None

    @property
    def name(self) -> tuple[str, ...]:
        """The levels of the table's name."""
        return self.levels or (NAMESPACE, self.case)

    @property
    def sql(self) -> str:
        """The table's name in Spark SQL."""
        return ".".join("`" + level.replace("`", "``") + "`" for level in ("plain", *self.name))


def table(properties: str = "", *, partitioned: bool = True, version: int = 2) -> str:
    """Return the statement that creates a table with an id and a day."""
    more = f", {properties}" if properties else ""
    parts = " PARTITIONED BY (day)" if partitioned else ""
    return (
        f"CREATE TABLE {{t}} (id bigint, day int) USING iceberg{parts} "
        f"TBLPROPERTIES ('format-version'='{version}'{more})"
    )


def insert(day: int, first: int = 0, count: int = 10) -> str:
    """Return a statement that adds a file of one day."""
    return f"INSERT INTO {{t}} SELECT id, {day} FROM range({first}, {first + count}, 1, 1)"


SPREAD = "INSERT INTO {t} SELECT /*+ REPARTITION(4) */ id, CAST(id % 3 AS int) FROM range(120)"
GROUPS = [
    *(insert(1, n * 10) for n in range(6)),
    *(insert(2, n * 10) for n in range(7)),
    *(insert(3) for _ in range(3)),
]
LARGE = [
    f"INSERT INTO {{t}} SELECT xxhash64(id), {day} FROM range({n * 2000}, {n * 2000 + 2000}, 1, 1)"
    for day, files in ((1, 6), (2, 7), (3, 3))
    for n in range(files)
]
DELETES = [insert(n % 2, n * 10) for n in range(8)]

ICEBERG = (
    Ailing(exact="files", case="small", component="small_files", statements=[table(), *GROUPS]),
    Ailing(
        exact="files",
        case="small_odd",
        component="small_files",
        statements=[table(), *GROUPS],
        levels=(NAMESPACE, "o'dd `name` 1é"),
    ),
    Ailing("small_large", "small_files", [table("'write.target-file-size-bytes'='60000'"), *LARGE]),
    Ailing("small_deletes", "small_files", [table(MERGED), *GROUPS, "DELETE FROM {t} WHERE id IN (3, 14)"]),
    Ailing(
        exact="merges",
        case="marks",
        component="delete_debt",
        statements=[table(MERGED), *DELETES, "DELETE FROM {t} WHERE id % 10 = 3"],
    ),
    Ailing(
        exact="merges",
        case="marks_partition",
        component="delete_debt",
        statements=[
            table(f"{MERGED}, 'write.delete.granularity'='partition'"),
            *DELETES,
            "DELETE FROM {t} WHERE id % 10 = 3",
            "DELETE FROM {t} WHERE id % 10 = 4 AND day = 1",
        ],
    ),
    Ailing(
        exact="merges",
        case="vectors",
        component="delete_debt",
        statements=[table(MERGED, version=3), *DELETES, "DELETE FROM {t} WHERE id % 10 = 3"],
    ),
    Ailing(
        exact="merges",
        case="equality",
        component="delete_debt",
        statements=[table(partitioned=False), *DELETES],
        equality=(3, 27, 51),
    ),
    Ailing(
        "dangling",
        "dangling_deletes",
        [
            table(MERGED),
            *DELETES,
            "DELETE FROM {t} WHERE id % 10 = 3",
            "CALL plain.system.rewrite_data_files(table => 'ailing.dangling', options => map('rewrite-all', 'true'))",
        ],
    ),
    Ailing(
        exact="manifests",
        case="manifests",
        component="manifests",
        statements=[table("'commit.manifest-merge.enabled'='false'"), *GROUPS],
    ),
    Ailing(
        exact="manifests",
        case="manifests_deletes",
        component="manifests",
        statements=[
            table(f"'commit.manifest-merge.enabled'='false', {MERGED}"),
            *DELETES,
            "DELETE FROM {t} WHERE id = 3",
            "DELETE FROM {t} WHERE id = 13",
        ],
    ),
    Ailing(
        exact="snapshots",
        case="snapshots",
        component="snapshots",
        statements=[table("'history.expire.max-snapshot-age-ms'='1'"), *DELETES],
    ),
    Ailing("overlap", "overlap", [table(), "ALTER TABLE {t} WRITE ORDERED BY id", *(insert(n % 2) for n in range(12))]),
    Ailing(
        "unclustered",
        "unclustered_writes",
        [table("'write.distribution-mode'='none', 'write.spark.fanout.enabled'='true'"), SPREAD, SPREAD, SPREAD],
        later=[SPREAD, SPREAD, SPREAD],
    ),
)


def paimon_table(properties: str, *, key: bool) -> str:
    """Return the statement that creates a Paimon table; its writers neither compact nor expire."""
    keys = "'primary-key'='id,day', " if key else ""
    return (
        "CREATE TABLE {t} (id bigint, day int) PARTITIONED BY (day) "
        f"TBLPROPERTIES ({keys}'write-only'='true', {properties})"
    )


PAIMON = (
    Ailing(
        exact="merges",
        case="p_runs",
        component="sorted_runs",
        statements=[paimon_table("'bucket'='1'", key=True), *(insert(n % 2) for n in range(8))],
    ),
    Ailing(
        exact="merges",
        case="p_merges",
        component="merge_reads",
        statements=[paimon_table("'bucket'='2'", key=True), *(insert(n % 2) for n in range(8))],
    ),
    Ailing(
        "p_small",
        "small_files",
        [paimon_table("'bucket'='-1', 'compaction.max.file-num'='5'", key=False), *(insert(n % 2) for n in range(14))],
    ),
    Ailing(
        exact="snapshots",
        case="p_snapshots",
        component="snapshots",
        statements=[
            paimon_table("'snapshot.num-retained.max'='3', 'snapshot.num-retained.min'='2'", key=False),
            *(insert(n % 2) for n in range(6)),
        ],
    ),
)


def write(spark: Spark, one: Ailing) -> None:
    """Write a table."""
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS plain.{NAMESPACE}")
    for statement in one.statements:
        spark.sql(statement.replace("{t}", one.sql))
    for number in one.equality:
        spark.ask("equality_delete", table=".".join(("plain", *one.name)), rows=[{"id": number}])
