"""Tables that DuckDB, ClickHouse and Daft write, partitioned by each transform: for each value of a file, the plans of
conditions on that value have the file.

Some of their partitions are not the specification's, see ``docs/concepts/pruning.md``.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import parse_transform
from pyiceberg.types import DateType, DecimalType, LongType, NestedField, StringType, TimestampType, UUIDType

from tests.apps import create_app
from tests.beside import python_of, runner
from tests.contract.service.backends import catalog, settings
from tests.counterparts.iceberg_rest import iceberg_rest_server
from tests.duckdb import CONNECTED

pytestmark = [pytest.mark.full, pytest.mark.timeout(1800)]

BATCHES, ROWS = 3, 25
TYPES = {
    "n": (LongType(), pa.int64()),
    "e": (DecimalType(20, 4), pa.decimal128(20, 4)),
    "d": (DateType(), pa.date32()),
    "t": (TimestampType(), pa.timestamp("us")),
    "s": (StringType(), pa.string()),
    "u": (UUIDType(), pa.string()),
}
"""Columns, and their types in Iceberg and in the files from which writers take rows."""
TRANSFORMS = {
    "n": ("identity", "bucket[4]", "truncate[10]"),
    "e": ("identity", "bucket[4]", "truncate[50]"),
    "d": ("identity", "bucket[4]", "year", "month", "day"),
    "t": ("identity", "bucket[4]", "year", "month", "day", "hour"),
    "s": ("identity", "bucket[4]", "truncate[3]", "truncate[18]"),
    "u": ("identity", "bucket[4]"),
}
Tables = Mapping[str, tuple[str, str]]
"""Column and transform of each table, by name."""
Run = Callable[..., Any]

DUCKDB = (
    CONNECTED
    + """
def main(uri, files, tables):
    connection = connected()
    connection.execute(f"ATTACH '' AS side (TYPE iceberg, ENDPOINT '{uri}', AUTHORIZATION_TYPE none,"
                       " ACCESS_DELEGATION_MODE none)")
    for name in tables:
        for file in files:
            rows = f"SELECT n, e, d, t, s, u::UUID FROM read_parquet('{file}')"
            connection.execute(f"INSERT INTO side.w.{name} {rows}")
"""
)
DAFT = """
import daft
from pyiceberg.catalog.rest import RestCatalog

def main(uri, files, tables):
    catalog = RestCatalog("w", uri=uri)
    for name in tables:
        for file in files:
            daft.read_parquet(file).exclude("u").write_iceberg(catalog.load_table(f"w.{name}"))
"""
CLICKHOUSE = """
import os
from chdb import session

EXPRESSIONS = {
    "identity": "{}",
    "bucket[4]": "icebergBucket(4, {})",
    "year": "toYearNumSinceEpoch({})",
    "month": "toMonthNumSinceEpoch({})",
    "day": "toRelativeDayNum({})",
    "hour": "toRelativeHourNum({})",
}
COLUMNS = "n Int64, e Decimal(20, 4), d Date32, t DateTime64(6), s String"

def main(folder, files, tables):
    os.chdir("/")  # it opens local files below its folder only
    running = session.Session()
    running.query("SET allow_insert_into_iceberg = 1, session_timezone = 'UTC'")
    for name, (column, transform) in tables.items():
        width = transform.removeprefix("truncate[").removesuffix("]")
        by = EXPRESSIONS.get(transform, f"icebergTruncate({width}, {{}})").format(column)
        place = f"{folder}/{name}/".removeprefix("/")
        running.query(f"CREATE TABLE {name} ({COLUMNS}) ENGINE = IcebergLocal('{place}') PARTITION BY {by}")
        for file in files:
            running.query(f"INSERT INTO {name} SELECT n, e, d, t, s FROM file('{file.removeprefix('/')}', Parquet)")
"""
CANNOT = {
    "duckdb": set[tuple[str, str]](),
    "daft": {("s", "truncate[3]"), ("s", "truncate[18]")},
    "clickhouse": {("e", "truncate[50]")},
}
"""Transforms that a writer refuses, or on which it fails."""


def texts(dice: Random) -> str:
    start = dice.choice(("", "0123456789abcdef", "é•\U0001f600", "ab"))
    return start + "".join(dice.choice("abz~é") for _ in range(dice.randrange(6)))


def value(name: str, dice: Random) -> Any:
    """Return a random value: some are next to zero, some far away."""
    far = dice.random() < 0.4
    match name:
        case "n":
            return dice.randrange(-(2**60), 2**60) if far else dice.randrange(-20, 20)
        case "e":
            return Decimal(dice.randrange(-(10**19), 10**19) if far else dice.randrange(-300, 300)).scaleb(-4)
        case "d":
            return dt.date(1970, 1, 1) + dt.timedelta(
                days=dice.randrange(-20_000, 40_000) if far else dice.randrange(-60, 60)
            )
        case "t":
            seconds = dice.randrange(-(10**9), 10**9) if far else dice.randrange(-90_000, 90_000)
            moment = dt.timedelta(seconds=seconds, microseconds=dice.randrange(10**6))
            return dt.datetime.fromisoformat("1970-01-01") + moment
        case "s":
            return texts(dice)
    return str(UUID(int=dice.getrandbits(128)))


def sources(folder: Path) -> list[str]:
    """Write the files from which the writers take rows."""
    dice, found = Random(7), list[str]()
    for number in range(BATCHES):
        columns = {name: pa.array([value(name, dice) for _ in range(ROWS)], of) for name, (_, of) in TYPES.items()}
        found.append(str(folder / f"rows{number}.parquet"))
        pq.write_table(pa.table(columns), found[-1])
    return found


def tables_of(writer: str) -> Tables:
    """Return the tables that a writer writes."""
    chosen = [
        (column, transform)
        for column, transforms in TRANSFORMS.items()
        for transform in transforms
        if (column, transform) not in CANNOT[writer] and (column != "u" or writer == "duckdb")
    ]
    return {f"{column}_{number}": (column, transform) for number, (column, transform) in enumerate(chosen)}


@contextmanager
def written(writer: str, folder: Path, run: Callable[[str], Run]) -> Iterator[Path]:
    """Let a writer write its tables; yield the folder that holds them."""
    files, tables = sources(folder), tables_of(writer)
    with ExitStack() as stack:
        if writer == "clickhouse":
            lake = folder / "lake"
            lake.mkdir()
            run("requirements-chdb.lock")(CLICKHOUSE, folder=str(lake), files=files, tables=tables)
        else:
            upstream = stack.enter_context(iceberg_rest_server(folder))
            create(RestCatalog("w", uri=upstream.uri, warehouse=upstream.warehouse), tables, writer)
            script, lock = (DUCKDB, "duckdb") if writer == "duckdb" else (DAFT, "daft")
            run(f"requirements-{lock}.lock")(script, uri=upstream.uri, files=files, tables=[*tables])
            lake = Path(upstream.warehouse.removeprefix("file://")) / "w"
        yield lake


def create(rest: RestCatalog, tables: Tables, writer: str) -> None:
    names = [name for name in TYPES if name != "u" or writer == "duckdb"]
    schema = Schema(*(NestedField(number, name, TYPES[name][0]) for number, name in enumerate(names, 1)))
    rest.create_namespace("w")
    for name, (column, transform) in tables.items():
        source = schema.find_field(column).field_id
        part = PartitionField(source_id=source, field_id=1000, transform=parse_transform(transform), name="part")
        rest.create_table(f"w.{name}", schema, partition_spec=PartitionSpec(part))


def literal(column: str, of: Any) -> str:
    match of:
        case bytes() if column == "u":
            return f"'{UUID(bytes=of)}'"
        case dt.datetime():
            return f"TIMESTAMP '{of.replace(tzinfo=None).isoformat(sep=' ')}'"
        case dt.date():
            return f"DATE '{of}'"
        case bytes():
            return f"'{of.decode()}'"
        case str() | UUID():
            return f"'{of}'"
    return str(of)


@pytest.mark.parametrize("writer", CANNOT)
def test_the_file_of_each_value_is_planned(writer: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    def run(lock: str) -> Run:
        return runner(python_of(lock), tmp_path_factory)

    folder = tmp_path_factory.mktemp(writer)
    (folder / "index").mkdir()
    with (
        written(writer, folder, run) as lake,
        catalog(settings(folder / "index", max_staleness=3600.0)) as services,
    ):
        assert list(services.discover(f"file://{lake}", "w", (), operator=True))
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")

        def planned(name: str, condition: str | None) -> set[str]:
            answer = http.post(f"/api/v1/tables/w.{name}/plan", json={"filter": condition})
            assert answer.status_code == 200, (condition, answer.text)
            return {file["file_path"] for file in answer.json()["files"]}

        lost, asked = list[str](), 0
        for name, (column, transform) in tables_of(writer).items():
            files = planned(name, None)
            assert len(files) >= BATCHES, (name, column, transform)
            holding: dict[Any, set[str]] = {}
            for file in files:
                rows = pq.read_table(file.removeprefix("file://"), columns=[column], partitioning=None)
                for found in rows.column(0).to_pylist():
                    holding.setdefault(found, set()).add(file)
            for number, (found, holders) in enumerate(holding.items()):
                for operator in ("=", "<=", ">=") if column != "u" and number % 5 == 0 else ("=",):
                    condition = f"{column} {operator} {literal(column, found)}"
                    asked += 1
                    if not holders <= planned(name, condition):
                        lost.append(f"{transform} of {column}: {condition}")
    assert asked > ROWS * len(tables_of(writer))
    assert lost[:10] == []
