"""The planner against rows: a short run of the oracle.

The long run is ``python -m tests.unit.planner.oracle.long_run``; see ``tests/README.md``.
"""

from __future__ import annotations

from itertools import count
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.metadata.files import ADDED, DELETED, EXISTING
from lakemuster.planner.scan.plan import Plan
from tests.unit.planner.oracle.check import bound_of, cases, check, files_of, search
from tests.unit.planner.oracle.tables import some_table
from tests.unit.planner.oracle.values import TYPES

CASES = 600


def test_plans_hold_every_matching_row_and_no_excluded_file() -> None:
    found = search(count(), CASES)
    assert found.violation is None, (found.seed, found.case and found.case.node, found.violation)


@given(st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_plans_hold_against_the_least_table_that_hypothesis_finds(rng: Random) -> None:
    for case in cases(rng, predicates=2):
        check(case)


# An oracle that never sees a pruned file, a residual or a delete would accept anything.


def test_tables_are_of_every_kind() -> None:
    tables = [some_table(Random(seed)) for seed in range(300)]
    assert {of.text for table in tables for _, of in table.columns.values()} == set(TYPES)
    fields = {own for table in tables for spec in table.specs for own in spec.fields}
    kinds = {"identity", "void", "bucket", "truncate", "year", "month", "day", "hour", "zorder"}
    assert {own.transform.split("[")[0] for own in fields} == kinds
    assert any(len(own.source_ids) > 1 for own in fields)
    assert {len(table.schemas) for table in tables} == {1, 2, 3, 4}
    assert {len(table.specs) for table in tables} >= {1, 2, 3}
    assert any(table.defaults for table in tables)
    deletes = [delete for table in tables for delete in table.delete_files]
    assert {(delete.content, delete.is_vector) for delete in deletes} == {(1, False), (1, True), (2, False)}
    entries = [entry for table in tables for manifest in table.data for entry in manifest.entries]
    assert {status for _, status in entries} == {EXISTING, ADDED, DELETED}


def test_plans_keep_and_drop_decide_and_delete() -> None:
    kept = dropped = decided = with_deletes = 0
    seen = set()
    for case in (case for seed in range(20) for case in cases(Random(seed))):
        bound = bound_of(case)
        planned = files_of(Plan(case.scan, bound))
        kept += len(planned)
        dropped += len(case.table.files) - len(planned)
        decided += sum(one.residual != bound for one in planned.values())
        with_deletes += sum(bool(one.deletes) for one in planned.values())
        seen.add((case.dialect, case.nan, case.small))
    assert min(kept, dropped) > 100
    assert min(decided, with_deletes) > 30
    assert len(seen) == 16
