"""Manifests of every version, writer and file format, whole and damaged."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.errors import CatalogError, FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.paimon import containers
from lakemuster.formats.paimon.manifests import parse_index_manifest, parse_manifest, parse_manifest_list
from lakemuster.ingest.decode import DecoderPool
from lakemuster.metadata.files import ADDED, DELETED, PAIMON_COLUMNS
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.writer import (
    CONTAINERS,
    FILE_MEMBERS,
    LIST_MEMBERS,
    arrow_of,
    as_rust_writes,
    avro,
    entry,
    index_manifest,
    indexed,
    listed,
    manifest,
    manifest_list,
    manifest_type,
    orc_of,
    parquet_of,
    record_type,
    schema,
    stats,
    table_of,
)

PLAIN = table_of(schema({"a": "INT", "s": "STRING"}))
PARTED = table_of(schema({"a": "INT", "d": "DATE", "s": "STRING"}, partition=["d", "s"]))
ANY = ManifestHeader("/t/manifest/manifest-0", None)
KEYED = ["DATE", "STRING"]


def partition(day: int | None, text: str | None) -> bytes:
    return binary_row(KEYED, [day, text])


def read(data: bytes, table: TableMetadata = PLAIN, header: ManifestHeader = ANY) -> pa.Table:
    decoded = parse_manifest(data, header, table)
    decoded.validate(full=True)
    return decoded


def test_every_member_of_an_entry_is_read():
    data = manifest(
        entry(
            "data-1.parquet",
            _KIND=1,
            _BUCKET=3,
            _TOTAL_BUCKETS=4,
            _FILE_SIZE=1000,
            _ROW_COUNT=50,
            _MIN_SEQUENCE_NUMBER=7,
            _MAX_SEQUENCE_NUMBER=9,
            _LEVEL=5,
            _EXTRA_FILES=["data-1.index", "data-1.changelog"],
            _DELETE_ROW_COUNT=2,
            _EMBEDDED_FILE_INDEX=b"\x01\x02",
            _FILE_SOURCE=1,
            _VALUE_STATS_COLS=["a"],
            _VALUE_STATS=stats(["INT"], [1], [2], [0]),
            _EXTERNAL_PATH="oss://x/data-1.parquet",
            _FIRST_ROW_ID=100,
            _WRITE_COLS=["a"],
            _WRITE_COLS_SEQUENCES=[4],
        )
    )
    (row,) = read(data).to_pylist()
    assert row == {
        "status": DELETED,
        "bucket": 3,
        "total_buckets": 4,
        "file_name": "data-1.parquet",
        "file_size_in_bytes": 1000,
        "record_count": 50,
        "min_sequence_number": 7,
        "max_sequence_number": 9,
        "schema_id": 0,
        "level": 5,
        "extra_files": ["data-1.index", "data-1.changelog"],
        "creation_time": dt.datetime(2023, 11, 14, 22, 13, 20, 123000),  # noqa: DTZ001
        "delete_row_count": 2,
        "embedded_file_index": b"\x01\x02",
        "file_source": 1,
        "value_stats_cols": ["a"],
        "external_path": "oss://x/data-1.parquet",
        "first_row_id": 100,
        "write_cols": ["a"],
        "write_cols_sequences": [4],
        "lower.0": 1,
        "upper.0": 2,
        "null_count.0": 0,
    }


@pytest.mark.parametrize("members", range(13, len(FILE_MEMBERS) + 1))
@pytest.mark.parametrize("container", CONTAINERS)
def test_members_that_a_version_did_not_have_are_null(members, container):
    data = CONTAINERS[container](manifest(entry(), entry("data-1.parquet"), file_members=members))
    decoded = read(data)
    assert decoded.schema.names == list(PAIMON_COLUMNS)
    assert [decoded.schema.field(name).type for name in PAIMON_COLUMNS] == list(PAIMON_COLUMNS.values())
    full = read(manifest(entry(), entry("data-1.parquet")))
    names = {
        "_FILE_SOURCE": "file_source",
        "_DELETE_ROW_COUNT": "delete_row_count",
        "_VALUE_STATS_COLS": "value_stats_cols",
    }
    kept = set(list(FILE_MEMBERS)[:members])
    for name in full.column_names:
        absent = any(ours == name and theirs not in kept for theirs, ours in names.items())
        assert decoded.column(name).null_count == (2 if absent or full.column(name).null_count else 0), name


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("codec", ["null", "deflate", "snappy"])
def test_the_container_makes_no_difference(container, codec):
    records = [
        entry(
            "a",
            _PARTITION=partition(1, "x"),
            _VALUE_STATS_COLS=None,
            _VALUE_STATS=stats(["INT", *KEYED], [1, 2, "b"], [3, 4, "c"], [0, 1, 2]),
        ),
        entry("b", _PARTITION=partition(None, ""), _KIND=1, _EMBEDDED_FILE_INDEX=b"i", _EXTRA_FILES=["e"]),
    ]
    plain = manifest(*records)
    assert read(CONTAINERS[container](manifest(*records, codec=codec)), PARTED).equals(
        read(plain, PARTED), check_metadata=True
    )


@pytest.mark.parametrize("container", CONTAINERS)
def test_manifests_and_lists_may_be_empty(container):
    assert read(CONTAINERS[container](manifest()), PARTED).num_rows == 0
    assert read(CONTAINERS[container](manifest()), PARTED).schema.names == [
        *PAIMON_COLUMNS,
        "partition.1",
        "partition.2",
    ]
    assert parse_manifest_list(CONTAINERS[container](manifest_list()), PARTED, "/t") == []
    assert parse_index_manifest(CONTAINERS[container](index_manifest()), PARTED).num_rows == 0


def test_rust_writes_unions_where_others_write_records():
    records = [entry("a"), entry("b", _VALUE_STATS_COLS=["a"], _VALUE_STATS=stats(["INT"], [1], [2], [0]))]
    assert read(avro(as_rust_writes(manifest_type()), records)).equals(read(manifest(*records)))
    unknown = entry("c", _VALUE_STATS=None, _KEY_STATS=None)
    assert read(avro(as_rust_writes(manifest_type()), [unknown])).schema.names == list(PAIMON_COLUMNS)
    lists = record_type(LIST_MEMBERS)
    rows = [listed(_PARTITION_STATS=None), listed("m1")]
    assert [h.partitions for h in parse_manifest_list(avro(as_rust_writes(lists), rows), PLAIN, "/t")] == [None, ()]


def test_members_may_come_in_any_order():
    of = manifest_type()
    of["fields"].reverse()
    of["fields"][0]["type"]["fields"].reverse()
    assert read(avro(of, [entry()])).equals(read(manifest(entry())))


def test_partitions_are_typed_columns_by_field_id():
    rows = [partition(19858, "eu"), partition(None, ""), partition(0, None)]
    decoded = read(manifest(*(entry(str(i), _PARTITION=row) for i, row in enumerate(rows))), PARTED)
    assert decoded.column("partition.1").to_pylist() == [dt.date(2024, 5, 15), None, dt.date(1970, 1, 1)]
    assert decoded.column("partition.2").to_pylist() == ["eu", "", None]
    assert decoded.schema.field("partition.1").metadata == {b"type": b"DATE"}


def test_a_partition_column_in_which_every_row_is_null_stays():
    decoded = read(manifest(entry(_PARTITION=partition(None, None))), PARTED)
    assert decoded.column("partition.1").null_count == 1


def test_a_partition_that_cannot_be_held_is_refused_rather_than_merged_with_null():
    table = table_of(schema({"t": "TIMESTAMP(9)"}, partition=["t"]))
    far = binary_row(["TIMESTAMP(9)"], [(253_402_300_799_999, 0)])
    with pytest.raises(FormatUnsupported):
        parse_manifest(manifest(entry(_PARTITION=far)), ANY, table)


@pytest.mark.parametrize(
    "row", [binary_row([], []), binary_row(["DATE"], [1]), b"\0\0\0\2", binary_row(["INT"] * 3, [1, 2, 3])]
)
def test_a_partition_of_another_arity_is_refused(row):
    with pytest.raises(MetadataCorrupt):
        parse_manifest(manifest(entry(_PARTITION=row)), ANY, PARTED)


@pytest.mark.parametrize(
    ("added", "deleted", "fits"),
    [(2, 1, True), (None, None, True), (None, 1, True), (3, 0, False), (2, 0, False), (1, 1, False), (None, 2, False)],
)
def test_entries_are_counted_against_the_list(added, deleted, fits):
    data = manifest(entry("a"), entry("b"), entry("a", _KIND=1))
    # A manifest of the recorded length is complete, whatever counts the list has; with another length, it may not be.
    header = ManifestHeader("m", len(data), added_files_count=added, deleted_files_count=deleted)
    assert read(data, header=header).column("status").to_pylist() == [ADDED, ADDED, DELETED]
    header = replace(header, length=len(data) + 1)
    if fits:
        assert read(data, header=header).column("status").to_pylist() == [ADDED, ADDED, DELETED]
    else:
        with pytest.raises(MetadataCorrupt):
            parse_manifest(data, header, PLAIN)


@pytest.mark.parametrize("version", [0, 1, 3])
def test_another_layout_is_not_served(version):
    with pytest.raises(FormatUnsupported):
        parse_manifest(manifest(entry(), entry(_VERSION=version)), ANY, PLAIN)
    with pytest.raises(FormatUnsupported):
        parse_manifest_list(manifest_list(listed(_VERSION=version)), PLAIN, "/t")
    if version != 1:
        with pytest.raises(FormatUnsupported):
            parse_index_manifest(index_manifest(indexed(_VERSION=version)), PLAIN)


BROKEN: dict[str, dict[str, Any]] = {
    "kind": {"_KIND": 2},
    "size": {"_FILE_SIZE": -1},
    "rows": {"_ROW_COUNT": -1},
    "name with a folder": {"_FILE_NAME": "../a"},
    "name of nothing": {"_FILE_NAME": ""},
    "name of a folder": {"_FILE_NAME": ".."},
    "extra file with a folder": {"_EXTRA_FILES": ["ok", "a/b"]},
    "name with a control character": {"_FILE_NAME": "a\nb"},
    "schema": {"_SCHEMA_ID": 7},
    "stats columns": {"_VALUE_STATS_COLS": ["a\0b"]},
    "bounds": {"_VALUE_STATS": {"_MIN_VALUES": b"\0\0\0\1", "_MAX_VALUES": b"", "_NULL_COUNTS": None}},
    "key": {"_MIN_KEY": b"\0\0"},
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_entry_is_refused(case):
    with pytest.raises(MetadataCorrupt):
        parse_manifest(manifest(entry(), entry(**BROKEN[case])), ANY, PLAIN)


@pytest.mark.parametrize("name", ["_VERSION", "_KIND", "_PARTITION", "_BUCKET", "_FILE"])
def test_a_manifest_without_a_needed_column_is_refused(name):
    of = manifest_type()
    of["fields"] = [field for field in of["fields"] if field["name"] != name]
    with pytest.raises(MetadataCorrupt):
        parse_manifest(avro(of, [entry()]), ANY, PLAIN)


@pytest.mark.parametrize("name", ["_FILE_NAME", "_ROW_COUNT", "_SCHEMA_ID", "_LEVEL", "_VALUE_STATS", "_KEY_STATS"])
def test_an_entry_without_a_needed_member_is_refused(name):
    of = manifest_type()
    file = of["fields"][-1]["type"]
    file["fields"] = [field for field in file["fields"] if field["name"] != name]
    with pytest.raises(MetadataCorrupt):
        parse_manifest(avro(of, [entry()]), ANY, PLAIN)


def test_a_column_of_another_type_is_refused():
    of = manifest_type()
    of["fields"][3]["type"] = "string"
    with pytest.raises(MetadataCorrupt):
        parse_manifest(avro(of, [entry(_BUCKET="x")]), ANY, PLAIN)
    of["fields"][3]["type"] = "long"
    with pytest.raises(MetadataCorrupt):
        parse_manifest(avro(of, [entry(_BUCKET=2**40)]), ANY, PLAIN)
    assert read(avro(of, [entry(_BUCKET=2)])).column("bucket").to_pylist() == [2]


@pytest.mark.parametrize(
    "data", [b"", b"Ob", b"ORC", b"PAR1", b"{}", b"ORC" + b"\0" * 100, b"PAR1" + b"\0" * 100 + b"PAR1", b"Obj\x01"]
)
def test_what_is_no_container_is_refused(data):
    with pytest.raises(MetadataCorrupt):
        parse_manifest(data, ANY, PLAIN)


@pytest.mark.parametrize(
    "whole",
    [
        manifest(entry()),
        orc_of(arrow_of(manifest(entry())), "uncompressed"),
        parquet_of(arrow_of(manifest(entry())), "none"),
    ],
    ids=["avro", "orc", "parquet"],
)
def test_text_that_is_not_utf8_is_refused(whole):
    assert b"data-0.parquet" in whole
    with pytest.raises(MetadataCorrupt):
        parse_manifest(whole.replace(b"data-0.parquet", b"data-\xff.parquet"), ANY, PLAIN)


@pytest.mark.parametrize("container", ["orc", "parquet"])
def test_a_file_that_decodes_to_too_much_is_refused(container, monkeypatch):
    data = CONTAINERS[container](manifest(*(entry(str(i)) for i in range(50))))
    monkeypatch.setattr(containers, "MAX_DECODED", 1000)
    with pytest.raises(LimitExceeded):
        parse_manifest(data, ANY, PLAIN)


@pytest.mark.parametrize("write", [orc_of, parquet_of])
def test_a_file_of_more_records_than_bytes_is_refused(write):
    with pytest.raises(LimitExceeded):
        containers.read_records(write(pa.table({"_VERSION": pa.array([2] * 1_000_000, pa.int32())})))


def test_a_file_too_large_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(containers, "MAX_FILE", 10)
    with pytest.raises(LimitExceeded):
        parse_manifest(manifest(entry()), ANY, PLAIN)


def test_a_manifest_of_a_branch_is_read_with_the_branch_schemas():
    table = table_of(schema({"a": "INT"}), b1=[schema({"a": "INT"}), schema({"a": "INT", "b": "STRING"}, schema_id=1)])
    data = manifest(entry(_SCHEMA_ID=1, _VALUE_STATS_COLS=["b"], _VALUE_STATS=stats(["STRING"], ["x"], ["y"], [0])))
    assert parse_manifest(data, ANY, table, branch="b1").column("lower.1").to_pylist() == ["x"]
    with pytest.raises(MetadataCorrupt):
        parse_manifest(data, ANY, table)
    with pytest.raises(MetadataCorrupt):
        parse_manifest(data, ANY, table, branch="gone")


def damaged(whole: bytes, count: int) -> Iterator[bytes]:
    """Yield copies with a few changed bytes, some of them truncated."""
    random = Random(len(whole))
    for _ in range(count):
        data = bytearray(whole)
        for _ in range(random.choice((1, 1, 3))):
            data[random.randrange(len(data))] = random.randrange(256)
        if random.random() < 0.2:
            del data[random.randrange(len(data)) :]
        yield bytes(data)


ENTRIES = manifest(*(entry(str(i), _PARTITION=partition(i, "eu")) for i in range(20)))


@pytest.mark.parametrize("container", ["avro", "parquet"])
def test_a_damaged_file_is_read_or_refused(container):
    refused = 0
    for data in damaged(CONTAINERS[container](ENTRIES), 120):
        try:
            parse_manifest(data, ANY, PARTED).validate(full=True)
        except CatalogError:
            refused += 1
    assert refused


def test_a_damaged_orc_file_is_read_or_refused_or_kills_its_worker_only():
    # The ORC library trusts its input: about one changed byte in a hundred crashes the process.
    with DecoderPool(1, 2**30, 20, 30) as pool:
        futures = [pool.submit(parse_manifest, data, ANY, PARTED) for data in damaged(CONTAINERS["orc"](ENTRIES), 60)]
        errors = [future.exception() for future in futures]
    assert all(error is None or isinstance(error, MetadataCorrupt | FormatUnsupported) for error in errors)
    assert any(errors)
