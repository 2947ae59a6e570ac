from __future__ import annotations

import contextlib
import struct
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg import statistics
from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.statistics import bound_columns, count_columns
from lakemuster.formats.iceberg.values import raw_bounds
from tests.unit.formats.iceberg.single_values import TYPES, VALUES, encode

COUNTS = pa.list_(pa.struct([("k", pa.int32()), ("v", pa.int64())]))
BOUNDS = pa.list_(pa.struct([("k", pa.int32()), ("v", pa.binary())]))
BY_ID = dict(enumerate(sorted(VALUES), 1)) | {70_000: "long", 2147483546: "string"}


def key_orders(ids):
    """Return a strategy of a map's keys: mostly all ids, sometimes few, repeated or none."""
    usual = st.just(tuple(ids))
    return st.one_of(usual, usual, st.lists(st.sampled_from(ids), max_size=6).map(tuple))


def maps_of(value_of):
    ids = st.lists(st.sampled_from(sorted(BY_ID)), min_size=1, max_size=5, unique=True)
    row = ids.flatmap(
        lambda ids: st.lists(
            st.none() | key_orders(ids).flatmap(lambda keys: st.tuples(*[value_of(key) for key in keys])),
            min_size=1,
            max_size=7,
        )
    )
    return row.map(lambda rows: [None if row is None else list(row) for row in rows])


def as_maps(rows, of):
    return pa.array([None if row is None else [{"k": key, "v": value} for key, value in row] for row in rows], of)


def expected(rows):
    """Return each key's values by row; the last value of a repeated key wins."""
    keys = {key for row in rows for key, value in row or () if value is not None}
    last = [dict(row or ()) for row in rows]
    return {key: [row.get(key) for row in last] for key in keys if any(row.get(key) is not None for row in last)}


def counts_of(key):
    """Return a strategy of counts near the limits of integer types, and of any size."""
    ends = st.sampled_from(
        [-(2**63), *(sign * 2**bits + by for bits in (7, 15, 31) for sign in (-1, 1) for by in (-1, 0))]
    )
    return st.tuples(st.just(key), st.none() | st.integers(0, 100) | ends | st.integers(-3, 2**63 - 1))


many_groups_or_none = st.sampled_from([0, 2, statistics._MAX_GROUPS])
"""Limits of distinct key lists, above which each item is placed separately."""


@given(maps_of(counts_of), many_groups_or_none)
def test_every_count_lands_in_the_column_of_its_key(rows, groups):
    maps = as_maps(rows, COUNTS)
    with patch.object(statistics, "_MAX_GROUPS", groups):
        columns = {field.name: values for field, values in count_columns(maps, "k", "v", "null_count")}
    assert {name: values.to_pylist() for name, values in columns.items()} == {
        f"null_count.{key}": values for key, values in expected(rows).items()
    }
    for name, values in columns.items():
        values.validate(full=True)
        known = [value for value in values.to_pylist() if value is not None]
        assert values.type == narrowest(known), name


def narrowest(values):
    """Return the first integer type into which Arrow converts all values."""
    for of in (pa.int8(), pa.int16(), pa.int32()):
        with contextlib.suppress(pa.ArrowInvalid):
            pa.array(values, of)
            return of
    return pa.int64()


def raw_value(key):
    name = BY_ID[key]
    return st.tuples(
        st.just(key), st.none() | VALUES[name].map(lambda value: encode(name, value)) | st.binary(max_size=9)
    )


@given(maps_of(raw_value), st.integers(0, 2), many_groups_or_none)
def test_every_bound_comes_back_byte_for_byte_from_the_column_of_its_key(rows, skipped, groups):
    maps = as_maps(rows, BOUNDS)[skipped:]
    rows = rows[skipped:]
    with patch.object(statistics, "_MAX_GROUPS", groups):
        columns = list(bound_columns(maps, "k", "v", "upper", lambda key: parse_primitive(BY_ID[key])))
    columns.append((pa.field("status", pa.int8()), pa.array([1] * len(rows), pa.int8())))
    table = pa.table([values for _, values in columns], schema=pa.schema([field for field, _ in columns]))
    table.validate(full=True)
    wanted = expected(rows)
    names = {f"upper.{key}" for key in wanted} | {f"upper_raw.{key}" for key in wanted} | {"status"}
    assert set(table.column_names) <= names
    for key, raw in wanted.items():
        assert raw_bounds(table, "upper", key).to_pylist() == raw
    assert not any(rows and values.null_count == len(values) for _, values in columns)


@given(
    st.sampled_from(sorted(VALUES)).flatmap(lambda name: st.tuples(st.just(name), st.lists(VALUES[name], min_size=1)))
)
def test_canonical_bounds_are_typed_and_have_no_raw_column(column):
    name, values = column
    rows = [[(1, encode(name, value)), (2, b"\x00\x00\x00\x00")] for value in values]
    types = {1: TYPES[name], 2: parse_primitive("int")}
    fields = [field for field, _ in bound_columns(as_maps(rows, BOUNDS), "k", "v", "lower", types.__getitem__)]
    assert [field.name for field in fields] == ["lower.1", "lower.2"]
    assert [field.metadata[b"type"].decode() for field in fields] == [name, "int"]


def test_columns_come_by_increasing_field_id():
    rows = [[(9, 1), (3, 2), (70_000, 3), (4, 4)]]
    assert [field.name for field, _ in count_columns(as_maps(rows, COUNTS), "k", "v", "value_count")] == [
        "value_count.3",
        "value_count.4",
        "value_count.9",
        "value_count.70000",
    ]


def test_only_the_rows_whose_bytes_are_odd_are_kept_raw():
    raw = [struct.pack("<q", 1), struct.pack("<i", 2), None, struct.pack("<q", 3)]
    rows = [[] if value is None else [(1, value)] for value in raw]
    columns = {
        field.name: values.to_pylist()
        for field, values in bound_columns(as_maps(rows, BOUNDS), "k", "v", "lower", lambda _: parse_primitive("long"))
    }
    assert columns == {"lower.1": [1, 2, None, 3], "lower_raw.1": [None, raw[1], None, None]}


def test_one_string_that_is_not_text_leaves_other_columns_typed():
    rows = [[(1, b"a"), (2, b"\xff")], [(1, b"b"), (2, b"ok")]]
    columns = {
        field.name: values.to_pylist()
        for field, values in bound_columns(
            as_maps(rows, BOUNDS), "k", "v", "lower", lambda _: parse_primitive("string")
        )
    }
    assert columns == {"lower.1": ["a", "b"], "lower.2": [None, "ok"], "lower_raw.2": [b"\xff", None]}


def test_maps_of_a_null_row_do_not_count_though_they_hold_items():
    inner = pa.array([{"k": 1, "v": 10}, {"k": 1, "v": 20}], COUNTS.value_type)
    maps = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), inner, mask=pa.array([True, False]))
    assert [(f.name, v.to_pylist()) for f, v in count_columns(maps, "k", "v", "null_count")] == [
        ("null_count.1", [None, 20])
    ]


def test_a_null_key_is_corrupt():
    with pytest.raises(MetadataCorrupt, match="null key"):
        list(count_columns(as_maps([[(None, 1)]], COUNTS), "k", "v", "null_count"))


def test_more_keys_than_a_table_can_have_are_refused(monkeypatch):
    monkeypatch.setattr(statistics, "MAX_KEYS", 3)
    with pytest.raises(LimitExceeded):
        list(count_columns(as_maps([[(key, 1) for key in range(4)], []], COUNTS), "k", "v", "null_count"))
    for rows in (4, 12):
        with pytest.raises(LimitExceeded):
            list(count_columns(as_maps([[(key, 1)] for key in range(rows)], COUNTS), "k", "v", "null_count"))
