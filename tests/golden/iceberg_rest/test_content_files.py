"""Content files and plans in the JSON form that other implementations write."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyiceberg.catalog.rest.scan_planning import PlanCompleted

from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.values import encode_array, raw_bounds
from lakemuster.metadata.files import ICEBERG_COLUMNS, typed_field
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, arrow_type
from lakemuster.metadata.values import from_json_value
from lakemuster.wire.iceberg_rest.content_files import ContentFiles, References, delete_files, file_scan_tasks
from tests.golden.iceberg_rest.vectors import BUCKET, FILES_SCHEMA, UNPARTITIONED, vectors

VECTORS = vectors("content_files")
PLANS = vectors("plans")
CONTENTS = ["data", "position-deletes", "equality-deletes"]
STATISTICS = {
    "column-sizes": "column_size",
    "value-counts": "value_count",
    "null-value-counts": "null_count",
    "nan-value-counts": "nan_count",
    "lower-bounds": "lower_raw",
    "upper-bounds": "upper_raw",
}


def text(value):
    return json.dumps(value, separators=(",", ":"))


def table_of(files):
    """Return the columns of entries for content files."""
    columns = {}
    for name, kind in ICEBERG_COLUMNS.items():
        found = [file.get(name.replace("_", "-")) for file in files]
        if name == "content":
            found = [CONTENTS.index(content) for content in found]
        elif name == "key_metadata":
            found = [None if key is None else bytes.fromhex(key) for key in found]
        if any(value is not None for value in found):
            columns[name] = pa.array(found, kind)
    for key, kind in STATISTICS.items():
        for field_id in (3, 4):
            maps = [file.get(key, {"keys": [], "values": []}) for file in files]
            found = [dict(zip(found["keys"], found["values"], strict=True)).get(field_id) for found in maps]
            if kind.endswith("raw"):
                found = [None if value is None else bytes.fromhex(value) for value in found]
            if any(value is not None for value in found):
                columns[f"{kind}.{field_id}"] = pa.array(found, pa.binary() if kind.endswith("raw") else pa.int64())
    if any(file["partition"] for file in files):
        columns["partition.1000"] = pa.array([file["partition"][0] for file in files], pa.int32())
    return pa.table(columns)


def content_files(files):
    spec = BUCKET if any(file["partition"] for file in files) else UNPARTITIONED
    return ContentFiles(table_of(files), spec, FILES_SCHEMA, statistics=frozenset((3, 4)), bounds=raw_bounds)


def written_tasks(tasks):
    lists = [task.get("delete-file-references", []) for task in tasks]
    references = References(
        np.cumsum([0, *map(len, lists)]), np.array([number for found in lists for number in found], np.int64)
    )
    residuals = [text(task["residual-filter"]) for task in tasks]
    files = content_files([task["data-file"] for task in tasks])
    return file_scan_tasks(files, references, residuals, np.arange(len(tasks))).decode()


@pytest.mark.parametrize("case", VECTORS["files"], ids=lambda case: case["what"])
def test_a_content_file_is_written_as_java_writes_it(case):
    if case["json"]["content"] == "data":
        task = {"data-file": case["json"], "residual-filter": True}
        assert written_tasks([task]) == text(task)
    else:
        assert delete_files(content_files([case["json"]])).decode() == text(case["json"])


@pytest.mark.parametrize("partitioned", [False, True])
def test_content_files_side_by_side_keep_what_is_their_own(partitioned):
    files = [case["json"] for case in VECTORS["files"] if bool(case["json"]["partition"]) is partitioned]
    tasks = [
        {"data-file": file, **({"delete-file-references": [at, at + 1]} if at else {}), "residual-filter": bool(at)}
        for at, file in enumerate(file for file in files if file["content"] == "data")
    ]
    assert written_tasks(tasks) == text(tasks)[1:-1]
    deletes = [file for file in files if file["content"] != "data"]
    assert delete_files(content_files(deletes)).decode() == text(deletes)[1:-1]


@pytest.mark.parametrize("case", PLANS, ids=lambda case: case["what"])
def test_a_plan_is_put_together_as_java_writes_it(case):
    plan = case["json"]
    members = [f'"status":"{plan["status"]}"'] if "status" in plan else []
    if "delete-files" in plan:
        members.append(f'"delete-files":[{delete_files(content_files(plan["delete-files"])).decode()}]')
    members.append(f'"file-scan-tasks":[{written_tasks(plan["file-scan-tasks"])}]')
    written = "{" + ",".join(members) + "}"
    assert written == text(plan)
    theirs = PlanCompleted.model_validate_json(written)
    assert [task.data_file.file_path for task in theirs.file_scan_tasks] == [
        task["data-file"]["file-path"] for task in plan["file-scan-tasks"]
    ]
    assert [task.delete_file_references for task in theirs.file_scan_tasks] == [
        task.get("delete-file-references") for task in plan["file-scan-tasks"]
    ]


@pytest.mark.parametrize("case", VECTORS["single_values"], ids=lambda case: case["type"])
def test_a_partition_value_is_the_same_value_that_java_writes(case):
    of = parse_primitive(case["type"])
    internal = from_json_value(of, case["json"])
    array = column_of(of, internal)
    table = pa.table([array], pa.schema([typed_field("partition.1000", array.type, of.text)]))
    for name, kind in (("file_path", pa.string()), ("file_format", pa.string()), ("record_count", pa.int64())):
        table = table.append_column(name, pa.array([{"record_count": 1}.get(name, "x")], kind))
    spec = PartitionSpec(0, (PartitionField(1000, "p", "identity", (1,)),))
    files = ContentFiles(table, spec, Schema(0, (Field(1, "c", of),)))
    (value,) = json.loads(delete_files(files))["partition"]
    assert from_json_value(of, value) == internal
    assert type(value) is type(case["json"])


def column_of(of, internal):
    """Return an Arrow column of one value in internal form."""
    kind = arrow_type(of)
    if pa.types.is_temporal(kind):
        return pa.array([internal], pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    value = internal.bytes if hasattr(internal, "bytes") else internal
    array = pa.array([value], kind)
    assert len(encode_array(array)) == 1
    return array
