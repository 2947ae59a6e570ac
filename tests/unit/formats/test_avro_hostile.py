"""Malicious files that broke decoders are decoded in a worker process, which they may kill."""

from __future__ import annotations

import lzma
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zstandard

from lakemuster.errors import CatalogError, DecodeFailed, FormatUnsupported, LimitExceeded, MetadataCorrupt
from lakemuster.formats.avro import Engine, read_header
from lakemuster.formats.avro.container import read_blocks, write_long
from lakemuster.ingest.decode import DecoderPool
from tests.tree import lakes_folder
from tests.unit.formats.avro_files import container, real_files, record, rows_of, sized, written
from tests.unit.formats.test_avro_container import PACK

ENGINES: list[Engine] = ["native", "fastavro", "auto"]
engines = pytest.mark.parametrize("engine", ENGINES)
LONGS = record(("a", "long"))


@pytest.fixture(scope="module")
def pool() -> Iterator[DecoderPool]:
    """One worker with little memory and time, so that excessive use of either fails the test."""
    with DecoderPool(1, 384 << 20, cpu_seconds=5, wall_seconds=20) as pool:
        yield pool


def outcome(pool: DecoderPool, data: bytes, engine: Engine = "auto") -> CatalogError | int:
    try:
        return pool.submit(rows_of, data, engine).result()
    except CatalogError as error:
        return error


def nested(levels: int) -> bytes:
    """Return a schema of nested records as text, since Python's tools cannot nest so deeply."""
    opening = "".join(f'{{"type":"record","name":"r{level}","fields":[{{"name":"f","type":' for level in range(levels))
    return (opening + '"int"' + "}]}" * levels).encode()


@engines
@pytest.mark.parametrize("levels", [64, 400, 900, 5000, 40_000])
def test_a_schema_nested_deep_is_refused(pool, engine, levels):
    found = outcome(pool, container(nested(levels)[: 1 << 20], [(1, b"\2")]), engine)
    assert isinstance(found, MetadataCorrupt)
    assert not isinstance(found, DecodeFailed)


def test_a_schema_nested_as_deep_as_allowed_is_read(pool):
    assert outcome(pool, container(nested(63), [(1, b"\2")])) == 1
    assert outcome(pool, container(nested(63), [(3000, b"\2" * 3000)], "null")) == 3000


@pytest.mark.parametrize("shape", ['{"type":"array","items":', '{"type":"map","values":', '["null",', '{"type":'])
def test_other_nestings_are_refused_too(pool, shape):
    text = '{"type":"record","name":"r","fields":[{"name":"f","type":' + shape * 300 + '"int"'
    text += ("]" if shape.startswith("[") else "}") * 300 + "}]}"
    found = outcome(pool, container(text.encode(), []))
    assert isinstance(found, MetadataCorrupt | FormatUnsupported)
    assert not isinstance(found, DecodeFailed)


def test_a_recursive_schema_is_refused(pool):
    for inner in ("r", ["null", "r"], {"type": "array", "items": "r"}, {"type": "map", "values": "r"}):
        assert isinstance(outcome(pool, container(record(("a", "int"), ("b", inner)), [])), LimitExceeded)


def test_a_schema_that_doubles_by_reference_is_refused(pool):
    inner: Any = record(("a", "int"), name="r0")
    for level in range(1, 40):
        inner = record(("a", inner), ("b", f"r{level - 1}"), name=f"r{level}")
    assert isinstance(outcome(pool, container(inner, [])), LimitExceeded)


def test_a_schema_of_very_many_types_is_refused(pool):
    assert isinstance(outcome(pool, container(record(*((f"f{n}", "int") for n in range(5000))), [])), LimitExceeded)


@engines
@pytest.mark.parametrize("kind", ["null", record(name="empty"), record(("x", "null"), name="empty")])
def test_counts_of_items_that_take_no_bytes_are_refused(pool, engine, kind):
    rows = record(("a", "null")) if kind == "null" else kind
    array = record(("a", {"type": "array", "items": kind}))
    for data in (
        container(rows, [(1 << 40, b"")]),
        container(rows, [(1 << 40, b"\0")]),
        container(array, [(1, write_long(1 << 27) + b"\0")]),
    ):
        assert isinstance(outcome(pool, data, engine), LimitExceeded | FormatUnsupported)


@engines
def test_counts_above_the_bytes_that_are_left_are_corrupt(pool, engine):
    array = record(("a", {"type": "array", "items": "int"}))
    text = record(("a", "string"))
    for data in (
        container(LONGS, [(1 << 40, b"\2")]),
        container(LONGS, [(2**62, b"\2" * 1000)]),
        container(array, [(1, write_long(1 << 27) + b"\2\2\0")]),
        container(array, [(1, write_long(2**62) + b"\2\2\0")]),
        container(text, [(1, write_long(1 << 40) + b"abc")]),
        container(text, [(1, write_long(2**62) + b"abc")]),
        container(text, [(1, b"\x01abc")]),
    ):
        found = outcome(pool, data, engine)
        assert isinstance(found, MetadataCorrupt)
        assert not isinstance(found, DecodeFailed)


@engines
def test_few_bytes_that_ask_for_much_memory_are_refused(pool, engine):
    wide = ["null", {"type": "fixed", "name": "f", "size": 1 << 20}]
    for schema in (record(("a", wide)), record(("a", {"type": "array", "items": wide}))):
        assert isinstance(outcome(pool, container(schema, [(10_000, bytes(10_000))]), engine), LimitExceeded)


def bomb(codec: str) -> bytes:
    zeros = bytes(1 << 20)
    if codec == "snappy":
        return b"\xff\xff\xff\xff\x0f" + bytes(100)
    packers: dict[str, Callable[[], Any]] = {
        "deflate": lambda: zlib.compressobj(1, zlib.DEFLATED, -15),
        "zstandard": lambda: zstandard.ZstdCompressor(write_content_size=False).compressobj(),
        "xz": lambda: lzma.LZMACompressor(preset=0),
    }
    packer = packers[codec]()
    packed: bytes = b"".join(packer.compress(zeros) for _ in range(96 if codec == "xz" else 512)) + packer.flush()
    return packed


@pytest.mark.parametrize("codec", ["deflate", "zstandard", "xz", "snappy"])
def test_a_bomb_is_refused_within_little_memory(pool, codec):
    data = container(LONGS, [(1, bomb(codec))], codec)
    assert len(data) < 3 << 20
    assert type(outcome(pool, data)) is LimitExceeded


def test_a_frame_that_claims_more_than_it_holds_is_corrupt(pool):
    frame = bytearray(zstandard.ZstdCompressor().compress(bytes(1 << 20)))
    assert frame[4] >> 6 == 2
    frame[6:10] = b"\xff\xff\xff\x7f"
    assert isinstance(outcome(pool, container(LONGS, [(1, bytes(frame))], "zstandard")), MetadataCorrupt)


def test_a_frame_that_asks_for_a_huge_window_is_refused(pool):
    parameters = zstandard.ZstdCompressionParameters(window_log=30, write_content_size=False)
    packed = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = packed.compress(bytes(1 << 20)) + packed.flush()
    found = outcome(pool, container(LONGS, [(1, data)], "zstandard"))
    assert type(found) is MetadataCorrupt


def number(value: int) -> bytes:
    return write_long(value)


@engines
@pytest.mark.parametrize(
    "blocks",
    [
        pytest.param([(1, number(5) + number(6))], id="a count too low"),
        pytest.param([(2, number(5) + number(6) + number(7))] * 2, id="a count too low, twice"),
        pytest.param([(1, number(5) + number(0))], id="the rest looks like an array's end"),
        pytest.param([(1, number(5) + number(0) + bytes(16))], id="the rest looks like the whole end"),
        pytest.param([(1, number(5) + number(0) + bytes(16)), (1, number(7))], id="before another block"),
        pytest.param([(1, number(5) + number(1) + number(6))], id="the rest looks like more of the array"),
        pytest.param([(1, number(5) + b"\1" + number(1) + number(6))], id="the same with its size"),
        pytest.param([(3, number(5) + number(1 << 20))], id="a count too high"),
        pytest.param([(4, number(5) + number(1 << 20)), (1, number(6))], id="a count too high, before another block"),
        pytest.param([(0, number(5))], id="no records"),
        pytest.param([(1, b"")], id="no bytes"),
    ],
)
def test_a_block_whose_records_do_not_end_where_it_ends_is_corrupt(pool, engine, blocks):
    found = outcome(pool, container(LONGS, blocks), engine)
    assert isinstance(found, MetadataCorrupt)
    assert not isinstance(found, DecodeFailed)


@engines
@pytest.mark.parametrize("less", [1, 2, 50])
def test_a_real_block_with_a_count_too_low_is_corrupt(pool, engine, less):
    rows = [{"a": n, "b": f"row {n}", "c": [n] * (n % 3)} for n in range(3000)]
    schema = record(("a", "long"), ("b", "string"), ("c", {"type": "array", "items": "long"}))
    data = written(schema, rows, block_bytes=10_000)
    blocks = list(read_blocks(data, read_header(data)))
    for wrong in (0, len(blocks) - 2):
        changed = [(block.records - (less if n == wrong else 0), block.data) for n, block in enumerate(blocks)]
        assert isinstance(outcome(pool, container(schema, changed), engine), MetadataCorrupt)
    assert outcome(pool, container(schema, [(block.records, block.data) for block in blocks]), engine) == 3000


@engines
def test_values_that_are_none_of_their_type_are_corrupt(pool, engine):
    symbols = {"type": "enum", "name": "e", "symbols": ["X", "Y"]}
    empty = ["null", record(name="empty")]
    for kind, stored in [
        ("string", sized(b"\xff\xfe")),
        ({"type": "map", "values": "int"}, b"\2" + sized(b"\xff") + b"\2\0"),
        ("boolean", b"\2"),
        (symbols, number(2)),
        (symbols, b"\1"),
        ("int", number(1 << 32)),
        ({"type": "string", "logicalType": "uuid"}, sized(b"no uuid")),
        (["null", "int"], b"\4"),
        (empty, b"\4"),
        (empty, b"\1"),
    ]:
        found = outcome(pool, container(record(("a", kind), ("z", "long")), [(1, stored + number(0))]), engine)
        assert isinstance(found, MetadataCorrupt), (kind, found)


def packed_manifest(codec: str) -> bytes:
    """Return the largest real manifest, compressed with a codec."""
    data = max((path.read_bytes() for path in real_files(lakes_folder())), key=len)
    header = read_header(data)
    blocks = [(block.records, PACK[codec](block.data)) for block in read_blocks(data, header)]
    return container(header.metadata["avro.schema"], blocks, codec)


@pytest.mark.parametrize("codec", PACK)
def test_flipped_bits_give_an_error_or_rows_and_hurt_nobody(pool, codec):
    data = packed_manifest(codec)
    header, rows = read_header(data), rows_of(data)
    chance = random.Random(codec)
    seen: Counter[str] = Counter()
    for _ in range(150):
        broken = bytearray(data)
        for _ in range(chance.choice([1, 1, 3])):
            at = chance.randrange(header.data_offset if chance.random() < 0.8 else 4, len(data))
            broken[at] ^= 1 << chance.randrange(8)
        found = outcome(pool, bytes(broken), chance.choice(ENGINES))
        assert not isinstance(found, DecodeFailed), found
        seen["error" if isinstance(found, CatalogError) else "rows"] += 1
        if isinstance(found, int):
            assert found == rows
    assert seen["error"] > 10
