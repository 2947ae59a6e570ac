"""A separate process with pypaimon: writes tables, and reads its system tables."""

import datetime as dt
import decimal

import pyarrow as pa
from pypaimon import CatalogFactory, Schema

TYPES = pa.schema(
    [
        ("id", pa.int64()),
        ("tiny", pa.int8()),
        ("small", pa.int16()),
        ("num", pa.int32()),
        ("flag", pa.bool_()),
        ("ratio", pa.float32()),
        ("score", pa.float64()),
        ("price", pa.decimal128(9, 2)),
        ("wide", pa.decimal128(30, 5)),
        ("day", pa.date32()),
        ("local", pa.timestamp("us")),
        ("name", pa.string()),
        ("blob", pa.binary()),
        ("dt", pa.string()),
        ("region", pa.int32()),
    ]
)
KEYED = pa.schema([pa.field("id", pa.int64(), nullable=False), ("name", pa.string()), ("amount", pa.float64())])


def rows(start, count):
    return pa.Table.from_pylist(
        [
            {
                "id": i,
                "tiny": i % 100 - 50,
                "small": i * 7,
                "num": -i * 1000,
                "flag": None if i % 5 == 0 else i % 2 == 0,
                "ratio": i / 3,
                "score": None if i % 4 == 0 else -i * 1.5,
                "price": decimal.Decimal(i) / 4,
                "wide": decimal.Decimal(10) ** 20 + i,
                "day": dt.date(2024, 1, 1) + dt.timedelta(days=i),
                "local": dt.datetime(2024, 1, 1, 1, 2, 3, i),  # noqa: DTZ001 - a zone-less column
                "name": None if i % 6 == 0 else f"a name longer than seven bytes {i} é",
                "blob": bytes([i % 256, 255]) * 6,
                "dt": None if i % 9 == 0 else f"2024-01-0{i % 3 + 1}",
                "region": i % 2,
            }
            for i in range(start, start + count)
        ],
        schema=TYPES,
    )


def write(table, data):
    builder = table.new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(data)
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()


def system(catalog, name, which):
    table = catalog.get_table(f"{name}${which}")
    builder = table.new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()


def main(warehouse):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    catalog.create_database("db", True)
    full = {"metadata.stats-mode": "full"}
    made = {
        "db.plain": (TYPES, {"options": full}),
        "db.parted": (TYPES, {"partition_keys": ["dt", "region"], "options": full}),
        "db.nostats": (TYPES, {"partition_keys": ["region"]}),
        "db.keyed": (KEYED, {"primary_keys": ["id"], "options": {"bucket": "2", **full}}),
    }
    for name, (schema, arguments) in made.items():
        catalog.create_table(name, Schema.from_pyarrow_schema(schema, **arguments), False)
        table = catalog.get_table(name)
        for start in (0, 12, 24):
            data = rows(start, 18)
            if schema is KEYED:
                data = pa.table({"id": data["id"], "name": data["name"], "amount": data["score"]}).cast(KEYED)
            write(table, data)
    catalog.get_table("db.parted").create_tag("kept", 2)
    return {
        name: {
            which: system(catalog, name, which) for which in ("files", "manifests", "snapshots", "partitions", "tags")
        }
        for name in made
    }
