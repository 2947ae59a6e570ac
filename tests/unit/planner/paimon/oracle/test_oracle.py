"""Paimon plans against rows: a short run of the oracle.

The long run is ``python -m tests.unit.planner.paimon.oracle.long_run``; see ``tests/README.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

import pytest

from tests.unit.planner.paimon.oracle import exclusion
from tests.unit.planner.paimon.oracle.asked import some_node
from tests.unit.planner.paimon.oracle.check import counted, matching, search
from tests.unit.planner.paimon.oracle.held import Lake, lake
from tests.unit.planner.paimon.oracle.model import APPEND, EVOLVED, KEYED, plain_rows, read
from tests.unit.planner.paimon.oracle.tables import THEMES, some_table

CASES = 400
MODELS = 500


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with lake(tmp_path_factory.mktemp("oracle")) as found:
        yield found


def test_plans_give_the_rows_of_the_table_and_hold_no_excluded_file(held: Lake) -> None:
    found = search(held, count(), CASES)
    assert found.violation is None, (found.seed, found.case and found.case.filter, found.violation)


@pytest.mark.parametrize("theme", THEMES)
def test_plans_of_each_kind_of_table_do_so_too(held: Lake, theme: str) -> None:
    found = search(held, count(1_000), 24, theme)
    assert found.violation is None, (found.seed, found.case and found.case.filter, found.violation)


# Check that the oracle sees files dropped, and tables of every kind.


def test_the_rules_of_exclusion_lose_no_row() -> None:
    excluded = kept = 0
    for seed in range(MODELS):
        rng = Random(seed)
        table = some_table(rng, rng.choice((None, *THEMES)))
        rows = plain_rows(table, table.live)
        for _ in range(4):
            node = some_node(rng, table, rows)
            files = exclusion.planned(table, node)
            excluded += len(table.readable) - len(files)
            kept += len(files)
            wanted = matching(node, read(table, table.readable))
            assert counted(matching(node, read(table, files))) == counted(wanted), (seed, node)
    assert min(excluded, kept) > MODELS


def test_compacted_files_give_all_rows_where_level_0_is_skipped() -> None:
    seen = 0
    for seed in range(MODELS):
        table = some_table(Random(seed), "vectors" if seed % 2 else "first-row")
        if table.skips_level_0:
            seen += len(table.readable) > 1
            assert counted(plain_rows(table, table.readable)) == counted(read(table, table.readable)), seed
    assert seen > 50


def test_tables_are_of_every_kind() -> None:
    tables = [some_table(Random(seed)) for seed in range(MODELS)]
    assert {table.kind for table in tables} == {APPEND, KEYED, EVOLVED}
    engines = {table.engine for table in tables if table.kind == KEYED}
    assert engines == {"deduplicate", "partial-update", "aggregation", "first-row"}
    assert {table.options["bucket"] for table in tables if table.kind == KEYED} == {"1", "3", "-1", "-2"}
    assert {table.options.get("bucket-function.type", "default") for table in tables} == {"default", "mod", "hive"}
    assert {len(table.versions) for table in tables} >= {1, 2, 3, 4}
    assert any("deletion-vectors.merge-on-read" in table.options for table in tables)
    assert {table.kind for table in tables if any(table.vectors.values())} == {APPEND, KEYED}
    assert any("row-tracking.enabled" in table.options for table in tables if table.kind == APPEND)
    files = [file for table in tables for file in table.live]
    assert {file.level for file in files} == {0, 1, 3, 5}
    assert any(file.name.endswith(".blob") for file in files)
    assert any(record.gone for file in files for record in file.records)
    entries = [[one for commit in table.commits for one in commit] for table in tables]
    again = [{f.name for added, f in some if not added} & {f.name for added, f in some if added} for some in entries]
    assert sum(map(len, again)) > 50
    assert {file.dense is None for file in files} == {True, False}
    assert {file.written is None for file in files} == {True, False}
    rescaled = [{f.total_buckets for f in table.live if f.total_buckets > 0} for table in tables]
    assert max(map(len, rescaled)) > 1
    blank = [file for file in files if "" in file.partition]
    assert blank
    assert any(None in file.partition for file in files)
