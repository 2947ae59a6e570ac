"""Lists of entries show the statistics of lists and maps, and of their elements, in every form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from lakemuster.metadata.files import ICEBERG_COLUMNS, typed_field
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive
from lakemuster.planner.iceberg.rows import IcebergRows
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.rows import conform
from lakemuster.wire.rows import json_objects

LONG, TEXT = Primitive(Kind.LONG, "long"), Primitive(Kind.STRING, "string")
SCHEMA = Schema(
    0,
    (
        Field(1, "tags", ListType(Field(2, "element", TEXT))),
        Field(3, "m", MapType(Field(4, "key", TEXT, required=True), Field(5, "value", LONG))),
    ),
)
VIEW: Any = SimpleNamespace(
    metadata=SimpleNamespace(specs=(PartitionSpec(0, ()),)),
    schemas=(SCHEMA,),
    names=SCHEMA.names,
    table=SimpleNamespace(rewrites=()),
    snapshot_id=1,
)
PART = ManifestPart(
    SimpleNamespace(  # type: ignore[arg-type]
        header=ManifestHeader("m.avro", 1, "data", 0, 1, 1, added_snapshot_id=1), id=1, segment="s", role="data"
    )
)


def table() -> pa.Table:
    own = {"status": [1], "content": [0], "file_path": ["f"], "file_format": ["PARQUET"], "record_count": [1]}
    columns = [(pa.field(name, ICEBERG_COLUMNS[name]), values) for name, values in own.items()]
    for kind in ("lower", "upper"):
        columns += [
            (typed_field(f"{kind}_raw.1", pa.binary(), "unknown"), [b"ab"]),
            (typed_field(f"{kind}.2", pa.string(), "string"), ["a"]),
            (typed_field(f"{kind}_raw.3", pa.binary(), "unknown"), [b"k"]),
            (typed_field(f"{kind}.4", pa.string(), "string"), ["k"]),
            (typed_field(f"{kind}.5", pa.int64(), "long"), [7]),
        ]
    columns += [(pa.field(f"value_count.{i}", pa.int64()), [i]) for i in (1, 2, 3)]
    arrays = [pa.array(values, field.type) for field, values in columns]
    return pa.Table.from_arrays(arrays, schema=pa.schema([field for field, _ in columns]))


def test_bounds_and_counts_of_lists_and_maps_are_shown() -> None:
    shape = IcebergRows(VIEW, RequestedColumns(status=True, raw=True, manifest=False, statistics=None))
    rows = shape.rows(PART, table())
    for batch in (rows, conform(rows, shape.schema)):
        row: Any
        (row,) = json_objects(batch)
        assert row["lower_bounds"] == {"tags": "6162", "tags.element": "a", "m": "6b", "m.key": "k", "m.value": 7}
        assert row["upper_bounds_raw"]["tags"] == "6162"
        assert row["value_counts"] == {"tags": 1, "tags.element": 2, "m": 3}
