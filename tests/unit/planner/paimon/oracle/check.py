"""Check Paimon plans against rows.

The laws: reading and filtering the planned files gives the table's filtered rows. Files that the rules exclude are
not planned. Explanations, pages, lists and the whole plan agree. Files that must be read together are in one section
and one split, and reading sections or splits one by one gives the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any
from unittest import mock

from lakemuster.catalog.filters import Filter
from lakemuster.errors import CatalogError
from lakemuster.index import zones as written
from lakemuster.planner.pruning import zones
from lakemuster.planner.scan import selection, spec_index
from lakemuster.planner.scan.filtered_files import filtered_files
from lakemuster.planner.view import View
from lakemuster.predicates import Bound, matches
from tests.contract.service.backends import rows as rows_of
from tests.unit.planner.paimon.oracle import exclusion
from tests.unit.planner.paimon.oracle.asked import Node, matching, some_node, sql, truth
from tests.unit.planner.paimon.oracle.held import Lake, files_of
from tests.unit.planner.paimon.oracle.model import APPEND, EVOLVED, KEYED, DataFile, Row, Table, plain_rows, read
from tests.unit.planner.paimon.oracle.tables import some_table
from tests.unit.planner.paimon.oracle.values import chance

READINGS = (False, True)
"""The readings of NaN, by whether it is above all numbers; otherwise as in IEEE 754."""


class Violation(AssertionError):
    """The plan is wrong for the table."""


@dataclass(frozen=True)
class Case:
    """A predicate over a table; ``node`` is None for all rows.

    ``small``: use zones of few entries, so that there are many.
    """

    table: Table
    view: View
    node: Node | None
    small: bool
    more: bool

    @property
    def filter(self) -> str | None:
        return None if self.node is None else sql(self.node)


def cases(rng: Random, lake: Lake, theme: str | None = None, predicates: int = 8) -> Iterator[Case]:
    """Yield one random table with each of ``predicates`` predicates, the first of which selects all rows."""
    table = some_table(rng, theme)
    view = lake.add(rng, table)
    rows = plain_rows(table, table.live) + 2 * read(table, table.readable)
    small = chance(rng, 50)
    for number in range(predicates):
        node = some_node(rng, table, rows) if number else None
        yield Case(table, view, node, small, chance(rng, 20))


def check(case: Case, lake: Lake) -> None:
    """Plan and compare the plan with the rows.

    Raises:
        Violation: the plan is wrong for a file, which the message names.
    """
    with sizes(small=case.small):
        planned = files_of(lake.plan(case.view, filter=case.filter, splits=True, **SPLITS))
        if case.more:
            check_portions(case, lake, planned)
            check_explanation(case, lake, planned)
    table, live = case.table, {file.name: file for file in case.table.live}
    names = [row["file_name"] for row in planned]
    if len(set(names)) < len(names):
        raise Violation(f"planned twice: {sorted(names)}")
    if unknown := set(names) - {file.name for file in table.readable}:
        state = "live, but not to be read" if unknown <= live.keys() else "not live"
        raise Violation(f"{state}, and planned: {sorted(unknown)}")
    files = [live[name] for name in names]
    check_rows(case, files)
    check_exclusion(case, files)
    for row, file in zip(planned, files, strict=True):
        check_vector(table, row, file)
        check_residual(case, row, file, files)
    check_units(table, planned, files)


SPLITS = {"split_target_size": 150, "split_open_file_cost": 30}


def check_rows(case: Case, files: list[DataFile]) -> None:
    """Check that reading the planned files loses no matching row and reveals no row that other files hide."""
    table = case.table
    every, some = read(table, table.readable), read(table, files)
    for nan_is_greatest in READINGS:
        wanted, found = (
            [r for r in rows if case.node is None or truth(case.node, r, nan_is_greatest=nan_is_greatest)]
            for rows in (every, some)
        )
        if counted(wanted) != counted(found):
            lost = [row for row in wanted if row not in found]
            made = [row for row in found if row not in wanted]
            raise Violation(f"of the rows that match, {lost} are lost, {made} are made up")


def check_exclusion(case: Case, files: list[DataFile]) -> None:
    if case.node is None:
        return
    allowed = {file.name for file in exclusion.planned(case.table, case.node)}
    if more := [file.name for file in files if file.name not in allowed]:
        raise Violation(f"excluded, and planned: {more}")


def check_vector(table: Table, row: dict[str, Any], file: DataFile) -> None:
    said, positions = row["deletion_vector"], table.vector(file)
    if (said is not None) is not bool(positions):
        raise Violation(f"{file.name} has {len(positions)} deleted rows, and the plan says {said}")
    if said is not None:
        if said["cardinality"] not in (None, len(positions)) or said["length"] != 20 or (said["offset"] - 1) % 28:
            raise Violation(f"the vector of {file.name} is {said}")
        places = list(table.vectors[file.group])
        if (said["offset"] - 1) // 28 != places.index(file.name):
            raise Violation(f"the vector of {file.name} is another's: {said}")


def check_residual(case: Case, row: dict[str, Any], file: DataFile, files: list[DataFile]) -> None:
    """Check that the residual and the predicate select the same of the rows that the file contributes to."""
    if case.node is None:
        if row["residual"] is not None:
            raise Violation(f"a residual without a filter: {row['residual']}")
        return
    bound, left = (bound_of(case, text) for text in (case.filter, row["residual"]))
    for one in sources(case.table, file, files):
        for nan in ("ieee", "greatest"):
            whole, rest = (matches(of, one, nan=nan) is True for of in (bound, left))  # type: ignore[arg-type]
            if whole is not rest:
                raise Violation(f"the residual {row['residual']} of {file.name} is {rest} of {one}, not {whole}")


def sources(table: Table, file: DataFile, files: list[DataFile]) -> list[Row]:
    """Return the rows to which a file may contribute values."""
    if table.kind == APPEND:
        return plain_rows(table, [file])
    if table.kind == EVOLVED:
        return read(table, [one for one in files if set(one.row_ids) & set(file.row_ids)])
    return read(table, [one for one in files if one.group == file.group])


def bound_of(case: Case, text: object) -> Bound:
    return Filter(text).bound(case.view.schemas[0], case_sensitive=True, history=case.view.written_schemas)


def check_units(table: Table, planned: list[dict[str, Any]], files: list[DataFile]) -> None:
    """Check that splits, sections and raw files, each read separately, give together the rows of all files."""
    wanted = counted(read(table, files))
    splits: dict[object, list[DataFile]] = {}
    sections: dict[object, list[DataFile]] = {}
    found: list[Row] = []
    for row, file in zip(planned, files, strict=True):
        if row["split"] is None:
            raise Violation(f"{file.name} is in no split")
        splits.setdefault(row["split"], []).append(file)
        if row["raw_convertible"]:
            found += plain_rows(table, [file])
        sections.setdefault(file.name if row["section"] is None else row["section"], []).append(file)
        if row["raw_convertible"] and row["section"] is not None and table.kind == KEYED:
            raise Violation(f"{file.name} can be read as it is, and is in section {row['section']}")
    if counted([row for some in splits.values() for row in read(table, some)]) != wanted:
        raise Violation(f"split by split, other rows are read: {names_of(splits)}")
    if counted([row for some in sections.values() for row in read(table, some)]) != wanted:
        raise Violation(f"section by section, other rows are read: {names_of(sections)}")
    raw = {row["file_name"] for row in planned if row["raw_convertible"]}
    merged = [file for file in files if file.name not in raw]
    if counted(found + read(table, merged)) != wanted:
        raise Violation(f"read as they are, {sorted(raw)} give other rows")
    if table.kind == APPEND and len(raw) < len(files):
        raise Violation("files of an append table need no merging")


def names_of(units: dict[object, list[DataFile]]) -> list[list[str]]:
    return [[file.name for file in some] for some in units.values()]


def counted(rows: list[Row]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


def check_portions(case: Case, lake: Lake, planned: list[dict[str, Any]]) -> None:
    """Check that the plan's pages, and the list of files with the same filter, equal the whole plan."""
    listing = lake.plan(case.view, filter=case.filter, splits=True, **SPLITS)
    if (said := listing.plan.totals.files) != len(planned):
        raise Violation(f"{said} files in all, and {len(planned)} planned")
    for size in (1, 2):
        if files_of(listing, size) != planned:
            raise Violation(f"in pages of {size} the plan is another")
    if case.filter is not None:
        bound = bound_of(case, case.filter)
        listed = rows_of(filtered_files(lake.services.index, case.view, lambda _: bound))
        if [row["file_path"] for row in listed] != [row["file_path"] for row in planned]:
            raise Violation(f"{[row['file_name'] for row in listed]} are listed under the filter")


def check_explanation(case: Case, lake: Lake, planned: list[dict[str, Any]]) -> None:
    """Check that the explanation agrees with the plan, by file and in total."""
    every = files_of(lake.plan(case.view))
    paths = [row["file_path"] for row in every]
    kept = {row["file_path"] for row in planned}
    said = lake.explain(case.view, filter=case.filter, files=paths)
    if said["funnel"][-1]["kept"] != len(planned):
        raise Violation(f"{said['funnel']} is explained, and {len(planned)} files are planned")
    for one in said["files"]:
        state = "kept" if one["file_path"] in kept else "dropped"
        if one["state"] != state:
            raise Violation(f"{one['file_path']} is {state}, and explained: {one}")


@contextmanager
def sizes(*, small: bool) -> Iterator[None]:
    """Use zones of two entries, for any number of manifests."""
    if not small:
        yield
        return
    with (
        mock.patch.object(written.zone_count, "__defaults__", (2,)),
        mock.patch.object(zones.zones_of, "__defaults__", (2,)),
        mock.patch.object(zones, "ZONE_ROWS", 2),
        mock.patch.object(selection, "ZONE_ROWS", 2),
        mock.patch.object(spec_index, "ZONE_ROWS", 2),
        mock.patch.object(selection, "FEW_MANIFESTS", 0),
    ):
        yield


@dataclass(frozen=True)
class Found:
    """The number of checked cases, and the first wrong one."""

    cases: int
    seed: int = 0
    case: Case | None = None
    violation: Violation | None = None


Check = Callable[[Case, Lake], None]


def search(
    lake: Lake, seeds: Iterable[int], most: int, theme: str | None = None, checks: Sequence[Check] = (check,)
) -> Found:
    """Check random tables by seed until a case is wrong or ``most`` cases are right."""
    done = 0
    for seed in seeds:
        found = cases(Random(seed), lake, theme)
        while True:
            try:
                case = next(found, None)
            except CatalogError as error:
                return Found(done, seed, None, Violation(f"refused: {error}"))
            if case is None:
                break
            if done == most:
                return Found(done)
            done += 1
            try:
                for one in checks:
                    one(case, lake)
            except Violation as violation:
                return Found(done, seed, case, violation)
    return Found(done)


__all__ = ["Case", "Found", "Violation", "cases", "check", "matching", "search"]
