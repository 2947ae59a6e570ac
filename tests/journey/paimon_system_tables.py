"""A separate process with pypaimon: writes tables of every kind that it supports, and reads its system tables."""

import runpy
from pathlib import Path

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.consumer.consumer import Consumer
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange
from pypaimon.table.system import system_table_loader
from pypaimon.write.table_delete import TableDeleteByRowId

TABLES = runpy.run_path(str(Path(__file__).with_name("pypaimon_tables.py")))
TYPES, rows, write = TABLES["TYPES"], TABLES["rows"], TABLES["write"]
FULL = {"metadata.stats-mode": "full"}
TRACKED = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
KEYED = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("day", pa.date32(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        ("amount", pa.float64()),
    ]
)
NUMBERS = pa.schema([("id", pa.int64()), ("num", pa.int32()), ("word", pa.string()), ("day", pa.date32())])


def numbers(start, count):
    return rows(start, count).select(["id", "num", "name", "day"]).rename_columns(["id", "num", "word", "day"])


def keyed(start, count):
    data = rows(start, count)
    words = pa.array([f"n{i % 4}" for i in range(start, start + count)])
    days = pa.array([19_000 + i % 2 for i in range(start, start + count)], pa.int32()).cast(pa.date32())
    return pa.table({"id": data["id"], "day": days, "name": words, "amount": data["score"]}).cast(KEYED)


def commit(table, messages):
    committer = table.new_batch_write_builder().new_commit()
    committer.commit(messages)
    committer.close()


def create(catalog, name, schema, **arguments):
    catalog.create_table(name, Schema.from_pyarrow_schema(schema, **arguments), False)
    return catalog.get_table(name)


def make(catalog):
    parted = create(catalog, "db.parted", TYPES, partition_keys=["dt", "region"], options=FULL, comment="a comment")
    for start in (0, 12):
        write(parted, rows(start, 18))
    parted.create_tag("kept", 1)
    parted.create_tag("for a while", 2, time_retained="36h")
    parted.branch_manager().create_branch("from_tag", "kept")
    parted.consumer_manager().reset_consumer("reader", Consumer(2))
    parted.consumer_manager().reset_consumer("other.one", Consumer(7))

    merged = create(catalog, "db.keyed", KEYED, primary_keys=["id", "day", "name"], partition_keys=["day"],
                    options={"bucket": "3", **FULL})  # fmt: skip
    for start in (0, 12, 24):
        write(merged, keyed(start, 18))

    create(catalog, "db.evolved", NUMBERS, options=FULL)
    write(catalog.get_table("db.evolved"), numbers(0, 6))
    changes = [
        SchemaChange.rename_column("word", "text"),
        SchemaChange.update_column_type("num", AtomicType("BIGINT")),
        SchemaChange.add_column("added", AtomicType("INT"), "new here"),
        SchemaChange.drop_column("day"),
        SchemaChange.set_option("snapshot.num-retained.max", "99"),
        SchemaChange.update_comment("evolved"),
    ]
    catalog.alter_table("db.evolved", changes, False)
    later = numbers(6, 6)
    added = pa.array(range(6), pa.int32())
    evolved = pa.table({"id": later["id"], "num": later["num"].cast(pa.int64()), "text": later["word"], "added": added})
    write(catalog.get_table("db.evolved"), evolved)

    vectors = create(catalog, "db.deleted", NUMBERS, partition_keys=["num"],
                     options={"deletion-vectors.enabled": "true", **TRACKED, **FULL})  # fmt: skip
    few = numbers(0, 12)
    nums = pa.array([i % 3 for i in range(12)], pa.int32())
    write(vectors, few.set_column(1, pa.field("num", pa.int32()), nums))
    commit(vectors, TableDeleteByRowId(catalog.get_table("db.deleted")).delete([0, 1, 5, 7]))

    indexed = create(catalog, "db.indexed", NUMBERS, options={"global-index.enabled": "true", **TRACKED, **FULL})
    write(indexed, numbers(0, 20))
    catalog.get_table("db.indexed").create_global_index("num", "btree")

    create(catalog, "db.empty", NUMBERS)


def system(table):
    builder = table.new_read_builder()
    found = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    return {"types": {field.name: str(field.type) for field in found.schema}, "rows": found.to_pylist()}


def main(warehouse):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    catalog.create_database("db", True)
    make(catalog)
    names = [*(f"db.{name}" for name in catalog.list_tables("db")), "db.parted$branch_from_tag"]
    return {
        name: {which: system(catalog.get_table(f"{name}${which}")) for which in system_table_loader.SYSTEM_TABLES}
        for name in names
    }
