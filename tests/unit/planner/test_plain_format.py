"""A format that defines only its rows is listed, planned and explained by the default rules."""

from __future__ import annotations

from typing import Any, cast

import pyarrow as pa
import pytest

from lakemuster.errors import FormatUnsupported
from lakemuster.index import Index
from lakemuster.index.packed import SegmentSource
from lakemuster.index.snapshots import ManifestRecord, SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.files import ADDED, DELETED
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.planner.list_rules import LIST_RULES
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.lists.manifest_rows import manifest_table
from lakemuster.planner.lists.partition_rows import partition_table
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.scan.applied import applied
from lakemuster.planner.scan.explain import explain
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.plan_rules import PLAIN_PLANS, PLAN_RULES
from lakemuster.planner.scan.scan_index import ScanIndex, scan_index_over
from lakemuster.planner.scan.scan_rules import SCAN_RULES, plain_rules
from lakemuster.planner.scan.tasks import cut, part
from lakemuster.planner.view import View
from lakemuster.predicates import TRUE, Bound, bind
from lakemuster.predicates.sql import parse_sql
from tests.contract.third_format.tiny_planner import TINY_LISTS, TinyRows
from tests.unit.planner.oracle.held import HeldSegments

FORMAT = "plain"
SCHEMA = Schema(0, (Field(1, "id", Primitive(Kind.LONG, "long")), Field(2, "day", Primitive(Kind.STRING, "string"))))
SPEC = PartitionSpec(0, (PartitionField(1000, "day", "identity", (2,)),))
ENTRIES = pa.table(
    {
        "status": pa.array([ADDED, ADDED, ADDED, DELETED], pa.int8()),
        "file_path": ["m://t/a", "m://t/b", "m://t/c", "m://t/gone"],
        "record_count": pa.array([10, 20, 30, 40], pa.int64()),
        "file_size_in_bytes": pa.array([100, 200, 300, 400], pa.int64()),
        "partition.1000": ["x", "x", None, "x"],
        "lower.1": pa.array([1, None, 11, 1], pa.int64()),
        "upper.1": pa.array([9, None, 19, 9], pa.int64()),
        "null_count.1": pa.array([0, 20, 0, 0], pa.int64()),
        "value_count.1": pa.array([10, 20, 30, 40], pa.int64()),
        "deletion_vector": pa.array([[0, 3], None, None, None], pa.list_(pa.int64())),
    }
)
HEADER = ManifestHeader("m://t/m.json", None, added_files_count=3, existing_files_count=0, deleted_files_count=1)
PART = ManifestPart(ManifestRecord(1, "manifests", HEADER, "held"))


def view(name: str = FORMAT) -> View:
    record = TableRecord(1, "t", name, "m://t", (), (), 0, 1, None, None, None, None, "m://t", None, 1, 0, 0, 1, None)
    metadata = TableMetadata(
        format=name, format_version=1, uuid=None, location="m://t", metadata_location="m://t/m.json",
        schemas=(SCHEMA,), current_schema_id=0, specs=(SPEC,), default_spec_id=0, properties={}, snapshots=(),
        current_snapshot_id=1, refs=(), snapshot_log=(),
    )  # fmt: skip
    snapshot = Snapshot(1, 0, (), schema_id=0)
    return View(record, metadata, SnapshotRecord(1, 1, snapshot, "published", None, 0, None, None, None))


@pytest.fixture(scope="module")
def index() -> Index:
    LIST_RULES.register(FORMAT, TINY_LISTS)
    SCAN_RULES.register(FORMAT, plain_rules)
    PLAN_RULES.register(FORMAT, PLAIN_PLANS)
    segments = HeldSegments()
    segments.put("held", ENTRIES)
    return Index(cast("Any", None), cast("Any", segments))


@pytest.fixture(scope="module")
def scan(index: Index) -> ScanIndex:
    found = scan_index_over(index, view(), [PART])
    vars(found.specs[0])["sources"] = (SegmentSource("held", 1, len(ENTRIES), "held", len(ENTRIES)),)
    return found


def bound(text: str) -> Bound:
    return bind(parse_sql(text), SCHEMA)


def files(plan: Plan) -> list[str]:
    return [path[-1] for batch in plan.batches() for path in batch.table.column("file_path").to_pylist()]


@pytest.mark.parametrize(
    ("text", "kept"),
    [("id = 5", "a"), ("id > 9", "c"), ("day = 'x'", "ab"), ("day is null", "c"), ("id is null", "b"), ("id < 0", "")],
)
def test_a_file_is_planned_unless_its_statistics_exclude_it(scan: ScanIndex, text: str, kept: str) -> None:
    assert files(Plan(scan, bound(text))) == list(kept)
    assert applied(scan, bound(text)) == ((text,), ())


def test_a_plan_has_all_live_files_with_their_deleted_rows(scan: ScanIndex) -> None:
    plan = Plan(scan, TRUE)
    (batch,) = plan.batches()
    rows = plan.row_projection.rows(batch.part, batch.table)
    assert rows.column("file_path").to_pylist() == ["m://t/a", "m://t/b", "m://t/c"]
    assert rows.column("partition").to_pylist() == [{"day": "x"}, {"day": "x"}, {"day": None}]
    assert rows.column("deletion_vector").to_pylist() == [[0, 3], None, None]
    assert (plan.totals.files, plan.totals.records) == (3, 60)


def test_a_file_with_deleted_rows_does_not_count_for_a_limit(scan: ScanIndex) -> None:
    assert [len(batch.rows) for batch in Plan(scan, TRUE).limited(20)] == [2]


def test_the_tasks_of_a_plan_have_its_files(scan: ScanIndex) -> None:
    plan = Plan(scan, TRUE)
    keys = list(cut(plan, 1))
    assert len(keys) > 1
    assert [file for key in keys for file in files(part(plan, key))] == list("abc")


def test_a_plan_is_explained(scan: ScanIndex) -> None:
    explained = explain(scan, bound("id = 5"), [f"m://t/{name}" for name in ("a", "c", "gone", "none")])
    assert [(level.name, level.seen, level.dropped) for level in explained.levels] == [
        ("manifests", 1, 0),
        ("segments", 1, 0),
        ("zones", 1, 0),
        ("entries", 3, 2),
    ]
    assert [file.state for file in explained.files] == ["kept", "dropped", "deleted", "absent"]
    assert "11" in explained.files[1].reasons[0].reason


def test_its_lists_have_the_columns_of_every_format(index: Index) -> None:
    rows = EntrySource("files", index, view(), (PART,), TinyRows(view(), RequestedColumns(statistics=None)))
    assert [row["lower_bounds"] for _, batch in rows.batches() for row in batch.to_pylist()] == [
        {"id": 1},
        {"id": None},
        {"id": 11},
    ]
    manifests = manifest_table([PART.manifest], view())
    assert manifests.select(["manifest_path", "added_files_count"]).to_pylist() == [
        {"manifest_path": "m://t/m.json", "added_files_count": 3}
    ]
    sums = partition_table([(PART, rows.listed(PART))], view(), {}).select(
        ["partition", "file_count", "record_count", "last_updated_at"]
    )
    assert sums.to_pylist() == [
        {"partition": {"day": "x"}, "file_count": 2, "record_count": 30, "last_updated_at": None},
        {"partition": {"day": None}, "file_count": 1, "record_count": 30, "last_updated_at": None},
    ]


def test_a_format_that_is_not_registered_is_refused(index: Index) -> None:
    with pytest.raises(FormatUnsupported, match="format other is not registered"):
        scan_index_over(index, view("other"), [PART])
