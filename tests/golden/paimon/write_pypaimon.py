"""Writer of ``tables/pypaimon``: run ``main(warehouse)`` beside pypaimon; data files are not stored."""

import datetime as dt
import decimal

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange

FULL = {"metadata.stats-mode": "full"}
TYPES = pa.schema(
    [
        ("flag", pa.bool_()),
        ("tiny", pa.int8()),
        ("small", pa.int16()),
        ("num", pa.int32()),
        ("big", pa.int64()),
        ("single", pa.float32()),
        ("double", pa.float64()),
        ("short_price", pa.decimal128(9, 2)),
        ("long_price", pa.decimal128(30, 5)),
        ("day", pa.date32()),
        ("clock", pa.time32("ms")),
        ("second", pa.timestamp("s")),
        ("milli", pa.timestamp("ms")),
        ("micro", pa.timestamp("us")),
        ("zoned", pa.timestamp("us", "UTC")),
        ("text", pa.string()),
        ("raw", pa.binary()),
        ("list", pa.list_(pa.int32())),
        ("dt", pa.date32()),
        ("at", pa.timestamp("us")),
        ("region", pa.string()),
    ]
)


def row(i):
    moment = dt.datetime(2024, 1, 1, 1, 2, 3, i)  # noqa: DTZ001 - a wall clock's
    values = {
        "flag": i % 2 == 0,
        "tiny": i - 50,
        "small": i * 300 - 1000,
        "num": -i * 1000,
        "big": i * 10**15,
        "single": i / 3,
        "double": -i * 1.5,
        "short_price": decimal.Decimal(-i) / 4,
        "long_price": decimal.Decimal(10) ** 20 - i,
        "day": dt.date(1969, 12, 30) + dt.timedelta(days=i),
        "clock": dt.time(i, 1, 2, 3000),
        "second": moment.replace(microsecond=0),
        "milli": moment.replace(microsecond=i * 1000),
        "micro": moment,
        "zoned": moment.replace(tzinfo=dt.UTC),
        "text": "né" if i % 2 else f"a text longer than seven bytes {i} é",
        "raw": bytes([i, 255]) * (1 + i % 6),
        "list": [i],
    }
    if i % 4 == 3:
        values = dict.fromkeys(values)
    at = dt.datetime(2024, 5, 1, 10, 0, 0, i % 3)  # noqa: DTZ001 - a wall clock's
    parts = (dt.date(2024, 5, 1 + i % 3), at, f"r/{i % 2}")
    return values | dict(zip(("dt", "at", "region"), parts if i % 5 else (None, None, ""), strict=True))


def write(table, data):
    builder = table.new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(data)
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def create(catalog, name, schema, **arguments):
    catalog.create_table(name, Schema.from_pyarrow_schema(schema, **arguments), False)
    return catalog.get_table(name)


def types(catalog):
    table = create(catalog, "db.types", TYPES, partition_keys=["dt", "at", "region"], options=FULL)
    for start in (0, 6):
        write(table, pa.Table.from_pylist([row(i) for i in range(start, start + 6)], schema=TYPES))


def altered(catalog):
    """Write a table with renamed, added, widened and dropped columns: a schema and a file for each change."""
    of = {"a": pa.int32(), "b": pa.string(), "bb": pa.string(), "c": pa.float64(), "d": pa.date32()}
    steps = [
        (None, {"a": [1, 2], "b": ["x", None], "c": [0.5, 1.5]}),
        (SchemaChange.rename_column("b", "bb"), {"a": [3], "bb": ["y"], "c": [2.5]}),
        (SchemaChange.add_column("d", AtomicType("DATE")), {"a": [4], "bb": ["z"], "c": [None], "d": [None]}),
        (
            SchemaChange.update_column_type("a", AtomicType("BIGINT")),
            {"a": [2**40], "bb": ["w"], "c": [1.0], "d": [None]},
        ),
        (SchemaChange.drop_column("c"), {"a": [5], "bb": ["v"], "d": [dt.date(2025, 1, 1)]}),
    ]
    for change, columns in steps:
        if change is not None:
            catalog.alter_table("db.altered", [change], False)
        if "d" in columns and columns["a"][0] > 4:
            of["a"] = pa.int64()
        data = pa.table({name: pa.array(values, of[name]) for name, values in columns.items()})
        if change is None:
            create(catalog, "db.altered", data.schema, options=FULL)
        write(catalog.get_table("db.altered"), data)


def evolved(catalog):
    """Write a table with row ids in which one column is updated in separate files."""
    of = pa.schema([("a", pa.int32()), ("b", pa.string())])
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true", **FULL}
    table = create(catalog, "db.evolved", of, options=options)
    write(table, pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]}, schema=of))
    builder = table.new_batch_write_builder()
    update = builder.new_update().with_update_type(["b"])
    messages = update.update_by_arrow_with_row_id(
        pa.table({"_ROW_ID": pa.array([0, 2], pa.int64()), "b": pa.array(["xx", "zz"])})
    )
    builder.new_commit().commit(messages)


def branched(catalog):
    of = pa.schema([pa.field("id", pa.int64(), nullable=False), ("name", pa.string())])
    table = create(catalog, "db.branched", of, primary_keys=["id"], options={"bucket": "2", **FULL})
    for i in range(2):
        write(table, pa.table({"id": [i, i + 1], "name": [f"name {i}", None]}, schema=of))
    table.create_tag("first", 1)
    table.branch_manager().create_branch("side", "first")
    side = catalog.get_table("db.branched$branch_side")
    write(side, pa.table({"id": [100], "name": ["on the side"]}, schema=of))


def main(warehouse):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    catalog.create_database("db", True)
    for make in (types, altered, evolved, branched):
        make(catalog)
