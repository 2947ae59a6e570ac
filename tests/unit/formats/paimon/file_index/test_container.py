"""The container of file indexes, and bloom filter hashes against published vectors."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.file_index.container import parse_container
from lakemuster.formats.paimon.file_index.fast_hash import wang_hash, xxh64
from tests.unit.formats.paimon.file_index.encoder import container

ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(ANY, st.dictionaries(ANY, st.binary(max_size=20)), max_size=4), st.binary(max_size=5))
def test_every_index_is_found(columns: dict[str, dict[str, bytes]], more: bytes) -> None:
    data = container(columns, more=more)
    found = {
        name: {one.kind: data[one.start : one.start + one.length] for one in ranges}
        for name, ranges in parse_container(data).items()
    }
    assert found == columns


def test_names_are_modified_utf_8() -> None:
    assert list(parse_container(container({"a\0😀é": {"bitmap": b""}}))) == ["a\0😀é"]


def test_another_version_is_not_read() -> None:
    with pytest.raises(FormatUnsupported):
        parse_container(container({}, version=2))


@pytest.mark.parametrize("cut", [0, 7, 15, 19, 30, -1])
def test_a_container_that_is_cut_off_is_none(cut: int) -> None:
    data = container({"a": {"bitmap": b"xy"}, "b": {"bsi": b"z"}})
    with pytest.raises(MetadataCorrupt):
        parse_container(data[:cut])


@pytest.mark.parametrize(("start", "length"), [(3, 2), (-2, 2), (40, -1), (40, 2**31 - 1)])
def test_an_index_outside_the_body_is_none(start: int, length: int) -> None:
    data = container({"a": {"bitmap": b"xy"}})
    real = struct.pack(">ii", len(data) - 2, 2)
    with pytest.raises(MetadataCorrupt):
        parse_container(data.replace(real, struct.pack(">ii", start, length)))


# Vectors from the xxHash specification and its ports.
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", 0xEF46DB3751D8E999),
        (b"a", 0xD24EC4F1A98C6E5B),
        (b"abc", 0x44BC2CF5AD770999),
        (b"Call me Ishmael. Some years ago--never mind how long precisely-", 0x02A2E85470D6FD96),
    ],
)
def test_xxh64(data: bytes, code: int) -> None:
    assert xxh64(data) == code


@given(st.integers(-(2**63), 2**63 - 1))
def test_wang_hash_is_reversible(number: int) -> None:
    """Every step is reversible, so that different numbers have different hashes."""
    assert wang_hash(number) != wang_hash(number ^ 1)
    assert 0 <= wang_hash(number) < 2**64
