"""Index answers against the values: no matching row is missing, and bitmap indexes are exact."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyroaring import BitMap

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.file_index.bloom_filter import value_hash
from lakemuster.formats.paimon.file_index.container import parse_container
from lakemuster.formats.paimon.file_index.evaluation import evaluate, supports
from lakemuster.formats.paimon.types import parse_type
from lakemuster.metadata.types import Primitive
from lakemuster.predicates import BoundLeaf, Op
from tests.examples import examples
from tests.unit.formats.paimon.file_index import encoder

TYPES: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "BOOLEAN": ("boolean", st.booleans()),
    "TINYINT": ("tinyint", st.integers(-128, 127)),
    "SMALLINT": ("smallint", st.integers(-(2**15), 2**15 - 1)),
    "INT": ("int", st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3)),
    "BIGINT": ("long", st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-3, 3)),
    "DATE": ("int", st.integers(-800000, 800000)),
    "TIME(3)": ("int", st.integers(0, 86_399_999)),
    "TIMESTAMP(3)": ("long", st.integers(-(10**13), 10**13)),
    "TIMESTAMP(6)": ("long", st.integers(-(10**16), 10**16)),
    "TIMESTAMP(6) WITH LOCAL TIME ZONE": ("long", st.integers(-(10**16), 10**16)),
    "FLOAT": ("float", st.floats(width=32) | st.sampled_from([0.0, -0.0, math.nan])),
    "DOUBLE": ("double", st.floats() | st.sampled_from([0.0, -0.0, math.nan])),
    "DECIMAL(9, 2)": ("long", st.decimals(-9999999, 9999999, places=2)),
    "STRING": ("string", st.text(max_size=40) | st.sampled_from(["", "a", "ab", "é" * 20])),
    "VARCHAR(10)": ("string", st.text(max_size=10)),
    "BYTES": ("bytes", st.binary(max_size=70)),
}
INTEGERS = {"TINYINT", "SMALLINT", "INT", "BIGINT", "DATE", "TIME(3)", "DECIMAL(9, 2)"} | {
    name for name in TYPES if name.startswith("TIMESTAMP")
}
KINDS = {
    "bloom-filter": set(TYPES) - {"BOOLEAN", "DECIMAL(9, 2)"},
    "bitmap": set(TYPES) - {"BYTES", "DECIMAL(9, 2)"},
    "bsi": INTEGERS,
    "range-bitmap": set(TYPES) - {"BYTES"},
}
OPS = [op for op in Op if op not in (Op.STARTS_WITH, Op.NOT_STARTS_WITH)]


def primitive(text: str) -> Primitive:
    of, _ = parse_type(text, 1)
    assert isinstance(of, Primitive)
    return of


def is_no_nan(value: Any) -> bool:
    return not (isinstance(value, float) and math.isnan(value))


def raw(value: Any) -> Any:
    """Return a value in the encoder's form."""
    match value:
        case Decimal():
            return int(value.scaleb(2))
        case str():
            return value.encode("utf-8", "surrogatepass")
    return value


@st.composite
def columns(draw: Any, kind: str) -> tuple[str, list[Any]]:
    text = draw(st.sampled_from(sorted(KINDS[kind])))
    values = draw(st.lists(TYPES[text][1], min_size=1, max_size=6))
    return text, draw(st.lists(st.none() | st.sampled_from(values), min_size=1, max_size=40))


def encoded(kind: str, text: str, values: list[Any], draw: Any) -> bytes:
    """Return an index of a column in one of the encodings that writers use."""
    raws, runs, form = [raw(value) for value in values], draw(st.booleans()), TYPES[text][0]
    match kind:
        case "bitmap":
            block = draw(st.sampled_from([200, 4096]))
            return encoder.bitmap(form, raws, version=draw(st.sampled_from([1, 2])), block=block, runs=runs)
        case "bsi":
            least = min((abs(one) for one in raws if one is not None), default=0)
            return encoder.bsi(raws, least=draw(st.sampled_from([0, least])), runs=runs)
        case "range-bitmap":
            return encoder.range_bitmap(form, raws, chunk=draw(st.sampled_from([0, 40, 4096])), runs=runs)
    hashes = [value_hash(primitive(text), value) for value in values if value is not None]
    return encoder.bloom_filter([code for code in hashes if code is not None])


TESTS: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: lambda value, one: value == one,
    Op.NOT_EQ: lambda value, one: value != one,
    Op.LT: lambda value, one: value < one,
    Op.LT_EQ: lambda value, one: value <= one,
    Op.GT: lambda value, one: value > one,
    Op.GT_EQ: lambda value, one: value >= one,
}


def holds(leaf: BoundLeaf, value: Any) -> bool:
    """Return whether a value matches a leaf; NaN matches IS_NAN and negations only."""
    if value is None:
        return leaf.op in (Op.IS_NULL, Op.NOT_NAN) or leaf.nulls
    nan = isinstance(value, float) and math.isnan(value)
    match leaf.op:
        case Op.IS_NULL | Op.NOT_NULL:
            return leaf.op is Op.NOT_NULL
        case Op.IS_NAN | Op.NOT_NAN:
            return nan is (leaf.op is Op.IS_NAN)
        case Op.IN | Op.NOT_IN:
            return (value in leaf.values) is (leaf.op is Op.IN)
    return TESTS[leaf.op](raw(value), raw(leaf.values[0]))


@st.composite
def leaves(draw: Any, text: str, values: list[Any], ops: Sequence[Op]) -> BoundLeaf:
    """Draw a comparison with values of the column or of its type."""
    floats = text in ("FLOAT", "DOUBLE")
    op = draw(st.sampled_from([op for op in ops if floats or op not in (Op.IS_NAN, Op.NOT_NAN)]))
    known = [value for value in values if value is not None]
    some = (st.sampled_from(known) if known else st.nothing()) | TYPES[text][1]
    literal = some.filter(is_no_nan)
    if op in (Op.IN, Op.NOT_IN):
        literals = tuple(draw(st.lists(literal, min_size=2, max_size=4)))
    else:
        literals = () if op in (Op.IS_NULL, Op.NOT_NULL, Op.IS_NAN, Op.NOT_NAN) else (draw(literal),)
    nulls = op in (Op.NOT_EQ, Op.NOT_IN) and draw(st.booleans())
    return BoundLeaf(op, 1, "c", primitive(text), literals, nulls=nulls)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_no_matching_row_is_left_out(kind: str, data: st.DataObject) -> None:
    text, values = data.draw(columns(kind))
    leaf = data.draw(leaves(text, values, OPS))
    whole = encoder.container({"other": {"bsi": b"?"}, "c": {kind: encoded(kind, text, values, data.draw)}})
    (where,) = parse_container(whole)["c"]
    found = evaluate(whole, where, primitive(text), len(values), leaf)
    rows = {row for row, value in enumerate(values) if holds(leaf, value)}
    if found is None:
        assert not supports(kind, leaf.op) or kind == "bloom-filter"
        return
    assert rows <= set(found)
    exact = kind != "bloom-filter" and text not in ("FLOAT", "DOUBLE")
    assert not exact or rows == set(found)


@settings(max_examples=examples(100), deadline=None)
@given(data=st.data())
def test_bloom_filters_leave_out_values_without_all_of_their_bits(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(sorted(KINDS["bloom-filter"])))
    held = data.draw(st.lists(TYPES[text][1], max_size=4))
    asked = data.draw(TYPES[text][1].filter(is_no_nan))
    of = primitive(text)
    codes = [code for value in held if (code := value_hash(of, value)) is not None]
    bits = encoder.bloom_filter(codes, bits=1 << 16, functions=9)
    whole = encoder.container({"c": {"bloom-filter": bits}})
    (where,) = parse_container(whole)["c"]
    found = evaluate(whole, where, of, 4, BoundLeaf(Op.EQ, 1, "c", of, (asked,)))
    equal = (asked, -asked) if isinstance(asked, float) and not asked else (asked,)
    own = [[code for code in [value_hash(of, value)] if code is not None] for value in equal]
    wanted = [encoder.bloom_filter(some, bits=1 << 16, functions=9) for some in own]
    has_all = any(all(byte & mask == mask for byte, mask in zip(bits, one, strict=True)) for one in wanted)
    assert (found is None) == has_all
    assert has_all or asked not in held


def test_nanoseconds_are_held_as_microseconds() -> None:
    of = primitive("TIMESTAMP(9)")
    for kind, data in {"bsi": encoder.bsi([5]), "range-bitmap": encoder.range_bitmap("long", [5])}.items():
        whole = encoder.container({"c": {kind: data}})
        (where,) = parse_container(whole)["c"]
        assert set(evaluate(whole, where, of, 1, BoundLeaf(Op.EQ, 1, "c", of, (5_999,))) or ()) == {0}
        assert evaluate(whole, where, of, 1, BoundLeaf(Op.EQ, 1, "c", of, (6_000,))) == BitMap()
        for op in (Op.GT, Op.LT, Op.NOT_EQ):
            assert evaluate(whole, where, of, 1, BoundLeaf(op, 1, "c", of, (5_001,))) is None


@settings(max_examples=examples(200), deadline=None)
@given(data=st.data())
def test_bytes_that_are_off_are_an_error_of_the_format(data: st.DataObject) -> None:
    """A truncated index, or one with a changed byte, gives an answer or an expected error."""
    kind = data.draw(st.sampled_from(sorted(KINDS)))
    text, values = data.draw(columns(kind))
    leaf = data.draw(leaves(text, values, OPS))
    index = bytearray(encoded(kind, text, values, data.draw))
    if data.draw(st.booleans()):
        del index[data.draw(st.integers(0, len(index) - 1)) :]
    else:
        index[data.draw(st.integers(0, len(index) - 1))] ^= data.draw(st.integers(1, 255))
    whole = encoder.container({"c": {kind: bytes(index)}})
    (where,) = parse_container(whole)["c"]
    with contextlib.suppress(MetadataCorrupt, FormatUnsupported):
        evaluate(whole, where, primitive(text), len(values), leaf)


@pytest.mark.parametrize("kind", ["bitmap", "bsi", "range-bitmap"])
def test_an_index_of_another_number_of_rows_is_not_asked(kind: str) -> None:
    whole = encoder.container({"c": {kind: encoded(kind, "INT", [1, 2, None], lambda _: 1)}})
    (where,) = parse_container(whole)["c"]
    of = primitive("INT")
    with pytest.raises(MetadataCorrupt):
        evaluate(whole, where, of, 4, BoundLeaf(Op.EQ, 1, "c", of, (7,)))


@pytest.mark.parametrize("kind", ["tantivy", "token-bitmap", "aggregate", "Bitmap", ""])
def test_kinds_that_are_not_known_say_nothing(kind: str) -> None:
    whole = encoder.container({"c": {kind: b"anything"}})
    (where,) = parse_container(whole)["c"]
    of = primitive("INT")
    assert all(evaluate(whole, where, of, 1, BoundLeaf(op, 1, "c", of, (7,))) is None for op in Op)


def test_an_index_of_nulls_only_says_nothing() -> None:
    whole = encoder.container({"c": {"bitmap": None}})
    (where,) = parse_container(whole)["c"]
    assert evaluate(whole, where, primitive("INT"), 1, BoundLeaf(Op.EQ, 1, "c", primitive("INT"), (7,))) is None
