"""Determine the value of a field that a data file does not contain.

Source: Iceberg spec, "Column Projection", "Default values", "JSON single-value serialization".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from uuid import UUID

import pyarrow as pa

from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, Type
from lakemuster.metadata.values import from_json_value
from lakemuster.spark.reading.iceberg.schema import arrow_type

UNKNOWN = object()
"""The constant of a field whose partition value the plan does not have in its own type."""


class NoValueError(Exception):
    """A required field has neither a value nor a default, or one is invalid or unknown; the message says which."""


def missing_value(field: Field, constants: Mapping[int, object]) -> pa.Scalar:
    """Return the partition value if the field is an identity partition source, else its initial default, else null.

    Raises:
        NoValueError: the field is required and has neither, the partition value is unknown, or the default is not a
            value of the type.
        UnknownTypeError: the type has no Arrow type.
    """
    target = arrow_type(field.type)
    if field.field_id in constants and isinstance(field.type, Primitive):
        if constants[field.field_id] is UNKNOWN:
            raise NoValueError("the name of its partition field was used for another type before")
        value = _partition_value(field.type, constants[field.field_id])
        return pa.scalar(value, target)
    if field.initial_default is not None:
        try:
            return pa.scalar(_default(field.type, field.initial_default), target)
        except (ValueError, TypeError, KeyError, AttributeError, pa.ArrowException) as cause:
            raise NoValueError(f"its initial default is not a value of its type: {cause}") from cause
    if field.required:
        raise NoValueError("it is required and has no initial default")
    return pa.scalar(None, target)


def _partition_value(of: Primitive, value: object) -> object:
    """Convert a plan's partition value to a Python value of the field's type; it may predate a type promotion."""
    if of.kind is Kind.UUID and isinstance(value, bytes):
        return str(UUID(bytes=value))
    if of.kind is Kind.DECIMAL and isinstance(value, Decimal):
        return value
    if of.kind is Kind.TIMESTAMP and type(value) is date:
        return pa.scalar(value).cast(pa.timestamp(of.unit)).as_py()
    return value


def _default(of: Type, value: object) -> object:
    """Convert a default in JSON single-value form to a Python value."""
    if value is None:
        return None
    match of:
        case StructType(fields=fields):
            given = value if isinstance(value, dict) else {}
            return {
                field.name: _default(field.type, given.get(str(field.field_id), field.initial_default))
                for field in fields
            }
        case ListType(element=element):
            assert isinstance(value, list)
            return [_default(element.type, item) for item in value]
        case MapType(key=key, value=inner):
            assert isinstance(value, dict)
            pairs = zip(value["keys"], value["values"], strict=True)
            return [(_default(key.type, one), _default(inner.type, other)) for one, other in pairs]
    assert isinstance(of, Primitive)
    return _python_value(of, from_json_value(of, value))


def _python_value(of: Primitive, internal: object) -> object:
    """Convert a value in internal form (see ``metadata.types``) to one that Arrow accepts."""
    if isinstance(internal, UUID):
        return str(internal)
    if of.kind in {Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        target = arrow_type(of)
        return pa.scalar(internal, pa.int32() if target.bit_width == 32 else pa.int64()).cast(target)
    return internal
