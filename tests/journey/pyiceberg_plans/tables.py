"""Tables to be planned by both: those that PyIceberg writes here, and real ones that it can load."""

from __future__ import annotations

import datetime as dt
import gzip
import math
import random
import uuid
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata, TableMetadataUtil
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from tests.journey.position_deletes import delete_positions

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "flag", BooleanType()),
    NestedField(3, "small", IntegerType()),
    NestedField(4, "ratio", FloatType()),
    NestedField(5, "score", DoubleType()),
    NestedField(6, "price", DecimalType(9, 2)),
    NestedField(7, "day", DateType()),
    NestedField(8, "clock", TimeType()),
    NestedField(9, "local", TimestampType()),
    NestedField(10, "instant", TimestamptzType()),
    NestedField(11, "name", StringType()),
    NestedField(12, "blob", BinaryType()),
    NestedField(13, "key", UUIDType()),
    NestedField(14, "mark", FixedType(2)),
    NestedField(15, "place", StructType(NestedField(16, "lat", DoubleType()), NestedField(17, "town", StringType()))),
)
IDENTITY: Any = IdentityTransform()
BUCKET: Any = BucketTransform(4)
SPECS = {
    "plain": PartitionSpec(),
    "by_flag": PartitionSpec(PartitionField(2, 1000, IDENTITY, "flag")),
    "by_small": PartitionSpec(PartitionField(3, 1000, IDENTITY, "small")),
    "by_price": PartitionSpec(PartitionField(6, 1000, IDENTITY, "price")),
    "by_name": PartitionSpec(PartitionField(11, 1000, IDENTITY, "name")),
    "by_date": PartitionSpec(PartitionField(7, 1000, IDENTITY, "day")),
    "by_ratio": PartitionSpec(PartitionField(4, 1000, IDENTITY, "ratio")),
    "cut": PartitionSpec(
        PartitionField(11, 1000, TruncateTransform(2), "name_2"),
        PartitionField(3, 1001, TruncateTransform(3), "small_3"),
    ),
    "bucketed": PartitionSpec(PartitionField(1, 1000, BUCKET, "ids"), PartitionField(11, 1001, BUCKET, "names")),
    "yearly": PartitionSpec(PartitionField(9, 1000, YearTransform(), "year")),
    "monthly": PartitionSpec(PartitionField(7, 1000, MonthTransform(), "month")),
    "daily": PartitionSpec(PartitionField(10, 1000, DayTransform(), "day_of")),
    "hourly": PartitionSpec(
        PartitionField(9, 1000, HourTransform(), "hour"), PartitionField(2, 1001, IDENTITY, "flag")
    ),
}
METRICS = [
    {},
    {"write.metadata.metrics.default": "full"},
    {"write.metadata.metrics.default": "truncate(2)"},
    {"write.metadata.metrics.default": "counts", "write.metadata.metrics.column.id": "full"},
    {"write.metadata.metrics.default": "none", "write.metadata.metrics.column.name": "truncate(3)"},
]
"""Properties under which files have no statistics, or only some."""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MOMENTS = [_EPOCH + dt.timedelta(hours=hours) for hours in (-20_000, -25, -1, 0, 1, 30, 9_000, 480_000)]
POOLS: dict[str, list[Any]] = {
    "id": list(range(-3, 12)),
    "flag": [True, False],
    "small": [-4, -1, 0, 2, 3, 5, 7],
    "ratio": [math.nan, -math.inf, -1.5, -0.0, 0.0, 0.5, 2.0],
    "score": [math.nan, -2.25, 0.0, 0.1, 1e10, math.inf],
    "price": [Decimal("-1.25"), Decimal("0.00"), Decimal("0.01"), Decimal("3.50"), Decimal("120.00")],
    "day": [moment.date() for moment in _MOMENTS],
    "clock": [dt.time(0), dt.time(0, 0, 0, 1), dt.time(12, 30), dt.time(23, 59, 59, 999_999)],
    "local": [moment.replace(tzinfo=None) for moment in _MOMENTS],
    "instant": _MOMENTS,
    "name": ["", "a", "ab", "abc", "abd", "b", "zürich", "\U0001f600\U0001f600\U0001f600"],
    "blob": [b"", b"\0", b"ab", b"abc", b"\xff\xff\xff"],
    "key": [uuid.UUID(int=value).bytes for value in (0, 5, 1 << 127)],
    "mark": [b"\0\0", b"ab", b"\xff\xff"],
}


def some_rows(dice: random.Random, count: int) -> list[dict[str, Any]]:
    """Return rows of few values, so that some files hold one value, only null or only NaN."""
    held = {name: dice.sample(pool, dice.randint(1, min(3, len(pool)))) for name, pool in POOLS.items()}
    nulls = {name: dice.choice([0.0, 0.0, 0.3, 1.0]) for name in POOLS if name != "id"}

    def value(name: str) -> Any:
        return None if dice.random() < nulls.get(name, 0) else dice.choice(held[name])

    rows = []
    for _ in range(count):
        place = {"lat": dice.choice([None, 47.5, math.nan]), "town": dice.choice([None, "Zug", "Bern"])}
        rows.append({**{name: value(name) for name in POOLS}, "place": dice.choice([None, place, place])})
    return rows


def append(table: Table, dice: random.Random, names: Mapping[str, str] | None = None) -> None:
    """Append some rows in the table's current schema."""
    schema = table.schema().as_arrow()
    rows = [
        {(names or {}).get(name, name): value for name, value in row.items()}
        for row in some_rows(dice, dice.randint(1, 6))
    ]
    if any(field.name == "ratio" and field.transform == IDENTITY for field in table.spec().fields):
        rows = [{**row, "ratio": None if row["ratio"] != row["ratio"] else row["ratio"]} for row in rows]
    table.append(pa.Table.from_pylist([{**dict.fromkeys(schema.names), **row} for row in rows], schema=schema))


def write(catalog: SqlCatalog, name: str, seed: int) -> Table:
    """Write a table whose schema and spec change halfway, and delete some rows."""
    dice = random.Random(seed)
    version = 1 + seed % 2
    properties = {"format-version": str(version), **METRICS[seed % len(METRICS)]}
    table = catalog.create_table(f"db.{name}", SCHEMA, partition_spec=SPECS[name], properties=properties)
    for _ in range(4):
        append(table, dice)
    if version == 2:
        delete_some(table, dice)
    with table.update_schema() as schema:
        schema.add_column("later", StringType())
        schema.update_column("price", DecimalType(12, 2))
        if name not in ("by_small", "cut"):
            schema.update_column("small", LongType())
        if name != "by_ratio":
            schema.update_column("ratio", DoubleType())
        schema.rename_column("score", "points")
    with table.update_spec() as spec:
        if name == "plain":
            spec.add_field("id", BUCKET, "ids")
        elif name in ("by_name", "daily", "cut"):
            spec.remove_field(SPECS[name].fields[0].name)
            spec.add_field("price", IDENTITY, "price")
    table.refresh()
    for _ in range(3):
        append(table, dice, {"score": "points"})
    if version == 2:
        delete_some(table, dice)
    else:
        table.delete("id >= 5 AND id < 7")
    return table.refresh()


def delete_some(table: Table, dice: random.Random) -> None:
    """Write position deletes of a few data files; they apply to all older files of their partitions."""
    paths = sorted(task.file.file_path for task in table.scan().plan_files())
    delete_positions(table, {path: [0] for path in dice.sample(paths, min(3, len(paths)))})


class Moved(PyArrowFileIO):
    """A FileIO that reads metadata from one folder by file name, whatever its location."""

    def __init__(self, folder: Path) -> None:
        super().__init__({})
        self._folder = folder

    def new_input(self, location: str) -> Any:
        return super().new_input(str(self._folder / location.rsplit("/", 1)[-1]))


def written(folder: Path) -> Iterator[Table]:
    """Yield the tables that PyIceberg writes."""
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("db")
    for seed, name in enumerate(SPECS):
        yield write(catalog, name, seed)


def parsed(metadata: Path) -> TableMetadata:
    """Parse a metadata file with PyIceberg."""
    data = metadata.read_bytes()
    return TableMetadataUtil.parse_raw((gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode())
