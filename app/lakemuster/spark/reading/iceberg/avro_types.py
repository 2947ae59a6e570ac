"""Convert an Avro schema to Arrow fields with field ids, and to the plain schema that rows are decoded with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import count
from typing import Any

import pyarrow as pa

Shape = Callable[[Any], Any]
"""Converts a decoded value to one that Arrow accepts."""

_PRIMITIVES = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.string(),
}
_LOGICAL = {
    ("int", "date"): pa.date32(),
    ("int", "time-millis"): pa.time32("ms"),
    ("long", "time-micros"): pa.time64("us"),
    **{
        ("long", f"{local}timestamp-{word}"): pa.timestamp(unit)
        for local in ("", "local-")
        for word, unit in (("millis", "ms"), ("micros", "us"), ("nanos", "ns"))
    },
}
_MAX_DEPTH = 64
_EXACT = Context(prec=100)


class AvroTypeError(Exception):
    """A schema that Iceberg tables cannot have; the message says why."""


@dataclass(frozen=True, slots=True)
class _Type:
    arrow: pa.DataType
    plain: object
    shape: Shape | None = None


class AvroTypes:
    """The columns of a file.

    Attributes:
        plain: the record's schema without logical types; every type name is unique.
        fields: the columns as Arrow fields, with field ids in their metadata.
        shapes: each column's conversion; None where Arrow accepts the decoded values.

    Raises:
        AvroTypeError: the schema is invalid, or has types that Iceberg tables cannot have.
    """

    def __init__(self, schema: object) -> None:
        self._named: dict[str, tuple[Mapping[str, Any], str]] = {}
        self._names = (f"n{number}" for number in count())
        if not isinstance(schema, dict) or schema.get("type") != "record":
            raise AvroTypeError("its rows are not records")
        self.plain: object
        self.fields, self.plain, self.shapes = self._record(schema, "", 0)

    def _type(self, schema: object, namespace: str, depth: int) -> _Type:
        if depth > _MAX_DEPTH:
            raise AvroTypeError("its schema is nested too deep, or recursive")
        if isinstance(schema, list):
            return self._union(schema, namespace, depth)
        if isinstance(schema, str):
            return self._name(schema, namespace, depth)
        if not isinstance(schema, dict):
            raise AvroTypeError("its schema has an invalid type")
        match schema.get("type"):
            case "record":
                fields, plain, shapes = self._record(schema, namespace, depth)
                return _Type(pa.struct(fields), plain, _struct_shape(fields, shapes))
            case "array":
                return self._array(schema, namespace, depth)
            case "map":
                return self._map(schema, namespace, depth)
            case "enum":
                self._declare(schema, namespace)
                symbols = {"type": "enum", "name": next(self._names), "symbols": schema.get("symbols")}
                return _Type(pa.string(), symbols)
            case "fixed":
                self._declare(schema, namespace)
                size = int(schema["size"])
                plain = {"type": "fixed", "name": next(self._names), "size": size}
                return _decimal(schema, plain) or _Type(pa.binary(size), plain)
            case str() as name if name in _PRIMITIVES:
                logical = _LOGICAL.get((name, schema.get("logicalType", "")))
                return _decimal(schema, name) or _Type(logical or _PRIMITIVES[name], name)
            case inner:
                return self._type(inner, namespace, depth + 1)

    def _name(self, name: str, namespace: str, depth: int) -> _Type:
        if name in _PRIMITIVES:
            return _Type(_PRIMITIVES[name], name)
        for full in (_full_name(name, namespace), name):
            if full in self._named:
                schema, inside = self._named[full]
                return self._type(schema, inside, depth + 1)
        raise AvroTypeError(f"its schema names an unknown type {name}")

    def _declare(self, schema: Mapping[str, Any], namespace: str) -> str:
        """Register a named type; return the namespace for names within it."""
        full = _full_name(str(schema.get("name")), schema.get("namespace", namespace))
        self._named[full] = (schema, namespace)
        return full.rpartition(".")[0]

    def _union(self, branches: list[object], namespace: str, depth: int) -> _Type:
        types = [self._type(branch, namespace, depth + 1) for branch in branches]
        values = [one for one in types if one.plain != "null"]
        if len(values) > 1:
            raise AvroTypeError("its schema has a union of several types")
        of = values[0] if values else types[0]
        shape = of.shape
        optional = None if shape is None else lambda value: None if value is None else shape(value)
        return _Type(of.arrow, [one.plain for one in types], optional)

    def _record(
        self, schema: Mapping[str, Any], namespace: str, depth: int
    ) -> tuple[list[pa.Field], object, list[Shape | None]]:
        inside = self._declare(schema, namespace)
        fields, plain, shapes = [], [], []
        for field in schema.get("fields", []):
            of = self._type(field["type"], inside, depth + 1)
            fields.append(_field(field["name"], of, field.get("field-id")))
            plain.append({"name": field["name"], "type": of.plain})
            shapes.append(of.shape)
        return fields, {"type": "record", "name": next(self._names), "fields": plain}, shapes

    def _array(self, schema: Mapping[str, Any], namespace: str, depth: int) -> _Type:
        items = self._type(schema["items"], namespace, depth + 1)
        plain = {"type": "array", "items": items.plain}
        if schema.get("logicalType") == "map":
            if not pa.types.is_struct(items.arrow) or items.arrow.num_fields != 2:
                raise AvroTypeError("map items must be key/value records")
            key, value = items.arrow
            shape = items.shape or (lambda item: item)
            pairs = lambda entries: [tuple(shape(entry).values()) for entry in entries]  # noqa: E731
            return _Type(pa.map_(key.with_nullable(False), value), plain, pairs)
        element = _field("element", items, schema.get("element-id"))
        each = items.shape
        return _Type(pa.list_(element), plain, None if each is None else lambda values: [each(one) for one in values])

    def _map(self, schema: Mapping[str, Any], namespace: str, depth: int) -> _Type:
        values = self._type(schema["values"], namespace, depth + 1)
        key = _field("key", _Type(pa.string(), "string"), schema.get("key-id")).with_nullable(False)
        value = _field("value", values, schema.get("value-id"))
        shape = values.shape or (lambda one: one)
        pairs = lambda entries: [(name, shape(one)) for name, one in entries.items()]  # noqa: E731
        return _Type(pa.map_(key, value), {"type": "map", "values": values.plain}, pairs)


def _field(name: str, of: _Type, field_id: object) -> pa.Field:
    field = pa.field(name, of.arrow)
    return field if field_id is None else field.with_metadata({"field-id": str(field_id)})


def _struct_shape(fields: list[pa.Field], shapes: list[Shape | None]) -> Shape | None:
    if all(shape is None for shape in shapes):
        return None
    pairs = [(field.name, shape or (lambda value: value)) for field, shape in zip(fields, shapes, strict=True)]
    return lambda row: {name: shape(row[name]) for name, shape in pairs}


def _decimal(schema: Mapping[str, Any], plain: object) -> _Type | None:
    """Return the decimal type of bytes or fixed; None for an invalid one, which the specification says to ignore."""
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if schema.get("logicalType") != "decimal" or not isinstance(precision, int) or not isinstance(scale, int):
        return None
    if (plain != "bytes" and not isinstance(plain, dict)) or not (0 < precision <= 38 and 0 <= scale <= precision):
        return None

    def shape(value: bytes) -> Decimal:
        return _EXACT.scaleb(Decimal(int.from_bytes(value, "big", signed=True)), -scale)

    return _Type(pa.decimal128(precision, scale), plain, shape)


def _full_name(name: str, namespace: str) -> str:
    return f"{namespace}.{name}" if namespace and "." not in name else name
