"""Every response format of a plan contains each file, delete file and residual once, with the right numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import orjson
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.catalog import plan_response
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.plan_response import PlanListing
from lakemuster.metadata.files import DATA, POSITION_DELETES
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.types import Kind, Primitive
from lakemuster.planner.iceberg.rows import IcebergRows
from lakemuster.planner.row_projection import RequestedColumns
from lakemuster.planner.rows import START, Position
from lakemuster.planner.scan.plan import Plan, PlannedBatch
from lakemuster.planner.scan.planned_entries import LazyEntries
from lakemuster.planner.scan.totals import PlanTotals
from lakemuster.planner.view import View
from lakemuster.predicates import TRUE, Bound, BoundLeaf, Op
from lakemuster.wire.delete_numbering import DeleteNumbers
from lakemuster.wire.rows import CHUNK_BYTES
from tests.examples import examples
from tests.unit.api.conftest import METADATA, record, table

LONG = Primitive(Kind.LONG, "long")
SPECS = (PartitionSpec(0, ()), PartitionSpec(1, (PartitionField(1000, "p", "identity", (1,)),)))
RESIDUALS: tuple[Bound, ...] = (TRUE, BoundLeaf(Op.EQ, 1, "id", LONG, (5,), text="id = 5"))
VIEW = View(cast("Any", table("shop.orders")), replace(METADATA, specs=SPECS), record(12))


def part(spec_id: int) -> Any:
    return SimpleNamespace(manifest=SimpleNamespace(header=SimpleNamespace(spec_id=spec_id, location="m.avro")))


def entries(names: list[str], content: int, spec_id: int, *, with_keys: bool = False) -> pa.Table:
    columns: dict[str, Any] = {
        "file_path": pa.array(names, pa.string()),
        "content": pa.array([content] * len(names), pa.int8()),
        "record_count": pa.array([3] * len(names), pa.int64()),
    }
    if spec_id:
        columns["partition.1000"] = pa.array(range(len(names)), pa.int64())
    if with_keys:
        columns["sort_order_id"] = pa.array([7] * len(names), pa.int32())
    return pa.table(columns)


def recorded(table: pa.Table) -> LazyEntries:
    return LazyEntries(lambda: table)


class MadePlan:
    """The parts of a plan that a response needs."""

    limited = Plan.limited
    delete_rows = Plan.delete_rows
    totals = PlanTotals(1, 1, 1, 1, 1, 1)
    bound = TRUE
    view = VIEW
    row_projection = IcebergRows(VIEW, RequestedColumns())

    def row_projection_of(self, _: PlannedBatch) -> IcebergRows:
        return self.row_projection

    def __init__(self, batches: list[PlannedBatch], deletes: list[int]) -> None:
        self.made = batches
        names = iter(range(sum(deletes)))
        tables = [(part(0), entries([f"d{next(names)}" for _ in range(n)], POSITION_DELETES, 0)) for n in deletes]
        self.scan = SimpleNamespace(delete_tables=tuple(tables))

    def totals_of(self, _batches: Iterable[PlannedBatch]) -> PlanTotals:
        return self.totals

    def batches(self, start: Position = START) -> Iterator[PlannedBatch]:
        for batch in self.made:
            first = int(np.searchsorted(batch.rows, start.offset)) if batch.number == start.part else 0
            if batch.number >= start.part and first < len(batch.rows):
                yield batch.slice(first)


@st.composite
def plans(draw: st.DrawFn) -> MadePlan:
    deletes = draw(st.lists(st.integers(0, 3), max_size=3))
    some = st.lists(st.integers(0, max(sum(deletes) - 1, 0)), max_size=min(3, sum(deletes)), unique=True).map(sorted)
    batches, number = [], 0
    for _ in range(draw(st.integers(0, 4))):
        number += draw(st.integers(1, 3))
        rows = sorted(draw(st.lists(st.integers(0, 50), min_size=1, max_size=5, unique=True)))
        own = [draw(some) for _ in rows]
        spec_id = draw(st.integers(0, 1))
        names = [f"f{number}-{row}" for row in rows]
        batches.append(
            PlannedBatch(
                part=part(spec_id),
                number=number,
                rows=np.array(rows, np.int64),
                entries=recorded(entries(names, DATA, spec_id, with_keys=draw(st.booleans()))),
                delete_offsets=np.cumsum([0, *map(len, own)]),
                deletes=np.array([n for numbers in own for n in numbers], np.int64),
                residuals=RESIDUALS,
                residual=np.array([draw(st.integers(0, 1)) for _ in rows], np.int64),
            )
        )
    return MadePlan(batches, deletes)


def expected(plan: MadePlan) -> list[tuple[str, list[str], str | None, dict[str, int]]]:
    found = []
    for batch in plan.made:
        for at, path in enumerate(batch.table.column("file_path").to_pylist()):
            own = batch.deletes[batch.delete_offsets[at] : batch.delete_offsets[at + 1]].tolist()
            residual = None if batch.residual[at] == 0 else "id = 5"
            spec_id = batch.part.manifest.header.spec_id
            partition = {"p": batch.table.column("partition.1000")[at].as_py()} if spec_id else {}
            found.append((path, [f"d{number}" for number in own], residual, partition))
    return found


def listing(plan: MadePlan, limit: int | None = None) -> PlanListing:
    made = PlanListing(cast("Plan", plan), Filter("id = 5"), 0, limit)
    made.__dict__["applied"] = ((), ())
    return made


def short(files: list[Any], deletes: list[Any]) -> list[tuple[str, list[str], str | None, dict[str, int]]]:
    paths = [row["file_path"] for row in deletes]
    assert len(set(paths)) == len(paths)
    return [(f["file_path"], [paths[n] for n in f["deletes"]], f["residual"], f["partition"]) for f in files]


def paged(made: PlanListing, size: int) -> list[Any]:
    numbers, files, after = DeleteNumbers(), [], None
    while True:
        page = made.page(after, size)
        document = {"files": json.loads(b"[%s]" % page.files), "deletes": json.loads(b"[%s]" % page.deletes)}
        assert len(document["files"]) <= size
        paths = [row["file_path"] for row in document["deletes"]]
        assert paths == sorted(set(paths))
        files += numbers.files(document)
        if page.after is None:
            return short(files, numbers.rows)
        assert document["files"]
        assert page.after != after
        after = page.after


@settings(max_examples=examples(150))
@given(plans(), st.integers(1, 6))
def test_every_form_has_every_file_with_its_own_deletes(plan: MadePlan, size: int) -> None:
    made = listing(plan)
    assert paged(made, size) == paged(made, 10_000) == expected(plan)
    lines = [json.loads(line) for count, text in made.lines() for line in bytes(text).splitlines() if count]
    files, deletes = (
        [row["file"] for row in lines if "file" in row],
        [row["delete"] for row in lines if "delete" in row],
    )
    assert short(files, deletes) == expected(plan)
    table = pa.Table.from_batches(made.batches(), schema=made.schema)
    rows = table.to_pylist()
    data = [row for row in rows if row["content"] == "data"]
    removed = [row for row in rows if row["content"] != "data"]
    plain = [{**row, "partition": {k: v for k, v in row["partition"].items() if v is not None}} for row in data]
    assert short(plain, removed) == expected(plan)


@settings(max_examples=examples(100))
@given(plans(), st.integers(1, 25), st.integers(1, 6))
def test_a_limit_counts_over_pages(plan: MadePlan, limit: int, size: int) -> None:
    sure = np.cumsum([3 if not deletes and residual is None else 0 for _, deletes, residual, _ in expected(plan)])
    enough = int(np.searchsorted(sure, limit)) + 1
    assert paged(listing(plan, limit), size) == expected(plan)[:enough]


@settings(max_examples=examples(50))
@given(plans(), st.integers(1, 6))
def test_pages_that_grow_too_large_end_early(plan: MadePlan, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan_response, "PAGE_BYTES", 100)
        patch.setattr(plan_response, "CHUNK_BYTES", 60)
        assert paged(listing(plan), size) == expected(plan)


def test_what_is_too_large_to_be_put_together_is_not_compared() -> None:
    unlike: Any = SimpleNamespace(part=part(0))
    assert [*plan_response._groups([(unlike, CHUNK_BYTES), (unlike, 1), (unlike, CHUNK_BYTES)])] == [[unlike]] * 3


def test_a_slice_has_the_residuals_of_its_own_files() -> None:
    residuals = tuple(BoundLeaf(Op.EQ, 1, "id", LONG, (number,)) for number in range(6))
    batch = PlannedBatch(
        part(0), 0, np.arange(6), recorded(entries([*"abcdef"], DATA, 0)), np.zeros(7, np.int64), np.zeros(0, np.int64),
        residuals, np.array([5, 3, 3, 1, 0, 4]),
    )  # fmt: skip
    some = batch.slice(1, 3)
    assert [some.residuals[index] for index in some.residual] == [residuals[3], residuals[3], residuals[1]]
    assert len(some.residuals) == 2


def test_a_residual_of_an_expression_is_json() -> None:
    batch = PlannedBatch(
        part(0), 0, np.arange(2), recorded(entries(["a", "b"], DATA, 0)), np.zeros(3, np.int64), np.zeros(0, np.int64),
        RESIDUALS, np.array([0, 1]),
    )  # fmt: skip
    expression = {"type": "eq", "term": "id", "value": 5}
    made = PlanListing(cast("Plan", MadePlan([batch], [])), Filter(expression), 0)
    made.__dict__["applied"] = ((), ())
    files = orjson.loads(b"[%s]" % made.page(None, 10).files)
    assert [file["residual"] for file in files] == [None, expression]
    (arrow,) = made.batches()
    assert arrow.column("residual").to_pylist() == [None, json.dumps(expression, separators=(",", ":"))]
