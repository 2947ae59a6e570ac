"""The Avro container and its codecs, with complete and damaged files."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable

import cramjam
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.avro import read_header, read_table
from lakemuster.formats.avro.codecs import MAX_BLOCK_BYTES
from lakemuster.formats.avro.container import MAX_FILE_BYTES, MAX_SCHEMA_BYTES, read_blocks, read_long, write_long
from tests.unit.formats.avro_files import SYNC, container, record, sized, written

SCHEMA = record(("a", "long"), ("b", "string"))
ROWS: list[object] = [{"a": number, "b": f"row {number}"} for number in range(100)]


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data)) + zlib.crc32(data).to_bytes(4, "big")


PACK: dict[str, Callable[[bytes], bytes]] = {
    "null": bytes,
    "deflate": raw_deflate,
    "snappy": snappy,
    "zstandard": zstandard.ZstdCompressor(write_content_size=False).compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
codecs = pytest.mark.parametrize("codec", PACK)
packed = pytest.mark.parametrize("codec", [codec for codec in PACK if codec != "null"])


@given(st.integers(0, 2**63 - 1))
def test_a_number_reads_back(number):
    assert read_long(write_long(number), 0, 10) == (number, len(write_long(number)))


@pytest.mark.parametrize(
    "data", [b"", b"\x80", b"\xff" * 9, b"\xff" * 9 + b"\x02", b"\x80" * 10 + b"\x01", b"\x80" * 30]
)
def test_a_number_that_does_not_end_within_64_bits_is_corrupt(data):
    with pytest.raises(MetadataCorrupt):
        read_long(data, 0, len(data))


def test_a_header_tells_what_was_written():
    data = container(SCHEMA, [])
    header = read_header(data)
    assert header.schema == SCHEMA
    assert header.codec == "null"
    assert header.metadata["avro.codec"] == b"null"
    assert header.sync == SYNC
    assert header.data_offset == len(data)


def test_a_header_without_a_codec_has_none_and_may_come_in_parts_with_sizes():
    entry = sized(b"avro.schema") + sized(b'"int"')
    other = sized(b"key") + sized(b"\xff")
    data = b"Obj\x01" + b"\x01" + write_long(len(entry)) + entry + b"\x02" + other + b"\0" + SYNC
    header = read_header(data)
    assert header.codec == "null"
    assert header.schema == "int"
    assert header.metadata["key"] == b"\xff"


@codecs
def test_every_codec_inflates_to_what_was_packed(codec):
    plain = b"\x0e" + sized(b"word") + b"\x10" + sized(b"w" * 100_000)
    data = container(SCHEMA, [(2, PACK[codec](plain))], codec)
    assert [block.data for block in read_blocks(data, read_header(data))] == [plain]
    assert read_table(data)[1].column("b").to_pylist() == ["word", "w" * 100_000]


@packed
def test_a_block_of_no_records_may_be_packed(codec):
    data = container(SCHEMA, [(0, PACK[codec](b""))], codec)
    assert read_table(data)[1].num_rows == 0


@packed
def test_a_block_cut_short_does_not_inflate(codec):
    stored = PACK[codec](b"\x0e" + sized(b"word" * 1000))
    for length in (0, 1, len(stored) // 2, len(stored) - 1):
        with pytest.raises(MetadataCorrupt):
            read_table(container(SCHEMA, [(1, stored[:length])], codec))


@packed
def test_bytes_after_the_end_of_a_packed_block_are_corrupt(codec):
    stored = PACK[codec](b"\x0e" + sized(b"word"))
    for junk in (b"\0", b"junk", stored):
        with pytest.raises(MetadataCorrupt):
            read_table(container(SCHEMA, [(1, stored + junk)], codec))


def test_the_checksum_that_pythons_writers_leave_is_checked_and_accepted():
    plain = b"\x0e" + sized(b"word")
    left_over = zlib.compress(plain)[2:-1]
    assert read_table(container(SCHEMA, [(1, left_over)], "deflate"))[1].num_rows == 1
    with pytest.raises(MetadataCorrupt):
        read_table(container(SCHEMA, [(1, left_over[:-1] + bytes([left_over[-1] ^ 1]))], "deflate"))


def test_a_snappy_checksum_is_checked():
    stored = bytearray(snappy(b"\x0e" + sized(b"word")))
    stored[-1] ^= 1
    with pytest.raises(MetadataCorrupt, match="checksum"):
        read_table(container(SCHEMA, [(1, bytes(stored))], "snappy"))


@codecs
def test_a_block_of_the_largest_size_inflates_and_one_byte_more_does_not(codec, monkeypatch):
    monkeypatch.setattr("lakemuster.formats.avro.codecs.MAX_BLOCK_BYTES", 70_000)
    fits, over = bytes(70_000), bytes(70_001)
    data = container(SCHEMA, [(1, PACK[codec](fits))], codec)
    assert [block.data for block in read_blocks(data, read_header(data))] == [fits]
    data = container(SCHEMA, [(1, PACK[codec](over))], codec)
    with pytest.raises(LimitExceeded):
        list(read_blocks(data, read_header(data)))


def test_a_file_that_inflates_to_too_much_in_all_is_refused(monkeypatch):
    monkeypatch.setattr("lakemuster.formats.avro.container.MAX_INFLATED_BYTES", 250_000)
    plain = b"\x0e" + sized(bytes(100_000))
    stored = raw_deflate(plain)
    assert read_table(container(SCHEMA, [(1, stored)] * 2, "deflate"))[1].num_rows == 2
    with pytest.raises(LimitExceeded):
        read_table(container(SCHEMA, [(1, stored)] * 3, "deflate"))


def test_an_unknown_codec_is_unsupported():
    with pytest.raises(FormatUnsupported):
        read_table(container(SCHEMA, [(1, b"\x0e\0")], "lzma9"))


def test_a_file_cut_anywhere_is_corrupt_or_ends_at_a_block():
    data = written(SCHEMA, ROWS, block_bytes=200)
    header = read_header(data)
    ends = [block.offset for block in read_blocks(data, header)]
    whole = 0
    for length in range(len(data)):
        try:
            table = read_table(data[:length], engine="fastavro")[1]
        except MetadataCorrupt:
            assert length not in ends
        else:
            assert length in ends
            assert table.num_rows < len(ROWS)
            whole += 1
    assert whole == len(ends) > 3


@pytest.mark.parametrize("junk", [b"\0", b"\0\0", b"garbage", bytes(100), SYNC, b"\x02\x02" + SYNC])
def test_bytes_after_the_last_block_are_corrupt(junk):
    with pytest.raises(MetadataCorrupt):
        read_table(written(SCHEMA, ROWS) + junk)


def test_a_sync_marker_that_differs_in_any_bit_is_corrupt():
    data = bytearray(container(SCHEMA, [(1, b"\x0e\0"), (1, b"\x0e\0")]))
    for index in range(len(data) - 16, len(data)):
        data[index] ^= 4
        with pytest.raises(MetadataCorrupt, match="sync"):
            read_table(bytes(data))
        data[index] ^= 4


@pytest.mark.parametrize(("records", "size"), [(b"\x01", b"\x04"), (b"\x02", b"\x03"), (b"\x01", b"\x03")])
def test_a_negative_count_or_size_of_a_block_is_corrupt(records, size):
    data = container(SCHEMA, []) + records + size + b"\x0e\0" + SYNC
    with pytest.raises(MetadataCorrupt, match="negative"):
        read_table(data)


def test_a_block_size_past_the_file_is_corrupt():
    for size in (3, 1 << 20, 1 << 40, 2**63 - 1):
        with pytest.raises(MetadataCorrupt, match="cuts short"):
            read_table(container(SCHEMA, []) + b"\x02" + write_long(size) + b"\x0e\0" + SYNC)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Obj",
        b"Obj\x01",
        b"Obj\x02" + container(SCHEMA, [])[4:],
        b"ORC" + bytes(100),
        b"Obj\x01" + write_long(2**62),
        b"Obj\x01\x02" + write_long(2**40) + b"x",
        b"Obj\x01\x02\x03x",
        b"Obj\x01\0" + SYNC,
        b"Obj\x01\x02" + sized(b"\xff\xfe") + sized(b"") + b"\0" + SYNC,
        container(b"{", []),
        container(b"\xff", []),
        container(b"null", []),
        container(b"3", []),
        container(b"{}", []),
        container(b'"unheard"', []),
        container({"type": "record", "name": "r"}, []),
        container({"type": "record", "fields": []}, []),
        container({"type": "record", "name": "r", "fields": [{"type": "int"}]}, []),
        container(record(("a", "int"), ("a", "int")), []),
        container(record(("a", {"type": "fixed", "name": "f", "size": -1})), []),
        container(record(("a", {"type": "fixed", "name": "f"})), []),
        container(record(("a", {"type": "enum", "name": "f", "symbols": "AB"})), []),
        container(record(("a", {"type": "array"})), []),
        container(record(("a", ["null", ["null", "int"]])), []),
    ],
    ids=range(25),
)
def test_a_header_that_breaks_the_format_is_corrupt(data):
    with pytest.raises(MetadataCorrupt):
        read_table(data)


def test_an_encrypted_file_is_named_as_such():
    with pytest.raises(FormatUnsupported, match="the file is encrypted"):
        read_header(b"AGS1" + bytes(100))


def test_a_file_or_schema_past_its_limit_is_refused():
    with pytest.raises(LimitExceeded):
        read_header(bytes(MAX_FILE_BYTES + 1))
    with pytest.raises(LimitExceeded):
        read_header(container(b" " * (MAX_SCHEMA_BYTES + 1), []))
    assert MAX_BLOCK_BYTES == 64 << 20


def test_a_header_past_its_limit_is_refused(monkeypatch):
    monkeypatch.setattr("lakemuster.formats.avro.container.MAX_HEADER_BYTES", 1000)
    assert read_header(container(SCHEMA, [(1, bytes(2000))])).codec == "null"
    with pytest.raises(LimitExceeded):
        read_header(container({**SCHEMA, "doc": "x" * 1000}, []))
