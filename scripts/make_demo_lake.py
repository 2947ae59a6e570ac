"""Write the archive of the demo lake: ``TZ=UTC PYTHONPATH=app python -m scripts.make_demo_lake``.

PyIceberg writes the Iceberg tables below a location that does not exist (``lakemuster.demo.RECORDED_ROOT``) through a
FileIO that maps it to a folder; pypaimon, whose metadata contains no locations, writes beside them. The writers
use the clock and random source of ``demo_clock``: a commit every few hours of May 2024, with reproducible ids.
"""

from __future__ import annotations

import datetime as dt
import math
import random
import subprocess
import sys
import tempfile
import uuid
import zipfile
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.fs
import pyiceberg.table.metadata
import pyiceberg.table.update
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    UUIDType,
)

from lakemuster.demo import RECORDED_ROOT
from scripts import demo_clock, demo_lake_more

ROOT = Path(__file__).resolve().parent.parent
ARCHIVE = ROOT / "app" / "lakemuster" / "demo" / "lake.zip"
FOLDER_PROPERTY = "demo.folder"
FIRST_NAMES, LAST_NAMES = ["Ada", "Edgar", "Grace", "Jim", "Zoë"], ["Bakker", "Meyer", "Roux"]
MIDNIGHT = dt.datetime(2024, 5, 1, tzinfo=dt.UTC)

ORDERS = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "day", DateType(), required=True),
    NestedField(3, "customer_id", LongType()),
    NestedField(4, "status", StringType()),
    NestedField(5, "amount", DecimalType(12, 2)),
    NestedField(6, "placed_at", TimestamptzType()),
    identifier_field_ids=[1],
)
CUSTOMERS = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "key", UUIDType()),
    NestedField(3, "name", StringType()),
    NestedField(4, "country", StringType()),
    NestedField(5, "born", DateType()),
    NestedField(
        6,
        "address",
        StructType(NestedField(7, "city", StringType()), NestedField(8, "postcode", StringType())),
    ),
)
EVENTS = Schema(
    NestedField(1, "event_id", LongType(), required=True),
    NestedField(2, "user_id", LongType()),
    NestedField(3, "ts", TimestampType()),
    NestedField(4, "url", StringType()),
    NestedField(5, "latency", DoubleType()),
    NestedField(6, "score", FloatType()),
    NestedField(7, "attempts", IntegerType()),
)


class DemoIO(PyArrowFileIO):
    """A FileIO that maps locations below the recorded root to a folder."""

    def new_input(self, location: str) -> PyArrowFile:
        """Return the file of a recorded location."""
        path = Path(self.properties[FOLDER_PROPERTY] + location.removeprefix(RECORDED_ROOT))
        return PyArrowFile(location, str(path), pyarrow.fs.LocalFileSystem())

    def new_output(self, location: str) -> PyArrowFile:
        """Return the file of a recorded location, and create its folder."""
        file = self.new_input(location)
        Path(file._path).parent.mkdir(parents=True, exist_ok=True)  # noqa: SLF001
        return file


def orders(catalog: InMemoryCatalog, chance: random.Random) -> None:
    """Write appends by day, a deletion of cancelled orders, an overwritten day, a new column, a tag and a branch."""
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "day"))
    table = create(catalog, "shop.orders", ORDERS, spec)
    for day in range(6):
        append(table, [order(chance, day, number) for number in range(60)])
    closed = table.current_snapshot()
    assert closed is not None
    table.manage_snapshots().create_tag(closed.snapshot_id, "april-close").commit()
    demo_clock.advance(2)
    table.delete("status = 'cancelled'")
    with table.update_schema() as update:
        update.add_column("channel", StringType(), doc="where the order came from")
    for day in range(6, 10):
        rows = [order(chance, day, number) for number in range(40)]
        append(table, [row | {"channel": chance.choice(["web", "app", "phone"])} for row in rows])
    demo_clock.advance(3)
    replaced = [order(chance, 7, number) | {"channel": "web"} for number in range(30)]
    table.overwrite(arrow(table, replaced), overwrite_filter="day = '2024-05-08'")
    current = table.current_snapshot()
    assert current is not None
    table.manage_snapshots().create_branch(current.snapshot_id, "audit").commit()
    demo_clock.advance(1)
    table.append(arrow(table, [order(chance, 10, number) for number in range(20)]), branch="audit")


def order(chance: random.Random, day: int, number: int) -> dict[str, Any]:
    """Return an order of a day of May 2024."""
    return {
        "id": 100_000 + day * 1_000 + number,
        "day": (MIDNIGHT + dt.timedelta(days=day)).date(),
        "customer_id": chance.randrange(1, 200),
        "status": chance.choices(["paid", "shipped", "cancelled"], [6, 3, 1])[0],
        "amount": Decimal(chance.randrange(100, 50_000)) / 100,
        "placed_at": MIDNIGHT + dt.timedelta(days=day, seconds=number * 1_200 + chance.randrange(600)),
    }


def customers(catalog: InMemoryCatalog, chance: random.Random) -> None:
    """Write customers partitioned by country; some rows are corrected later."""
    table = create(
        catalog, "shop.customers", CUSTOMERS, PartitionSpec(PartitionField(4, 1000, IdentityTransform(), "country"))
    )
    rows = [customer(chance, number) for number in range(1, 200)]
    append(table, rows[:120])
    append(table, rows[120:])
    with table.update_schema() as update:
        update.rename_column("born", "birthday")
    demo_clock.advance(5)
    table.overwrite(
        arrow(table, [row | {"birthday": row.pop("born")} for row in rows if row["country"] is None]),
        overwrite_filter="country is null",
    )


def customer(chance: random.Random, number: int) -> dict[str, Any]:
    """Return a customer; some have no country."""
    city, postcode = chance.choice([("Utrecht", "3511"), ("Lyon", "69001"), ("Graz", "8010"), ("København", "1050")])
    return {
        "id": number,
        "key": uuid.UUID(int=chance.getrandbits(128), version=4).bytes,
        "name": f"{chance.choice(FIRST_NAMES)} {chance.choice(LAST_NAMES)}",
        "country": chance.choice(["NL", "FR", "AT", "DK", None]),
        "born": dt.date(1950, 1, 1) + dt.timedelta(days=chance.randrange(20_000)),
        "address": None if chance.random() < 0.2 else {"city": city, "postcode": postcode},
    }


def events(catalog: InMemoryCatalog, chance: random.Random) -> None:
    """Write events by bucket and day: nulls, NaNs, strings longer than their bounds; the first day is deleted."""
    spec = PartitionSpec(
        PartitionField(2, 1000, BucketTransform(4), "user_id_bucket"), PartitionField(3, 1001, DayTransform(), "ts_day")
    )
    table = create(catalog, "web.events", EVENTS, spec)
    for day in range(5):
        append(table, [event(chance, day, number) for number in range(80)])
    demo_clock.advance(6)
    table.delete("ts < '2024-05-02T00:00:00'")


def event(chance: random.Random, day: int, number: int) -> dict[str, Any]:
    """Return a request to the shop."""
    return {
        "event_id": day * 10_000 + number,
        "user_id": None if chance.random() < 0.05 else chance.randrange(1_000, 1_200),
        "ts": MIDNIGHT.replace(tzinfo=None) + dt.timedelta(days=day, milliseconds=chance.randrange(86_400_000)),
        "url": f"https://shop.example/{chance.choice(['basket', 'search', 'products'])}?page={chance.randrange(1_000)}",
        "latency": math.nan if chance.random() < 0.05 else round(chance.lognormvariate(3, 1), 3),
        "score": None if chance.random() < 0.3 else round(chance.random(), 2),
        "attempts": chance.choice([1, 1, 1, 2, 3]),
    }


def create(
    catalog: InMemoryCatalog,
    name: str,
    schema: Schema,
    spec: PartitionSpec,
    order: SortOrder = UNSORTED_SORT_ORDER,
) -> Table:
    """Create a table of format version 2, at ``<root>/<namespace>.db/<table>``."""
    namespace, _, table = name.partition(".")
    catalog.create_namespace_if_not_exists(namespace)
    location = f"{RECORDED_ROOT}/{namespace}.db/{table}"
    return catalog.create_table(
        name, schema, location, spec, order, properties={"write.parquet.compression-codec": "zstd"}
    )


def append(table: Table, rows: list[dict[str, Any]]) -> None:
    """Append rows in one commit, a day after the last one."""
    demo_clock.advance(24)
    table.append(arrow(table, rows))


def arrow(table: Table, rows: list[dict[str, Any]]) -> pa.Table:
    """Return the rows in the table's types; missing columns are null."""
    return pa.Table.from_pylist(rows, schema=table.schema().as_arrow())


def pack(lake: Path, archive: Path) -> None:
    """Zip the folder; the same folder gives the same bytes."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(path for path in lake.rglob("*") if path.is_file()):
            data = path.read_bytes()
            if str(lake).encode() in data:
                sys.exit(f"{path} names the folder that it was made in")
            packed.writestr(
                zipfile.ZipInfo(str(path.relative_to(lake)), (2024, 5, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED
            )


def main() -> None:
    """Write the tables, then the archive."""
    chance = random.Random(20240501)
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder) / "lake"
        catalog = InMemoryCatalog(
            "demo", warehouse=RECORDED_ROOT, **{"py-io-impl": f"{__name__}.DemoIO", FOLDER_PROPERTY: str(lake)}
        )
        demo_clock.install()
        with (
            mock.patch.object(pyiceberg.table.update, "datetime", demo_clock.Clock),
            mock.patch.object(pyiceberg.table.metadata, "datetime", SimpleNamespace(datetime=demo_clock.Clock)),
        ):
            for write in (orders, customers, events):
                write(catalog, chance)
                demo_clock.advance(-24 * 9)
            for more in (demo_lake_more.sessions, demo_lake_more.returns):
                demo_clock.advance(24 * 9)
                more(partial(create, catalog), chance)
                demo_clock.advance(-24 * 9)
        environment = ["sh", str(ROOT / "scripts" / "environment.sh"), str(ROOT / "requirements-pypaimon.lock")]
        python = subprocess.run(environment, check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run([python, "-m", "scripts.demo_lake_paimon", lake], check=True, cwd=ROOT)
        pack(lake, ARCHIVE)
    sys.stdout.write(f"{ARCHIVE.relative_to(ROOT)}: {ARCHIVE.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
