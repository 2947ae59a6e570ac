"""Small metadata documents are parsed in this process, others in a decoder process; limits apply to all."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lakemuster.errors import DecodeFailed, LimitExceeded, MetadataCorrupt
from lakemuster.formats.iceberg.gzipped import inflate
from lakemuster.formats.iceberg.table_metadata import parse_table_metadata
from lakemuster.ingest import parsing
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.parsing import SMALL_BYTES, Parser
from tests.unit.ingest.tasks import where


@pytest.fixture(scope="module")
def pool() -> Iterator[DecoderPool]:
    with DecoderPool(1, 256 * 2**20, 30, 60) as made:
        yield made


@pytest.mark.parametrize(
    ("size", "is_zipped", "is_here"),
    [
        (SMALL_BYTES, False, True),
        (SMALL_BYTES + 1, False, False),
        (SMALL_BYTES, True, True),
        (SMALL_BYTES + 1, True, False),
        (SMALL_BYTES * 100, True, False),
    ],
)
def test_what_is_small_when_inflated_is_parsed_here(
    pool: DecoderPool, size: int, is_zipped: bool, is_here: bool
) -> None:
    data = gzip.compress(b"x" * size) if is_zipped else b"x" * size
    process, length = Parser(pool).parse(where, data)
    assert (process == os.getpid()) is is_here
    assert length == (len(inflate(data)) if is_here and is_zipped else len(data))


def test_either_way_the_metadata_is_the_same_and_so_are_its_errors(pool: DecoderPool) -> None:
    document = {
        "format-version": 2,
        "table-uuid": "5e1f",
        "location": "s3://lake/t",
        "current-schema-id": 0,
        "schemas": [{"schema-id": 0, "type": "struct", "fields": []}],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "properties": {"note": "ü" * 10},
        "snapshots": [
            {"snapshot-id": 1, "timestamp-ms": 5, "manifests": ["s3://lake/t/a.avro"]},
            {"snapshot-id": 2, "parent-snapshot-id": 1, "timestamp-ms": 6, "manifest-list": "s3://lake/t/2.avro"},
        ],
    }
    small = json.dumps(document).encode()
    large = small + b" " * SMALL_BYTES
    parser = Parser(pool)
    found = parser.parse(parse_table_metadata, small, "s3://lake/t/metadata/1.json")
    for data in (large, gzip.compress(large)):
        parsed = parser.parse(parse_table_metadata, data, "s3://lake/t/metadata/1.json")
        assert parsed == replace(found, metadata_bytes=len(data))
    for data in (small[:-1], large[: len(small) - 1] + large[len(small) :]):
        with pytest.raises(MetadataCorrupt, match="not JSON"):
            parser.parse(parse_table_metadata, data, "x")


def test_what_needs_too_much_memory_fails_there_and_nothing_else_does(pool: DecoderPool) -> None:
    parser = Parser(pool)
    hostile = b'{"properties":' + b"[" + b"{}," * (12 * 2**20) + b"{}]}"
    with pytest.raises(DecodeFailed, match="memory"):
        parser.parse(parse_table_metadata, hostile, "x")
    assert parser.parse(where, b"x" * (SMALL_BYTES + 1))[0] != os.getpid()


def test_what_says_too_much_to_be_held_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MAX_PARSED_BYTES", 100)
    with pytest.raises(LimitExceeded, match="has more than"):
        parsing.parse_packed(bytes.split, b"x " * 101, ())
    assert parsing.parse_packed(bytes, b"x" * 101, ())
