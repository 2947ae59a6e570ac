"""Bounds of texts and binaries in files that PyIceberg wrote in several row groups."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.formats.iceberg.manifests import parse_manifest
from lakemuster.formats.iceberg.pyiceberg_bounds import MAX_RECORDED_BYTES, has_partial_bounds, unusable_bounds
from lakemuster.formats.iceberg.statistics import bound_field
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.iceberg.manifest_files import bounds, entry, manifest, struct_of, table_of

UUID = "7e1a0f5c-93b4-4c1e-8a2d-0123456789ab"
OURS = f"s3://b/t/data/day=1/00000-3-{UUID}.parquet"


def marked(paths, offsets, begin=0):
    return has_partial_bounds(pa.array(paths)[begin:], pa.array(offsets, pa.list_(pa.int64()))[begin:]).tolist()


@pytest.mark.parametrize(
    ("path", "is_ours"),
    [
        (OURS, True),
        (f"s3://b/t/data/0101/1010/00000-12-{UUID}.parquet", True),
        (f"s3://b/t/data/0101/1010/1001-00000-0-{UUID}.parquet", True),
        (f"s3://b/t/data/00000-3-{UUID}-00001.parquet", False),
        (f"s3://b/t/data/00000-3-{UUID}-0-00001.parquet", False),
        (f"s3://b/t/data/00001-3-{UUID}.parquet", False),
        (f"s3://b/t/data/{UUID}.parquet", False),
        (f"s3://b/t/data/00000-3-{UUID}.orc", False),
        (f"{OURS}\nx", False),
        (f"s3://b/{OURS}/x.parquet", False),
    ],
)
def test_files_are_told_by_their_names(path, is_ours):
    assert marked([path], [[4, 99]]) == [is_ours]
    for offsets in ([4], [], None):
        assert marked([path], [offsets]) == [False]
    assert has_partial_bounds(pa.array([path]), None).tolist() == [False]


def test_each_file_counts_for_itself():
    paths, offsets = [OURS, "a.parquet", OURS, OURS], [[4], [4, 9], [4, 9], None]
    assert marked(paths, offsets) == [False, False, True, False]
    assert marked(paths, offsets, begin=2) == [True, False]
    assert marked(paths, offsets, begin=4) == []


@pytest.mark.parametrize(
    ("of_type", "value", "may_be_long"),
    [
        (pa.string(), "a", True),
        (pa.binary(), b"a", True),
        (pa.binary(MAX_RECORDED_BYTES + 1), b"a" * (MAX_RECORDED_BYTES + 1), True),
        (pa.binary(MAX_RECORDED_BYTES), b"a" * MAX_RECORDED_BYTES, False),
        (pa.int64(), 1, False),
        (pa.timestamp("us"), 1, False),
    ],
)
def test_bounds_of_values_that_may_be_long_are_forgotten(of_type, value, may_be_long):
    values = pa.array([value, value, None], of_type)
    columns = [(bound_field(side, 1, of_type, "x"), values) for side in ("lower", "upper")]
    columns.append((pa.field("null_count.1", pa.int64()), pa.array([1, 2, 3])))
    found = {side: used.to_pylist() for side, _, _, used in unusable_bounds(columns, np.array([False, True, True]))}
    assert found == ({side: [value, None, None] for side in ("lower", "upper")} if may_be_long else {})


def test_recorded_bytes_stay():
    def of(path, **others):
        return entry(path, lower_bounds=bounds(c1=b"f", c2=b"f"), upper_bounds=bounds(c1=b"m", c2=b"m"), **others)

    whole = manifest([of(OURS, split_offsets=[4, 99]), of(OURS, split_offsets=[4]), of("a.parquet")])
    found = parse_manifest(whole, ManifestHeader("m", len(whole)), table_of(struct_of(c1="string", c2="binary")))
    for field_id, text in ((1, str), (2, bytes)):
        for side, value in (("lower", b"f"), ("upper", b"m")):
            typed = value.decode() if text is str else value
            assert found.column(f"{side}.{field_id}").to_pylist() == [None, typed, typed]
            assert raw_bounds(found, side, field_id).to_pylist() == [value] * 3
