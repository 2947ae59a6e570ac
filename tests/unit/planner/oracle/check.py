"""Check plans against rows: every matching file is planned, no excluded file is, and deletes are right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from unittest import mock

from lakemuster.index import zones as written
from lakemuster.metadata.files import DELETED
from lakemuster.planner.pruning import zones
from lakemuster.planner.scan import delete_matching, planned_entries, selection, spec_index
from lakemuster.planner.scan.explain import explain
from lakemuster.planner.scan.plan import Plan, PlannedBatch
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.predicates import NAN_MODES, TRUE, Bound, NanMode, bind, matches
from lakemuster.predicates.row_evaluation import NanReading
from tests.unit.planner.oracle.exclusion import excluded
from tests.unit.planner.oracle.held import scan
from tests.unit.planner.oracle.meaning import Node, Reading, leaves_of, some_node, spoken, truth
from tests.unit.planner.oracle.model import DataFile, Row, Table, deleted_rows, deletes_of
from tests.unit.planner.oracle.tables import some_table
from tests.unit.planner.oracle.values import chance

SQL, ICEBERG = ("sql", "iceberg")
"""Null in comparisons: UNKNOWN as in SQL, or matched by negations as in Iceberg's expressions."""

READINGS: dict[NanMode, tuple[str, ...]] = {
    "any": ("ieee", "greatest"),
    "greatest": ("greatest",),
    "unordered": ("ieee",),
    "none": ("iceberg",),
}
"""The readings of NaN in each mode; a row that matches under one of them must be planned."""

LEAVES: dict[NanMode, tuple[NanReading, ...]] = {
    "any": ("ieee", "greatest"),
    "greatest": ("greatest",),
    "unordered": ("ieee",),
    "none": ("ieee",),
}
"""The readings of NaN by the comparisons of a bound predicate, for each mode."""


class Violation(AssertionError):
    """The plan is wrong for the table."""


@dataclass(frozen=True)
class Case:
    """A predicate over a table.

    Attributes:
        nan: the mode in which the predicate is bound.
        small: use zones and batches of few entries, so that there are many.
        portions: also read the plan in ranges, and explain it.
    """

    table: Table
    scan: ScanIndex
    node: Node
    dialect: str
    nan: NanMode
    small: bool
    portions: bool

    @property
    def readings(self) -> list[Reading]:
        return [Reading(self.dialect == ICEBERG, nan) for nan in READINGS[self.nan]]


@dataclass
class Planned:
    """The plan's residual and deletes of one file."""

    residual: Bound
    deletes: list[int] = field(default_factory=list)


def cases(rng: Random, theme: str | None = None, predicates: int = 8) -> Iterator[Case]:
    """Yield one random table with each of ``predicates`` random predicates."""
    table = some_table(rng, theme)
    held, small = scan(table), chance(rng, 50)
    for _ in range(predicates):
        node = some_node(rng, table)
        dialects = [SQL]
        if not any(leaf.missing for leaf in leaves_of(node)):
            dialects.append(ICEBERG)
        yield Case(table, held, node, rng.choice(dialects), rng.choice(NAN_MODES), small, chance(rng, 10))


def bound_of(case: Case) -> Bound:
    return bind(
        spoken(case.node),
        case.table.schema,
        negations_match_null=case.dialect != SQL,
        nan=case.nan,
    )


def check(case: Case) -> None:
    """Plan and compare the plan with the rows.

    Raises:
        Violation: the plan is wrong for a file, which the message names.
    """
    bound = bound_of(case)
    with sizes(small=case.small):
        plan = Plan(case.scan, bound)
        planned = files_of(plan)
        if case.portions:
            check_portions(plan, list(planned))
            check_explanation(case, bound, planned)
    table, readings = case.table, case.readings
    live = {file.path: file for file in table.files}
    if unknown := planned.keys() - live.keys():
        raise Violation(f"not live, and planned: {sorted(unknown)}")
    for path, file in live.items():
        rows = table.rows_of(file)
        if path in planned:
            check_residual(case, bound, planned[path].residual, rows, path)
            check_deletes(table, file, planned[path].deletes)
            # A filter that every row satisfies keeps all files, including those without rows.
            if bound != TRUE and excluded(case.node, table, file, readings):
                raise Violation(f"excluded, and planned: {path}")
        for row in rows:
            if path not in planned and any(truth(case.node, row, reading) is True for reading in readings):
                raise Violation(f"matches, and is not planned: {path}, {row}")


@contextmanager
def sizes(*, small: bool) -> Iterator[None]:
    """Use zones of two entries for any number of manifests, and batches of a few entries."""
    if not small:
        yield
        return
    with (
        mock.patch.object(written.zone_count, "__defaults__", (2,)),
        mock.patch.object(written.segment_zones, "__defaults__", (2,)),
        mock.patch.object(zones.zones_of, "__defaults__", (2,)),
        mock.patch.object(zones, "ZONE_ROWS", 2),
        mock.patch.object(selection, "ZONE_ROWS", 2),
        mock.patch.object(spec_index, "ZONE_ROWS", 2),
        mock.patch.object(selection, "FEW_MANIFESTS", 0),
        mock.patch.object(planned_entries, "BATCH_ROWS", 3),
        mock.patch.object(delete_matching, "LEAST", 1),
        mock.patch.object(planned_entries, "FIRST_FILES", 2),
        mock.patch.object(planned_entries, "MOST_FILES", 5),
    ):
        yield


def files_of(plan: Plan) -> dict[str, Planned]:
    found: dict[str, Planned] = {}
    for batch in plan.batches():
        for path, one in described(batch):
            if path in found:
                raise Violation(f"planned twice: {path}")
            found[path] = one
    return found


def check_portions(plan: Plan, paths: list[str]) -> None:
    """Check that ranges of the plan, and its rest from any position, add up to the whole plan."""
    if plan.totals.files != len(paths):
        raise Violation(f"{plan.totals.files} files in all, and {len(paths)} planned")
    portions = [paths_of(plan.batches(start, end)) for start, end in plan.ranges(2)]
    if list(chain(*portions)) != paths:
        raise Violation(f"{portions} in ranges, and {paths} planned")
    done = 0
    for batch in list(plan.batches()):
        for at in range(len(batch.rows)):
            if paths_of(plan.batches(batch.slice(at).position)) != paths[done + at :]:
                raise Violation(f"from file {done + at} of {paths} on other files follow")
        done += len(batch.rows)
        if paths_of(plan.batches(batch.after)) != paths[done:]:
            raise Violation(f"after {done} of {paths} other files follow")


def check_explanation(case: Case, bound: Bound, planned: dict[str, Planned]) -> None:
    """Check that the explanation agrees with the plan, by file and in total."""
    entries = [entry for manifest in case.table.data for entry in manifest.entries]
    found = explain(case.scan, bound, [file.path for file, _ in entries])
    if len(found.files) != len(entries) or found.levels[-1].kept != len(planned):
        raise Violation(f"{found.levels} are explained, and {sorted(planned)} planned")
    for (file, status), said in zip(entries, found.files, strict=True):
        state = "deleted" if status == DELETED else "kept" if file.path in planned else "dropped"
        if said.file_path != file.path or said.state != state:
            raise Violation(f"{file.path} is {state}, and explained: {said}")


def paths_of(batches: Iterable[PlannedBatch]) -> list[str]:
    return [path for batch in batches for path in batch.table.column("file_path").to_pylist()]


def described(batch: PlannedBatch) -> Iterator[tuple[str, Planned]]:
    for number, path in enumerate(batch.table.column("file_path").to_pylist()):
        start, end = batch.delete_offsets[number : number + 2].tolist()
        deletes = batch.deletes[start:end].tolist()
        yield path, Planned(batch.residuals[int(batch.residual[number])], deletes)


def check_residual(case: Case, bound: Bound, residual: Bound, rows: list[Row], path: str) -> None:
    """Check that the residual selects the same rows of the file as the predicate, under the mode's readings of NaN."""
    for row in rows:
        for nan in LEAVES[case.nan]:
            one, other = (matches(of, row, nan=nan) is True for of in (bound, residual))
            if one is not other:
                raise Violation(f"the residual {residual} of {path} is {other} of {row}, the predicate {one}")


def check_deletes(table: Table, file: DataFile, numbers: list[int]) -> None:
    scope = deletes_of(table, file)
    if not set(numbers) <= set(scope):
        raise Violation(f"deletes {numbers} of {file.path}, and only {scope} apply")
    if numbers != sorted(set(numbers)):
        raise Violation(f"deletes of {file.path} are not in order: {numbers}")
    for number in set(scope) - set(numbers):
        if gone := deleted_rows(table, table.delete_files[number], file):
            raise Violation(f"delete {number} deletes rows {sorted(gone)} of {file.path}, and is not attached")


@dataclass(frozen=True)
class Found:
    """The number of checked cases, and the first wrong one."""

    cases: int
    seed: int = 0
    case: Case | None = None
    violation: Violation | None = None


Check = Callable[[Case], None]


def search(seeds: Iterable[int], most: int, theme: str | None = None, checks: Sequence[Check] = (check,)) -> Found:
    """Check random tables by seed until a case is wrong or ``most`` cases are right."""
    done = 0
    for seed in seeds:
        for case in cases(Random(seed), theme):
            if done == most:
                return Found(done)
            done += 1
            try:
                for one in checks:
                    one(case)
            except Violation as violation:
                return Found(done, seed, case, violation)
    return Found(done)
