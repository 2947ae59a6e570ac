"""Rows that the data source's executors read, compared with Java's, on tables of every kind that Java wrote."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakemuster import Client
from lakemuster.spark.reading.model import NotReadable
from tests.journey.paimon_java.beside_java import Table, tables_written
from tests.journey.paimon_java.read_tables import READ_KINDS
from tests.journey.paimon_java.rows_read import counted, counted_of_java, rows_read, table_to_read
from tests.journey.paimon_java.tables import KINDS
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon
from tests.tree import lakes_folder

REAL = sorted(folder for folder in (lakes_folder() / "paimon").glob("*/*.db/*") if (folder / "snapshot").is_dir())
GONE = "pk_dv_index_in_data_with_external"
"""A table with missing files, whose external location is not in the folder."""
REFUSED_REAL = {
    "append_table_alter_table_with_cast": r"cast from TIMESTAMP\(9\) to STRING",
}
BRANCHED = "append_table_with_append_pt_branch"
"""Java reads its current state only; for a snapshot id it compares the schemas of two times, and fails."""
WRITTEN = {**KINDS, **READ_KINDS}
REFUSED = {
    "partial_aggregated": "the aggregate function sum of the column small",
    "aggregation_text": "the aggregate function listagg of the column name",
    "nanos_in_key": "more than six digits",
}


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("rows-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        yield running


@pytest.fixture(scope="module")
def table_of(java_paimon: Paimon, server: Running) -> Callable[[str], Table]:
    return tables_written(java_paimon, server, WRITTEN, lambda kind: f"read_{kind}")


@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if kind not in REFUSED])
def test_rows(table_of: Callable[[str], Table], kind: str) -> None:
    table = table_of(kind)
    with Client(table.server.uri) as client:
        to_read = table_to_read(client, f"db.{table.kind}")
        ours = rows_read(client, to_read)
    assert ours.column_names == list(table.types)
    theirs = counted_of_java(table.rows, to_read.schema["fields"])
    found = counted(ours)
    assert (found - theirs, theirs - found) == ({}, {})
    assert theirs or WRITTEN[kind].options.get("bucket") == "-2"


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused(table_of: Callable[[str], Table], kind: str) -> None:
    table = table_of(kind)
    with Client(table.server.uri) as client, pytest.raises(NotReadable, match=REFUSED[kind]):
        rows_read(client, table_to_read(client, f"db.{table.kind}"))


@pytest.mark.parametrize("kind", ["clustered_by_small", "clustered_by_name"])
def test_compacted_files_sorted_by_other_columns_need_no_other_files(
    table_of: Callable[[str], Table], kind: str
) -> None:
    files = table_of(kind).plan()
    assert {file["raw_convertible"] for file in files} == {True, False}
    sections = [file["section"] for file in files if not file["raw_convertible"]]
    assert len(set(sections)) == len(sections)


@pytest.mark.parametrize(
    "kind", ["evolved", "keyed_levels", "vectors", "over_and_over", "clustered_by_small", "clustered_by_name"]
)
def test_every_snapshot(table_of: Callable[[str], Table], kind: str) -> None:
    held_at_every_snapshot(table_of(kind))


@pytest.mark.parametrize("folder", [folder for folder in REAL if folder.name != GONE], ids=lambda folder: folder.name)
def test_real_tables(java_paimon: Paimon, server: Running, folder: Path) -> None:
    name = f"real_{folder.name}"
    shutil.copytree(folder, java_paimon.lake / "db.db" / name, copy_function=shutil.copyfile)
    table = Table(name, java_paimon, server, java_paimon.lake / "db.db" / name)
    if folder.name in REFUSED_REAL:
        with Client(server.uri) as client, pytest.raises(NotReadable, match=REFUSED_REAL[folder.name]):
            rows_read(client, table_to_read(client, f"db.{name}"))
    elif folder.name == BRANCHED:
        held(table)
    else:
        held_at_every_snapshot(table)


def held_at_every_snapshot(table: Table) -> None:
    """Compare the rows of each snapshot, with its own schema, with Java's."""
    assert table.snapshots
    for snapshot in table.snapshots:
        held(table, snapshot)


def held(table: Table, snapshot: int | None = None) -> None:
    """Compare the rows of a snapshot, or of the current table, with Java's."""
    schema_id, options = None, {}
    with Client(table.server.uri) as client:
        if snapshot is not None:
            schema_id = client.table(f"db.{table.kind}").snapshot(snapshot).schema_id
            options = {"scan.snapshot-id": str(snapshot)}
        to_read = table_to_read(client, f"db.{table.kind}", schema_id)
        found = counted(rows_read(client, to_read, snapshot_id=snapshot))
    expected = counted_of_java(table.ask("rows", options=options), to_read.schema["fields"])
    assert (found - expected, expected - found) == ({}, {}), snapshot
