"""Paimon's type strings and type objects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import CatalogError, LimitExceeded, MetadataCorrupt
from lakemuster.formats.paimon.types import parse_field, parse_type
from lakemuster.metadata.types import Kind, ListType, MapType, Primitive, StructType

ATOMIC = {
    "BOOLEAN": Primitive(Kind.BOOLEAN, "BOOLEAN"),
    "TINYINT": Primitive(Kind.TINYINT, "TINYINT"),
    "SMALLINT": Primitive(Kind.SMALLINT, "SMALLINT"),
    "INT": Primitive(Kind.INT, "INT"),
    "INTEGER": Primitive(Kind.INT, "INT"),
    "integer": Primitive(Kind.INT, "INT"),
    "BIGINT": Primitive(Kind.LONG, "BIGINT"),
    "FLOAT": Primitive(Kind.FLOAT, "FLOAT"),
    "DOUBLE": Primitive(Kind.DOUBLE, "DOUBLE"),
    "DOUBLE PRECISION": Primitive(Kind.DOUBLE, "DOUBLE"),
    "DATE": Primitive(Kind.DATE, "DATE"),
    "TIME": Primitive(Kind.TIME, "TIME(0)", unit="ms"),
    "TIME(3)": Primitive(Kind.TIME, "TIME(3)", precision=3, unit="ms"),
    "TIME(3) WITHOUT TIME ZONE": Primitive(Kind.TIME, "TIME(3)", precision=3, unit="ms"),
    "DECIMAL": Primitive(Kind.DECIMAL, "DECIMAL(10, 0)", precision=10),
    "DECIMAL(5)": Primitive(Kind.DECIMAL, "DECIMAL(5, 0)", precision=5),
    "DECIMAL(38,18)": Primitive(Kind.DECIMAL, "DECIMAL(38, 18)", precision=38, scale=18),
    "NUMERIC(7, 2)": Primitive(Kind.DECIMAL, "DECIMAL(7, 2)", precision=7, scale=2),
    "DEC(7, 2)": Primitive(Kind.DECIMAL, "DECIMAL(7, 2)", precision=7, scale=2),
    "TIMESTAMP": Primitive(Kind.TIMESTAMP, "TIMESTAMP(6)", precision=6, unit="us"),
    "TIMESTAMP(0)": Primitive(Kind.TIMESTAMP, "TIMESTAMP(0)", precision=0, unit="ms"),
    "TIMESTAMP(3)": Primitive(Kind.TIMESTAMP, "TIMESTAMP(3)", precision=3, unit="ms"),
    "TIMESTAMP(4)": Primitive(Kind.TIMESTAMP, "TIMESTAMP(4)", precision=4, unit="us"),
    "TIMESTAMP(9) WITHOUT TIME ZONE": Primitive(Kind.TIMESTAMP, "TIMESTAMP(9)", precision=9, unit="ns"),
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": Primitive(
        Kind.TIMESTAMPTZ, "TIMESTAMP(3) WITH LOCAL TIME ZONE", precision=3, unit="ms"
    ),
    "TIMESTAMP_LTZ(9)": Primitive(Kind.TIMESTAMPTZ, "TIMESTAMP(9) WITH LOCAL TIME ZONE", precision=9, unit="ns"),
    "TIMESTAMP_LTZ": Primitive(Kind.TIMESTAMPTZ, "TIMESTAMP(6) WITH LOCAL TIME ZONE", precision=6, unit="us"),
    "CHAR": Primitive(Kind.STRING, "CHAR(1)", length=1),
    "CHAR(10)": Primitive(Kind.STRING, "CHAR(10)", length=10),
    "VARCHAR(20)": Primitive(Kind.STRING, "VARCHAR(20)", length=20),
    "STRING": Primitive(Kind.STRING, "STRING", length=2147483647),
    "VARCHAR(2147483647)": Primitive(Kind.STRING, "STRING", length=2147483647),
    "BINARY": Primitive(Kind.BINARY, "BINARY(1)", length=1),
    "BINARY(16)": Primitive(Kind.BINARY, "BINARY(16)", length=16),
    "VARBINARY(20)": Primitive(Kind.BINARY, "VARBINARY(20)", length=20),
    "BYTES": Primitive(Kind.BINARY, "BYTES", length=2147483647),
    "BLOB": Primitive(Kind.BINARY, "BLOB"),
    "VARIANT": Primitive(Kind.VARIANT, "VARIANT"),
    "GEOMETRY": Primitive(Kind.GEOMETRY, "GEOMETRY"),
    "GEOGRAPHY('EPSG:4326', SPHERICAL)": Primitive(Kind.GEOGRAPHY, "GEOGRAPHY('EPSG:4326', SPHERICAL)"),
    "SOMETHING_NEW": Primitive(Kind.OTHER, "SOMETHING_NEW"),
    "SOMETHING_NEW(1,2)": Primitive(Kind.OTHER, "SOMETHING_NEW(1,2)"),
    "ENUM<'a', INT>": Primitive(Kind.OTHER, "ENUM<'a', INT>"),
    "INTERVAL YEAR TO MONTH": Primitive(Kind.OTHER, "INTERVAL YEAR TO MONTH"),
}


@pytest.mark.parametrize("text", ATOMIC)
@pytest.mark.parametrize(
    ("suffix", "required"), [("", False), (" NOT NULL", True), (" NULL", False), ("  NOT  NULL ", True)]
)
def test_atomic_types_are_read_with_their_nullability(text, suffix, required):
    assert parse_type(text + suffix, 1) == (ATOMIC[text], required)


@pytest.mark.parametrize("of", sorted({of.text for of in ATOMIC.values()}))
def test_the_canonical_spelling_means_the_same_type(of):
    (again, _) = parse_type(of, 1)
    assert isinstance(again, Primitive)
    assert again.text == of
    assert again in ATOMIC.values()


def test_nested_types_have_the_ids_that_paimon_computes():
    json = {
        "type": "ARRAY NOT NULL",
        "element": {"type": "MAP", "key": "INT NOT NULL", "value": {"type": "ARRAY", "element": "STRING"}},
    }
    array, required = parse_type(json, 10)
    assert required
    assert isinstance(array, ListType)
    assert array.element.field_id == 536870911 + 1024 * 10 + 1
    inner = array.element.type
    assert isinstance(inner, MapType)
    assert (inner.key.field_id, inner.key.required) == (536870911 - 1024 * 10 - 2, True)
    assert (inner.value.field_id, inner.value.required) == (536870911 + 1024 * 10 + 2, False)
    assert isinstance(inner.value.type, ListType)
    assert inner.value.type.element.field_id == 536870911 + 1024 * 10 + 3
    assert array.text == "ARRAY<MAP<INT NOT NULL, ARRAY<STRING>>>"


def test_a_list_in_a_key_counts_its_level():
    of, _ = parse_type({"type": "MAP", "key": {"type": "ARRAY", "element": "INT"}, "value": "INT"}, 10)
    assert isinstance(of, MapType)
    assert isinstance(of.key.type, ListType)
    assert of.key.type.element.field_id == 536870911 + 1024 * 10 + 2


def test_rows_carry_the_ids_of_their_members():
    json = {
        "type": "ROW",
        "fields": [
            {"id": 5, "name": "a", "type": "INT", "description": "the a"},
            {"id": 9, "name": "b", "type": "STRING NOT NULL"},
        ],
    }
    row, _ = parse_type(json, 3)
    assert isinstance(row, StructType)
    assert [(f.field_id, f.name, f.required, f.doc) for f in row.fields] == [
        (5, "a", False, "the a"),
        (9, "b", True, None),
    ]


@pytest.mark.parametrize(
    ("json", "text", "element"),
    [
        ({"type": "MULTISET", "element": "STRING"}, "MULTISET<STRING>", "STRING"),
        ({"type": "VECTOR", "element": "FLOAT NOT NULL", "length": 3}, "VECTOR<FLOAT NOT NULL, 3>", "FLOAT"),
        ("VECTOR<FLOAT, 3> NOT NULL", "VECTOR<FLOAT, 3>", "FLOAT"),
        ("INT NOT NULL ARRAY", "ARRAY<INT NOT NULL>", "INT"),
        ("VARCHAR(3) MULTISET NOT NULL", "MULTISET<VARCHAR(3)>", "VARCHAR(3)"),
    ],
)
def test_lists_of_any_spelling(json, text, element):
    of, _ = parse_type(json, 1)
    assert isinstance(of, ListType)
    assert of.text == text
    assert of.element.type.text == element


def test_a_type_object_that_is_not_known_is_not_interpreted():
    assert parse_type({"type": "GRAPH NOT NULL", "nodes": "INT"}, 1) == (Primitive(Kind.OTHER, "GRAPH"), True)


def test_a_field_keeps_its_default():
    field = parse_field({"id": 1, "name": "a", "type": "INT", "defaultValue": "7"})
    assert field.write_default == "7"


@pytest.mark.parametrize(
    "json",
    [
        "",
        "   ",
        "INT INT",
        "DECIMAL(39, 0)",
        "<INT>",
        "DECIMAL(0, 0)",
        "DECIMAL(4, 5)",
        "DECIMAL(1, 1, 1)",
        "TIMESTAMP(10)",
        "VARCHAR(2147483648)",
        "VARCHAR(99999999999999)",
        "VARCHAR(x)",
        "VARCHAR(3",
        "TIMESTAMP(3) WITH TIME ZONE",
        "NOT NULL NOT",
        "(3)",
        "INT; DROP",
        "VECTOR<FLOAT>",
        7,
        None,
        ["INT"],
        {},
        {"type": 3},
        {"type": ""},
        {"type": "(INT)"},
        {"type": "ROW"},
        {"type": "ROW", "fields": [7]},
        {"type": "ROW", "fields": [{"name": "a", "type": "INT"}]},
        {"type": "ARRAY"},
        {"type": "MAP", "key": "INT"},
    ],
    ids=repr,
)
def test_what_is_no_type_is_refused(json):
    with pytest.raises(MetadataCorrupt):
        parse_type(json, 1)


def test_a_type_nested_too_deep_is_refused():
    json: object = "INT"
    for _ in range(70):
        json = {"type": "ARRAY", "element": json}
    with pytest.raises(LimitExceeded):
        parse_type(json, 1)
    with pytest.raises(MetadataCorrupt):
        parse_type("VECTOR<" * 10_000, 1)


@given(st.text(alphabet="INTDECMAL ARY<>(),'`0123456789_NULO", max_size=40))
def test_any_text_is_a_type_or_refused(text):
    try:
        of, _ = parse_type(text, 1)
    except CatalogError:
        return
    assert parse_type(of.text, 1)[0] == of
