"""The compiled Avro decoder against its source, run as plain Python with bounds checks."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import orjson
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.avro.container import Block, read_blocks, read_header, write_long
from lakemuster.formats.avro.native import Program, decode_native, kernel, memory
from lakemuster.formats.avro.native.decoding import Run, run_compiled
from lakemuster.formats.avro.schema import Node, parse_schema
from tests.examples import examples
from tests.unit.formats.avro_files import container, record, sized, written
from tests.unit.formats.test_avro_table import VALUES, kinds, with_names

PAIRS = {
    "type": "array",
    "logicalType": "map",
    "items": record(("key", "int"), ("value", "long"), name="counts"),
}
BLOBS = {
    "type": "array",
    "logicalType": "map",
    "items": record(("key", "int"), ("value", "bytes"), name="bounds"),
}
MANIFEST = record(
    ("status", "int"),
    ("snapshot_id", ["null", "long"]),
    (
        "data_file",
        record(
            ("file_path", "string"),
            (
                "partition",
                record(("day", ["null", "int"]), ("f", ["null", {"type": "fixed", "name": "x", "size": 3}]), name="p"),
            ),
            ("counts", ["null", PAIRS]),
            ("bounds", ["null", BLOBS]),
            ("offsets", [{"type": "array", "items": "long"}, "null"]),
            ("ratio", ["null", "double"]),
            ("nested", {"type": "array", "items": {"type": "array", "items": ["null", "string"]}}),
            name="file",
        ),
    ),
)


run_plain = np.errstate(over="ignore")(kernel.run)
"""The kernel's source as plain Python: an index beyond an array raises."""


def outcome(run: Run, program: Program, blocks: Sequence[Block]) -> pa.Array | None:
    try:
        rows = decode_native(program, blocks, run)
    except MetadataCorrupt:
        return None
    rows.validate(full=True)
    return rows


def assert_alike(row: Node, blocks: Sequence[Block]) -> bool:
    """Check that source and machine code give the same rows or both fail; return whether they gave rows."""
    program = Program.of(row)
    plain = outcome(run_plain, program, blocks)
    compiled = outcome(run_compiled, program, blocks)
    if plain is None or compiled is None:
        assert plain is compiled
        return False
    # Compare text, since NaN is not equal to itself.
    assert repr(plain.to_pylist()) == repr(compiled.to_pylist())
    return True


def number(value: int) -> bytes:
    return write_long(value) if value >= 0 else write_long(-value)[:-1] + bytes([write_long(-value)[-1] | 1])


def entry(chance: random.Random) -> dict[str, object]:
    some = range(chance.randrange(6))
    return {
        "status": chance.randrange(3),
        "snapshot_id": chance.choice([None, chance.getrandbits(63), -chance.getrandbits(chance.randrange(1, 63))]),
        "data_file": {
            "file_path": "x" * chance.randrange(40),
            "partition": {"day": chance.choice([None, 19_000]), "f": chance.choice([None, b"abc"])},
            "counts": chance.choice([None, [{"key": n, "value": chance.getrandbits(8 * (n + 1))} for n in some]]),
            "bounds": chance.choice([None, [{"key": n, "value": chance.randbytes(n * 7)} for n in some]]),
            "offsets": chance.choice([None, [chance.getrandbits(20) for _ in some]]),
            "ratio": chance.choice([None, 0.5]),
            "nested": [[chance.choice([None, "nested"]) for _ in some] for _ in some],
        },
    }


def blocks_of(data: bytes) -> list[Block]:
    return list(read_blocks(data, read_header(data)))


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_machine_code_and_source_read_the_same_of_any_schema(data):
    fields = data.draw(st.lists(kinds(), min_size=1, max_size=4), label="schema")
    schema = with_names(record(("first", "int"), *((f"c{i}", each[0]) for i, each in enumerate(fields))), [0])
    row = st.fixed_dictionaries({"first": VALUES["int"], **{f"c{i}": each[1] for i, each in enumerate(fields)}})
    rows = data.draw(st.lists(row, max_size=6), label="rows")
    blocks = blocks_of(written(schema, rows))
    assert assert_alike(parse_schema(orjson.loads(orjson.dumps(schema))), blocks)
    for block in blocks:
        flipped = bytearray(block.data)
        for place, bit in data.draw(
            st.lists(st.tuples(st.integers(0, len(flipped) - 1), st.integers(0, 7)), max_size=4)
        ):
            flipped[place] ^= 1 << bit
        assert_alike(parse_schema(schema), [Block(block.records, bytes(flipped), 0)])


@pytest.mark.parametrize("seed", range(6))
def test_of_damaged_manifests_machine_code_and_source_read_the_same(seed):
    chance = random.Random(seed)
    row = parse_schema(MANIFEST)
    (block,) = blocks_of(written(MANIFEST, [entry(chance) for _ in range(4)]))
    assert assert_alike(row, [block])
    refused = 0
    for _ in range(40):
        damaged = bytearray(block.data)
        match chance.randrange(4):
            case 0:
                del damaged[chance.randrange(len(damaged)) :]
            case 1:
                damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
            case 2:
                at = chance.randrange(len(damaged))
                damaged[at : at + 1] = b"\xff" * chance.randrange(1, 12)
            case 3:
                del damaged[chance.randrange(len(damaged))]
        refused += not assert_alike(row, [Block(block.records, bytes(damaged), 0)])
    assert refused > 10


@pytest.mark.parametrize("cut", range(60))
def test_numbers_at_the_very_end_of_a_block_are_read_within_it(cut):
    """Wide loads do not pass the block's end, for every length of the number and of the data behind it."""
    row = parse_schema(record(("a", "long"), ("b", BLOBS), ("c", PAIRS)))
    pairs = number(2) + number(1) + number(2**62) + number(2) + number(-(2**63) + 1) + b"\0"
    blobs = number(2) + number(1) + sized(b"x" * 15) + number(2) + sized(b"") + b"\0"
    whole = number(3) + blobs + pairs
    assert assert_alike(row, [Block(1, whole, 0)])
    if cut < len(whole):
        assert not assert_alike(row, [Block(1, whole[:cut], 0)])


@pytest.mark.parametrize(
    "items",
    [
        b"\x03\x08" + number(1) + number(5) + number(2) + number(6) + b"\0",
        number(1) + number(1) + number(5) + b"\x01\x04" + number(2) + number(6) + b"\0",
        b"\x03\xff\x01" + number(1) + number(5) + number(2) + number(6) + b"\0",
    ],
    ids=["with a size", "in two parts", "with a wrong size, which nobody needs"],
)
def test_pairs_may_come_in_parts_with_their_sizes(items):
    row = parse_schema(record(("a", PAIRS)))
    assert assert_alike(row, [Block(1, items, 0)])
    rows = decode_native(Program.of(row), [Block(1, items, 0)])
    assert rows.to_pylist() == [{"f0": [{"f0": 1, "f1": 5}, {"f0": 2, "f1": 6}]}]


@pytest.mark.parametrize(
    "stored",
    [
        b"\x80" * 10 + b"\0",
        b"\xff" * 9 + b"\x02",
        b"\x80" * 9,
        b"\x80" * 7 + b"\xff",
        b"",
    ],
    ids=["eleven bytes", "65 bits", "without an end", "eight bytes without an end", "nothing"],
)
@pytest.mark.parametrize("before", [0, 1, 7, 8])
def test_a_number_that_is_none_is_refused(stored, before):
    row = parse_schema(record(*((f"a{n}", "long") for n in range(before + 1))))
    assert not assert_alike(row, [Block(1, b"\x02" * before + stored, 0)])


def test_columns_grow_as_they_need(monkeypatch):
    monkeypatch.setattr(memory, "_FEW", 2)
    chance = random.Random(1)
    data = written(MANIFEST, [entry(chance) for _ in range(300)], block_bytes=2000)
    blocks = blocks_of(data)
    assert len(blocks) > 5
    assert assert_alike(parse_schema(MANIFEST), blocks)


def test_a_first_block_of_much_asks_for_no_more_than_its_share():
    row = parse_schema(record(("a", "bytes")))
    blocks = [Block(1, sized(bytes(1 << 20)), 0), Block(1 << 20, bytes(1 << 20), 0)]
    assert len(decode_native(Program.of(row), blocks)) == (1 << 20) + 1


def test_where_llvm_is_not_installed_fastavro_decodes_and_one_warning_says_so():
    code = (
        "import sys; sys.modules['llvmlite'] = None\n"
        "from lakemuster.formats.avro import read_table\n"
        "from lakemuster.formats.avro.native import is_available\n"
        "assert not is_available()\n"
        "print(read_table(sys.stdin.buffer.read())[1].num_rows)"
    )
    data = container(record(("a", "int")), [(2, b"\2\4")])
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout == b"2\n"
    [warning] = done.stderr.splitlines()
    assert b"llvmlite is not installed" in warning


@pytest.mark.parametrize("run", [run_compiled, run_plain], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("first", "damaged"),
    [
        (number(1) + sized(b"abc") + number(2), 1),
        (number(1) + sized(b"abc") + number(2) + sized(b"ab") + b"\0", 1),
        (number(1) + sized(b"abc") + number(2) + sized(b"ab"), 2),
    ],
    ids=["cut short, the next one has the rest", "with a byte too many", "whole, but the next one is cut short"],
)
def test_each_of_several_blocks_ends_where_it_says(run, first, damaged):
    """The kernel gets several small blocks at once; a read must not cross from one block into the next."""
    row = parse_schema(record(("a", "long"), ("b", "string")))
    ahead = Block(1, number(7) + sized(b"x"), 100)
    rest = sized(b"ab") if damaged == 1 else number(3)
    blocks = [ahead, Block(2, first, 200), Block(1, rest, 300)]
    with pytest.raises(MetadataCorrupt) as refused:
        decode_native(Program.of(row), blocks, run)
    assert refused.value.context["offset"] == 100 * (1 + damaged)
    whole = [ahead, Block(2, number(1) + sized(b"abc") + number(2) + sized(b"ab"), 200), ahead]
    assert [row["f0"] for row in decode_native(Program.of(row), whole, run).to_pylist()] == [7, 1, 2, 7]
