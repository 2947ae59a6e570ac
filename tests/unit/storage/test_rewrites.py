"""Rewrites of recorded locations to current ones."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import RequestInvalid
from lakemuster.storage.locations import Rewrites


@pytest.mark.parametrize(
    ("old", "new", "location", "moved"),
    [
        ("s3://a/b", "s3://c", "s3://a/b/t/x", "s3://c/t/x"),
        ("s3://a/b/", "s3://c/", "s3://a/b/t/x", "s3://c/t/x"),
        ("s3://a/b", "s3://c", "s3://a/b", "s3://c"),
        ("s3://a/b", "s3://c", "s3://a/bc/x", "s3://a/bc/x"),
        ("s3://a/b", "s3://c", "s3a://a/b/x", "s3://c/x"),
        ("s3n://a/b", "/lake", "s3://a/b/x", "/lake/x"),
        ("s3://a/b/", "s3://c", "s3://a/b//metadata/x", "s3://c//metadata/x"),
        ("hdfs://node:8020/w", "s3://lake", "hdfs://node:8020/w/t", "s3://lake/t"),
        ("/w", "s3://lake", "file:/w/t", "s3://lake/t"),
        ("file:/w", "s3://lake", "file:///w/t", "s3://lake/t"),
        ("file:///w", "s3://lake", "/w/t", "s3://lake/t"),
        ("/", "/mnt", "/w/t", "/mnt/w/t"),
        ("/", "/mnt", "", ""),
        ("/w", "/", "/w", "/"),
        ("/w", "/", "/w/t", "/t"),
        ("data/persistent/x", "/lake/x", "data/persistent/x/metadata/v1", "/lake/x/metadata/v1"),
        ("data/persistent/x", "/lake/x", "./data/persistent/x/v1", "/lake/x/v1"),
        ("./x", "/lake/x", "x/metadata/v1", "/lake/x/metadata/v1"),
        ("./x/", "/lake/x", "./x", "/lake/x"),
        ("x", "/lake/x", "/x/t", "/x/t"),
        ("x", "/lake/x", "xy/t", "xy/t"),
        ("x", "/lake/x", "y/x/t", "y/x/t"),
        ("/a/day=1%3A0 é", "/b", "/a/day=1%3A0 é/x%2Fy", "/b/x%2Fy"),
    ],
)
def test_a_prefix_moves(old: str, new: str, location: str, moved: str) -> None:
    rewrites = Rewrites(((old, new),))
    assert rewrites.apply(location) == moved
    assert rewrites.apply_array(pa.array([location, None])).to_pylist() == [moved, None]


def test_the_longest_prefix_wins_in_any_order() -> None:
    pairs = (("s3://a", "/one"), ("s3://a/b/c", "/three"), ("s3://a/b", "/two"))
    for order in (pairs, pairs[::-1]):
        rewrites = Rewrites(order)
        assert [rewrites.apply(f"s3://a{rest}") for rest in ("/x", "/b/x", "/b/c/x", "/b/cx")] == [
            "/one/x",
            "/two/x",
            "/three/x",
            "/two/cx",
        ]


def test_a_location_moves_once() -> None:
    rewrites = Rewrites((("/a", "/b"), ("/b", "/c")))
    assert rewrites.apply("/a/x") == "/b/x"
    assert rewrites.apply_array(pa.array(["/a/x", "/b/x"])).to_pylist() == ["/b/x", "/c/x"]


def test_no_rewrites_change_nothing() -> None:
    column = pa.array(["s3://a/x", "y"])
    assert Rewrites().apply("s3://a/x") == "s3://a/x"
    assert Rewrites().apply_array(column) is column


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_a_column_keeps_its_type(kind: pa.DataType) -> None:
    column = pa.array(["/a/x", None, "/b/x", "/a/x"], pa.string()).cast(kind)
    for values in (column, column.slice(1, 3), pa.chunked_array([column, column.slice(0, 0)])):
        moved = Rewrites((("/a", "/z"),)).apply_array(values)
        assert moved.type == kind
        assert moved.to_pylist() == [value and value.replace("/a/", "/z/") for value in values.to_pylist()]


def test_rewrites_round_trip_through_json() -> None:
    rewrites = Rewrites((("/a", "/b"),))
    assert Rewrites(json.loads(json.dumps(rewrites.pairs))) == rewrites


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("data/x=/lake/x", ("data/x", "/lake/x")),
        ("s3://a/day=1=s3://b/day=1", ("s3://a/day=1", "s3://b/day=1")),
        ("/a/k=v=/b", ("/a/k=v", "/b")),
        ("x=lake/x", ("x", "lake/x")),
        ("x=file:/lake", ("x", "file:/lake")),
    ],
)
def test_the_command_line_form_is_parsed(text: str, pair: tuple[str, str]) -> None:
    assert Rewrites.parse([text]).pairs == (pair,)


@pytest.mark.parametrize("text", ["", "x", "=", "x=", "=x"])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(RequestInvalid, match="OLD=NEW"):
        Rewrites.parse([text])


texts = st.lists(
    st.sampled_from(
        ["s3://", "s3a://", "file:", "file://", "/", "./", "a", "ab", "b", "é", "/a", "/b", " ", "=", "%2F"]
    ),
    max_size=6,
).map("".join)


@given(st.lists(st.tuples(texts.filter(bool), texts.filter(bool)), max_size=4), st.lists(st.none() | texts, max_size=6))
def test_a_column_moves_as_its_values_do(pairs: list[tuple[str, str]], values: list[str | None]) -> None:
    rewrites = Rewrites(pairs)
    moved = rewrites.apply_array(pa.array(values, pa.string()))
    moved.validate(full=True)
    assert moved.to_pylist() == [None if value is None else rewrites.apply(value) for value in values]


def test_relative_locations_of_real_tables_lead_to_their_files(lakes: Path) -> None:
    table = lakes / "iceberg" / "hive_partitioned_table"
    rewrites = Rewrites((("data/persistent/hive_partitioned_table", str(table)),))
    metadata = json.loads((table / "metadata" / "v4.metadata.json").read_text())
    assert metadata["snapshots"]
    for snapshot in metadata["snapshots"]:
        assert Path(rewrites.apply(snapshot["manifest-list"])).is_file()
