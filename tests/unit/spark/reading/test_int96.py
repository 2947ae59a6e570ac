"""INT96 timestamps as Java writes them: with signed nanoseconds of the day, and years from 1 on."""

from __future__ import annotations

import io
import struct
from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.spark.reading.int96 import instants, is_int96, open_parquet
from tests.unit.spark.reading.iceberg.lake import column, file_row, rows, table
from tests.unit.spark.reading.paimon.lake import MemoryLake, field_row, planned, rows_of, schema_row, to_read

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
moments = st.none() | st.datetimes()


def as_java(moment: datetime | None) -> bytes | None:
    """Return Paimon's INT96: the day is truncated towards 1970, so that earlier nanoseconds are negative."""
    if moment is None:
        return None
    micros = (moment - EPOCH) // timedelta(microseconds=1)
    sign = -1 if micros < 0 else 1
    day, rest = divmod(abs(micros), 86_400_000_000)
    return struct.pack("<qi", sign * rest * 1000, 2_440_588 + sign * day)


def as_day(moment: datetime | None) -> bytes | None:
    """Return Spark's INT96: the nanoseconds count from the start of the day."""
    if moment is None:
        return None
    day = (moment - EPOCH) // timedelta(days=1)
    rest = (moment - EPOCH - timedelta(days=day)) // timedelta(microseconds=1)
    return struct.pack("<qi", rest * 1000, 2_440_588 + day)


def written(tables: pa.Table, **options: object) -> bytes:
    """Return a Parquet file with INT96 timestamps, as Arrow writes it."""
    out = io.BytesIO()
    pq.write_table(tables, out, use_deprecated_int96_timestamps=True, **options)
    return out.getvalue()


def file_of(stored: list[bytes | None], **options: object) -> pa.NativeFile:
    """Return a file with the given INT96 values in place of the placeholders that Arrow writes."""
    marks = [None if one is None else 1_000_000_000_000_000_000 + number for number, one in enumerate(stored)]
    data = bytearray(
        written(pa.table({"id": range(len(stored)), "at": pa.array(marks, pa.timestamp("ns"))}), **options)
    )
    for mark, one in zip(marks, stored, strict=True):
        if mark is not None and one is not None:
            day, rest = divmod(mark, 86_400_000_000_000)
            placeholder = struct.pack("<qi", rest, 2_440_588 + day)
            assert data.count(placeholder) == 1
            at = data.index(placeholder)
            data[at : at + 12] = one
    return pa.BufferReader(bytes(data))


PLAIN = {"compression": "none", "use_dictionary": False, "write_statistics": False}


@given(st.lists(moments, min_size=1, max_size=5), st.sampled_from([as_java, as_day]), st.booleans())
def test_every_moment_is_read_as_it_is(given_moments, write, with_dictionary):
    source = file_of([write(one) for one in given_moments], **{**PLAIN, "use_dictionary": with_dictionary})
    column = open_parquet(source).read().column("at").combine_chunks()
    assert is_int96(column.type)
    assert instants(column).to_pylist() == given_moments
    assert instants(column.slice(1)).to_pylist() == given_moments[1:]


def test_arrow_takes_them_for_others():
    """Arrow alone reads 1600 as 2184, which is why the reader corrects INT96."""
    source = file_of([as_java(datetime(1600, 1, 1, 12))], **PLAIN)  # noqa: DTZ001
    [wrong] = pq.ParquetFile(source, coerce_int96_timestamp_unit="us").read().column("at").to_pylist()
    assert wrong.year == 2184


def test_all_else_in_a_file_stays_as_it_is():
    times = pa.array([datetime(2024, 1, 1, 1, 2, 3, 4), None, datetime(1969, 12, 31)] * 700, pa.timestamp("us"))  # noqa: DTZ001
    columns = {
        "flag": pa.array([True, False, None] * 700),
        "at": times,
        "words": pa.array([["a"], None, ["b", None]] * 700),
        "place": pa.StructArray.from_arrays([times, pa.array(range(2100))], ["at", "n"]),
        "times": pa.array([[one] for one in times.to_pylist()], pa.list_(pa.timestamp("us"))),
        **{f"c{number}": pa.array(range(2100)) for number in range(20)},
    }
    data = written(pa.table(columns), row_group_size=100, store_schema=False)
    expected = pq.read_table(pa.BufferReader(data))
    found = open_parquet(pa.BufferReader(data)).read()
    other = {"at", "place", "times"}
    assert found.select(set(columns) - other) == expected.select(set(columns) - other)
    assert instants(found["at"].combine_chunks()) == times
    assert instants(found["place"].combine_chunks().field(0)) == times
    assert instants(found["times"].combine_chunks().values) == times


def test_files_without_int96_are_opened_once():
    class Counting(io.BytesIO):
        reads = 0

        def read(self, *of):
            Counting.reads += 1
            return super().read(*of)

    out = io.BytesIO()
    pq.write_table(pa.table({"at": pa.array([1], pa.timestamp("us"))}), out)
    plain = Counting(out.getvalue())
    pq.ParquetFile(plain)
    reads, Counting.reads = Counting.reads, 0
    assert open_parquet(pa.PythonFile(Counting(out.getvalue()), mode="r")).read().num_rows == 1
    assert Counting.reads <= reads + 3


def test_a_damaged_footer_is_read_or_refused():
    data = bytearray(written(pa.table({"at": pa.array([1], pa.timestamp("ns"))})))
    length = int.from_bytes(data[-8:-4], "little")
    refused = 0
    for place in range(len(data) - 8 - length, len(data) - 8):
        broken = bytes(data[:place]) + bytes([data[place] ^ 0x5A]) + bytes(data[place + 1 :])
        try:
            open_parquet(pa.BufferReader(broken))
        except (pa.ArrowException, OSError):
            refused += 1
    assert refused > length / 4


@pytest.mark.parametrize("offset", [0, 1])
def test_nothing_is_nothing(offset):
    empty = pa.array([None] * offset, pa.binary(12)).slice(offset)
    assert instants(empty).to_pylist() == []


@pytest.mark.parametrize("kind", ["TIMESTAMP(9)", "TIMESTAMP(7) WITH LOCAL TIME ZONE"])
def test_paimons_reader_has_them(kind):
    given_moments = [datetime(1, 1, 1), datetime(1600, 1, 1, 12), None, datetime(1969, 12, 31, 23, 59, 59, 999999)]  # noqa: DTZ001
    lake, data = MemoryLake(), file_of([as_java(one) for one in given_moments], **PLAIN).read()
    file = planned(lake.write("t.parquet", data), data, len(given_moments))
    fields = [field_row(0, "id", "BIGINT"), field_row(1, "at", kind)]
    found = rows_of(to_read([schema_row(0, fields)]), [file], lake)
    assert [row["at"] and row["at"].replace(tzinfo=None) for row in found] == given_moments


def test_icebergs_reader_has_them(tmp_path):
    given_moments = [datetime(1, 1, 1), datetime(1600, 1, 1, 12), None, datetime(9999, 12, 31, 23)]  # noqa: DTZ001
    for write in (as_java, as_day):
        path = tmp_path / write.__name__
        path.write_bytes(file_of([write(one) for one in given_moments], **PLAIN).read())
        mapping = '[{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["at"]}]'
        of = table(column(2, "at", "timestamp"), properties={"schema.name-mapping.default": mapping})
        assert [row["at"] for row in rows(of, file_row(path, len(given_moments)))] == given_moments
