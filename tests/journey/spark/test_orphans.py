"""Orphan files found on Spark equal those of the command line and those of Iceberg's own procedure."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journey.servers import Running, lakemuster, served
from tests.journey.spark.indexing import Driver, driver
from tests.journey.spark.tables import discover
from tests.spark import Spark, SparkFailed

pytestmark = pytest.mark.timeout(900)
DAY = 86_400
VALUES = "SELECT id, concat('n', id), id % 3 FROM range(0, 12, 1, 2)"
MARKED = "'write.delete.mode' = 'merge-on-read'"
CREATE = "CREATE TABLE plain.orphans.{} (id bigint, name string, part bigint) USING iceberg PARTITIONED BY (part) "
HISTORY: dict[str, list[str]] = {
    "refs": [
        CREATE.format("refs") + "TBLPROPERTIES ('format-version' = '2')",
        *[f"INSERT INTO plain.orphans.refs {VALUES}"] * 2,
        "ALTER TABLE plain.orphans.refs CREATE TAG kept",
        "ALTER TABLE plain.orphans.refs CREATE BRANCH side",
        f"INSERT INTO plain.orphans.refs.branch_side {VALUES}",
        "DELETE FROM plain.orphans.refs WHERE part = 1",
        f"INSERT OVERWRITE plain.orphans.refs {VALUES}",
        "CALL plain.system.expire_snapshots(table => 'orphans.refs', older_than => TIMESTAMP '2100-01-01')",
    ],
    "marks": [
        CREATE.format("marks") + f"TBLPROPERTIES ('format-version' = '2', {MARKED})",
        *[f"INSERT INTO plain.orphans.marks {VALUES}"] * 2,
        "DELETE FROM plain.orphans.marks WHERE id = 4",
        "CALL plain.system.compute_table_stats(table => 'orphans.marks')",
        "CALL plain.system.rewrite_manifests('orphans.marks')",
    ],
    "vectors": [
        CREATE.format("vectors")
        + f"TBLPROPERTIES ('format-version' = '3', {MARKED}, 'write.metadata.previous-versions-max' = '2')",
        *[f"INSERT INTO plain.orphans.vectors {VALUES}"] * 3,
        "DELETE FROM plain.orphans.vectors WHERE id = 4",
        "DELETE FROM plain.orphans.vectors WHERE id = 7",
    ],
}
NAMES = ("{}-m0.avro", "snap-{}.avro", "{}.parquet", "{}-deletes.parquet", "00099-{}.stats", "a b%20{}.parquet")


@pytest.fixture(scope="module")
def lake(spark: Spark) -> Path:
    """The folder of the tables, with planted files in every folder; all files are old."""
    for lines in HISTORY.values():
        for line in lines:
            spark.sql(line)
    root = spark.folder / "lake" / "orphans"
    for folder in sorted(path for path in root.rglob("*") if path.is_dir()):
        for number, name in enumerate(NAMES):
            (folder / name.format(f"planted-{number}")).write_bytes(b"x")
    then = time.time() - 10 * DAY
    for path in root.rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))
    discover(spark, "orphans")
    done = lakemuster(spark.folder, "index", *(f"orphans.{table}" for table in HISTORY))
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def server(spark: Spark, lake: Path) -> Iterator[Running]:
    with served(spark.folder, ROOTS=json.dumps([str(lake.parent)])) as running:
        yield running


def of_command(spark: Spark, location: Path) -> set[str]:
    done = lakemuster(spark.folder, "orphans", str(location), "--files", "--json")
    assert done.returncode == 0, done.stderr
    return {plain(row["file_path"]) for row in json.loads(done.stdout)}


def plain(path: str) -> str:
    return path.removeprefix("file://").removeprefix("file:")


def is_hidden(path: str, root: Path) -> bool:
    """Return whether Iceberg omits the path: a part of it begins with a dot or an underscore."""
    return any(part.startswith((".", "_")) for part in Path(path).relative_to(root).parts)


@pytest.mark.parametrize("table", HISTORY)
def test_orphans_are_those_of_icebergs_own_procedure(spark: Spark, lake: Path, table: str) -> None:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(time.time() - 3 * DAY))
    call = f"table => 'orphans.{table}', older_than => TIMESTAMP '{when}', dry_run => true"
    theirs = {plain(row[0]) for row in spark.sql(f"CALL plain.system.remove_orphan_files({call})")}
    ours = of_command(spark, lake / table)
    assert {path for path in ours if not is_hidden(path, lake)} == theirs
    assert len(theirs) >= len(NAMES) * 2
    assert all("planted" in path for path in ours if table == "marks")


TYPES = [["file_path", "string"], ["file_size_in_bytes", "bigint"], ["modified_at", "timestamp"], ["kind", "string"]]


def asked(spark: Spark, uri: str, location: Path, **more: Any) -> Any:
    options = {"uri": uri, "location": str(location), **more}
    return spark.ask("lakemuster", packages=spark.packages, name="orphans", options=options)


def paths(found: Any) -> set[str]:
    assert found["types"] == TYPES
    return {plain(row[0]) for row in found["rows"]}


@pytest.fixture(scope="module")
def classic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """A classic session of Spark 4.1 that has the packages for Arrow functions."""
    with driver("local[2]", tmp_path_factory.mktemp("classic")) as running:
        yield running


def test_on_spark_they_are_those_of_the_command_line(
    classic: Driver, spark: Spark, server: Running, lake: Path
) -> None:
    options = {"uri": server.uri, "location": str(lake)}
    whole, part = classic.call([("orphans", options), ("orphans", options | {"location": str(lake / "refs")})])
    assert paths(whole) == of_command(spark, lake)
    assert paths(part) == of_command(spark, lake / "refs")


def test_on_connect_they_are_the_same(connect_spark: Spark, spark: Spark, server: Running, lake: Path) -> None:
    assert paths(asked(connect_spark, server.uri, lake, older_than="2d")) == of_command(spark, lake)


def test_on_spark_they_are_refused_like_the_command(
    connect_spark: Spark, spark: Spark, server: Running, lake: Path
) -> None:
    folder = lake / "unknown" / "metadata"
    folder.mkdir(parents=True)
    (folder / "v1.metadata.json").write_text("{}")
    try:
        with pytest.raises(SparkFailed, match="unknown: it looks like an Iceberg table that is not registered"):
            asked(connect_spark, server.uri, lake)
        refused = lakemuster(spark.folder, "orphans", str(lake))
        assert refused.returncode == 1
        first = refused.stderr.splitlines()[0]
        assert first == f"lakemuster: file://{folder.parent}: it looks like an Iceberg table that is not registered"
    finally:
        (folder / "v1.metadata.json").unlink()
        folder.rmdir()
        folder.parent.rmdir()
    with pytest.raises(SparkFailed, match="below one day"):
        asked(connect_spark, server.uri, lake, older_than="1h")
    with pytest.raises(SparkFailed, match="outside the allowed roots"):
        asked(connect_spark, server.uri, Path("/etc"))
