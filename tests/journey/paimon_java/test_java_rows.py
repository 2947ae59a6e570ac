"""Rows that the data source's executors read beside Java's, on tables of every kind that its own writer wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from lakemuster import Client
from lakemuster.spark.reading.model import NotReadable
from tests.journey.paimon_java.beside_java import Table
from tests.journey.paimon_java.read_tables import READ_KINDS
from tests.journey.paimon_java.rows_read import counted, counted_of_java, rows_read, table_to_read
from tests.journey.paimon_java.tables import KINDS
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon

WRITTEN = {**KINDS, **READ_KINDS}
REFUSED = {
    "partial": "partial-update",
    "partial_fresh": "partial-update",
    "aggregation": "aggregation",
    "nanos_in_key": "more than six digits",
    "early_nanos": "before 1970",
}


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("rows-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        yield running


@pytest.fixture(scope="module")
def table_of(java_paimon: Paimon, server: Running) -> Callable[[str], Table]:
    written: dict[str, Table] = {}

    def table(kind: str) -> Table:
        if kind not in written:
            made, name = WRITTEN[kind], f"read_{kind}"
            java_paimon.ask("create", **made.created(name))
            for action, arguments in made.steps:
                java_paimon.ask(action, table=name, **arguments)
            written[kind] = Table(name, java_paimon, server, java_paimon.lake / "db.db" / name)
        return written[kind]

    return table


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
