"""Paths of files: partition directories, buckets, external paths, changelogs, index files."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.manifests import parse_index_manifest, parse_manifest
from lakemuster.formats.paimon.paths import data_file_paths, extra_file_paths, index_file_paths
from lakemuster.metadata.snapshot import ManifestHeader, TableMetadata
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.writer import entry, index_manifest, indexed, manifest, schema, table_of

ANY = ManifestHeader("m", None)
FAR = 253_402_300_799_999


def parted(*types: str, **options: str) -> TableMetadata:
    names = [f"p{i}" for i in range(len(types))]
    return table_of(
        schema(
            {**dict(zip(names, types, strict=True)), "v": "INT"},
            partition=names,
            options={key.replace("__", ".").replace("_", "-"): value for key, value in options.items()},
        )
    )


def paths(table: TableMetadata, *records: dict[str, Any], root: str = "s3://b/t") -> list[str]:
    return list(data_file_paths(parse_manifest(manifest(*records), ANY, table), root, table).to_pylist())


def folder(of: str, value: object, *, legacy: bool = True) -> str:
    """Return the directory name of a partition value."""
    table = parted(of, partition__legacy_name=str(legacy).lower())
    (path,) = paths(table, entry("f", _PARTITION=binary_row([of], [value])))
    head, name, bucket, file = path.rsplit("/", 3)
    assert (head, bucket, file) == ("s3://b/t", "bucket-0", "f")
    assert name.startswith("p0=")
    return name.removeprefix("p0=")


def test_a_file_lies_below_its_partitions_and_bucket():
    rows = [(1, "eu"), (2, "us"), (1, "eu"), (None, "eu")]
    records = [entry(f"f{i}", _BUCKET=i, _PARTITION=binary_row(["INT", "STRING"], row)) for i, row in enumerate(rows)]
    assert paths(parted("INT", "STRING"), *records) == [
        "s3://b/t/p0=1/p1=eu/bucket-0/f0",
        "s3://b/t/p0=2/p1=us/bucket-1/f1",
        "s3://b/t/p0=1/p1=eu/bucket-2/f2",
        "s3://b/t/p0=__DEFAULT_PARTITION__/p1=eu/bucket-3/f3",
    ]


def test_a_table_without_partitions_has_buckets_only():
    assert paths(parted(), entry("f", _BUCKET=7), root="/t/") == ["/t/bucket-7/f"]
    assert paths(parted(), entry("f", _BUCKET=-2)) == ["s3://b/t/bucket-postpone/f"]
    assert paths(parted()) == []


def test_data_may_lie_in_a_folder_of_its_own_or_elsewhere():
    table = parted(data_file__path_directory="data/")
    records = [entry("f"), entry("g", _EXTERNAL_PATH="oss://x/y/g")]
    assert paths(table, *records) == ["s3://b/t/data/bucket-0/f", "oss://x/y/g"]
    with pytest.raises(MetadataCorrupt):
        paths(parted(data_file__path_directory="../x"), entry("f"))


SPELLED = [
    ("BOOLEAN", True, "true", "true"),
    ("BOOLEAN", False, "false", "false"),
    ("TINYINT", -7, "-7", "-7"),
    ("BIGINT", 2**62, str(2**62), str(2**62)),
    ("DATE", 19858, "19858", "2024-05-15"),
    ("DATE", -1, "-1", "1969-12-31"),
    ("DATE", 2932897, "2932897", "+10000-01-01"),
    ("TIME(0)", 3_723_000, "3723000", "01%3A02%3A03"),
    ("TIME(3)", 3_723_000, "3723000", "01%3A02%3A03.0"),
    ("TIME(3)", 3_723_120, "3723120", "01%3A02%3A03.12"),
    ("TIME(2)", 3_723_101, "3723101", "01%3A02%3A03.10"),
    ("DECIMAL(10, 2)", -5, "-0.05", "-0.05"),
    ("DECIMAL(30, 0)", 10**29, str(10**29), str(10**29)),
    ("DECIMAL(38, 20)", 1, "0.00000000000000000001", "0.00000000000000000001"),
    ("TIMESTAMP(0)", (1_704_103_200_000, 0), "2024-01-01T10%3A00", "2024-01-01 10%3A00%3A00"),
    ("TIMESTAMP(3)", (1_704_103_205_000, 0), "2024-01-01T10%3A00%3A05", "2024-01-01 10%3A00%3A05.000"),
    ("TIMESTAMP(3)", (1_704_103_200_120, 0), "2024-01-01T10%3A00%3A00.120", "2024-01-01 10%3A00%3A00.120"),
    ("TIMESTAMP(6)", (1_704_103_200_000, 5000), "2024-01-01T10%3A00%3A00.000005", "2024-01-01 10%3A00%3A00.000005"),
    ("TIMESTAMP(9)", (-1, 999_999), "1969-12-31T23%3A59%3A59.999999999", "1969-12-31 23%3A59%3A59.999999999"),
    ("TIMESTAMP(6)", (FAR, 0), "9999-12-31T23%3A59%3A59.999", "9999-12-31 23%3A59%3A59.999000"),
    ("TIMESTAMP(3) WITH LOCAL TIME ZONE", (0, 0), "1970-01-01T00%3A00", "1970-01-01 00%3A00%3A00.000"),
    ("STRING", "a b", "a b", "a b"),
    ("STRING", "ünï", "ünï", "ünï"),
    ("STRING", "a/b=c:d%", "a%2Fb%3Dc%3Ad%25", "a%2Fb%3Dc%3Ad%25"),
    ("STRING", "\"#'*?\\{}[]^\x7f\n\x01", *["%22%23%27%2A%3F%5C%7B%7D%5B%5D%5E%7F%0A%01"] * 2),
    ("STRING", "..", "..", ".."),
    ("STRING", "", *["__DEFAULT_PARTITION__"] * 2),
    ("STRING", " \t\n", *["__DEFAULT_PARTITION__"] * 2),
    ("STRING", "\u00a0", "\u00a0", "\u00a0"),
    ("STRING", None, *["__DEFAULT_PARTITION__"] * 2),
    ("INT", None, *["__DEFAULT_PARTITION__"] * 2),
    ("DOUBLE", 1.0, "1.0", "1.0"),
    ("DOUBLE", 0.001, "0.001", "0.001"),
    ("DOUBLE", 0.0001, "1.0E-4", "1.0E-4"),
    ("DOUBLE", 9999999.0, "9999999.0", "9999999.0"),
    ("DOUBLE", 1e7, "1.0E7", "1.0E7"),
    ("DOUBLE", -1.25e300, "-1.25E300", "-1.25E300"),
    ("DOUBLE", -0.0, "-0.0", "-0.0"),
    ("DOUBLE", 123456.789, "123456.789", "123456.789"),
    ("DOUBLE", float("nan"), "NaN", "NaN"),
    ("DOUBLE", float("-inf"), "-Infinity", "-Infinity"),
    ("FLOAT", 0.1, "0.1", "0.1"),
    ("FLOAT", 16777216.0, "1.6777216E7", "1.6777216E7"),
    ("FLOAT", 3.4028234663852886e38, "3.4028235E38", "3.4028235E38"),
]


@pytest.mark.parametrize(("of", "value", "legacy", "cast"), SPELLED)
def test_partition_values_are_spelled_as_java_does(of, value, legacy, cast):
    assert folder(of, value) == legacy
    assert folder(of, value, legacy=False) == cast


def test_binary_partitions_have_a_name_only_in_the_newer_style():
    assert folder("BYTES", b"ab/c", legacy=False) == "ab%2Fc"
    with pytest.raises(FormatUnsupported):
        folder("BYTES", b"ab")


def test_the_default_name_and_the_keys_are_the_tables_own():
    table = table_of(
        schema({"a=b": "STRING", "v": "INT"}, partition=["a=b"], options={"partition.default-name": "nothing"})
    )
    assert paths(table, entry("f", _PARTITION=binary_row(["STRING"], [None]))) == ["s3://b/t/a%3Db=nothing/bucket-0/f"]


def test_the_newest_schema_of_the_branch_says_how_names_are_spelled():
    old = schema({"d": "DATE", "v": "INT"}, partition=["d"])
    new = schema({"d": "DATE", "v": "INT"}, partition=["d"], options={"partition.legacy-name": "false"}, schema_id=1)
    table = table_of(old)
    rows = parse_manifest(manifest(entry("f", _PARTITION=binary_row(["DATE"], [1]))), ANY, table)
    assert data_file_paths(rows, "/t", table).to_pylist() == ["/t/d=1/bucket-0/f"]
    assert data_file_paths(rows, "/t", table, [new, old]).to_pylist() == ["/t/d=1970-01-02/bucket-0/f"]


def test_extra_files_lie_beside_their_data_file():
    table = parted("INT")
    records = [
        entry("f", _PARTITION=binary_row(["INT"], [1]), _EXTRA_FILES=["f.index", "f.changelog"]),
        entry("g", _PARTITION=binary_row(["INT"], [2])),
        entry("h", _PARTITION=binary_row(["INT"], [3]), _EXTRA_FILES=["h.index"], _EXTERNAL_PATH="oss://x/y/h"),
    ]
    rows = parse_manifest(manifest(*records), ANY, table)
    assert extra_file_paths(rows, "/t", table).to_pylist() == [
        ["/t/p0=1/bucket-0/f.index", "/t/p0=1/bucket-0/f.changelog"],
        [],
        ["oss://x/y/h.index"],
    ]


REAL = "compacted-changelog-8a3f$3-1024.cc-parquet"
FAKE = "compacted-changelog-8a3f$3-1024-100-50.cc-parquet"


def test_a_slice_of_a_compacted_changelog_leads_to_the_real_file():
    records = [entry(REAL, _BUCKET=3), entry(FAKE, _BUCKET=5), entry("changelog-1.parquet", _BUCKET=5)]
    assert paths(parted(), *records) == [
        f"s3://b/t/bucket-3/{REAL}",
        f"s3://b/t/bucket-3/{REAL}",
        "s3://b/t/bucket-5/changelog-1.parquet",
    ]


@pytest.mark.parametrize(("inside", "expected"), [("false", "/t/index/index-0"), ("true", "/t/p0=1/bucket-2/index-0")])
def test_index_files_lie_in_their_folder_or_beside_the_data(inside, expected):
    table = parted("INT", index_file_in_data_file_dir=inside)
    place: dict[str, Any] = {"_PARTITION": binary_row(["INT"], [1]), "_BUCKET": 2}
    rows = parse_index_manifest(
        index_manifest(indexed(**place), indexed("index-1", **place, _EXTERNAL_PATH="oss://x/index-1")), table
    )
    assert index_file_paths(rows, "/t", table).to_pylist() == [expected, "oss://x/index-1"]


def test_many_rows_of_few_partitions_are_spelled_in_chunks_alike():
    table = parted("STRING")
    rows = parse_manifest(
        manifest(*(entry(str(i), _PARTITION=binary_row(["STRING"], [f"k{i % 3}"])) for i in range(20))), ANY, table
    )
    chunked = pa.concat_tables([rows.slice(0, 7), rows.slice(7)])
    assert data_file_paths(chunked, "/t", table).to_pylist() == [f"/t/p0=k{i % 3}/bucket-0/{i}" for i in range(20)]
