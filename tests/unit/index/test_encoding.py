"""Encoded documents round-trip for any content of a metadata file."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import IndexUnavailable, LimitExceeded
from lakemuster.index.encoding import decode, encode
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestListRef, PartitionFieldSummary, Ref, Snapshot
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType

# JSON readers combine a surrogate pair into one character, so no text that was read contains a split pair.
ANY_TEXT = st.text(st.characters(exclude_categories=[]) | st.sampled_from("\0\ud800\udfff$\x1b"), max_size=5).filter(
    lambda text: re.search("[\ud800-\udbff][\udc00-\udfff]", text) is None
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.decimals()
    | st.uuids()
    | st.binary(max_size=9)
    | ANY_TEXT
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(ANY_TEXT | st.just("$"), inner, max_size=3)
        | st.dictionaries(st.integers() | st.binary(max_size=3), inner, max_size=2)
    ),
    max_leaves=8,
)
SUMMARIES = st.builds(
    PartitionFieldSummary,
    field_id=st.integers(),
    name=ANY_TEXT,
    contains_null=st.none() | st.booleans(),
    lower=SCALARS,
    upper=SCALARS,
    lower_raw=st.none() | st.binary(),
    null_count=st.none() | st.integers(),
)
PRIMITIVES = st.builds(
    Primitive,
    kind=st.sampled_from(Kind),
    text=ANY_TEXT,
    precision=st.integers(0, 38),
    unit=st.sampled_from(["ms", "us", "ns"]),
)


def fields(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Field]:
    return st.builds(Field, st.integers(), ANY_TEXT, of, st.booleans(), st.none() | ANY_TEXT, VALUES, VALUES)


TYPES = st.recursive(
    PRIMITIVES,
    lambda inner: (
        st.builds(StructType, st.lists(fields(inner), max_size=2).map(tuple), ANY_TEXT)
        | st.builds(ListType, fields(inner))
        | st.builds(MapType, fields(inner), fields(inner), ANY_TEXT)
    ),
    max_leaves=4,
)


@given(VALUES)
def test_every_value_round_trips(value: object) -> None:
    # repr distinguishes 1 from 1.0 and True, list from tuple, -0.0 from 0.0, and is equal for NaN.
    assert repr(decode(encode(value))) == repr(value)


@given(VALUES)
def test_documents_are_ascii_without_nul(value: object) -> None:
    assert all(0x20 <= byte < 0x7F for byte in encode(value))


@given(st.lists(SUMMARIES, max_size=3).map(tuple))
def test_partition_bounds_round_trip(summaries: tuple[PartitionFieldSummary, ...]) -> None:
    assert repr(decode(encode(summaries))) == repr(summaries)


@given(st.lists(fields(TYPES), max_size=3).map(tuple), st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=2).map(tuple))
def test_schemas_round_trip(columns: tuple[Field, ...], options: tuple[tuple[str, str], ...]) -> None:
    schema = Schema(3, columns, (1,), ("p",), ("k",), options, "comment", 5, 7)
    assert repr(decode(encode(schema))) == repr(schema)


@given(st.integers(), ANY_TEXT, st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=3), st.dictionaries(ANY_TEXT, VALUES))
def test_snapshots_round_trip(number: int, text: str, summary: dict[str, str], extra: dict[str, object]) -> None:
    lists = (ManifestListRef("base", text, number), ManifestListRef("delta", "d"))
    snapshot = Snapshot(number, 5, lists, text, "tag", None, number, text, 0, (text,), summary, extra)
    assert repr(decode(encode(snapshot))) == repr(snapshot)


def test_specs_and_refs_round_trip() -> None:
    spec = PartitionSpec(1, (PartitionField(1000, "a_bucket", "bucket[16]", (1, 2)),))
    ref = Ref("audit", "tag", 2**62, "main", {"max_ref_age_ms": 5})
    assert decode(encode((spec, ref))) == (spec, ref)


def test_a_field_added_later_has_its_default_in_older_documents() -> None:
    assert decode(b'{"$":"Ref","name":"r","kind":"tag","snapshot_id":1}') == Ref("r", "tag", 1)
    assert b"required" not in encode(Field(1, "a", Primitive(Kind.INT, "int")))


def test_a_value_that_equals_a_default_but_is_of_another_type_is_kept() -> None:
    summary = decode(encode(PartitionFieldSummary(0, "p", None, lower=Decimal(0), upper=False)))
    assert (type(summary.lower), summary.upper) == (Decimal, False)


def test_nan_is_kept_as_nan() -> None:
    assert math.isnan(decode(encode(float("nan"))))


def test_types_outside_metadata_are_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        encode({"a": {1, 2}})


def test_deep_nesting_is_a_limit_not_a_crash() -> None:
    deep: object = None
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(LimitExceeded):
        encode(deep)


@pytest.mark.parametrize(
    "document",
    [b"", b"{", b"\xff", b'{"$":"Elsewhere"}', b'{"$":"decimal","text":"x"}', b'{"$":"uuid"}', b'{"$":"Ref","no":1}'],
)
def test_a_damaged_document_is_reported(document: bytes) -> None:
    with pytest.raises(IndexUnavailable):
        decode(document)


def test_uuids_and_bytes_are_distinct_from_text() -> None:
    value = (UUID(int=5), b"\x00\xff", "AP8=")
    assert decode(encode(value)) == value
