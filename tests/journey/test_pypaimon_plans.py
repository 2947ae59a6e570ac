"""Plans compared with pypaimon's own: they lose no rows, and every additional or missing file has an explanation.

Random filters are planned on tables of every kind that pypaimon writes here, and on the real ones that it can plan.
pypaimon reads only the files of the server's plan: the matching rows must be those of the whole table. Each file that
only one of the plans has must be explained by one of the names below. ``MUSTER_PYPAIMON_FILTERS`` sets the number of
filters per table.
"""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lakemuster.catalog.planning import plan_listing
from lakemuster.catalog.services import Services
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Primitive
from lakemuster.planner.view import View
from lakemuster.wire.native.plans import PlanRequest
from tests.contract.service.backends import catalog, settings
from tests.unit.planner.paimon.oracle.asked import Asked, Joined, Node, some_node, sql, truth
from tests.unit.planner.paimon.oracle.held import files_of
from tests.unit.planner.paimon.oracle.model import APPEND, EVOLVED, KEYED, Column, Row, Table, Version
from tests.unit.planner.paimon.oracle.values import POOLS

pytestmark = pytest.mark.timeout(900)
SCRIPT = Path(__file__).parent / "pypaimon_plans" / "beside.py"
FILTERS = int(os.environ.get("MUSTER_PYPAIMON_FILTERS", "25"))
WRITTEN = 16
REAL = {
    "data_evolution_with_dense_stats",
    "pk_table_scan_and_read_dv",
    "pk_table_scan_and_read_mor",
    "pk_table_with_alter_table",
}
"""Real tables that pypaimon 2.1 plans and reads in place.

It fails on the others, except on ``append_table_with_append_pt_branch``: it does not support ``scan.fallback-branch``
and omits that branch's files. Java reads them (``tests/journey/paimon_java``).
"""

MERGED = "pypaimon prunes no values where rows of a key are merged: here a bucket that cannot match goes whole"
MIXED = "pypaimon takes conditions on partitions and on values apart: an OR of both prunes nothing"
NULLS = "pypaimon takes bounds that are null for unknown, also where every value is null or the column is newer"
NAN = "bounds say nothing of NaN, which SQL readers find above all numbers: pypaimon leaves such a file out"
BUCKETS = "pypaimon looks for the key's buckets in one conjunct, here in every branch of an OR"
NARROWED = "pypaimon narrows buckets partition by partition, where one branch of an OR holds for no row of it"
RARE = {BUCKETS, NARROWED}
"""Explanations that occur in longer runs only."""


@dataclass
class Asking:
    """A table for both planners.

    Attributes:
        rows: the rows of the whole table, as pypaimon reads them.
        files: the files of an unfiltered plan with statistics, by name.
        plan: returns the names of the files that a filter's plan has.
    """

    name: str
    view: View
    table: Table
    rows: list[Row]
    files: dict[str, dict[str, Any]]
    plan: Callable[[str], list[str]]


@dataclass
class Compared:
    """The results of the comparison.

    Attributes:
        counts: the numbers of compared filters, files and rows.
        explained: the number of files that only one plan has, by explanation.
        wrong: differences without an explanation.
    """

    counts: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def say(self, kind: str, asking: Asking, node: Node, what: object) -> None:
        """Record an unexplained difference."""
        self.wrong.setdefault(kind, []).append(f"{asking.name}: {sql(node)}: {what}")


def columns(schema: Schema) -> tuple[Column, ...]:
    """Return the columns that filters use."""
    known = {"VARCHAR": "STRING"}
    found = []
    for own in schema.fields:
        if isinstance(own.type, Primitive):
            text = known.get(own.type.text.split("(")[0], own.type.text)
            if text in POOLS:
                found.append(Column(own.field_id, own.name, text))
    return tuple(found)


def modelled(view: View) -> Table:
    schema = view.schemas[0]
    options = dict(schema.options)
    ids = {own.name: own.field_id for own in schema.fields}
    keys = tuple(ids[name] for name in schema.primary_keys if name not in schema.partition_keys)
    kind = KEYED if keys else EVOLVED if options.get("data-evolution.enabled") == "true" else APPEND
    bucket_key = tuple(ids[name] for name in options.get("bucket-key", "").split(",") if name)
    partition = tuple(ids[name] for name in schema.partition_keys)
    return Table(kind, [Version(0, columns(schema))], partition, keys, options, bucket_key=bucket_key)


def row_of(table: Table, sent: dict[str, Any]) -> Row:
    cells = {column.field_id: sent[column.name] for column in table.current.columns}
    decimals = {column.field_id for column in table.current.columns if column.type.startswith("DECIMAL")}
    return {i: Decimal(cell) if i in decimals and cell is not None else cell for i, cell in cells.items()}


def tables(services: Services, warehouse: Path, run: Callable[..., Any], names: set[str] | None) -> Iterator[Asking]:
    for _ in services.discover(str(warehouse), None, (), operator=True):
        pass
    known = {".".join(t.name.split(".")[-2:]): t.name for t in services.tables()}
    wanted = [name for name in known if names is None or name.split(".")[-1] in names]
    for name, theirs in run(SCRIPT, action="look", warehouse=str(warehouse), names=wanted).items():
        assert "error" not in theirs, (name, theirs)
        view = services.view(known[name])
        table = modelled(view)

        def plan(text: str, view: View = view) -> list[str]:
            listing = plan_listing(services, view, PlanRequest(filter=text), stale=None)
            return sorted(row["file_name"] for row in files_of(listing))

        every = plan_listing(services, view, PlanRequest(stats=["*"]), stale=None)
        files = {row["file_name"]: row for row in files_of(every)}
        assert sorted(files) == theirs["files"], name
        yield Asking(name, view, table, [row_of(table, row) for row in theirs["rows"]], files, plan)


def told(node: Node) -> list[Any] | None:
    """Return the filter in pypaimon's form; None if it has none."""
    match node:
        case Joined(word=word, parts=parts):
            below = [told(part) for part in parts]
            return None if None in below else [word, below] if len(below) > 1 else below[0]
        case Asked(op=op, column=column, values=values, no=no):
            if None in values or (no and op == "LIKE"):
                return None
            word = op if not no else {"IS NULL": "IS NOT NULL", "IN": "NOT IN"}[op]
            return [word, column.name, [sent(value, column.type) for value in values]]
    return None


def sent(value: Any, of: str) -> Any:
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    return {"date": value} if of == "DATE" else value


def filters(dice: random.Random, asking: Asking) -> Iterator[Node]:
    found = 0
    while found < FILTERS:
        node = some_node(dice, asking.table, asking.rows)
        if told(node) is not None:
            found += 1
            yield node


def compare(services: Services, warehouse: Path, run: Callable[..., Any], names: set[str] | None, to: Compared) -> None:
    questions: dict[str, list[Any]] = {}
    asked: dict[str, tuple[Asking, list[tuple[Node, list[str]]]]] = {}
    for number, asking in enumerate(tables(services, warehouse, run, names)):
        nodes = [(node, asking.plan(sql(node))) for node in filters(random.Random(number), asking)]
        asked[asking.name] = asking, nodes
        questions[asking.name] = [[told(node), ours] for node, ours in nodes]
    answers = run(SCRIPT, action="plan", warehouse=str(warehouse), questions=questions)
    for name, (asking, nodes) in asked.items():
        to.counts["tables"] += 1
        read = [[row_of(asking.table, row) for row in rows] for rows in answers[name]["read"]]
        for (node, ours), theirs in zip(nodes, answers[name]["answers"], strict=True):
            compare_one(asking, node, set(ours), set(theirs["files"]), read[theirs["rows"]], to)


def compare_one(asking: Asking, node: Node, ours: set[str], theirs: set[str], read: list[Row], found: Compared) -> None:
    wanted = counted([row for row in asking.rows if truth(node, row)])
    found.counts.update(filters=1, files=len(theirs), rows=len(wanted), dropped=len(theirs - ours))
    if counted([row for row in read if truth(node, row)]) != wanted:
        found.say("lost", asking, node, sorted(theirs - ours))
    for name in ours - theirs:
        explain(asking, node, name, "kept", why_kept(asking, node), found)
    for name in theirs - ours:
        explain(asking, node, name, "dropped", why_dropped(asking, node, name), found)


def explain(asking: Asking, node: Node, name: str, kind: str, why: str | None, found: Compared) -> None:
    found.explained.update([why] if why else [])
    if why is None:
        found.say(kind, asking, node, name)


def why_kept(asking: Asking, node: Node) -> str | None:
    """Return the reason why the server plans a file that pypaimon does not plan."""
    table, asked = asking.table, {one.column.field_id for one in leaves(node)}
    if has_or(node) and asked & set(table.partition) and asks_for_keys(asking, node):
        return NARROWED
    above = [one for one in leaves(node) if one.column.type == "DOUBLE" and (one.no or one.op in (">", ">=", "!="))]
    return NAN if above else None


def why_dropped(asking: Asking, node: Node, name: str) -> str | None:
    """Return the reason why a file that only pypaimon plans is dropped."""
    table, asked = asking.table, {one.column.field_id for one in leaves(node)}
    if table.kind == KEYED and asked - {*table.keys, *table.partition}:
        return MERGED
    if asked & set(table.partition) and asked - set(table.partition) and has_or(node):
        return MIXED
    if has_or(node) and asks_for_keys(asking, node):
        return BUCKETS
    first = asking.files[name]["first_row_id"]
    beside = [file for file in asking.files.values() if first is not None and file["first_row_id"] == first]
    names = {one.column.name for one in leaves(node)}
    written = {schema.schema_id: schema.by_id for schema in asking.view.schemas}
    if asked - written[asking.files[name]["schema_id"]].keys():
        return NULLS
    for file in (asking.files[name], *beside):
        if any(file["null_value_counts"].get(column) == file["record_count"] for column in names):
            return NULLS
    return None


def asks_for_keys(asking: Asking, node: Node) -> bool:
    """Return whether the filter pins keys that determine buckets."""
    keys = {one.column.field_id for one in leaves(node) if one.op in ("=", "IN")}
    return asking.table.kind == KEYED and bool(keys & set(asking.table.keys))


def leaves(node: Node) -> Iterator[Asked]:
    if isinstance(node, Asked):
        yield node
    elif isinstance(node, Joined):
        for part in node.parts:
            yield from leaves(part)


def has_or(node: Node) -> bool:
    return isinstance(node, Joined) and (node.word == "OR" or any(map(has_or, node.parts)))


def counted(rows: list[Row]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


@pytest.fixture(scope="module")
def compared(lakes: Path, tmp_path_factory: pytest.TempPathFactory, run_pypaimon: Callable[..., Any]) -> Compared:
    found = Compared()
    folder = tmp_path_factory.mktemp("pypaimon-plans")
    written, real = folder / "lake", folder / "real"
    assert len(run_pypaimon(SCRIPT, action="write", warehouse=str(written))) == WRITTEN
    shutil.copytree(lakes / "paimon" / "parquet", real, copy_function=shutil.copyfile)
    for warehouse, names in ((written, None), (real, REAL)):
        with catalog(settings(folder / f"of-{warehouse.name}", max_staleness=3600.0)) as services:
            compare(services, warehouse, run_pypaimon, names, found)
    return found


def test_hundreds_of_filters_were_compared(compared: Compared, record_property: Callable[[str, object], None]) -> None:
    for name, count in (*compared.counts.items(), *compared.explained.items()):
        record_property(name, count)
    assert compared.counts["tables"] == WRITTEN + len(REAL)
    assert compared.counts["filters"] == FILTERS * compared.counts["tables"]
    assert compared.counts["rows"] > compared.counts["filters"]


def test_the_rows_of_our_files_are_the_rows_of_the_table(compared: Compared) -> None:
    assert compared.wrong.get("lost", []) == []


def test_a_file_that_pypaimon_leaves_out_is_explained(compared: Compared) -> None:
    assert compared.wrong.get("kept", []) == []


def test_a_file_that_only_pypaimon_plans_is_explained(compared: Compared) -> None:
    assert compared.wrong.get("dropped", []) == []


def test_every_explanation_is_met(compared: Compared) -> None:
    assert set(compared.explained) - RARE == {MERGED, MIXED, NULLS, NAN}
