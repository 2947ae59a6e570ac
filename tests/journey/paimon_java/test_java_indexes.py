"""Plans by file indexes compared with Java's: no row is lost, no extra file remains, and every kind of index works."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.journey.paimon_java.beside_java import Table, held_against_java, names, tables_written
from tests.journey.paimon_java.indexed_tables import KINDS
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon

FILTERS = int(os.environ.get("MUSTER_JAVA_FILTERS", "12"))


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("indexes-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        yield running


@pytest.fixture(scope="module")
def table_of(java_paimon: Paimon, server: Running) -> Callable[[str], Table]:
    return tables_written(java_paimon, server, KINDS, lambda kind: kind.replace("-", "_"))


@pytest.mark.parametrize("kind", KINDS)
def test_random_predicates(table_of: Callable[[str], Table], kind: str) -> None:
    assert held_against_java(table_of(kind), FILTERS)


@pytest.mark.parametrize("kind", ["only_bloom-filter", "only_bitmap", "only_bsi", "only_range-bitmap"])
def test_explanations_name_the_index(table_of: Callable[[str], Table], kind: str) -> None:
    """The table has no other statistics, so its one kind of index drops all dropped files."""
    table = table_of(kind)
    value = table.rows[7][0]
    asked = {"filter": f"id = {value} AND short <> 10000"}
    everything = table.plan()
    kept = names(table.plan(**asked))
    assert 0 < len(kept) < len(everything) // 2
    paths = [file["file_path"] for file in everything]
    explained = table.server.post(f"/tables/db.{table.kind}/explain", {**asked, "files": paths})
    level = explained["funnel"][-1]
    assert (level["level"], level["seen"], level["kept"]) == ("indexes", len(everything), len(kept))
    assert f"id = {value}" in explained["applied"]
    for file, said in zip(everything, explained["files"], strict=True):
        if file["file_name"] in kept:
            assert said["state"] == "kept"
            continue
        assert (said["state"], said["level"], said["dropped_by"]) == ("dropped", "indexes", f"id = {value}")
        said_so = [reason["reason"] for reason in said["reasons"] if reason["verdict"] == "cannot match"]
        assert said_so == [f"the file's {kind.removeprefix('only_')} index on id has no such row"]


def test_rows_of_two_comparisons_are_put_together(table_of: Callable[[str], Table]) -> None:
    """A file that has both values, but in different rows, is dropped."""
    table = table_of("only_bitmap")
    first = table.rows[0]
    columns = list(table.types)
    code = columns.index("code")
    other = next(row for row in table.rows[1:16] if row[code] != first[code])
    asked = {"filter": f"id = {first[0]} AND code = '{other[code]}'"}
    assert table.plan(**asked) == []
    paths = [file["file_path"] for file in table.plan(filter=f"id = {first[0]}")]
    explained = table.server.post(f"/tables/db.{table.kind}/explain", {**asked, "files": paths})
    assert "several conditions together" in {said["dropped_by"] for said in explained["files"]}


def test_java_loses_rows_by_indexes_that_were_written_anew(table_of: Callable[[str], Table]) -> None:
    """Indexes of columns whose position changed are ignored, because Java writes them from the wrong columns."""
    table = table_of("indexed_anew")
    where = [["=", "one", row[1]] for row in table.ask("rows")[:40]]
    lost = {}
    for who, plans in {
        "java": [[(name, True) for name in plan] for plan in table.ask("plans", predicates=where)],
        "ours": [[(f["file_name"], True) for f in table.plan(filter=f"one = {value}")] for _, _, value in where],
    }.items():
        lost[who] = sum(missing for missing, _, _ in table.ask("missing", predicates=where, plans=plans))
    assert lost["ours"] == 0
    assert lost["java"] > 0
    assert len(table.plan(filter=f"id = {table.rows[3][0]}")) < len(table.plan())
