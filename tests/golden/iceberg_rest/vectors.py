"""The test vectors, and the schema and specs of their tables, from Iceberg's Java tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lakemuster.formats.iceberg.schemas import parse_schema
from lakemuster.metadata.partition import PartitionField, PartitionSpec

_COLUMNS = {
    "id": (100, "long"), "data": (101, "string"), "b": (102, "boolean"), "i": (103, "int"), "l": (104, "long"),
    "f": (105, "float"), "d": (106, "double"), "date": (107, "date"), "ts": (108, "timestamp"),
    "tz": (109, "timestamptz"), "s": (110, "string"), "uuid": (111, "uuid"), "fixed": (112, "fixed[7]"),
    "bytes": (113, "binary"),
    "dec_9_0": (114, "decimal(9, 0)"), "dec_11_2": (115, "decimal(11, 2)"), "dec_38_10": (116, "decimal(38, 10)"),
    "time": (117, "time"), "ns": (118, "timestamp_ns"),
    "point": (119, {"type": "struct", "fields": [{"id": 120, "name": "x", "type": "double", "required": False}]}),
}  # fmt: skip
COLUMNS = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": i, "name": name, "type": of, "required": False} for name, (i, of) in _COLUMNS.items()],
}
SCHEMA = parse_schema(COLUMNS, "schema")
"""The schema of the expressions."""

FILES_SCHEMA = parse_schema(
    {
        "type": "struct",
        "schema-id": 0,
        "fields": [
            {"id": 3, "name": "id", "type": "int", "required": True},
            {"id": 4, "name": "data", "type": "string", "required": True},
        ],
    },
    "schema",
)
UNPARTITIONED = PartitionSpec(0, ())
BUCKET = PartitionSpec(0, (PartitionField(1000, "data_bucket", "bucket[16]", (4,)),))


def vectors(name: str) -> Any:
    """Load a file of vectors."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text("utf-8"))
