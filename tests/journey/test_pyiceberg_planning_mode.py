"""Unmodified PyIceberg where it would misread a server's plan: an error names an option, with which the rows are right.

The data files lack the columns that the tables are partitioned by, like those of Hive tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import RESTError
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    NestedField,
    PrimitiveType,
    StringType,
)

from tests.journey.servers import Running, lakemuster, served
from tests.journey.test_pyiceberg_server_planning import same_rows

# For each table: the type of its partition, its values, and whether scan tasks can state all of them for PyIceberg.
TABLES: dict[str, tuple[PrimitiveType, list[Any], bool]] = {
    "texts": (StringType(), ["a", "b"], True),
    "days": (DateType(), [19858, -1], True),
    "nulls": (StringType(), ["a", None], False),
    "decimals": (DecimalType(9, 2), [Decimal("1.50"), Decimal("-2.25")], False),
    "binaries": (BinaryType(), [b"\x00\xff", b"x"], False),
    "odd": (DoubleType(), [1.5, float("nan")], False),
}
UNTOLD = [name for name, (_, _, told) in TABLES.items() if not told]


def write(folder: Path, name: str, kind: PrimitiveType, values: list[Any], *, column: bool = False) -> Any:
    """Write a table with a file of two rows for each partition; with ``column``, files have the partition's column."""
    local = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    local.create_namespace_if_not_exists("db")
    schema = Schema(NestedField(1, "id", LongType(), required=False), NestedField(2, "part", kind, required=False))
    spec = PartitionSpec(PartitionField(source_id=2, field_id=1000, transform=IdentityTransform(), name="part"))
    table = local.create_table(f"db.{name}", schema, partition_spec=spec)
    in_file = schema_to_pyarrow(table.schema() if column else table.schema().select("id"))
    with table.transaction() as transaction, transaction.update_snapshot().fast_append() as append:
        for number, value in enumerate(values):
            path = folder / "lake" / "db" / name / "data" / f"{number}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows: dict[str, list[Any]] = {"id": [2 * number, 2 * number + 1]} | (
                {"part": [value] * 2} if column else {}
            )
            pq.write_table(pa.table(rows, in_file), path)
            append.append_data_file(
                DataFile.from_args(
                    content=DataFileContent.DATA,
                    file_path=f"file://{path}",
                    file_format=FileFormat.PARQUET,
                    partition=Record(value),
                    record_count=2,
                    file_size_in_bytes=path.stat().st_size,
                    column_sizes={1: 50} | ({2: 50} if column else {}),
                    value_counts={1: 2} | ({2: 2} if column else {}),
                    spec_id=table.spec().spec_id,
                )
            )
    return table.refresh()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("modes")
    tables = {name: write(folder, name, kind, values) for name, (kind, values, _) in TABLES.items()}
    tables["whole"] = write(folder, "whole", StringType(), ["a", None], column=True)
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    return folder, tables


@pytest.fixture(scope="module")
def running(lake: tuple[Path, dict[str, Any]]) -> Iterator[Running]:
    with served(lake[0]) as server:
        yield server


def loaded(running: Running, name: str, **properties: str) -> Any:
    catalog = RestCatalog("muster", uri=f"{running.uri}/iceberg", **properties)
    assert catalog.supports_server_side_planning() is (properties.get("scan-planning-mode") != "client")
    return catalog.load_table(f"db.{name}")


@pytest.mark.parametrize("name", UNTOLD)
@pytest.mark.parametrize("properties", [{}, {"scan-planning-mode": "server", "warehouse": "any of mine"}])
def test_what_it_cannot_be_told_is_refused_with_the_option_that_helps(
    running: Running, name: str, properties: dict[str, str]
) -> None:
    with pytest.raises(RESTError, match=r"partition field part.*scan-planning-mode=client"):
        loaded(running, name, **properties).scan().to_arrow()


@pytest.mark.parametrize("name", [*TABLES, "whole"])
def test_with_that_option_the_rows_are_right(running: Running, lake: tuple[Path, dict[str, Any]], name: str) -> None:
    table, local = loaded(running, name, **{"scan-planning-mode": "client"}), lake[1][name]
    for text in ("id >= 0", "id < 2"):
        assert same_rows(table.scan(text).to_arrow(), local.scan(text).to_arrow())
    assert local.scan().to_arrow().num_rows == 2 * len(TABLES.get(name, TABLES["nulls"])[1])


@pytest.mark.parametrize("name", [*(name for name in TABLES if name not in UNTOLD), "whole"])
def test_what_it_can_read_is_planned_here(running: Running, lake: tuple[Path, dict[str, Any]], name: str) -> None:
    rows = loaded(running, name).scan().to_arrow()
    assert same_rows(rows, lake[1][name].scan().to_arrow())
    assert rows.num_rows == 4


def test_a_plan_of_files_that_it_can_read_is_not_refused(running: Running, lake: tuple[Path, dict[str, Any]]) -> None:
    for name, text in {"nulls": "part = 'a'", "odd": "part = 1.5"}.items():
        rows = loaded(running, name).scan(text).to_arrow()
        assert same_rows(rows, lake[1][name].scan(text).to_arrow())
        assert rows.num_rows == 2
