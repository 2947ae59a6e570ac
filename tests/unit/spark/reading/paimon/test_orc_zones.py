"""Instants of ORC files are read as their writer had them, whatever its time zone."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc

from lakemuster.spark.reading.paimon.data_files import open_data_file
from lakemuster.spark.reading.paimon.orc_zones import _lz4, writer_zone

INSTANT = pa.timestamp("ns", "UTC")
STORED = [dt.datetime(2024, 7, 1, 21, 30, tzinfo=dt.UTC), None, dt.datetime(1969, 12, 31, 16, 0, 1, tzinfo=dt.UTC)]
MEANT = [dt.datetime(2024, 7, 2, 5, 30, tzinfo=dt.UTC), None, dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC)]
COLUMNS: dict[str, tuple[pa.DataType, Any]] = {
    "at": (INSTANT, lambda times: times),
    "inside": (pa.struct([("n", pa.int32()), ("at", INSTANT)]), lambda times: [{"n": 1, "at": at} for at in times]),
    "many": (pa.list_(INSTANT), lambda times: [times, None, []]),
    "named": (pa.map_(pa.string(), INSTANT), lambda times: [None, [("a", times[0])], []]),
    "local": (pa.timestamp("ns"), lambda times: [dt.datetime(2024, 1, 1), None, None]),  # noqa: DTZ001
}


@pytest.fixture(autouse=True)
def any_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read with every version of pyarrow: older ones are refused for times that nanoseconds cannot hold."""
    monkeypatch.setattr("lakemuster.spark.reading.paimon.data_files.timestamps_are_checked", lambda: True)


def file(zone: bytes = b"GMT", compression: str = "uncompressed") -> bytes:
    """Return an ORC file whose footers name this zone, of three letters; the library writes GMT."""
    columns = {name: pa.array(values(STORED), of) for name, (of, values) in COLUMNS.items()}
    target = pa.BufferOutputStream()
    orc.write_table(pa.table(columns | {f"c{n}": ["x"] * 3 for n in range(40)}), target, compression=compression)
    data: bytes = target.getvalue().to_pybytes()
    return data.replace(b"\x1a\x03GMT", b"\x1a\x03" + zone)


def read(data: bytes, *, local: bool = True) -> dict[str, list[Any]]:
    opened = open_data_file("orc", pa.BufferReader(data), orc_instants_are_local=local)
    found: dict[str, list[Any]] = pa.Table.from_batches([*opened.batches([*COLUMNS], opened.row_ranges)]).to_pydict()
    return found


@pytest.mark.parametrize(
    ("zone", "local", "expected"), [(b"PRC", True, MEANT), (b"PRC", False, STORED), (b"GMT", True, STORED)]
)
def test_instants_are_the_writers_local_times(zone: bytes, local: bool, expected: list[Any]) -> None:
    assert read(file(zone), local=local) == {name: values(expected) for name, (_, values) in COLUMNS.items()}


@pytest.mark.parametrize("compression", ["uncompressed", "zlib", "snappy", "lz4", "zstd"])
def test_the_zone_is_found_in_each_compression(compression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lakemuster.spark.reading.paimon.orc_zones._UTC", frozenset())
    source = pa.BufferReader(file(compression=compression))
    assert writer_zone(source, orc.ORCFile(source)) == "GMT"


def test_an_unknown_zone_is_an_error() -> None:
    with pytest.raises(pa.ArrowException, match="XYZ"):
        read(file(b"XYZ"))


def test_a_block_that_repeats_a_byte_without_end_is_cut_at_its_limit() -> None:
    block = b"\x1fx\x01\x00" + b"\xff" * 1000 + b"\x00"
    assert set(_lz4(block, 500)) == {ord("x")}
    assert len(_lz4(block, 500)) <= 1001
