"""Content files written by column, against a writer by row and PyIceberg's models."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from pyiceberg.catalog.rest.scan_planning import PlanCompleted
from pyiceberg.schema import build_position_accessors
from pyiceberg.table import FileScanTask
from pyiceberg.types import IntegerType, NestedField, StructType

from lakemuster.errors import SegmentCorrupt
from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.files import ICEBERG_COLUMNS, typed_field
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, arrow_type
from lakemuster.metadata.values import json_value
from lakemuster.wire.iceberg_rest import content_files
from lakemuster.wire.iceberg_rest.content_files import ContentFiles, References, delete_files, file_scan_tasks
from tests.examples import examples
from tests.unit.wire.iceberg_rest.predicates import VALUES

RESIDUALS = ["true", '{"type":"eq","term":"x","value":5}', "false"]
INTEGER = parse_primitive("int")
OPTIONAL = {
    "key_metadata": st.binary(max_size=4),
    "split_offsets": st.lists(st.integers(0, 2**62), max_size=3),
    "equality_ids": st.lists(st.integers(1, 9), max_size=3),
    "sort_order_id": st.integers(0, 2),
    "first_row_id": st.integers(0, 2**63 - 1),
    "sequence_number": st.integers(0, 2**63 - 1),
    "file_sequence_number": st.integers(0, 2**63 - 1),
    "referenced_data_file": st.sampled_from(["s3://b/a.parquet", "s3://b/ü \"q\".parquet"]),
    "content_offset": st.integers(0, 2**40),
    "content_size_in_bytes": st.integers(0, 2**40),
}  # fmt: skip
SPELLED = {"sequence_number": "data-sequence-number"}
COUNTS = {"column_size": "column-sizes", "value_count": "value-counts", "null_count": "null-value-counts",
          "nan_count": "nan-value-counts"}  # fmt: skip


def maybe(values):
    """Return a strategy of strategies for a field that none, all or some of the files have."""
    return st.sampled_from([st.none(), values, st.none() | values])


def finite(of):
    return [value for value in VALUES[of] if not isinstance(value, float) or math.isfinite(value)]


@st.composite
def files(draw):
    """Draw rows of content files: fields, statistics by (kind, field id), partition values in internal form."""
    types = draw(st.lists(st.sampled_from(list(VALUES)), max_size=3))
    shapes = {name: draw(maybe(values)) for name, values in OPTIONAL.items()}
    counts = {(kind, field_id): draw(maybe(st.integers(0, 2**60))) for kind in COUNTS for field_id in (1, 7)}
    raw = maybe(st.binary(max_size=5))
    bounds = {(kind, field_id): draw(raw) for kind in ("lower", "upper") for field_id in (1, 7)}
    parts = [draw(maybe(st.sampled_from(finite(of)))) for of in types]
    row = st.fixed_dictionaries(
        {
            "content": st.integers(0, 2),
            "file_path": st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
            "file_format": st.sampled_from(["PARQUET", "parquet", "AVRO", "PUFFIN"]),
            "record_count": st.integers(0, 2**40),
            "file_size_in_bytes": st.integers(0, 2**63 - 1),
            **shapes,
            "statistics": st.fixed_dictionaries({**counts, **bounds}),
            "partition": st.tuples(*parts),
        }
    )
    return types, draw(st.lists(row, min_size=1, max_size=6))


def spec_of(types):
    fields = tuple(PartitionField(1000 + at, f"p{at}", "identity", (at + 1,)) for at in range(len(types)))
    return PartitionSpec(3, fields), Schema(0, tuple(Field(at + 1, f"c{at}", of) for at, of in enumerate(types)))


def partition_column(of, values):
    kind = arrow_type(of)
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.array([value.bytes if isinstance(value, UUID) else value for value in values], kind)


def table_of(types, rows):
    fields, arrays = [], []
    for name in ICEBERG_COLUMNS.keys() & rows[0].keys():
        fields.append(pa.field(name, ICEBERG_COLUMNS[name]))
        arrays.append(pa.array([row[name] for row in rows], ICEBERG_COLUMNS[name]))
    for kind, field_id in rows[0].get("statistics", ()):
        name = f"{kind}_raw" if kind in ("lower", "upper") else kind
        fields.append(pa.field(f"{name}.{field_id}", pa.binary() if name != kind else pa.int64()))
        arrays.append(pa.array([row["statistics"][kind, field_id] for row in rows], fields[-1].type))
    for at, of in enumerate(types):
        arrays.append(partition_column(of, [row["partition"][at] for row in rows]))
        fields.append(typed_field(f"partition.{1000 + at}", arrays[-1].type, of.text))
    return pa.table(arrays, pa.schema(fields))


def content_files_of(types, rows, **more):
    spec, schema = spec_of(types)
    asked = {"statistics": frozenset((1, 7)), "bounds": raw_bounds} if "statistics" in rows[0] else {}
    return ContentFiles(table_of(types, rows), spec, schema, **asked, **more)


def plain(of, value):
    """Return a JSON value, with integers as numbers and bytes as upper-case hex."""
    if isinstance(value, bytes):
        return value.hex().upper()
    return value if isinstance(value, int) and of.text in ("int", "long", "boolean") else json_value(of, value)


def row_by_row(types, row):
    found = {
        "spec-id": 3,
        "content": ["data", "position-deletes", "equality-deletes"][row["content"]],
        "file-path": row["file_path"],
        "file-format": row["file_format"].lower(),
        "partition": [plain(of, value) for of, value in zip(types, row["partition"], strict=True)],
        "file-size-in-bytes": row["file_size_in_bytes"],
        "record-count": row["record_count"],
    }
    for kind, key in {**COUNTS, "lower": "lower-bounds", "upper": "upper-bounds"}.items():
        recorded = {i: row["statistics"][kind, i] for i in (1, 7) if row["statistics"][kind, i] is not None}
        if recorded:
            values = [value.hex().upper() if isinstance(value, bytes) else value for value in recorded.values()]
            found[key] = {"keys": list(recorded), "values": values}
    for name in OPTIONAL:
        if row[name] is not None:
            found[SPELLED.get(name, name.replace("_", "-"))] = (
                row[name].hex().upper() if name == "key_metadata" else row[name]
            )
    return found


@settings(max_examples=examples(300))
@given(files(), st.sampled_from([1, 2**11, 2**26]))
def test_columns_and_rows_write_the_same(made, chunk_bytes):
    types, rows = [parse_primitive(of) for of in made[0]], made[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_files, "_CHUNK_BYTES", chunk_bytes)
        written = delete_files(content_files_of(types, rows))
    assert json.loads(b"[" + written + b"]") == [row_by_row(types, row) for row in rows]


@settings(max_examples=examples(200))
@given(files(), st.data())
def test_tasks_have_the_references_and_residual_of_their_file(made, data):
    types, rows = [parse_primitive(of) for of in made[0]], made[1]
    lists = [data.draw(st.lists(st.integers(0, 99), max_size=3)) for _ in rows]
    residual = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    references = References(
        np.cumsum([0, *map(len, lists)]), np.array([number for found in lists for number in found], np.int64)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_files, "_CHUNK_BYTES", data.draw(st.sampled_from([1, 2**12, 2**26])))
        written = file_scan_tasks(content_files_of(types, rows), references, RESIDUALS, np.array(residual))
    for task, row, numbers, chosen in zip(json.loads(b"[" + written + b"]"), rows, lists, residual, strict=True):
        assert task.pop("delete-file-references", []) == numbers
        file = row_by_row(types, {**row, "content": 0})
        assert task == {"data-file": file, "residual-filter": json.loads(RESIDUALS[chosen])}


def one(**fields):
    return {"file_path": "s3://b/f", "file_format": "PARQUET", "record_count": 5, "file_size_in_bytes": 9,
            "partition": (), **fields}  # fmt: skip


def tasks_of(types, rows, **more):
    none = References(np.zeros(len(rows) + 1, np.int64), np.zeros(0, np.int64))
    return file_scan_tasks(content_files_of(types, rows, **more), none, ["true"], np.zeros(len(rows), np.int64))


def plan_of(tasks):
    return PlanCompleted.model_validate_json(b'{"status":"completed","file-scan-tasks":[' + tasks + b"]}")


def test_no_files_are_nothing():
    assert tasks_of([], [one()])[:1] == b"{"
    nothing = content_files_of([], [one()])
    nothing = replace(nothing, table=nothing.table.slice(0, 0))
    assert delete_files(nothing) == b""
    empty = References(np.zeros(1, np.int64), np.zeros(0, np.int64))
    assert file_scan_tasks(nothing, empty, ["true"], np.zeros(0, np.int64)) == b""


def test_a_null_in_a_partition_is_refused_by_pyiceberg_unless_the_tuple_ends_before_it():
    types = [INTEGER] * 3
    rows = [one(partition=partition) for partition in [(1, 2, 3), (1, None, 3), (None, 2, None), (1, 2, None)]]
    honest = tasks_of(types, rows)
    assert [task["data-file"]["partition"] for task in json.loads(b"[" + honest + b"]")] == [
        list(row["partition"]) for row in rows
    ]
    with pytest.raises(ValidationError):
        plan_of(honest)
    planned = plan_of(tasks_of(types, rows, for_pyiceberg=True))
    assert [task.data_file.partition for task in planned.file_scan_tasks] == [[1, 2, 3], [1], [], [1, 2]]
    # PyIceberg uses the value only for a data file without the column, and then fails.
    record = FileScanTask.from_rest_response(planned.file_scan_tasks[1], []).file.partition
    fields = [NestedField(1000 + at, f"p{at}", IntegerType(), required=False) for at in range(3)]
    accessors = build_position_accessors(StructType(*fields))
    assert accessors[1000].get(record) == 1
    with pytest.raises(IndexError):
        accessors[1001].get(record)


def test_pyiceberg_takes_partition_values_without_their_type():
    """PyIceberg fills a column that a data file lacks with a constant of the column's Arrow type."""
    for of in VALUES:
        if (kind := arrow_type(of)) is None:
            continue
        value = finite(of)[-1]
        planned = plan_of(tasks_of([of], [one(partition=(value,))], for_pyiceberg=True))
        record = FileScanTask.from_rest_response(planned.file_scan_tasks[0], []).file.partition
        if pa.types.is_decimal(kind) or pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
            assert len(record) == 0
        else:
            assert pa.scalar(record[0], kind) == partition_column(of, [value])[0]


def test_partitions_that_are_all_null_end_at_once():
    rows = [one(partition=(None, 1)), one(partition=(None, 2))]
    planned = plan_of(tasks_of([INTEGER, INTEGER], rows, for_pyiceberg=True))
    assert [task.data_file.partition for task in planned.file_scan_tasks] == [[], []]


def test_the_value_of_a_dropped_column_is_null():
    spec, schema = spec_of([INTEGER])
    files = ContentFiles(table_of([INTEGER], [one(partition=(7,))]), spec, schema)
    assert json.loads(delete_files(files))["partition"] == [7]
    dropped = replace(files, schema=Schema(1, (Field(2, "other", INTEGER),)))
    assert json.loads(delete_files(dropped))["partition"] == [None]


@pytest.mark.parametrize(
    ("recorded", "value", "now", "shown"),
    [
        ("int", 5, "long", 5),
        ("float", 0.5, "double", 0.5),
        ("date", 19218, "timestamp", "2022-08-14T00:00:00.000000"),
        ("decimal(4, 2)", Decimal("1.50"), "decimal(9, 2)", "1.50"),
    ],
)
def test_a_value_recorded_before_a_promotion_is_shown_in_the_columns_type(recorded, value, now, shown):
    old, new = parse_primitive(recorded), parse_primitive(now)
    table = table_of([old], [one(partition=(value,))])
    files = ContentFiles(table, *spec_of([new]))
    assert json.loads(delete_files(files))["partition"] == [shown]


def test_transforms_have_values_of_their_own_types():
    timestamp = parse_primitive("timestamp")
    spec = PartitionSpec(3, (PartitionField(1000, "d", "day", (1,)), PartitionField(1001, "v", "void", (1,)),
                             PartitionField(1002, "b", "bucket[16]", (1,))))  # fmt: skip
    table = table_of([parse_primitive("date"), timestamp, INTEGER], [one(partition=(19218, None, 7))])
    files = ContentFiles(table, spec, Schema(0, (Field(1, "ts", timestamp),)))
    assert json.loads(delete_files(files))["partition"] == ["2022-08-14", None, 7]


def test_integers_are_numbers_beyond_what_javascript_holds():
    long = parse_primitive("long")
    row = one(partition=(2**53 + 1,), first_row_id=2**63 - 1, split_offsets=[2**60 + 1])
    written = tasks_of([long], [row]).decode()
    assert f'"partition":[{2**53 + 1}]' in written
    assert f'"first-row-id":{2**63 - 1}' in written
    assert f'"split-offsets":[{2**60 + 1}]' in written


def test_floats_keep_a_point_and_those_that_are_not_finite_are_words():
    double = parse_primitive("double")
    rows = [one(partition=(value,)) for value in (1.0, 1e20, math.nan, -math.inf)]
    written = b"[" + tasks_of([double], rows) + b"]"
    assert b'"partition":[1.0]' in written
    values = [task["data-file"]["partition"][0] for task in json.loads(written)]
    assert values == [1.0, 1e20, "NaN", "-Infinity"]
    assert isinstance(values[1], float)


def test_locations_are_rewritten():
    row = one(content=1, file_path="hdfs://old/d", referenced_data_file="hdfs://old/f")
    files = content_files_of([], [row], rewritten=lambda found: pc.replace_substring(found, "hdfs://old", "s3://new"))
    found = json.loads(delete_files(files))
    assert (found["file-path"], found["referenced-data-file"]) == ("s3://new/d", "s3://new/f")


def test_statistics_are_left_out_unless_asked_for():
    statistics = {("value_count", 1): 5, ("value_count", 7): 6, ("lower", 7): b"\0\xff"}
    row = one(statistics=statistics)
    everything = content_files_of([], [row])
    assert json.loads(delete_files(everything))["lower-bounds"] == {"keys": [7], "values": ["00FF"]}
    some = replace(everything, statistics=frozenset((1,)))
    assert json.loads(delete_files(some))["value-counts"] == {"keys": [1], "values": [5]}
    none = replace(everything, statistics=frozenset())
    assert "value-counts" not in json.loads(delete_files(none))


def test_a_text_that_is_not_utf8_is_a_corrupt_segment():
    path = pa.array([b"\xff"]).view(pa.string())
    table = table_of([], [one()]).drop_columns("file_path").append_column("file_path", path)
    with pytest.raises(SegmentCorrupt):
        delete_files(ContentFiles(table, *spec_of([])))
