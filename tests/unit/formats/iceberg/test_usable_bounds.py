"""Bounds that prove something: not inverted, not padded, and those of UUIDs in the order of bytes and in Java's."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.statistics import bound_field
from lakemuster.formats.iceberg.usable_bounds import usable_columns, usable_pair, usable_summary
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.index.zones import segment_zones
from lakemuster.metadata import bound_order
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, struct_of, table_of
from tests.unit.formats.iceberg.single_values import encode

IDS = [UUID(int=first << 120 | 5) for first in (0x00, 0x10, 0x7F, 0x80, 0x90, 0xFF)]
LOW, MIDDLE, HIGH, HIGHEST = IDS[1], IDS[2], IDS[4], IDS[5]
OF_UUID = parse_primitive("uuid")
uuids = st.lists(st.sampled_from(IDS), min_size=1)


def signed(value: UUID) -> tuple[int, int]:
    """Order values as java.util.UUID does."""
    high, low = struct.unpack(">qq", value.bytes)
    return high, low


@given(uuids, st.booleans(), st.booleans(), st.booleans())
def test_kept_bounds_enclose_all_values_in_either_order(values, of_java, has_lower, has_upper):
    key = signed if of_java else None
    lower = min(values, key=key) if has_lower else None
    upper = max(values, key=key) if has_upper else None
    kept_lower, kept_upper = usable_pair(lower, upper, OF_UUID)
    assert kept_lower is None or all(kept_lower <= value for value in values)
    assert kept_upper is None or all(value <= kept_upper for value in values)


def test_bounds_that_tell_their_order_are_kept():
    for pair in ((LOW, MIDDLE), (HIGH, HIGHEST), (LOW, HIGH), (HIGH, HIGH), (LOW, None), (None, HIGH)):
        assert usable_pair(*pair, OF_UUID) == pair
    for pair in ((HIGH, LOW), (HIGH, None), (None, LOW), (MIDDLE, LOW), (HIGHEST, HIGH)):
        assert usable_pair(*pair, OF_UUID) == (None, None)


PAIRS = {
    "boolean": (False, True),
    "int": (-3, 2),
    "long": (-(2**40), 2**40),
    "float": (-1.5, 2.0),
    "double": (-math.inf, -0.5),
    "decimal(9,2)": (Decimal("-12.34"), Decimal("0.05")),
    "decimal(38,2)": (Decimal("-1234567890123456789012.34"), Decimal("0.05")),
    "date": (-1, 20_000),
    "time": (5, 80_000_000_000),
    "timestamp": (-(10**15), 10**15),
    "timestamptz_ns": (10**18, 10**18 + 1),
    "string": ("b", "é"),
    "binary": (b"b", b"\xff"),
    "fixed[2]": (b"a\x00", b"a\xff"),
}
"""A smaller and a greater value of each type."""


@pytest.mark.parametrize("text", PAIRS)
@pytest.mark.parametrize("together", [True, False])
def test_both_bounds_of_an_inverted_pair_are_unknown_and_their_bytes_kept(monkeypatch, text, together):
    monkeypatch.setattr(bound_order, "_FEW_ROWS", 10**6 if together else 0)
    of, (low, high) = parse_primitive(text), PAIRS[text]
    pairs = [(low, high), (high, low), (None, low), (high, None), (high, high), (None, None)]
    expected = [(None, None) if pair == (high, low) else pair for pair in pairs]
    assert [usable_pair(*pair, of) for pair in pairs] == expected
    files = [
        entry(
            lower_bounds=[] if one is None else bounds(c1=encode(text, one), c2=encode(text, one)),
            upper_bounds=[] if other is None else bounds(c1=encode(text, other)),
        )
        for one, other in pairs
    ]
    data = manifest(files)
    found = parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1=text, c2=text)))
    for at, side in enumerate(("lower", "upper")):
        assert column_of(found, f"{side}.1") == [pair[at] for pair in expected]
        recorded = [None if pair[at] is None else encode(text, pair[at]) for pair in pairs]
        assert raw_bounds(found, side, 1).to_pylist() == recorded
    assert column_of(found, "lower.2") == [pair[0] for pair in pairs]


def column_of(table, name):
    """Return a column's values in internal form."""
    values = table.column(name).combine_chunks()
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    return values.to_pylist()


def test_zones_do_not_enclose_inverted_bounds():
    long = struct.Struct("<q").pack
    files = [entry(lower_bounds=bounds(c1=long(a)), upper_bounds=bounds(c1=long(b))) for a, b in ((0, 9), (30, 20))]
    data = manifest(files)
    found = parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1="long")))
    assert not {"lower.1", "upper.1"} & set(segment_zones(found, [2]).schema.names)


def test_zeros_and_nan_are_not_inverted():
    of = parse_primitive("double")
    for pair in ((0.0, -0.0), (math.nan, 1.0), (1.0, math.nan)):
        assert usable_pair(*pair, of) == pair
    files = [
        entry(lower_bounds=bounds(c1=struct.pack("<d", a)), upper_bounds=bounds(c1=struct.pack("<d", b)))
        for a, b in ((0.0, -0.0), (math.nan, 1.0), (1.0, math.nan))
    ]
    data = manifest(files)
    found = parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1="double")))
    assert found.column("lower.1").null_count == found.column("upper.1").null_count == 0


def test_bytes_of_an_inverted_pair_from_before_a_promotion_are_kept():
    four, eight = struct.pack("<i", 7), struct.pack("<q", 3)
    data = manifest([entry(lower_bounds=bounds(c1=four), upper_bounds=bounds(c1=eight))])
    found = parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1="long")))
    names = [name for name in found.column_names if name.startswith(("lower", "upper"))]
    assert names == ["lower_raw.1", "upper_raw.1"]
    assert [raw_bounds(found, side, 1).to_pylist() for side in ("lower", "upper")] == [[four], [eight]]


def test_lower_bounds_of_strings_are_used_without_the_zero_bytes_that_pad_them():
    recorded = [b"", b"ab\0\0", b"\0", b"a\0b", b"z\0"]
    upper = [b"ab\0\0"] * 5
    files = [entry(lower_bounds=bounds(c1=a), upper_bounds=bounds(c1=b)) for a, b in zip(recorded, upper, strict=True)]
    data = manifest([*files, entry()])
    found = parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1="string")))
    assert column_of(found, "lower.1") == ["", "ab", "", "a\0b", None, None]
    assert raw_bounds(found, "lower", 1).to_pylist() == [*recorded, None]
    assert raw_bounds(found, "upper", 1).to_pylist() == [*upper, None]
    assert found.column("upper.1").null_count == 2
    of = parse_primitive("string")
    pairs = [usable_pair(a.decode(), b.decode(), of) for a, b in zip(recorded, upper, strict=True)]
    assert [None if low is None else len(low) for low, _ in pairs] == [0, 2, 0, 3, None]


@pytest.mark.parametrize("text", ["binary", "fixed[2]"])
def test_zero_bytes_of_other_values_are_their_own(text):
    of = parse_primitive(text)
    assert usable_pair(b"a\0", b"b\0", of) == (b"a\0", b"b\0")


some = st.none() | st.sampled_from(IDS)


@given(st.lists(st.tuples(some, some, st.booleans()), min_size=1))
def test_columns_keep_the_same_bounds_as_pairs_and_all_bytes(pairs):
    odd = pa.array([b"x" if is_odd and lower is None else None for lower, _, is_odd in pairs], pa.binary())
    columns = []
    for at, side in enumerate(("lower", "upper")):
        typed = pa.array([None if pair[at] is None else pair[at].bytes for pair in pairs], pa.binary(16))
        columns.append((bound_field(side, 1, typed.type, OF_UUID.text), typed))
        if side == "lower":
            columns.append((bound_field("lower_raw", 1, pa.binary(), OF_UUID.text), odd))
    before = table_from(columns)
    after = table_from(usable_columns(columns, {1: OF_UUID}.__getitem__))
    expected = [usable_pair(lower, upper, OF_UUID) for lower, upper, _ in pairs]
    for at, side in enumerate(("lower", "upper")):
        found = after.column(f"{side}.1").to_pylist() if f"{side}.1" in after.column_names else [None] * len(pairs)
        assert found == [None if pair[at] is None else pair[at].bytes for pair in expected]
        assert raw_bounds(after, side, 1).to_pylist() == raw_bounds(before, side, 1).to_pylist()


def table_from(columns):
    return pa.Table.from_arrays([values for _, values in columns], schema=pa.schema([field for field, _ in columns]))


def test_only_columns_of_uuids_are_compared_in_javas_order():
    data = manifest([entry(lower_bounds=bounds(c1=HIGH.bytes, c2=HIGH.bytes), upper_bounds=bounds(c1=LOW.bytes))])
    found = parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1="uuid", c2="fixed[16]")))
    names = [name for name in found.column_names if name.startswith(("lower", "upper"))]
    assert names == ["lower_raw.1", "lower.2", "upper_raw.1"]


@pytest.mark.parametrize(
    ("upper", "used"),
    [
        ("0123456789abcdef", "0123456789abcdeg"),
        ("0123456789abcd\u00e9", "0123456789abcd\u00ea"),
        ("0123456789abc\ud7ff", "0123456789abc\ue000"),
        ("0123456789ab\U0010ffff", "0123456789ac"),
        ("\U0010ffff" * 4, None),
        ("0123456789abcde", "0123456789abcde"),
        ("0123456789abcdefg", "0123456789abcdefg"),
    ],
)
def test_an_upper_bound_of_16_bytes_in_a_summary_is_a_prefix(upper, used):
    assert usable_summary("0", upper, parse_primitive("string")) == ("0", used)
    assert usable_summary("0", "1", parse_primitive("string")) == ("0", "1")
