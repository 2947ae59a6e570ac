"""The generated tables have the schemas and encoding of real writers, and real clients read them."""

from __future__ import annotations

import datetime as dt
import io
import json
import zlib
from pathlib import Path

import fastavro
import numpy as np
import pytest
import zstandard
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import And, EqualTo, GreaterThanOrEqual, LessThan
from pyiceberg.table import StaticTable

from benchmarks.avro import BLOCK_BYTES
from benchmarks.columns import FIRST_DAY, ROWS, statistics, table_columns, table_files
from benchmarks.generate import append_manifest, iceberg_table, paimon_table
from benchmarks.paimon_schema import MANIFEST, MANIFEST_LIST

JAVA_ICEBERG = "iceberg/hive_partitioned_table/metadata/8f7c6cdd-f7e6-4743-857e-021adfe0b999-m0.avro"
JAVA_ICEBERG_LIST = (
    "iceberg/hive_partitioned_table/metadata/snap-2541674261311761067-1-8f7c6cdd-f7e6-4743-857e-021adfe0b999.avro"
)
JAVA_PAIMON = "paimon/parquet/pk_dv_index_in_data_with_external.db/pk_dv_index_in_data_with_external/manifest"


def blocks_of(path: Path):
    """Return the header's metadata and the (record count, bytes) of every block, with blocks parsed by hand."""
    data = path.read_bytes()
    header = fastavro.block_reader(io.BytesIO(data)).metadata
    unpack = {
        "deflate": lambda packed: zlib.decompress(packed, wbits=-15),
        "zstandard": lambda packed: zstandard.ZstdDecompressor().decompress(packed),
    }[header["avro.codec"]]
    stream, blocks = io.BytesIO(data), []
    fastavro.schemaless_reader(stream, HEADER)
    while stream.tell() < len(data):
        count = fastavro.schemaless_reader(stream, "long")
        blocks.append((count, unpack(fastavro.schemaless_reader(stream, "bytes"))))
        stream.read(16)
    return header, blocks


HEADER = {
    "type": "record",
    "name": "header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}


def records_of(path: Path):
    """Return all records of a container, after checking that fastavro encodes each block to the same bytes."""
    header, blocks = blocks_of(path)
    schema = fastavro.parse_schema(json.loads(header["avro.schema"]))
    records = []
    for count, data in blocks:
        stream = io.BytesIO(data)
        block = [fastavro.schemaless_reader(stream, schema) for _ in range(count)]
        assert stream.tell() == len(data)
        again = io.BytesIO()
        for record in block:
            fastavro.schemaless_writer(again, schema, record)
        assert again.getvalue() == data
        records += block
    return records


def java_header(path: Path):
    with path.open("rb") as file:
        return fastavro.block_reader(file).metadata


def live_manifests(folder: Path):
    return sorted(path for path in (folder / "metadata").glob("*-m*.avro"))


def test_iceberg_headers_and_schemas_are_those_of_java(tmp_path, lakes):
    table = iceberg_table(tmp_path / "t", files=3)
    written, _ = blocks_of(live_manifests(table.folder)[0])
    real = java_header(lakes / JAVA_ICEBERG)
    assert set(written) == set(real)
    ours, theirs = json.loads(written["avro.schema"]), json.loads(real["avro.schema"])
    for schema in (ours, theirs):
        schema["fields"][4]["type"]["fields"][3]["type"]["fields"] = "the partition's own"
    assert ours == theirs
    ours, theirs = json.loads(written["iceberg.schema"]), json.loads(real["iceberg.schema"])
    for schema in (ours, theirs):
        schema["fields"][4]["type"]["fields"][3]["type"]["fields"] = "the partition's own"
    assert ours == theirs
    (listed,) = (table.folder / "metadata").glob("snap-*.avro")
    with listed.open("rb") as file:
        written = fastavro.block_reader(file).metadata
    real = java_header(lakes / JAVA_ICEBERG_LIST)
    assert set(written) == set(real)
    assert json.loads(written["iceberg.schema"]) == json.loads(real["iceberg.schema"])
    assert json.loads(written["avro.schema"])["fields"] == json.loads(real["avro.schema"])["fields"]


def kinds(value):
    """Return a value with each scalar replaced by its type's name, and each list by its first item."""
    match value:
        case dict():
            return {key: kinds(inner) for key, inner in value.items()}
        case list():
            return [kinds(value[0])] if value else []
    return type(value).__name__


def test_iceberg_entries_have_the_fields_filled_that_java_fills(tmp_path, lakes):
    table = iceberg_table(tmp_path / "t", files=3)
    ours, theirs = (
        {**kinds(records_of(path)[0]), "snapshot_id": "int"}
        for path in (live_manifests(table.folder)[0], lakes / JAVA_ICEBERG)
    )
    for record in (ours, theirs):
        # Java writes NaN counts of floating-point columns only; this table has none.
        record["data_file"] = record["data_file"] | {
            "partition": "the partition's own",
            "nan_value_counts": "some or none",
        }
    assert ours == theirs


def test_iceberg_lists_have_the_fields_filled_that_java_fills(tmp_path, lakes):
    (listed,) = (iceberg_table(tmp_path / "t", files=3).folder / "metadata").glob("snap-*.avro")
    ours, theirs = (kinds(next(iter(fastavro.reader(path.open("rb"))))) for path in (listed, lakes / JAVA_ICEBERG_LIST))
    ours["partitions"], theirs["partitions"] = (
        [{**one, "contains_nan": "of numbers"} for one in rows["partitions"]] for rows in (ours, theirs)
    )
    assert ours == theirs


def test_paimon_schemas_are_those_of_java(lakes):
    names = sorted((lakes / JAVA_PAIMON).iterdir())
    manifest = next(path for path in names if path.name.startswith("manifest-5"))
    manifest_list = next(path for path in names if path.name.startswith("manifest-list-"))
    assert json.loads(java_header(manifest)["avro.schema"]) == MANIFEST
    assert json.loads(java_header(manifest_list)["avro.schema"]) == MANIFEST_LIST


def test_every_record_is_encoded_as_fastavro_encodes_it(tmp_path):
    partitioned = iceberg_table(tmp_path / "iceberg", files=1_100, columns=23, manifests=2)
    plain = iceberg_table(tmp_path / "plain", files=40, columns=5, partitioned=False)
    for manifest in live_manifests(partitioned.folder) + live_manifests(plain.folder):
        assert records_of(manifest)
    keyed = paimon_table(tmp_path / "paimon", files=300, columns=14, manifests=3, days=2, primary_key=True)
    for manifest in (keyed.folder / "manifest").iterdir():
        assert records_of(manifest) or manifest.name.startswith("manifest-list")


def test_blocks_are_as_large_as_those_of_java(tmp_path):
    table = iceberg_table(tmp_path / "t", files=600)
    _, blocks = blocks_of(live_manifests(table.folder)[0])
    largest = max(len(data) // count for count, data in blocks) * 2
    assert len(blocks) > 5
    assert all(BLOCK_BYTES <= len(data) < BLOCK_BYTES + largest for _, data in blocks[:-1])
    assert sum(count for count, _ in blocks) == 600


def test_pyiceberg_plans_the_table_and_reads_the_statistics_that_were_meant(tmp_path):
    table = iceberg_table(tmp_path / "t", files=1_000, columns=20, manifests=5, days=10)
    static = StaticTable.from_metadata(str(table.metadata))
    tasks = list(static.scan().plan_files())
    assert len(tasks) == 1_000
    assert len({task.file.file_path for task in tasks}) == 1_000
    assert sum(task.file.record_count for task in tasks) == int(static.current_snapshot().summary["total-records"])
    files = table_files(np.arange(1_000), days=10, buckets=16, day_files=100)
    ordered = sorted(tasks, key=lambda task: int(from_bytes(static.schema().find_type(1), task.file.lower_bounds[1])))
    for column in table_columns(20):
        kind, stats = static.schema().find_type(column.field_id), statistics(column, files)
        for number in (0, 6, 49, 500, 996):
            written = ordered[number].file
            assert written.null_value_counts[column.field_id] == stats.null_counts[number]
            assert (column.field_id in written.lower_bounds) == bool(stats.has_bounds[number])
            if stats.has_bounds[number]:
                value = from_bytes(kind, written.upper_bounds[column.field_id])
                meant = stats.upper[number].item()
                meant = meant.decode() if isinstance(meant, bytes) else meant
                assert value == (type(value)(meant) / 100 if column.kind == "decimal" else meant)


def test_pyiceberg_prunes_by_day_and_by_the_clustered_column(tmp_path):
    table = iceberg_table(tmp_path / "t", files=1_000, columns=3, manifests=10, days=10)
    static = StaticTable.from_metadata(str(table.metadata))
    day = And(GreaterThanOrEqual("ts", "2023-01-03T00:00:00+00:00"), LessThan("ts", "2023-01-04T00:00:00+00:00"))
    assert len(list(static.scan(row_filter=day).plan_files())) == 100
    assert len(list(static.scan(row_filter=EqualTo("id", 500 * ROWS)).plan_files())) == 1
    with next((table.folder / "metadata").glob("snap-*")).open("rb") as file:
        rows = list(fastavro.reader(file))
    assert [int.from_bytes(row["partitions"][0]["lower_bound"], "little") - FIRST_DAY for row in rows] == [*range(10)]


def test_scattered_manifests_hold_the_same_files_each_over_all_days(tmp_path):
    close = iceberg_table(tmp_path / "close", files=103, columns=2, manifests=10, days=10)
    far = iceberg_table(tmp_path / "far", files=103, columns=2, manifests=10, days=10, scattered=True)
    numbers = [
        {
            record["data_file"]["file_path"].removeprefix(str(table.folder))
            for manifest in live_manifests(table.folder)
            for record in records_of(manifest)
        }
        for table in (close, far)
    ]
    assert numbers[0] == numbers[1]
    with next((far.folder / "metadata").glob("snap-*")).open("rb") as file:
        rows = list(fastavro.reader(file))
    assert {row["partitions"][0]["lower_bound"] for row in rows} == {FIRST_DAY.to_bytes(4, "little")}
    assert sum(row["added_data_files_count"] for row in rows) == 103


def test_an_appended_manifest_is_a_new_snapshot_that_keeps_the_old_manifests(tmp_path):
    first = iceberg_table(tmp_path / "t", files=50, columns=4, manifests=5)
    before = {path.name: path.read_bytes() for path in live_manifests(first.folder)}
    second = append_manifest(first.folder, files=7)
    third = append_manifest(first.folder, files=3)
    assert (third.files, third.manifests) == (60, 7)
    assert all((first.folder / "metadata" / name).read_bytes() == data for name, data in before.items())
    static = StaticTable.from_metadata(str(third.metadata))
    assert [entry.snapshot_id for entry in static.history()] == [
        first.snapshot_id,
        second.snapshot_id,
        third.snapshot_id,
    ]
    counts = [len(list(static.scan(snapshot_id=one.snapshot_id).plan_files())) for one in (first, second, third)]
    assert counts == [50, 57, 60]
    sequences = {manifest.sequence_number for manifest in static.current_snapshot().manifests(static.io)}
    assert sequences == {1, 2, 3}


def test_processes_write_the_same_table_as_one(tmp_path):
    alone = iceberg_table(tmp_path / "a", files=40, columns=3, manifests=4, location="s3://b/t")
    shared = iceberg_table(tmp_path / "b", files=40, columns=3, manifests=4, location="s3://b/t", processes=2)
    for path in (alone.folder / "metadata").iterdir():
        assert path.read_bytes() == (shared.folder / "metadata" / path.name).read_bytes()


PLAN = """
from pypaimon import CatalogFactory

def main(warehouse, name):
    table = CatalogFactory.create({"warehouse": warehouse}).get_table(f"d.{name}")
    def plan(predicate=None):
        builder = table.new_read_builder()
        splits = (builder.with_filter(predicate) if predicate else builder).new_scan().plan().splits()
        return [file for split in splits for file in split.files]
    words = table.new_read_builder().new_predicate_builder()
    files = plan()
    return {
        "files": len(files),
        "rows": sum(file.row_count for file in files),
        "top": sum(file.level > 0 for file in files),
        "day": len(plan(words.equal("dt", "2023-01-02"))),
        "id": len(plan(words.between("id", 5_000, 6_500))),
        "snapshot": table.snapshot_manager().get_latest_snapshot().total_record_count,
    }
"""


@pytest.mark.parametrize("primary_key", [False, True])
def test_pypaimon_plans_the_table(tmp_path, run_pypaimon, primary_key):
    folder = tmp_path / "d.db" / "t"
    table = paimon_table(folder, files=320, columns=20, manifests=4, days=2, primary_key=primary_key)
    answer = run_pypaimon(PLAN, warehouse=str(tmp_path), name="t")
    assert answer["files"] == table.files
    assert answer["rows"] == answer["snapshot"]
    assert answer["day"] == 160
    if primary_key:
        # Sixteen buckets per day, ten files each; in each bucket, a compaction rewrote one file to the top level.
        assert (answer["top"], table.entries) == (32, 320 + 2 * 32)
    else:
        assert (answer["top"], answer["id"]) == (0, 2)


STATISTICS = """
from pypaimon import CatalogFactory
from pypaimon.manifest.manifest_file_manager import ManifestFileManager

def main(warehouse, manifest):
    table = CatalogFactory.create({"warehouse": warehouse}).get_table("d.t")
    stats = [entry.file.value_stats for entry in ManifestFileManager(table).read(manifest, drop_stats=False)]
    cells = lambda row: [row.get_field(at) for at in range(len(row))]
    return [[cells(one.min_values), cells(one.max_values), list(one.null_counts)] for one in stats]
"""


def test_pypaimon_reads_the_statistics_that_were_meant(tmp_path, run_pypaimon):
    paimon_table(tmp_path / "d.db" / "t", files=60, columns=20, days=2)
    (manifest,) = (path for path in (tmp_path / "d.db" / "t" / "manifest").iterdir() if "list" not in path.name)
    answer = run_pypaimon(STATISTICS, warehouse=str(tmp_path), manifest=manifest.name)
    files = table_files(np.arange(60), days=2, buckets=1, day_files=30)
    for place, column in enumerate(table_columns(20)):
        stats = statistics(column, files)
        assert [nulls[place] for _, _, nulls in answer] == stats.null_counts.tolist()
        for number, (least, greatest, _) in enumerate(answer):
            if not stats.has_bounds[number]:
                assert (least[place], greatest[place]) == (None, None)
                continue
            for read, meant in ((least[place], stats.lower[number]), (greatest[place], stats.upper[number])):
                assert read == json.loads(
                    json.dumps(PYTHON_VALUE.get(column.kind, np.generic.item)(meant), default=str)
                )
    assert {least[20] for least, _, _ in answer} == {"2023-01-01", "2023-01-02"}


PYTHON_VALUE = {
    "string": lambda value: value.decode(),
    "decimal": lambda value: f"{value / 100:.2f}",
    "date": lambda value: str(np.datetime64(int(value), "D")),
    "boolean": bool,
    "timestamptz": lambda value: str(dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(microseconds=int(value))),
}
