"""Bounds of UUIDs: those that hold in the order of bytes and in Java's."""

import struct
from uuid import UUID

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.formats.iceberg.schemas import parse_primitive
from lakemuster.formats.iceberg.statistics import bound_field
from lakemuster.formats.iceberg.uuid_bounds import ordered_columns, ordered_pair
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, struct_of, table_of

IDS = [UUID(int=first << 120 | 5) for first in (0x00, 0x10, 0x7F, 0x80, 0x90, 0xFF)]
LOW, MIDDLE, HIGH, HIGHEST = IDS[1], IDS[2], IDS[4], IDS[5]
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
    kept_lower, kept_upper = ordered_pair(lower, upper)
    assert kept_lower is None or all(kept_lower <= value for value in values)
    assert kept_upper is None or all(value <= kept_upper for value in values)


def test_bounds_that_tell_their_order_are_kept():
    for pair in ((LOW, MIDDLE), (HIGH, HIGHEST), (LOW, HIGH), (HIGH, HIGH), (LOW, None), (None, HIGH), (3, 2)):
        assert ordered_pair(*pair) == pair
    assert ordered_pair(HIGH, LOW) == (None, None)
    assert ordered_pair(HIGH, None) == (None, None)
    assert ordered_pair(None, LOW) == (None, None)


some = st.none() | st.sampled_from(IDS)


@given(st.lists(st.tuples(some, some, st.booleans()), min_size=1))
def test_columns_keep_the_same_bounds_as_pairs_and_all_bytes(pairs):
    of, types = parse_primitive("uuid"), {1: parse_primitive("uuid")}
    odd = pa.array([b"x" if is_odd and lower is None else None for lower, _, is_odd in pairs], pa.binary())
    columns = []
    for at, side in enumerate(("lower", "upper")):
        typed = pa.array([None if pair[at] is None else pair[at].bytes for pair in pairs], pa.binary(16))
        columns.append((bound_field(side, 1, typed.type, of.text), typed))
        if side == "lower":
            columns.append((bound_field("lower_raw", 1, pa.binary(), of.text), odd))
    before = table_from(columns)
    after = table_from(list(ordered_columns(columns, types.__getitem__)))
    expected = [ordered_pair(lower, upper) for lower, upper, _ in pairs]
    for at, side in enumerate(("lower", "upper")):
        found = after.column(f"{side}.1").to_pylist() if f"{side}.1" in after.column_names else [None] * len(pairs)
        assert found == [None if pair[at] is None else pair[at].bytes for pair in expected]
        assert raw_bounds(after, side, 1).to_pylist() == raw_bounds(before, side, 1).to_pylist()


def table_from(columns):
    return pa.Table.from_arrays([values for _, values in columns], schema=pa.schema([field for field, _ in columns]))


def test_only_columns_of_uuids_are_looked_at():
    data = manifest([entry(lower_bounds=bounds(c1=HIGH.bytes, c2=HIGH.bytes), upper_bounds=bounds(c1=LOW.bytes))])
    found = parse_manifest(data, ManifestHeader("m", len(data)), table_of(struct_of(c1="uuid", c2="fixed[16]")))
    names = [name for name in found.column_names if name.startswith(("lower", "upper"))]
    assert names == ["lower_raw.1", "lower.2", "upper_raw.1"]
