"""Objects as executors read them: whole or in ranges, from local files, S3 and other fsspec filesystems."""

from __future__ import annotations

import json
import random

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakemuster.errors import LocationRefused
from lakemuster.spark.reading.files import SETTING, StorageOptionsInvalid, files_here
from tests.storage_servers import S3Server

DATA = random.Random(7).randbytes(700_000)
KINDS = ["local", "file URL", "memory", "s3", "s3a"]


@pytest.fixture(params=KINDS)
def location(request, tmp_path, monkeypatch):
    """The location of an object with the content ``DATA``."""
    match request.param:
        case "local" | "file URL":
            (tmp_path / "day=1 %3A").mkdir()
            (tmp_path / "day=1 %3A" / "x").write_bytes(DATA)
            return f"{'file://' if request.param == 'file URL' else ''}{tmp_path}/day=1 %3A/x"
        case "memory":
            fsspec.filesystem("memory").pipe_file("/lake/x", DATA)
            return "memory://lake/x"
    server: S3Server = request.getfixturevalue("s3_server")
    server.put("day=1 %3A/x", DATA)
    monkeypatch.setenv(SETTING, json.dumps(server.storage))
    return f"{request.param}://{server.bucket}/day=1 %3A/x"


@pytest.mark.parametrize("size", [None, len(DATA)])
def test_any_place_of_an_object(location, size):
    file = files_here().open(location, size)
    assert isinstance(file, pa.NativeFile)
    assert file.size() == len(DATA)
    choose = random.Random(3)
    for _ in range(40):
        start = choose.randrange(len(DATA))
        length = choose.choice([1, 8, 1000, 300_000, len(DATA)])
        file.seek(start)
        assert file.read(length) == DATA[start : start + length]
        assert file.tell() == min(len(DATA), start + length)
    file.seek(-8, 2)
    assert file.read() == DATA[-8:]
    assert file.read(5) == b""


def test_ranges_of_an_object(location):
    files = files_here()
    assert files.read(location) == DATA
    assert files.read(location, 5, 10) == DATA[5:15]
    assert files.read(location, len(DATA) - 3) == DATA[-3:]
    with pytest.raises(OSError, match="bytes at 699999, not 2"):
        files.read(location, len(DATA) - 1, 2)


def test_a_missing_object(location):
    with pytest.raises(FileNotFoundError):
        files_here().read(f"{location}-not")


def test_a_footer_is_one_request_and_columns_are_few(s3_server, monkeypatch):
    table = pa.table({f"c{number}": [random.Random(number).random() for _ in range(50_000)] for number in range(8)})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=10_000)
    s3_server.put("x.parquet", sink.getvalue().to_pybytes())
    monkeypatch.setenv(SETTING, json.dumps(s3_server.storage))
    files = files_here()
    size = sink.getvalue().size
    system = files._at(files_location(f"{s3_server.url}/x.parquet"))[0].driver
    asked: list[tuple[int, int]] = []
    whole = system.cat_file
    monkeypatch.setattr(
        system, "cat_file", lambda path, start, end: asked.append((start, end)) or whole(path, start=start, end=end)
    )
    read = pq.ParquetFile(files.open(f"{s3_server.url}/x.parquet", size), pre_buffer=True)
    assert len(asked) == 1
    assert read.read(columns=["c1", "c6"]) == table.select(["c1", "c6"])
    assert len(asked) < 15


def files_location(text):
    from lakemuster.storage.locations import Location

    return Location.parse(text)


@pytest.mark.parametrize("setting", ["[]", "{", '{"s3": 1}', "secret"])
def test_a_setting_that_is_none_is_not_repeated(monkeypatch, setting):
    monkeypatch.setenv(SETTING, setting)
    with pytest.raises(StorageOptionsInvalid) as refusal:
        files_here()
    assert "secret" not in str(refusal.value)


def test_a_location_that_is_none():
    with pytest.raises(LocationRefused):
        files_here().read("s3:///key")
