"""Maps as one column per key: the compiled kernel against its source run as plain Python and the lists of items."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.formats.avro import read_header, read_keyed, read_table, table
from lakemuster.formats.avro.container import Block
from lakemuster.formats.avro.native import Path, Program, Slots, decode_keyed, keyed, memory
from lakemuster.formats.avro.native.decoding import Run, run_compiled
from lakemuster.formats.avro.schema import parse_schema
from tests.examples import examples
from tests.unit.formats.avro_files import record, sized, written
from tests.unit.formats.test_avro_native import BLOBS, PAIRS, blocks_of, number, run_plain

MORE = {
    "type": "array",
    "logicalType": "map",
    "items": record(("key", "int"), ("value", "bytes"), name="more"),
}
SCHEMA = record(
    ("status", "int"),
    (
        "file",
        record(("path", "string"), ("counts", ["null", PAIRS]), ("bounds", [BLOBS, "null"]), ("more", MORE), name="f"),
    ),
)
MAPS = {("file", "counts"): None, ("file", "bounds"): (lambda _: 4), ("file", "more"): (lambda _: 8)}
PATHS: list[Path] = [(1, 1), (1, 2), (1, 3)]
Row = dict[str, object]
Maps = Mapping[tuple[str, ...], Mapping[int, Sequence[object]]]

KEYS = st.integers(1, 4) | st.sampled_from([0, -1, 63, 64, 8191, 8192, 70_000, 2**31 - 1, -(2**31)])
NUMBERS = st.integers(0, 3) | st.sampled_from([2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, -(2**63)])
BYTES = st.sampled_from([b"", b"abcd", b"wxyz", b"12345678", b"x" * 40]) | st.binary(max_size=17)


def items(values: st.SearchStrategy[object]) -> st.SearchStrategy[list[Row]]:
    item = st.fixed_dictionaries({"key": KEYS, "value": values})
    usual = st.tuples(values, values, values).map(
        lambda some: [{"key": key, "value": value} for key, value in zip((1, 2, 3), some, strict=True)]
    )
    return usual | usual | st.lists(item, max_size=5)


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "status": st.integers(0, 2),
            "file": st.fixed_dictionaries(
                {
                    "path": st.text(max_size=3),
                    "counts": st.none() | items(NUMBERS),
                    "bounds": st.none() | items(BYTES),
                    "more": items(BYTES),
                }
            ),
        }
    ),
    min_size=1,
    max_size=8,
)


def by_key(rows: Iterable[Row]) -> Maps:
    """Return the expected columns; the last value of a repeated key wins."""
    found: dict[tuple[str, ...], dict[int, list[object]]] = {path: {} for path in MAPS}
    for at, row in enumerate(rows):
        for path, columns in found.items():
            for item in row["file"][path[-1]] or ():  # type: ignore[index]
                column = columns.setdefault(item["key"], [])
                column[at:] = [*[None] * (at - len(column)), item["value"]]
    total = sum(1 for _ in rows)
    return {
        path: {key: [*column, *[None] * (total - len(column))] for key, column in columns.items()}
        for path, columns in found.items()
    }


def decoded(
    blocks: Sequence[Block], run: Run, slots: Slots | None = None, end: int = 0
) -> tuple[list[Row], Maps, Slots] | None:
    row = parse_schema(SCHEMA)
    widths = {path: width_of for path, width_of in zip(PATHS, MAPS.values(), strict=True) if width_of is not None}
    try:
        rows, columns, slots = decode_keyed(Program.of(row, PATHS), Program.of(row), widths, blocks, slots, run, end)
    except MetadataCorrupt:
        return None
    rows.validate(full=True)
    for column in columns.values():
        for values in column.values():
            values.validate(full=True)
    lists: Maps = {
        path: {key: values.to_pylist() for key, values in columns[where].items()}
        for path, where in zip(MAPS, PATHS, strict=True)
    }
    return rows.to_pylist(), lists, slots


def assert_alike(blocks: Sequence[Block], slots: Slots | None = None) -> bool:
    plain, compiled = decoded(blocks, run_plain, slots), decoded(blocks, run_compiled, slots)
    assert (plain is None) == (compiled is None)
    if plain is None or compiled is None:
        return False
    assert plain[:2] == compiled[:2]
    return True


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(ROWS, ROWS, st.sampled_from([40, 10_000]))
def test_each_value_is_in_its_keys_column_whatever_was_expected(rows, others, block_bytes):
    """Slots of another file, which may be wrong, do not change the result."""
    data = written(SCHEMA, rows, block_bytes=block_bytes)
    blocks = blocks_of(data)
    first = decoded(blocks_of(written(SCHEMA, others)), run_compiled)
    assert first is not None
    for run in (run_plain, run_compiled):
        for slots in (None, first[2]):
            found = decoded(blocks, run, slots, len(data))
            assert found is not None
            assert found[1] == by_key(rows)
            assert [row["f1"]["f0"].decode() for row in found[0]] == [row["file"]["path"] for row in rows]


def entry(chance: random.Random) -> Row:
    keys = list(range(30)) if chance.random() < 0.7 else chance.sample(range(200), chance.randrange(30))
    counts = [{"key": key, "value": chance.getrandbits(chance.choice([3, 12, 40]))} for key in keys]
    bounds = [{"key": key, "value": chance.randbytes(chance.choice([4, 4, 4, key % 20]))} for key in keys]
    return {
        "status": 1,
        "file": {
            "path": "x" * chance.randrange(40),
            "counts": chance.choice([counts, counts, None]),
            "bounds": chance.choice([bounds, bounds, None]),
            "more": [{"key": key, "value": chance.randbytes(8)} for key in keys],
        },
    }


@pytest.mark.parametrize("seed", range(8))
def test_of_damaged_maps_machine_code_and_source_read_the_same(seed):
    chance = random.Random(seed)
    (block,) = blocks_of(written(SCHEMA, [entry(chance) for _ in range(3)]))
    whole = decoded([block], run_compiled)
    assert whole is not None
    refused = 0
    for turn in range(50):
        damaged = bytearray(block.data)
        at = chance.randrange(len(damaged))
        match chance.randrange(4):
            case 0:
                del damaged[at:]
            case 1:
                damaged[at] ^= 1 << chance.randrange(8)
            case 2:
                damaged[at : at + 1] = b"\xff" * chance.randrange(1, 12)
            case 3:
                del damaged[at]
        refused += not assert_alike([Block(block.records, bytes(damaged), 0)], whole[2] if turn % 2 else None)
    assert refused > 10


@pytest.mark.parametrize("cut", range(70))
def test_items_at_the_very_end_of_a_block_are_read_within_it(cut):
    counts = number(2) + number(1) + number(2**62) + number(2) + number(7) + b"\0"
    bounds = number(2) + number(1) + sized(b"wxyz") + number(2) + sized(b"abcd") + b"\0"
    whole = number(1) + sized(b"p") + number(1) + counts + number(0) + bounds
    whole += number(2) + number(1) + sized(b"12345678") + number(70_000) + sized(b"12345678") + b"\0"
    slots = decoded([Block(1, whole, 0)], run_compiled)
    assert slots is not None
    assert assert_alike([Block(1, whole, 0)], slots[2])
    if cut < len(whole):
        assert not assert_alike([Block(1, whole[:cut], 0)], slots[2])


def test_columns_grow_as_they_need(monkeypatch):
    monkeypatch.setattr(memory, "_FEW", 2)
    monkeypatch.setattr(keyed, "_FEW_BYTES", 1)
    chance = random.Random(1)
    for run, many in ((run_plain, 12), (run_compiled, 200)):
        rows = [entry(chance) for _ in range(many)]
        data = written(SCHEMA, rows, block_bytes=2000)
        for end in (0, len(data)):
            found = decoded(blocks_of(data), run, None, end)
            assert found is not None
            assert found[1] == by_key(rows)


def test_what_a_key_needs_is_remembered_as_long_as_it_is_met():
    rows = [{"status": 1, "file": {"path": "", "counts": None, "bounds": [{"key": 5, "value": b"x"}], "more": []}}]
    found = decoded(blocks_of(written(SCHEMA, rows)), run_compiled)
    assert found is not None
    assert found[2].kinds.tolist() == [keyed.AS_BYTES]
    rows[0]["file"]["bounds"] = [{"key": 6, "value": b"abcd"}]
    found = decoded(blocks_of(written(SCHEMA, rows)), run_compiled, found[2])
    assert found is not None
    assert found[2].kinds.tolist() == [keyed.AS_4]
    assert len(found[2].keys) == 1


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5))
def test_codes_are_how_avro_writes_the_keys(keys):
    numbers = keyed.zigzag(np.array(keys, np.int32))
    for kind, behind in ((keyed.AS_INT, b""), (keyed.AS_4, number(4)), (keyed.AS_8, number(8))):
        for key, code in zip(keys, keyed._codes(numbers, np.full(len(keys), kind)).tolist(), strict=True):
            bits = code >> 56
            assert (code & (1 << bits) - 1).to_bytes(bits // 8, "little") == varint(key) + behind


def varint(value: int) -> bytes:
    left, out = (value << 1) ^ (value >> 31), bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*out, left])


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(ROWS, min_size=1, max_size=3))
def test_a_file_in_several_chunks_has_the_same_columns(parts):
    rows = [row for part in parts for row in part]
    data = written(SCHEMA, rows, block_bytes=60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "_NATIVE_CHUNK_BYTES", 100)
        left, maps = read_keyed(data, read_header(data), MAPS)
    assert {path: {key: values.to_pylist() for key, values in maps[path].items()} for path in MAPS} == by_key(rows)
    assert left.column("file").to_pylist() == [{"path": row["file"]["path"]} for row in rows]


def test_what_is_no_map_of_its_kind_stays_in_the_table():
    data = written(SCHEMA, [entry(random.Random(3))])
    wanted = [("file", "path"), ("file", "gone"), ("status",), ("file",), ("file", "counts"), ("file", "bounds")]
    left, maps = read_keyed(data, read_header(data), dict.fromkeys(wanted))
    assert set(maps) == {("file", "counts")}
    assert [field.name for field in left.schema.field("file").type] == ["path", "bounds", "more"]


def test_a_record_of_nothing_but_maps_is_left_whole():
    schema = record(("a", record(("counts", PAIRS), name="only")))
    data = written(schema, [{"a": {"counts": [{"key": 1, "value": 2}]}}])
    left, maps = read_keyed(data, read_header(data), {("a", "counts"): None})
    assert maps == {}
    assert left.equals(read_table(data)[1])


def test_without_machine_code_maps_stay_lists(monkeypatch):
    data = written(SCHEMA, [entry(random.Random(3))])
    monkeypatch.setattr(table, "is_available", lambda: False)
    left, maps = read_keyed(data, read_header(data), MAPS)
    assert maps == {}
    assert left.equals(read_table(data)[1])


def test_more_keys_than_a_table_can_have_are_refused(monkeypatch):
    monkeypatch.setattr(keyed, "MAX_KEYS", 20)
    data = written(SCHEMA, [entry(random.Random(3)) for _ in range(3)])
    with pytest.raises(LimitExceeded):
        read_keyed(data, read_header(data), MAPS)


def test_values_of_a_fixed_size_are_of_that_type_until_one_is_not():
    rows = [{"status": 1, "file": {"path": "", "counts": None, "bounds": [{"key": 5, "value": b"abcd"}], "more": []}}]
    for last, of in ((b"wxyz", pa.binary(4)), (b"odd", pa.binary())):
        more = [*rows, {"status": 1, "file": {**rows[0]["file"], "bounds": [{"key": 5, "value": last}]}}]
        data = written(SCHEMA, more)
        _, maps = read_keyed(data, read_header(data), {("file", "bounds"): lambda _: 4})
        assert maps["file", "bounds"][5].type == of
