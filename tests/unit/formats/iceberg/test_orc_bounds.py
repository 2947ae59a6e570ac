"""Bounds of ORC files are used as far as they hold for the values that readers return.

The recorded bounds are those that Iceberg 1.12 recorded for files of Spark 4.1 and ORC's Java writer.
"""

from __future__ import annotations

import struct

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.formats.iceberg.orc_bounds import STRIDE, changed_bounds
from lakemuster.formats.iceberg.statistics import bound_field
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, struct_of, table_of

FORMATS = ("ORC", "orc", "PARQUET", "AVRO")
WITHOUT_PARQUET = ("ORC", "orc", "AVRO")


def parsed(files, text):
    data = manifest(files)
    return parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1=text)))


def column_of(found, name):
    if name not in found.column_names:
        return [None] * found.num_rows
    values = found.column(name).combine_chunks()
    return (values.view(pa.int64()) if pa.types.is_timestamp(values.type) else values).to_pylist()


def of_each_format(lower, upper, text, formats=FORMATS, **others):
    sides = {"lower_bounds": bounds(c1=lower), "upper_bounds": bounds(c1=upper)}
    found = parsed([entry(file_format=name, **sides, **others) for name in formats], text)
    assert raw_bounds(found, "lower", 1).to_pylist() == [lower] * len(formats)
    assert raw_bounds(found, "upper", 1).to_pylist() == [upper] * len(formats)
    return column_of(found, "lower.1"), column_of(found, "upper.1")


def test_lower_bounds_of_strings_count_without_the_blanks_that_pad_char_values():
    lower, upper = of_each_format(b"ab   ", b"ab   ", "string")
    assert lower == ["ab", "ab", "ab   ", "ab   "]
    assert upper == ["ab   "] * 4
    assert of_each_format(b"a b", b"z", "string")[0] == ["a b"] * 4


@given(st.lists(st.text("a \t!\0", max_size=4), min_size=1), st.integers(1, 16))
@example(["a \0", "a"], 16)
def test_lower_bounds_of_padded_values_are_not_above_the_stripped_ones(values, length):
    padded = [value.rstrip(" ").ljust(4) for value in values]
    column = pa.array([min(padded)[:length]])
    columns = [(bound_field("lower", 1, column.type, "string"), column)]
    changed = list(changed_bounds(columns, pa.array([True]).to_numpy(False), pa.array([10]).to_numpy()))
    used = changed[0][3][0].as_py() if changed else column[0].as_py()
    assert all(used <= value.rstrip(" ") for value in padded)


def test_bounds_of_floating_point_columns_without_a_count_of_nan_are_unknown_where_strides_may_hide_numbers():
    five = struct.pack("<d", 5.0)
    for name in ("lower", "upper"):
        at = ("lower", "upper").index(name)
        assert of_each_format(five, five, "double", record_count=20_000)[at] == [None, None, 5.0, 5.0]
        assert of_each_format(five, five, "double", record_count=STRIDE)[at] == [5.0] * 4
    counted = {"record_count": 20_000, "nan_value_counts": [{"key": 1, "value": 3}]}
    assert of_each_format(five, five, "double", **counted) == ([5.0] * 4, [5.0] * 4)
    single = struct.pack("<f", 5.0)
    assert of_each_format(single, single, "float", record_count=20_000)[0] == [None, None, 5.0, 5.0]


def test_lower_bounds_in_the_first_second_of_1970_hold_for_the_second_before():
    for micros, used in ((0, -1_000_000), (500_000, -500_000), (1_000_000, 1_000_000), (-1, -1), (999_999, -1)):
        recorded = struct.pack("<q", micros)
        lower, upper = of_each_format(recorded, recorded, "timestamptz", WITHOUT_PARQUET)
        assert (lower, upper) == ([used, used, micros], [micros] * 3)
    recorded = struct.pack("<q", 10**9 - 1)
    assert of_each_format(recorded, recorded, "timestamp_ns")[0] == [-1, -1, 10**9 - 1, 10**9 - 1]
