"""Plans compared with PyIceberg's own: the same files, the same deletes, equivalent residuals.

Random filters are planned on tables that PyIceberg writes here, and on every snapshot of the real ones. Where the plans
differ, ``explanations`` must prove a deviation of PyIceberg 0.12 for each file. ``MUSTER_PYICEBERG_FILTERS`` sets the
number of filters per snapshot.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from pyiceberg import expressions
from pyiceberg.expressions import BooleanExpression
from pyiceberg.expressions.visitors import expression_evaluator, rewrite_not
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import FileScanTask

from lakemuster.catalog.services import Services
from lakemuster.metadata.files import EQUALITY_DELETES
from lakemuster.planner.scan.scan_index import scan_index_of
from lakemuster.planner.view import Selector
from lakemuster.predicates import Bound, matches
from tests.contract.service.backends import catalog, settings
from tests.journey.pyiceberg_plans import explanations, tables
from tests.journey.pyiceberg_plans.filters import asked, filter_of, pool
from tests.journey.pyiceberg_plans.planned import File, PlannedTable

ex: Any = expressions  # its types do not show which arguments are positional
FILTERS = int(os.environ.get("MUSTER_PYICEBERG_FILTERS", "15"))
REAL_TABLES = 16
POINTED = (
    ex.IsNull("id"),
    ex.LessThan("name", ""),
    ex.NotIn("flag", [True, False]),
    ex.NotStartsWith("place.town", ""),
    ex.In("id", range(1_000, 1_300)),
    ex.Or(ex.LessThan("small", 3), ex.IsNull("small")),
    ex.EqualTo("local", "1969-12-30T00:00:00"),
    ex.Or(ex.LessThan("id", -100), ex.EqualTo("name", "nobody")),
    ex.And(ex.LessThan("place.lat", 50.0), ex.Or(ex.IsNaN("place.lat"), ex.GreaterThan("id", 100))),
)
"""Filters for which every explanation occurs, whatever the random ones are."""


@dataclass
class Compared:
    """The results of the comparison.

    Attributes:
        counts: the numbers of compared filters, files and rows.
        explained: the number of differences by explanation.
        wrong: differences without an explanation.
    """

    counts: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def say(self, kind: str, table: PlannedTable, expression: BooleanExpression, path: str) -> None:
        """Record an unexplained difference."""
        self.wrong.setdefault(kind, []).append(
            f"{table.name} {table.snapshot_id} {path.rsplit('/', 1)[-1]} {expression}"
        )


def written(folder: Path) -> Iterator[PlannedTable]:
    made = list(tables.written(folder))
    with catalog(settings(folder, max_staleness=3600.0, history=1)) as services:
        for _ in services.discover(f"{folder}/lake", None, (), operator=True):
            pass
        for table in made:
            snapshot = table.current_snapshot()
            assert snapshot is not None
            scan = scan_index_of(services.index, services.view(".".join(table.name())))
            name, io = table.name()[-1], PyArrowFileIO({})
            yield PlannedTable(name, table.metadata, snapshot.snapshot_id, io, scan, folder / "lake")


def real(lakes: Path, folder: Path) -> Iterator[PlannedTable]:
    copy = folder / "lakes"
    shutil.copytree(lakes / "iceberg", copy, copy_function=shutil.copyfile)
    moved = [("data/persistent", str(copy))]
    moved += [(name, str(copy / "iceberg" / name)) for name in ("lineitem_iceberg", "lineitem_iceberg_gz")]
    with catalog(settings(folder, max_staleness=3600.0, history=1000)) as services:
        for _ in services.discover(str(copy), None, tuple(moved), operator=True):
            pass
        for table in services.tables():
            yield from snapshots_of(services, table.name)


def snapshots_of(services: Services, name: str) -> Iterator[PlannedTable]:
    table, records, _ = services.snapshots(name)
    assert table.metadata_location is not None
    metadata = tables.parsed(Path(table.metadata_location.removeprefix("file://")))
    folder = Path(table.location.removeprefix("file://"))
    for record in records:
        if record.state == "published":
            snapshot_id = record.snapshot.snapshot_id
            scan = scan_index_of(services.index, services.view(name, Selector(snapshot_id)))
            yield PlannedTable(name, metadata, snapshot_id, tables.Moved(folder / "metadata"), scan, folder)


@pytest.fixture(scope="module")
def compared(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    found, names = Compared(), set()
    of_pyiceberg = written(tmp_path_factory.mktemp("written"))
    for number, table in enumerate(chain(of_pyiceberg, real(lakes, tmp_path_factory.mktemp("real")))):
        names.add(table.name)
        compare(table, random.Random(number), found)
    found.counts["tables"] = len(names)
    return found


def compare(table: PlannedTable, dice: random.Random, found: Compared) -> None:
    schema = table.metadata.schema()
    columns = asked(schema)
    values = {name: pool(of, table.known(schema.find_field(name).field_id)) for name, of in columns.items()}
    pointed = POINTED if table.name in tables.SPECS else ()
    for expression in (*pointed, *(filter_of(dice, columns, values) for _ in range(FILTERS))):
        bound = table.bound(expression)
        ours, theirs = table.ours(bound), table.theirs(expression)
        found.counts["filters"] += 1
        found.counts["files"] += len(table.files)
        for path in theirs.keys() - ours.keys():
            explain_dropped(table, expression, bound, path, found)
        for path in ours.keys() - theirs.keys():
            why = explanations.why_kept(table, rewrite_not(expression), table.files[path])
            found.explained.update(why or ())
            if why is None:
                found.say("kept", table, expression, path)
        for path in ours.keys() & theirs.keys():
            compare_tasks(table, expression, bound, ours[path], theirs[path], found)


def explain_dropped(
    table: PlannedTable, expression: BooleanExpression, bound: Bound, path: str, found: Compared
) -> None:
    why = explanations.why_dropped(table, rewrite_not(expression), table.files[path])
    found.explained.update(why or ())
    if why is None:
        found.say("dropped", table, expression, path)
    if any(matches(bound, row) for row in table.rows[path]):
        found.say("lost", table, expression, path)


def compare_tasks(
    table: PlannedTable, expression: BooleanExpression, bound: Bound, file: File, task: FileScanTask, found: Compared
) -> None:
    path = task.file.file_path
    equality = {delete for delete in file.deletes if delete[0] == EQUALITY_DELETES}
    found.explained[explanations.EQUALITY] += bool(equality)
    found.counts["deletes"] += len(file.deletes)
    if {name for _, name in file.deletes - equality} != {delete.file_path for delete in task.delete_files}:
        found.say("deletes", table, expression, path)
    if task.residual is None:
        found.explained[explanations.NULL_PARTITION] += 1
        residual = rewrite_not(expression)
    else:
        # NOT is rewritten: PyIceberg's evaluator lets null match the negation of any comparison, its plans do not.
        residual = rewrite_not(task.residual)
    evaluate = expression_evaluator(table.metadata.schema(), residual, case_sensitive=True)
    for row in table.rows[path]:
        found.counts["rows"] += 1
        answers = {bool(matches(bound, row)), bool(matches(file.residual, row)), evaluate(table.record(row))}
        if len(answers) > 1:
            found.say("residual", table, expression, path)


def test_hundreds_of_filters_were_compared(compared: Compared, record_property: Callable[[str, object], None]) -> None:
    for name, count in (*compared.counts.items(), *compared.explained.items()):
        record_property(name, count)
    assert compared.counts["tables"] == len(tables.SPECS) + REAL_TABLES
    assert compared.counts["filters"] >= 40 * FILTERS
    assert compared.counts["rows"] > 5 * compared.counts["filters"]
    assert compared.counts["deletes"] > compared.counts["filters"] / 10


def test_a_file_that_only_one_plan_has_is_explained(compared: Compared) -> None:
    assert compared.wrong.get("dropped", []) == []
    assert compared.wrong.get("kept", []) == []


def test_no_dropped_file_holds_a_matching_row(compared: Compared) -> None:
    assert compared.wrong.get("lost", []) == []


def test_delete_files_are_the_same(compared: Compared) -> None:
    assert compared.wrong.get("deletes", []) == []


def test_residuals_mean_the_same_for_the_rows_of_the_file(compared: Compared) -> None:
    assert compared.wrong.get("residual", []) == []


def test_every_explanation_is_met(compared: Compared) -> None:
    assert {name for name, count in compared.explained.items() if count} == explanations.ALL
