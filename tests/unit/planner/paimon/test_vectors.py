"""Matching of deletion vectors to data files, against a dictionary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.paimon.folding import live_rows
from lakemuster.formats.paimon.indexes import VectorRange, parse_deletion_vectors
from lakemuster.formats.paimon.manifests import parse_index_manifest, parse_manifest
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.planner.paimon import vectors as vectors_module
from lakemuster.planner.paimon.vectors import VECTOR_TYPE, VectorIndex, _name_hashes
from tests.pace import assert_takes_less
from tests.tree import lakes_folder
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.tables import folders, load, read
from tests.unit.formats.paimon.writer import entry, index_manifest, indexed, manifest, schema, table_of
from tests.unit.planner.paimon.views import view_of

LAKES = folders(lakes_folder() / "paimon")
ANY = ManifestHeader("m", None)
TYPES = ["STRING", "DECIMAL(20, 1)"]
TABLE = table_of(schema({"k": "INT", "p": TYPES[0], "q": TYPES[1]}, partition=["p", "q"]))
PLAIN = table_of(schema({"k": "INT"}))


def vector(name, offset=1, length=30, cardinality=None):
    return {"f0": name, "f1": offset, "f2": length, "_CARDINALITY": cardinality}


def vectors(name, bucket, ranges, partition=None, java=False, **more):
    row = {} if partition is None else {"_PARTITION": binary_row(TYPES, partition, java_nulls=java)}
    return indexed(
        name, _BUCKET=bucket, _INDEX_TYPE="DELETION_VECTORS", _DELETIONS_VECTORS_RANGES=ranges, **row, **more
    )


def files(*rows, table=TABLE):
    records = [
        entry(name, _BUCKET=bucket, **({"_PARTITION": binary_row(TYPES, partition)} if partition else {}))
        for name, bucket, partition in rows
    ]
    return parse_manifest(manifest(*records), ANY, table)


def index_of(*manifests, table=TABLE, **view):
    tables = [parse_index_manifest(index_manifest(*records), table) for records in manifests]
    return VectorIndex.of(tables, view_of(table, **view))


partitions = st.tuples(st.sampled_from([None, "", "eu", "a longer text"]), st.sampled_from([None, 0, 7]))
places = st.tuples(st.sampled_from(["f0", "f1", "f2", "é"]), st.integers(0, 1), partitions)


@given(
    st.lists(
        st.tuples(places, st.integers(1, 2**31 - 1), st.none() | st.integers(0, 2**40), st.booleans()), max_size=8
    ),
    st.lists(places, max_size=10),
)
def test_a_file_has_the_last_vector_of_its_name_bucket_and_partition(known, asked):
    records, expected = [], {}
    for number, ((name, bucket, partition), offset, cardinality, java) in enumerate(known):
        ranges = [vector("another"), vector(name, offset, 12, cardinality)]
        records.append(vectors(f"i{number}", bucket, ranges, partition, java))
        expected[name, bucket, partition] = {
            "file_path": f"s3://b/t/index/i{number}",
            "offset": offset,
            "length": 12,
            "cardinality": cardinality,
        }
    half = len(records) // 2
    found = index_of(records[:half], records[half:]).match(files(*asked))
    assert found.type == VECTOR_TYPE
    assert found.to_pylist() == [expected.get(place) for place in asked]


@given(st.lists(st.sampled_from(["a", "b" * 70, "b" * 70 + "c", "b" * 90, "c" + "b" * 89]), max_size=6))
def test_names_with_equal_hashes_are_distinguished(asked):
    known = ["b" * 70, "a", "b" * 90]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors_module, "_name_hashes", lambda names: np.zeros(len(names), np.uint64))
        records = [vectors(f"i{place}", 0, [vector(name)], (None, None)) for place, name in enumerate(known)]
        found = index_of(records).match(files(*((name, 0, (None, None)) for name in asked)))
    paths = [None if found is None else found["file_path"] for found in found.to_pylist()]
    assert paths == [f"s3://b/t/index/i{known.index(name)}" if name in known else None for name in asked]


@given(st.lists(st.text(max_size=12) | st.integers(50, 200).map("x".__mul__), max_size=12))
def test_equal_names_have_equal_hashes_at_any_offset(names):
    array = pa.array(["", *names, *names, "more"], pa.string())
    hashes = _name_hashes(array)
    assert len(set(hashes.tolist())) == len(set(array.to_pylist()))
    assert hashes[1 : len(names) + 1].tolist() == hashes[len(names) + 1 : -1].tolist()
    assert _name_hashes(array.slice(1, len(names))).tolist() == hashes[1 : len(names) + 1].tolist()


def test_only_live_files_of_deletion_vectors_count():
    ranges = [vector("f")]
    dead = vectors("dead", 0, ranges, (None, None), _KIND=1)
    other = vectors("other", 0, ranges, (None, None)) | {"_INDEX_TYPE": "btree"}
    hashes = indexed("hashes", _PARTITION=binary_row(TYPES, [None, None]))
    index = index_of([dead, other, hashes])
    assert len(index) == 0
    assert index.match(files(("f", 0, (None, None)))).to_pylist() == [None]


def test_a_snapshot_without_index_manifests_has_no_vectors():
    for index in (index_of(), index_of([]), index_of(table=PLAIN), index_of([], table=PLAIN)):
        assert index.match(files(("f", 0, None), table=PLAIN)).to_pylist() == [None]
        assert index.match(files(("f", 0, None), table=PLAIN).slice(1)).type == VECTOR_TYPE


def test_index_files_are_where_the_table_says_or_was_moved_to():
    record = vectors("i", 3, [vector("f")], ("eu", 5))
    beside = table_of(
        schema(
            {"k": "INT", "p": TYPES[0], "q": TYPES[1]},
            partition=["p", "q"],
            options={"index-file-in-data-file-dir": "true"},
        )
    )
    asked = files(("f", 3, ("eu", 5)))

    def path(index):
        return index.match(asked).field("file_path").to_pylist()

    assert path(index_of([record], table=beside)) == ["s3://b/t/p=eu/q=0.5/bucket-3/i"]
    assert path(index_of([record | {"_EXTERNAL_PATH": "oss://far/i"}])) == ["oss://far/i"]
    moved = [("s3://b", "/mnt/b")]
    assert path(index_of([record], rewrites=moved)) == ["/mnt/b/t/index/i"]


def test_a_million_files_are_matched_in_well_under_a_second():
    count = 1_000_000
    names = pa.array([f"data-{number:08x}-4a2c-11ee-be56-0242ac120002-0.parquet" for number in range(count)])
    entries = pa.table({"file_name": names, "bucket": pa.array([n % 7 for n in range(count)], pa.int32())})
    half = names.slice(0, count // 2)
    found = VectorIndex(
        half,
        entries.column("bucket").combine_chunks().slice(0, count // 2),
        (),
        pa.array([{"file_path": "i", "offset": 1, "length": 2, "cardinality": 3}], VECTOR_TYPE).take(
            pa.array([0] * (count // 2))
        ),
    )
    assert found.match(entries.slice(0, 1)).null_count == 0
    assert found.match(entries).null_count == count // 2
    assert_takes_less(lambda: found.match(entries), 1.5)


@pytest.mark.parametrize("folder", LAKES, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_every_vector_of_a_real_table_is_its_data_files(folder):
    table = load(folder)
    for snapshot in table.snapshots:
        manifests = read(table, snapshot)
        indexes = [manifest.entries for manifest in manifests if manifest.role == "index"]
        index = VectorIndex.of(indexes, view_of(table, str(folder)))
        tables = [manifest.entries for manifest in manifests if manifest.role in ("base", "delta")]
        matched = 0
        for entries, live in zip(tables, live_rows(tables), strict=True):
            alive = entries.filter(pa.array(live))
            for name, found in zip(alive.column("file_name").to_pylist(), index.match(alive).to_pylist(), strict=True):
                if found is None:
                    continue
                matched += 1
                path = found["file_path"].replace("FILE:/tmp/external", str(folder.parent / "external"))
                where = VectorRange(name, found["offset"], found["length"], found["cardinality"])
                # The parser compares the cardinality, which older writers do not record, with the bitmap.
                assert len(parse_deletion_vectors(Path(path).read_bytes(), [where])[name]) > 0
        assert matched == len(index), snapshot.snapshot_id
