"""Lists have the same rows as PyIceberg's metadata tables, on tables that PyIceberg wrote."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform, TruncateTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
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
    TimeType,
)

from tests.journey.servers import Running, lakemuster, served

# There is no uuid column: PyIceberg's `inspect` cannot show its bounds (Arrow cannot build the extension type).
SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "flag", BooleanType()),
    NestedField(3, "small", IntegerType()),
    NestedField(4, "ratio", FloatType()),
    NestedField(5, "score", DoubleType()),
    NestedField(6, "price", DecimalType(9, 2)),
    NestedField(7, "wide", DecimalType(30, 5)),
    NestedField(8, "day", DateType()),
    NestedField(9, "clock", TimeType()),
    NestedField(10, "local", TimestampType()),
    NestedField(11, "instant", TimestamptzType()),
    NestedField(12, "name", StringType()),
    NestedField(13, "blob", BinaryType()),
    NestedField(15, "place", StructType(NestedField(16, "lat", DoubleType()), NestedField(17, "town", StringType()))),
)


def rows(start: int, count: int) -> pa.Table:
    utc = dt.UTC
    values = [
        {
            "id": i,
            "flag": None if i % 7 == 0 else i % 2 == 0,
            "small": i * 3 - 50,
            "ratio": math.nan if i % 5 == 0 else i / 3,
            "score": None if i % 3 == 0 else -i * 1.5,
            "price": Decimal(i) / 4,
            "wide": Decimal(10) ** 20 + i,
            "day": dt.date(2024, 1, 1) + dt.timedelta(days=i % 3),
            "clock": dt.time(i % 24, 5, 6, 7),
            "local": dt.datetime(2024, 1, 1, 0, 0, 0, i) + dt.timedelta(hours=i),  # noqa: DTZ001 - a zone-less column
            "instant": dt.datetime(1959, 12, 31, 23, 59, tzinfo=utc) + dt.timedelta(minutes=i),
            "name": None if i % 4 == 0 else f"a name that is longer than sixteen characters, number {i} é𝄞",
            "blob": bytes([255, i % 256]) * 10,
            "place": {"lat": i / 10, "town": "Zürich"},
        }
        for i in range(start, start + count)
    ]
    return pa.Table.from_pylist(values, schema=SCHEMA.as_arrow())


SPECS = {
    "plain": PartitionSpec(),
    "by_day": PartitionSpec(PartitionField(8, 1000, DayTransform(), "day_day")),
    "by_many": PartitionSpec(
        PartitionField(12, 1000, TruncateTransform(3), "name_3"),
        PartitionField(1, 1001, BucketTransform(3), "id_bucket"),
        PartitionField(2, 1002, IdentityTransform(), "flag"),
    ),
}


def write(catalog: SqlCatalog, name: str, spec: PartitionSpec, version: int) -> Table:
    table = catalog.create_table(
        f"db.{name}_v{version}", SCHEMA, partition_spec=spec, properties={"format-version": str(version)}
    )
    table.append(rows(0, 30))
    table.append(rows(30, 10))
    table.delete("id >= 5 AND id < 12")
    with table.update_schema() as update:
        update.add_column("later", StringType())
        update.update_column("small", LongType())
    with table.update_schema() as update:
        update.rename_column("small", "smaller")
    with table.update_spec() as update_spec:
        update_spec.add_field("price", BucketTransform(4), "price_bucket")
    added = rows(40, 5).rename_columns(["smaller" if name == "small" else name for name in SCHEMA.as_arrow().names])
    added = added.append_column("later", pa.array(["x"] * 5))
    table.append(added.cast(table.schema().as_arrow()))
    return table.refresh()


@pytest.fixture(scope="module", params=[1, 2])
def tables(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Running, list[tuple[str, Table]]]]:
    folder: Path = tmp_path_factory.mktemp("pyiceberg")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("db")
    written = [
        (f"db.{name}_v{request.param}", write(catalog, name, spec, request.param)) for name, spec in SPECS.items()
    ]
    found = lakemuster(folder, "discover", f"{folder}/lake")
    assert found.returncode == 0, found.stderr
    with served(folder) as running:
        yield running, written


def plain(value: Any) -> Any:
    """Convert PyIceberg's Python values to the native API's JSON form."""
    match value:
        case bool() | None | str():
            return value
        case int():
            return value if abs(value) <= 2**53 else str(value)
        case float():
            if math.isnan(value):
                return "NaN"
            return value
        case Decimal():
            return str(value)
        case bytes():
            return value.hex()
        case dt.datetime():
            text = value.replace(tzinfo=None).isoformat(timespec="microseconds")
            return text + ("+00:00" if value.tzinfo else "")
        case dt.date():
            return value.isoformat()
        case dt.time():
            return value.isoformat(timespec="microseconds")
        case dict():
            return {key: plain(inner) for key, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
    raise AssertionError(f"unexpected {value!r}")


def test_snapshots_are_those_of_pyiceberg(tables: tuple[Running, list[tuple[str, Table]]]) -> None:
    running, written = tables
    for name, table in written:
        ours = running.rows(f"/tables/{name}/snapshots", order="asc")
        theirs = table.inspect.snapshots().to_pylist()
        assert [row["snapshot_id"] for row in ours] == [str(row["snapshot_id"]) for row in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one["parent_id"] == (None if other["parent_id"] is None else str(other["parent_id"]))
            assert one["operation"] == other["operation"]
            assert one["summary"] == dict(other["summary"])
            assert one["state"] == "published"
            instant = dt.datetime.fromisoformat(one["committed_at"])
            assert instant.astimezone(dt.UTC).replace(tzinfo=None) == other["committed_at"]


def test_manifests_are_those_of_pyiceberg(tables: tuple[Running, list[tuple[str, Table]]]) -> None:
    running, written = tables
    for name, table in written:
        theirs = {row["path"]: row for row in table.inspect.manifests().to_pylist()}
        ours = running.rows(f"/tables/{name}/manifests")
        assert sorted(row["manifest_path"] for row in ours) == sorted(theirs)
        for one in ours:
            other = theirs[one["manifest_path"]]
            assert one["manifest_length"] == other["length"]
            assert one["partition_spec_id"] == other["partition_spec_id"]
            assert one["added_snapshot_id"] == str(other["added_snapshot_id"])
            kind = "data" if one["content"] == "data" else "delete"
            for status in ("added", "existing", "deleted"):
                assert one[f"{status}_files_count"] == other[f"{status}_{kind}_files_count"]
            # PyIceberg shows bounds as text, by position in the manifest's spec.
            spec = table.specs()[one["partition_spec_id"]]
            for field, summary in zip(spec.fields, other["partition_summaries"], strict=True):
                bounds = one["partitions"][field.name]
                assert bounds["contains_null"] == summary["contains_null"]
                assert bounds.get("contains_nan") == summary["contains_nan"]
                if not isinstance(field.transform, DayTransform):
                    shown = bounds.get("lower_bound")
                    assert (None if shown is None else str(shown).lower()) == (
                        summary["lower_bound"] or ""
                    ).lower() or shown is None


def test_entries_are_those_of_pyiceberg(tables: tuple[Running, list[tuple[str, Table]]]) -> None:
    running, written = tables
    for name, table in written:
        ours = {(row["file_path"], row["status"]): row for row in running.rows(f"/tables/{name}/entries")}
        theirs = table.inspect.entries().to_pylist()
        # PyIceberg omits deleted entries from `entries`.
        assert {path for path, status in ours if status != "deleted"} == {
            row["data_file"]["file_path"] for row in theirs
        }
        for other in theirs:
            status = ("existing", "added", "deleted")[other["status"]]
            one = ours[other["data_file"]["file_path"], status]
            assert one["snapshot_id"] == str(other["snapshot_id"])
            assert one["sequence_number"] == other["sequence_number"]
            assert one["file_sequence_number"] == other["file_sequence_number"]
            compare_file(one, other["data_file"], other["readable_metrics"], table)


def test_files_are_those_of_pyiceberg(tables: tuple[Running, list[tuple[str, Table]]]) -> None:
    running, written = tables
    for name, table in written:
        for snapshot in table.snapshots():
            ours = {
                row["file_path"]: row
                for row in running.rows(f"/tables/{name}/files", snapshot=snapshot.snapshot_id, stats="*")
            }
            theirs = table.inspect.files(snapshot.snapshot_id).to_pylist()
            assert sorted(ours) == sorted(row["file_path"] for row in theirs)
        for other in theirs:
            compare_file(ours[other["file_path"]], other, other["readable_metrics"], table)


def compare_file(one: dict[str, Any], other: dict[str, Any], metrics: dict[str, Any], table: Table) -> None:
    assert one["content"] == ("data", "position-deletes", "equality-deletes")[other["content"]]
    assert one["file_format"].lower() == other["file_format"].lower()
    assert one["spec_id"] == other.get("spec_id", one["spec_id"])
    assert one["record_count"] == other["record_count"]
    assert one["file_size_in_bytes"] == other["file_size_in_bytes"]
    assert one["split_offsets"] == other["split_offsets"]
    assert one["sort_order_id"] == other["sort_order_id"]
    names = {field_id: str(table.schema().find_column_name(field_id)) for field_id in table.schema().field_ids}
    for ours, theirs in (
        ("column_sizes", "column_sizes"),
        ("value_counts", "value_counts"),
        ("null_value_counts", "null_value_counts"),
        ("nan_value_counts", "nan_value_counts"),
    ):
        assert one[ours] == {names[key]: value for key, value in other[theirs] or []}
    for ours, theirs, bound in (
        ("lower_bounds", "lower_bounds", "lower_bound"),
        ("upper_bounds", "upper_bounds", "upper_bound"),
    ):
        recorded = {names[key]: value for key, value in other[theirs] or []}
        if f"{ours}_raw" in one:
            assert one[f"{ours}_raw"] == {key: value.hex() for key, value in recorded.items()}
        assert one[ours] == {key: plain(metrics[key][bound]) for key in recorded}


def test_partitions_are_those_of_pyiceberg(tables: tuple[Running, list[tuple[str, Table]]]) -> None:
    running, written = tables
    for name, table in written:
        ours = running.rows(f"/tables/{name}/partitions")
        theirs = table.inspect.partitions().to_pylist()

        def key(row: dict[str, Any]) -> tuple[str, int]:
            named = {k: plain(v) for k, v in row.get("partition", {}).items() if v is not None}
            return (str(sorted(named.items(), key=str)), row.get("spec_id", 0))

        by_key = {key(row): row for row in ours}
        assert sorted(by_key) == sorted(key(row) for row in theirs)
        for other in theirs:
            one = by_key[key(other)]
            for member in (
                "record_count",
                "file_count",
                "total_data_file_size_in_bytes",
                "position_delete_record_count",
                "position_delete_file_count",
                "equality_delete_record_count",
                "equality_delete_file_count",
            ):
                assert one[member] == other[member], (name, member)
            assert one["last_updated_snapshot_id"] == str(other["last_updated_snapshot_id"])
