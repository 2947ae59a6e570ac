"""Statistics decoded by key equal the columns built from lists of keys and values."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.formats.avro import read_header, read_keyed, read_table
from lakemuster.formats.iceberg.keyed_statistics import keyed_bounds, keyed_counts, width_of
from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.statistics import Column, bound_columns, count_columns
from lakemuster.formats.iceberg.values import encode_array
from lakemuster.metadata.files import count_type
from lakemuster.metadata.snapshot import ManifestHeader
from tests.examples import examples
from tests.tree import lakes_folder
from tests.unit.formats.avro_files import real_files, record, written
from tests.unit.formats.iceberg.manifest_files import struct_of, table_of
from tests.unit.formats.iceberg.single_values import VALUES, encode
from tests.unit.formats.test_avro_native import BLOBS, PAIRS

SCHEMA = record(("status", "int"), ("counts", ["null", PAIRS]), ("bounds", ["null", BLOBS]))
BY_ID = dict(enumerate(sorted(VALUES), 1)) | {70_000: "long", 2147483546: "string"}
KEYS = st.lists(st.sampled_from(sorted(BY_ID)), max_size=5)
COUNTS = st.integers(-3, 200) | st.sampled_from([2**7, 2**15, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1])


def item_of(key: int) -> st.SearchStrategy[tuple[int, int, bytes]]:
    raw = VALUES[BY_ID[key]].map(lambda value: encode(BY_ID[key], value))
    return st.tuples(st.just(key), COUNTS, raw | raw | st.binary(max_size=9))


def row_of(keys: list[int]) -> st.SearchStrategy[list[tuple[int, int, bytes]]]:
    return st.tuples(*[item_of(key) for key in keys]).map(list)


ROWS = KEYS.flatmap(lambda keys: st.lists(st.none() | row_of(keys) | KEYS.flatmap(row_of), min_size=1, max_size=7))


def assert_same(found: list[Column], expected: list[Column]) -> None:
    assert [field for field, _ in found] == [field for field, _ in expected]
    for (field, one), (other_field, other) in zip(found, expected, strict=True):
        one.validate(full=True)
        assert field.metadata == other_field.metadata
        assert one.is_valid().equals(other.is_valid())
        # Compare bytes, since NaN is not equal to itself.
        assert one.equals(other) or encode_array(one).equals(encode_array(other)), field.name


@settings(max_examples=examples(100), deadline=None)
@given(ROWS)
def test_columns_are_the_same_by_key_and_of_lists(rows):
    data = written(
        SCHEMA,
        [
            {
                "status": 1,
                "counts": None if row is None else [{"key": key, "value": count} for key, count, _ in row],
                "bounds": None if row is None else [{"key": key, "value": raw} for key, _, raw in row],
            }
            for row in rows
        ],
        block_bytes=100,
    )
    types = {key: parse_primitive(name) for key, name in BY_ID.items()}
    lists = read_table(data)[1].combine_chunks()
    maps = {("counts",): None, ("bounds",): lambda key: width_of(types[key])}
    _, keyed = read_keyed(data, read_header(data), maps)
    assert_same(
        list(keyed_counts(keyed["counts",], "null_count")),
        list(count_columns(lists["counts"].chunk(0), "key", "value", "null_count")),
    )
    assert_same(
        list(keyed_bounds(keyed["bounds",], "lower", types.__getitem__)),
        list(bound_columns(lists["bounds"].chunk(0), "key", "value", "lower", types.__getitem__)),
    )


def is_manifest(path: Path) -> bool:
    return b'"lower_bounds"' in read_header(path.read_bytes()).metadata["avro.schema"]


MANIFESTS = [path for path in real_files(lakes_folder()) if "iceberg" in path.parts and is_manifest(path)]


def test_there_are_manifests_of_real_tables():
    assert len(MANIFESTS) > 30


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_all_decoders_give_the_same_segment(path: Path, monkeypatch: pytest.MonkeyPatch):
    data, metadata = path.read_bytes(), table_of(struct_of())
    content = read_header(data).metadata.get("content", b"data").decode()
    header = ManifestHeader(str(path), len(data), content="deletes" if content == "deletes" else "data")
    native = parse_manifest(data, header, metadata)
    native.validate(full=True)
    monkeypatch.setattr("lakemuster.formats.avro.table.is_available", lambda: False)
    monkeypatch.setattr("lakemuster.formats.iceberg.statistics.is_available", lambda: False)
    others = parse_manifest(data, header, metadata)
    assert native.schema.equals(others.schema, check_metadata=True)
    for name in native.column_names:
        assert_same([(native.field(name), whole(native, name))], [(others.field(name), whole(others, name))])


def whole(table: pa.Table, name: str) -> pa.Array:
    return pa.concat_arrays(table.column(name).chunks)


@pytest.mark.parametrize("gap", [0, 8])
def test_many_columns_of_counts_are_narrowed_wherever_they_lie(gap: int) -> None:
    rows = [[key, -1, 100 * key, 2 ** (key % 40)] for key in range(150)]
    memory = pa.py_buffer(b"".join(array(row) + bytes(gap * (key % 3)) for key, row in enumerate(rows)))
    columns, begin = {}, 0
    for key, row in enumerate(rows):
        columns[key] = pa.Array.from_buffers(pa.int64(), len(row), [None, memory.slice(begin, 8 * len(row))])
        begin += 8 * len(row) + gap * (key % 3)
    columns |= {key: pa.array([1, 2, None, key], pa.int32()) for key in (5, 80, 300)}
    found = list(keyed_counts(columns, "null_count"))
    assert [field.name for field, _ in found] == [f"null_count.{key}" for key in sorted(columns)]
    for (field, values), key in zip(found, sorted(columns), strict=True):
        values.validate(full=True)
        assert values.to_pylist() == columns[key].to_pylist()
        most, least = max(columns[key].drop_null().to_pylist()), min(columns[key].drop_null().to_pylist())
        assert field.type == values.type == count_type(least, most)


def array(values: list[int]) -> bytes:
    return b"".join(value.to_bytes(8, "little", signed=True) for value in values)
