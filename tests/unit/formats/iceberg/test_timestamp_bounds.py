"""Bounds of timestamps that writers cut to milliseconds, or recorded in milliseconds."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.formats.iceberg.statistics import bound_field
from lakemuster.formats.iceberg.timestamp_bounds import DELTA_VERSION, LAST_MILLISECOND, is_of_delta, loosened_bounds
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, struct_of, table_of

LONGS = st.integers(-(2**63), 2**63 - 1)


def used(text, recorded, properties=None, file_format="PARQUET"):
    """Return the bounds that are used for one file, given its recorded bytes of both."""
    data = struct.pack("<q", recorded)
    file = entry(file_format=file_format, lower_bounds=bounds(c1=data), upper_bounds=bounds(c1=data))
    whole = manifest([file])
    table = replace(table_of(struct_of(c1=text)), properties=properties or {})
    found = parse_manifest(whole, ManifestHeader("m", len(whole)), table)
    for side in ("lower", "upper"):
        assert raw_bounds(found, side, 1).to_pylist() == [data]
    columns = (found.column(f"{side}.1").combine_chunks() for side in ("lower", "upper"))
    return [(own.view(pa.int64()) if pa.types.is_timestamp(own.type) else own)[0].as_py() for own in columns]


def loosened(side, values, *, parquet, is_of_delta=False):
    """Return bounds of microseconds as they are used."""
    column = pa.array(values, pa.timestamp("us"))
    columns = [(bound_field(side, 1, column.type, "timestamp"), column)]
    changed = list(loosened_bounds(columns, np.full(len(values), parquet), is_of_delta=is_of_delta))
    return (changed[0][3] if changed else column).view(pa.int64()).to_pylist()


@pytest.mark.parametrize(
    ("text", "recorded", "raised"),
    [
        ("timestamp", 1_786_392_293_080_000, 1_786_392_293_080_999),
        ("timestamptz", -LAST_MILLISECOND - 1, -LAST_MILLISECOND + 998),
        ("timestamptz", 1_786_392_293_080_758, 1_786_392_293_080_758),
        ("timestamp_ns", 80_000_000, 80_999_999),
        ("long", 1_000, 1_000),
    ],
)
def test_an_upper_bound_is_the_end_of_its_millisecond_in_tables_of_delta_alone(text, recorded, raised):
    assert used(text, recorded, {DELTA_VERSION: "7"}) == [recorded, raised]
    assert used(text, recorded, {"delta.feature": "x"}) == [recorded, recorded]


@pytest.mark.parametrize(
    ("recorded", "in_either_unit"),
    [
        (1_577_836_800_000, [1_577_836_800_000, 1_577_836_800_000_000]),
        (-1_577_836_800_000, [-1_577_836_800_000_000, -1_577_836_800_000]),
        (LAST_MILLISECOND, [LAST_MILLISECOND, LAST_MILLISECOND * 1000]),
        (LAST_MILLISECOND + 1, [LAST_MILLISECOND + 1] * 2),
        (-LAST_MILLISECOND - 1, [-LAST_MILLISECOND - 1] * 2),
        (0, [0, 0]),
    ],
)
def test_a_small_number_of_a_parquet_file_may_be_milliseconds(recorded, in_either_unit):
    for text in ("timestamp", "timestamptz"):
        assert used(text, recorded) == in_either_unit
        assert used(text, recorded, file_format="ORC")[1] == used(text, recorded, file_format="AVRO")[1] == recorded
    assert used("timestamp_ns", recorded) == used("long", recorded) == [recorded] * 2


@given(st.lists(LONGS | st.none(), min_size=1))
@example([2**63 - 1])
def test_no_bound_is_below_the_values_that_were_cut_to_it(values):
    cut = [None if value is None else value - value % 1000 for value in values]
    cut = [None if value is None or value < -(2**63) else value for value in cut]
    for value, was, bound in zip(values, cut, loosened("upper", cut, parquet=False, is_of_delta=True), strict=True):
        assert (bound is None) == (was is None)
        assert was is None or bound >= value


@given(st.lists(LONGS | st.none(), min_size=1))
@example([-(2**63), 2**63 - 1])
def test_bounds_hold_for_numbers_in_either_unit(values):
    sides = (loosened(side, values, parquet=True) for side in ("lower", "upper"))
    for value, lower, upper in zip(values, *sides, strict=True):
        if value is None:
            assert (lower, upper) == (None, None)
        else:
            assert lower <= value <= upper
            assert abs(value) > LAST_MILLISECOND or lower <= value * 1000 <= upper


def test_the_property_of_delta_is_known():
    assert is_of_delta({"delta-version": "3", "delta-timestamp": "1700000000000"})
    assert not is_of_delta({})
