"""Rows that the data source's executors read equal pypaimon's, on tables of every kind that it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import feather

from lakemuster import Client
from tests.journey.paimon_java.rows_read import counted, rows_read, table_to_read
from tests.journey.servers import Running, served

WRITE = Path(__file__).parent / "pypaimon_plans" / "beside.py"
READ = """
import pyarrow as pa
from pyarrow import feather
from pypaimon import CatalogFactory, Schema

NESTED = pa.schema([
    ("id", pa.int64()),
    ("tags", pa.list_(pa.string())),
    ("counts", pa.map_(pa.string(), pa.int64())),
    ("inner", pa.struct([("a", pa.int32()), ("b", pa.list_(pa.float64()))])),
    ("at", pa.timestamp("us")),
    ("zoned", pa.timestamp("us", tz="UTC")),
    ("raw", pa.binary()),
    ("price", pa.decimal128(20, 3)),
])


def rows(start):
    import datetime as dt, decimal
    return [{
        "id": i,
        "tags": None if i % 4 == 0 else [f"t{i}", None],
        "counts": [(f"k{n}", n) for n in range(i % 3)],
        "inner": None if i % 5 == 0 else {"a": i, "b": [0.5, None]},
        "at": dt.datetime(1969, 12, 31, 23, 59, 59, i),
        "zoned": dt.datetime(2024, 1, 1, 0, 0, 0, i, dt.timezone.utc),
        "raw": bytes([i, 255]),
        "price": decimal.Decimal(i) / 8,
    } for i in range(start, start + 20)]


def main(warehouse, folder, names):
    catalog = CatalogFactory.create({"warehouse": warehouse})
    for form in ("parquet", "orc", "avro"):
        name = f"db.nested_{form}"
        # Its writer of Avro knows no maps, and no nulls in lists.
        schema = pa.schema([field for field in NESTED if form != "avro" or not pa.types.is_nested(field.type)])
        catalog.create_table(name, Schema.from_pyarrow_schema(schema, options={"file.format": form}), False)
        builder = catalog.get_table(name).new_batch_write_builder()
        for start in (0, 20):
            writer, commit = builder.new_write(), builder.new_commit()
            writer.write_arrow(pa.Table.from_pylist(rows(start), schema=schema))
            commit.commit(writer.prepare_commit())
            writer.close()
            commit.close()
            builder = catalog.get_table(name).new_batch_write_builder()
    refused = {}
    for name in [*names, "nested_parquet", "nested_orc", "nested_avro"]:
        builder = catalog.get_table(f"db.{name}").new_read_builder()
        try:
            found = builder.new_read().to_arrow(builder.new_scan().plan().splits())
        except Exception as error:
            refused[name] = f"{type(error).__name__}: {error}"
            continue
        if found is not None:
            feather.write_feather(found, f"{folder}/{name}.feather", "uncompressed")
    return refused
"""
NAMES = [
    "plain", "nostats", "parted", "bucketed", "tracked", "evolved", "evolved_parted", "deleted", "keyed",
    "keyed_parted", "keyed_twice", "dynamic", "first", "postponed", "partial", "summed",
]  # fmt: skip


@pytest.fixture(scope="module")
def theirs(run_pypaimon: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pypaimon-rows")
    assert sorted(run_pypaimon(WRITE, action="write", warehouse=str(folder / "lake"))) == sorted(NAMES)
    refused = run_pypaimon(READ, warehouse=str(folder / "lake"), folder=str(folder), names=NAMES)
    assert refused == {}
    return folder


@pytest.fixture(scope="module")
def server(theirs: Path) -> Iterator[Running]:
    with served(theirs / "server", ROOTS=f'["{theirs}/lake"]') as running:
        yield running


@pytest.mark.parametrize("name", [*NAMES, "nested_parquet", "nested_orc", "nested_avro"])
def test_rows(theirs: Path, server: Running, name: str) -> None:
    server.post("/tables", {"name": f"db.{name}", "location": str(theirs / "lake" / "db.db" / name)}, 201)
    with Client(server.uri) as client:
        to_read = table_to_read(client, f"db.{name}")
        ours = rows_read(client, to_read)
    path = theirs / f"{name}.feather"
    expected = feather.read_table(path) if path.exists() else ours.schema.empty_table()
    found, known = counted(ours), counted(expected)
    assert (found - known, known - found) == ({}, {})
    assert len(ours) or name in {"postponed", "first"}
