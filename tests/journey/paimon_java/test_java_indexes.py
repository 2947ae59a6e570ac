"""Plans by file indexes beside Java's: no row lost, no file more, and every kind of index seen to drop files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.journey.paimon_java.beside_java import Table, held_against_java
from tests.journey.paimon_java.indexed_tables import KINDS
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon

FILTERS = int(os.environ.get("MUSTER_JAVA_FILTERS", "30"))


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("indexes-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        yield running


@pytest.fixture(scope="module")
def table_of(java_paimon: Paimon, server: Running) -> Callable[[str], Table]:
    written: dict[str, Table] = {}

    def table(kind: str) -> Table:
        if kind not in written:
            made = KINDS[kind]
            name = kind.replace("-", "_")
            java_paimon.ask("create", **made.created(name))
            for action, arguments in made.steps:
                java_paimon.ask(action, table=name, **arguments)
            written[kind] = Table(name, java_paimon, server, java_paimon.lake / "db.db" / name)
        return written[kind]

    return table


@pytest.mark.parametrize("kind", KINDS)
def test_random_predicates(table_of: Callable[[str], Table], kind: str) -> None:
    assert held_against_java(table_of(kind), FILTERS)
