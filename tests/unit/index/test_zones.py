"""Zones: their minima and maxima against Python's, and their place at the end of a segment's file."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from itertools import permutations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemuster.index.segment_files import Segment, write_segment
from lakemuster.index.zone_block import Zones, _Columns, read_zones
from lakemuster.index.zones import ROWS, segment_zones, zone_starts
from tests.examples import examples

VALUES: dict[pa.DataType, Any] = {
    pa.bool_(): st.booleans(),
    pa.int8(): st.integers(-128, 127),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float32(): st.floats(allow_nan=True, width=32),
    pa.float64(): st.floats(allow_nan=True),
    pa.date32(): st.dates(),
    pa.time32("ms"): st.times().map(lambda time: time.replace(microsecond=0)),
    pa.time64("us"): st.times(),
    pa.timestamp("us", "UTC"): st.datetimes(timezones=st.just(dt.UTC)),
    pa.decimal128(9, 2): st.decimals("-1e6", "1e6", places=2),
    pa.decimal128(18, 0): st.integers(-(10**18) + 1, 10**18 - 1).map(Decimal),
    pa.decimal128(38, 0): st.integers(-(10**38) + 1, 10**38 - 1).map(Decimal),
    pa.string(): st.text(st.sampled_from("ab\0é"), max_size=20),
    pa.binary(): st.binary(max_size=20),
    pa.binary(9): st.binary(min_size=9, max_size=9),
}


@settings(deadline=None, max_examples=examples(60))
@pytest.mark.parametrize("of", list(VALUES), ids=str)
@given(st.data(), st.integers(1, 4), st.integers(0, 3))
def test_a_zone_has_the_extremes_of_its_entries(of: pa.DataType, data: Any, size: int, skip: int):
    values = data.draw(st.lists(st.none() | VALUES[of], min_size=1, max_size=9))
    array = pa.array([None] * skip + values, of).slice(skip)
    zones = segment_zones(pa.table({"lower.7": array, "upper.7": array}), [len(array)], size)
    assert zones.num_rows == len(zone_starts([len(array)], size))
    for number in range(zones.num_rows):
        own = array.slice(number * size, size).to_pylist()
        known = None not in own and not any(isinstance(value, float) and math.isnan(value) for value in own)
        for name, extreme in (("lower.7", min), ("upper.7", max)):
            found = zones.column(name)[number].as_py() if name in zones.schema.names else None
            assert found == (extreme(own) if known else None)


@pytest.mark.parametrize("texts", [[b"", b"\0", b"\0" * 8, b"\0" * 9], [b"12345678b", b"12345678a", b"12345678"]])
def test_texts_with_a_common_prefix_are_distinguished(texts: list[bytes]) -> None:
    for some in permutations(texts):
        zones = segment_zones(pa.table({"lower.1": pa.array(some), "upper.1": pa.array(some)}), [len(some)])
        assert zones.column("lower.1").to_pylist() == [min(texts)]
        assert zones.column("upper.1").to_pylist() == [max(texts)]


def test_a_chunked_table_has_the_same_zones() -> None:
    table = table_of(5)
    pieces = pa.concat_tables([table.slice(0, 700), table.slice(700, 1), table.slice(701)])
    assert segment_zones(pieces, [2000, 1000]).equals(segment_zones(table, [2000, 1000]))


def table_of(columns: int) -> pa.Table:
    found: dict[str, Any] = {"record_count": list(range(3000))}
    for field_id in range(columns):
        found[f"lower.{field_id}"] = [f"{number + field_id:06}" for number in range(3000)]
        found[f"null_count.{field_id}"] = pa.array([None, *[0] * 2999], pa.int8())
    return pa.table(found)


@pytest.mark.parametrize("columns", [0, 3, 700])
def test_zones_are_read_from_the_end_of_a_segment_that_still_is_an_arrow_file(tmp_path: Path, columns: int) -> None:
    table, path = table_of(columns), tmp_path / "s.arrow"
    assert write_segment(table, path, [2000, 1000]).bytes == path.stat().st_size
    found = read_zones(path)
    assert found is not None
    columns_of = [found.column(place) for place in range(len(found.schema))]
    zones = pa.RecordBatch.from_arrays(columns_of, schema=found.schema)
    zones.validate(full=True)
    assert zones.equals(segment_zones(table, [2000, 1000]))
    assert found.schema.metadata == zones.schema.metadata
    assert found.num_rows == 3
    assert found.counts(0).tolist() == [1024, 976, 1000]
    assert zones.column(ROWS).to_pylist() == [1024, 976, 1000]
    if columns:
        assert zones.column("lower.1").to_pylist() == ["000001", "001025", "002001"]
        assert zones.column("null_count.1").to_pylist() == [-1, 0, 0]
    assert Segment("s", path).table().equals(table)
    assert pa.ipc.open_file(path).read_all().equals(table)


@settings(deadline=None, max_examples=examples(10))
@given(st.data())
def test_columns_of_any_type_are_read_as_arrow_reads_them(data: Any) -> None:
    columns = {
        f"lower.{number}": pa.array(data.draw(st.lists(st.none() | values, min_size=3, max_size=3)), of)
        for number, (of, values) in enumerate(VALUES.items())
    }
    batch = pa.record_batch(columns)
    message = bytes(batch.serialize())
    zones = Zones(message, _Columns.of(bytes(batch.schema.serialize())))
    for place, values in enumerate(batch.columns):
        found = zones.column(place)
        found.validate(full=True)
        assert found.type == values.type
        assert found.to_pylist() == values.to_pylist() or pa.types.is_floating(values.type)
        assert found.is_null().equals(values.is_null())
        if values.type == pa.int64() and not values.null_count:
            assert zones.counts(place).tolist() == values.to_pylist()


def test_incomplete_zones_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "s.arrow"
    write_segment(table_of(2), path)
    whole = path.read_bytes()
    end = whole.rindex(b"MZONES1")
    for place in (end, end + 9, end + 17, end + 25, end - 1, end - 900):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_zones(path) is None
    for length in (0, 5, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert read_zones(path) is None


def test_a_segment_without_zones_has_none(tmp_path: Path) -> None:
    path = tmp_path / "s.arrow"
    table = table_of(2)
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    assert read_zones(path) is None
