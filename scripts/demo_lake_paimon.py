"""Write the demo lake's Paimon tables, with pypaimon: ``python -m scripts.demo_lake_paimon WAREHOUSE``."""

from __future__ import annotations

import datetime as dt
import random
import sys
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.data.timestamp import Timestamp
from pypaimon.schema.data_types import AtomicType
from pypaimon.schema.schema_change import SchemaChange
from pypaimon.tag import tag_manager

from scripts import demo_clock

STOCK = pa.schema(
    [
        pa.field("sku", pa.string(), nullable=False),
        pa.field("warehouse", pa.string(), nullable=False),
        ("quantity", pa.int32()),
        ("price", pa.decimal128(10, 2)),
        ("counted_at", pa.timestamp("us", "UTC")),
    ]
)
PRICES = pa.schema(
    [
        pa.field("sku", pa.string(), nullable=False),
        pa.field("region", pa.string(), nullable=False),
        ("price", pa.decimal128(10, 2)),
        ("valid_from", pa.timestamp("us", "UTC")),
    ]
)
CLICKS = pa.schema(
    [
        ("click_id", pa.int64()),
        ("user_id", pa.int64()),
        ("url", pa.string()),
        ("seconds", pa.float64()),
        ("at", pa.timestamp("us")),
        ("dt", pa.string()),
    ]
)
NOON = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)


def stock(chance: random.Random, count: int, hour: int) -> list[dict[str, Any]]:
    """Return a stock count of some articles; later counts repeat some of them."""
    return [
        {
            "sku": f"SKU-{number:04d}",
            "warehouse": ("amsterdam", "lyon")[number % 2],
            "quantity": None if chance.random() < 0.05 else chance.randrange(500),
            "price": Decimal(chance.randrange(99, 99_999)) / 100,
            "counted_at": NOON + dt.timedelta(hours=hour),
        }
        for number in sorted(chance.sample(range(400), count))
    ]


def clicks(chance: random.Random, day: int, count: int) -> list[dict[str, Any]]:
    """Return a day's clicks."""
    start = dt.datetime(2024, 5, 1 + day)  # noqa: DTZ001 - the column has no zone
    return [
        {
            "click_id": day * 1_000 + number,
            "user_id": None if chance.random() < 0.1 else chance.randrange(1_000, 1_200),
            "url": f"https://shop.example/products/{chance.choice(['lamp', 'chair', 'desk'])}/{chance.randrange(99)}",
            "seconds": round(chance.expovariate(0.1), 3),
            "at": start + dt.timedelta(seconds=number * 300),
            "dt": str(start.date()),
        }
        for number in range(count)
    ]


def commit(table: Any, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    """Write the rows in one commit, twelve hours after the last one."""
    demo_clock.advance(12)
    builder = table.new_batch_write_builder()
    writer, committer = builder.new_write(), builder.new_commit()
    writer.write_arrow(pa.Table.from_pylist(rows, schema))
    committer.commit(writer.prepare_commit())
    writer.close()
    committer.close()


def prices(catalog: Any, chance: random.Random, statistics: dict[str, str]) -> None:
    """Write changing prices: buckets with a merged level 5, a level 4 in some, and new runs on level 0."""
    keyed = {"primary_keys": ["sku", "region"], "partition_keys": ["region"], "options": {"bucket": "2"} | statistics}
    catalog.create_table("shop.prices", Schema.from_pyarrow_schema(PRICES, **keyed), False)
    table = catalog.get_table("shop.prices")
    for hour, count in enumerate((240, 60)):
        commit(table, priced(chance, count, hour), PRICES)
    compact(table, 5, 0)
    commit(table, priced(chance, 80, 3), PRICES)
    compact(table, 4, 1)
    commit(table, priced(chance, 30, 5), PRICES)


def priced(chance: random.Random, count: int, hour: int) -> list[dict[str, Any]]:
    """Return new prices of some articles."""
    return [
        {
            "sku": f"SKU-{number:04d}",
            "region": ("north", "south")[number % 2],
            "price": Decimal(chance.randrange(99, 99_999)) / 100,
            "valid_from": NOON + dt.timedelta(hours=hour),
        }
        for number in sorted(chance.sample(range(400), count))
    ]


def compact(table: Any, level: int, first_bucket: int) -> None:
    """Merge the files below ``level`` into one file on it, in each bucket from ``first_bucket``, as a writer does.

    pypaimon does not compact; this merges with its reader, and commits files that replace others.
    """
    demo_clock.advance(1)
    reading = table.new_read_builder()
    builder = table.new_batch_write_builder()
    writer, committer = builder.new_write(), builder.new_commit()
    old: dict[tuple[Any, ...], list[Any]] = {}
    for split in reading.new_scan().plan().splits():
        own = [file for file in split.files if file.level < level]
        if split.bucket >= first_bucket and own:
            split.files[:] = own
            old[(*split.partition.values, split.bucket)] = own
            writer.write_arrow(reading.new_read().to_arrow([split]))
    messages = writer.prepare_commit()
    for message in messages:
        for file in message.new_files:
            file.level = level
        message.deleted_files = old[(*message.partition, message.bucket)]
    committer.commit(messages)
    writer.close()
    committer.close()


def main() -> None:
    """Write all tables."""
    demo_clock.install()
    Timestamp.now = classmethod(lambda cls: cls.from_local_date_time(demo_clock.Clock.now()))
    tag_manager.datetime = demo_clock.Clock
    catalog = CatalogFactory.create({"warehouse": sys.argv[1]})
    chance = random.Random(20240501)
    statistics = {"metadata.stats-mode": "full"}
    for database in ("shop", "web"):
        catalog.create_database(database, True)
    keyed = {
        "primary_keys": ["sku", "warehouse"],
        "partition_keys": ["warehouse"],
        "options": {"bucket": "2"} | statistics,
    }
    catalog.create_table("shop.stock", Schema.from_pyarrow_schema(STOCK, **keyed), False)
    for hour, count in enumerate((300, 80, 60, 60, 40)):
        commit(catalog.get_table("shop.stock"), stock(chance, count, hour), STOCK)
    catalog.get_table("shop.stock").create_tag("opening", 1)
    parted = Schema.from_pyarrow_schema(CLICKS, partition_keys=["dt"], options=statistics)
    catalog.create_table("web.clicks", parted, False)
    for day in range(4):
        commit(catalog.get_table("web.clicks"), clicks(chance, day, 120), CLICKS)
    catalog.get_table("web.clicks").create_tag("before-referrer", 4)
    catalog.alter_table("web.clicks", [SchemaChange.add_column("referrer", AtomicType("STRING"))])
    wider = CLICKS.append(pa.field("referrer", pa.string()))
    for day in range(3, 6):
        rows = [row | {"referrer": chance.choice(["search", "mail", None])} for row in clicks(chance, day, 90)]
        commit(catalog.get_table("web.clicks"), rows, wider)
    prices(catalog, chance, statistics)


if __name__ == "__main__":
    main()
