"""Bounds of tables that Delta Lake's UniForm writes: upper bounds of timestamps are cut to milliseconds."""

from __future__ import annotations

import struct
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.delta_bounds import VERSION, is_of_delta, raised_bounds
from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.formats.iceberg.statistics import bound_field
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, struct_of, table_of

LONGS = st.integers(-(2**63), 2**63 - 1)


def used(text, recorded, properties):
    """Return the bounds that are used for one file, given its recorded bytes of both."""
    data = manifest([entry(lower_bounds=bounds(c1=recorded), upper_bounds=bounds(c1=recorded))])
    table = replace(table_of(struct_of(c1=text)), properties=properties)
    found = parse_manifest(data, ManifestHeader("m", len(data)), table)
    for side in ("lower", "upper"):
        assert raw_bounds(found, side, 1).to_pylist() == [recorded]
    columns = (found.column(f"{side}.1").combine_chunks() for side in ("lower", "upper"))
    return [(own.view(pa.int64()) if pa.types.is_timestamp(own.type) else own)[0].as_py() for own in columns]


@pytest.mark.parametrize(
    ("text", "recorded", "raised"),
    [
        ("timestamp", 1_786_392_293_080_000, 1_786_392_293_080_999),
        ("timestamptz", -1_000, -1),
        ("timestamptz", 1_786_392_293_080_758, 1_786_392_293_080_758),
        ("timestamp_ns", 80_000_000, 80_999_999),
        ("long", 1_000, 1_000),
    ],
)
def test_an_upper_bound_is_the_end_of_its_millisecond_in_tables_of_delta_alone(text, recorded, raised):
    data = struct.pack("<q", recorded)
    assert used(text, data, {VERSION: "7"}) == [recorded, raised]
    assert used(text, data, {"delta.feature": "x"}) == [recorded, recorded]


@given(st.lists(LONGS | st.none(), min_size=1))
@example([2**63 - 1])
def test_no_bound_is_below_the_values_that_were_cut_to_it(values):
    cut = [None if value is None else value - value % 1000 for value in values]
    cut = [None if value is None or value < -(2**63) else value for value in cut]
    column = pa.array(cut, pa.timestamp("us"))
    changed = list(raised_bounds([(bound_field("upper", 1, column.type, "timestamp"), column)]))
    found = (changed[0][3] if changed else column).view(pa.int64()).to_pylist()
    for value, was, bound in zip(values, cut, found, strict=True):
        assert (bound is None) == (was is None)
        assert was is None or bound >= value


def test_the_property_of_delta_is_known():
    assert is_of_delta({"delta-version": "3", "delta-timestamp": "1700000000000"})
    assert not is_of_delta({})
