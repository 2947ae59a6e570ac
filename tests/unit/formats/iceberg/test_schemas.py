from __future__ import annotations

import pyarrow as pa
import pytest

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.iceberg.schemas import parse_primitive, parse_schema
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, arrow_type


@pytest.mark.parametrize(
    ("text", "expected", "arrow"),
    [
        ("boolean", Primitive(Kind.BOOLEAN, "boolean"), pa.bool_()),
        ("int", Primitive(Kind.INT, "int"), pa.int32()),
        ("long", Primitive(Kind.LONG, "long"), pa.int64()),
        ("float", Primitive(Kind.FLOAT, "float"), pa.float32()),
        ("double", Primitive(Kind.DOUBLE, "double"), pa.float64()),
        ("date", Primitive(Kind.DATE, "date"), pa.date32()),
        ("time", Primitive(Kind.TIME, "time"), pa.time64("us")),
        ("timestamp", Primitive(Kind.TIMESTAMP, "timestamp"), pa.timestamp("us")),
        ("timestamptz", Primitive(Kind.TIMESTAMPTZ, "timestamptz"), pa.timestamp("us", "UTC")),
        ("timestamp_ns", Primitive(Kind.TIMESTAMP, "timestamp_ns", unit="ns"), pa.timestamp("ns")),
        ("timestamptz_ns", Primitive(Kind.TIMESTAMPTZ, "timestamptz_ns", unit="ns"), pa.timestamp("ns", "UTC")),
        ("string", Primitive(Kind.STRING, "string"), pa.string()),
        ("binary", Primitive(Kind.BINARY, "binary"), pa.binary()),
        ("uuid", Primitive(Kind.UUID, "uuid"), pa.binary(16)),
        ("fixed[16]", Primitive(Kind.FIXED, "fixed[16]", length=16), pa.binary(16)),
        ("decimal(9,2)", Primitive(Kind.DECIMAL, "decimal(9,2)", precision=9, scale=2), pa.decimal128(9, 2)),
        ("decimal(38, 0)", Primitive(Kind.DECIMAL, "decimal(38, 0)", precision=38), pa.decimal128(38, 0)),
        ("unknown", Primitive(Kind.UNKNOWN, "unknown"), None),
        ("variant", Primitive(Kind.VARIANT, "variant"), None),
        ("geometry", Primitive(Kind.GEOMETRY, "geometry"), None),
        ("geometry(srid:4326)", Primitive(Kind.GEOMETRY, "geometry(srid:4326)"), None),
        ("geography(srid:4326,spherical)", Primitive(Kind.GEOGRAPHY, "geography(srid:4326,spherical)"), None),
        ("LONG", Primitive(Kind.LONG, "long"), pa.int64()),
        ("TimestampTZ_ns", Primitive(Kind.TIMESTAMPTZ, "timestamptz_ns", unit="ns"), pa.timestamp("ns", "UTC")),
        ("DECIMAL(9, 2)", Primitive(Kind.DECIMAL, "decimal(9, 2)", precision=9, scale=2), pa.decimal128(9, 2)),
        ("Fixed[4]", Primitive(Kind.FIXED, "fixed[4]", length=4), pa.binary(4)),
        ("GEOMETRY(EPSG:4326)", Primitive(Kind.GEOMETRY, "GEOMETRY(EPSG:4326)"), None),
        ("MyType(X)", Primitive(Kind.OTHER, "MyType(X)"), None),
        ("decimal(39, 0)", Primitive(Kind.OTHER, "decimal(39, 0)"), None),
        ("decimal(0, 0)", Primitive(Kind.OTHER, "decimal(0, 0)"), None),
        ("decimal(٣, 1)", Primitive(Kind.OTHER, "decimal(٣, 1)"), None),
        ("fixed[0]", Primitive(Kind.OTHER, "fixed[0]"), None),
        ("fixed[99999999999]", Primitive(Kind.OTHER, "fixed[99999999999]"), None),
        ("tinyint", Primitive(Kind.OTHER, "tinyint"), None),
        ("int ", Primitive(Kind.OTHER, "int "), None),
        ("", Primitive(Kind.OTHER, ""), None),
    ],
)
def test_a_types_name_tells_what_it_is(text, expected, arrow):
    assert parse_primitive(text) == expected
    assert arrow_type(parse_primitive(text)) == arrow


def test_nested_columns_are_known_by_id_and_path():
    document = {
        "type": "struct",
        "schema-id": 3,
        "identifier-field-ids": [1],
        "fields": [
            {"id": 1, "name": "id", "required": True, "type": "uuid", "doc": "the key"},
            {
                "id": 2,
                "name": "s",
                "required": False,
                "type": {"type": "struct", "fields": [{"id": 3, "name": "x", "required": True, "type": "int"}]},
            },
            {
                "id": 4,
                "name": "tags",
                "required": False,
                "type": {"type": "list", "element-id": 5, "element": "string", "element-required": True},
            },
            {
                "id": 6,
                "name": "m",
                "required": False,
                "type": {
                    "type": "map",
                    "key-id": 7,
                    "key": "string",
                    "value-id": 8,
                    "value": "variant",
                    "value-required": False,
                },
            },
        ],
    }
    schema = parse_schema(document, "schema")
    assert (schema.schema_id, schema.identifier_field_ids) == (3, (1,))
    assert schema.names == {
        1: "id",
        2: "s",
        3: "s.x",
        4: "tags",
        5: "tags.element",
        6: "m",
        7: "m.key",
        8: "m.value",
    }
    assert schema.fields[0] == Field(1, "id", Primitive(Kind.UUID, "uuid"), True, "the key")
    assert schema.fields[1].type == StructType((Field(3, "x", Primitive(Kind.INT, "int"), True),))
    assert schema.fields[2].type == ListType(Field(5, "element", Primitive(Kind.STRING, "string"), True))
    assert schema.fields[3].type == MapType(
        Field(7, "key", Primitive(Kind.STRING, "string"), True), Field(8, "value", Primitive(Kind.VARIANT, "variant"))
    )


def test_defaults_are_kept_as_they_stand():
    field = {
        "id": 1,
        "name": "a",
        "required": False,
        "type": "date",
        "initial-default": "2024-01-01",
        "write-default": 5,
    }
    read = parse_schema({"fields": [field]}, "schema").fields[0]
    assert (read.initial_default, read.write_default) == ("2024-01-01", 5)


def test_a_type_that_is_an_object_of_another_kind_is_no_error():
    field = {"id": 1, "name": "a", "required": False, "type": {"type": "union", "of": ["int"]}}
    assert parse_schema({"fields": [field]}, "schema").fields[0].type == Primitive(Kind.OTHER, "union")


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ({"name": "a", "type": "int"}, "schema.fields[0].id"),
        ({"id": 1, "type": "int"}, "schema.fields[0].name"),
        ({"id": 1, "name": "a"}, "schema.fields[0].type"),
        ({"id": 1, "name": "a", "type": 7}, "schema.fields[0].type"),
        ({"id": 1, "name": "a", "type": {"type": 7}}, "schema.fields[0].type.type"),
        ({"id": 1, "name": "a", "type": "int", "required": "yes"}, "schema.fields[0].required"),
        ({"id": 1, "name": "a", "type": {"type": "list", "element": "int"}}, "schema.fields[0].type.element-id"),
        ({"id": 1, "name": "a", "type": {"type": "struct"}}, "schema.fields[0].type.fields"),
    ],
)
def test_a_field_that_breaks_the_specification_is_corrupt(field, path):
    with pytest.raises(MetadataCorrupt) as raised:
        parse_schema({"fields": [field]}, "schema")
    assert raised.value.context["path"] == path
