"""Column types of both formats, and how their values are represented in memory.

A value's *internal form* is the one that specifications compute with: integers for
dates (days), times and timestamps (the type's unit since 1970-01-01),
``Decimal``, ``UUID``, ``str``, ``bytes``, ``float``, ``bool``. Columns of values
are Arrow arrays of :func:`arrow_type`, whose buffers hold the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow as pa

Unit = Literal["ms", "us", "ns"]


class Kind(StrEnum):
    """The kind of a primitive type, under Iceberg's name where both formats have it."""

    BOOLEAN = "boolean"
    TINYINT = "tinyint"
    SMALLINT = "smallint"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    DECIMAL = "decimal"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"
    TIMESTAMPTZ = "timestamptz"
    STRING = "string"
    BINARY = "binary"
    FIXED = "fixed"
    UUID = "uuid"
    UNKNOWN = "unknown"
    VARIANT = "variant"
    GEOMETRY = "geometry"
    GEOGRAPHY = "geography"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Primitive:
    """A type without fields of its own.

    Attributes:
        kind: the kind of type.
        text: the spelling of the table's own format (``timestamptz_ns``, ``VARCHAR(20)``).
        precision, scale: decimals only.
        length: bytes of ``fixed``; declared length of character and binary types.
        unit: of times and timestamps.
    """

    kind: Kind
    text: str
    precision: int = 0
    scale: int = 0
    length: int = 0
    unit: Unit = "us"


@dataclass(frozen=True, slots=True)
class Field:
    """A named column or struct member, permanently identified by ``field_id``.

    ``initial_default`` and ``write_default`` are JSON single values, None when absent.
    """

    field_id: int
    name: str
    type: Type
    required: bool = False
    doc: str | None = None
    initial_default: object = None
    write_default: object = None


@dataclass(frozen=True, slots=True)
class StructType:
    """Named fields."""

    fields: tuple[Field, ...]
    text: str = "struct"


@dataclass(frozen=True, slots=True)
class ListType:
    """Repeated elements (Iceberg list; Paimon ARRAY, MULTISET, VECTOR)."""

    element: Field
    text: str = "list"


@dataclass(frozen=True, slots=True)
class MapType:
    """Keys to values."""

    key: Field
    value: Field
    text: str = "map"


Type = Primitive | StructType | ListType | MapType


@cache
def _simple_types() -> dict[Kind, pa.DataType]:
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and most readers of metadata need no Arrow

    return {
        Kind.BOOLEAN: pa.bool_(),
        Kind.TINYINT: pa.int8(),
        Kind.SMALLINT: pa.int16(),
        Kind.INT: pa.int32(),
        Kind.LONG: pa.int64(),
        Kind.FLOAT: pa.float32(),
        Kind.DOUBLE: pa.float64(),
        Kind.DATE: pa.date32(),
        Kind.STRING: pa.string(),
        Kind.BINARY: pa.binary(),
        Kind.UUID: pa.binary(16),
    }


def arrow_type(of: Type) -> pa.DataType | None:
    """Return the Arrow type of a column of these values; None for types that we do not order.

    Nested, variant, geo and unknown types give None: their bounds stay raw bytes.
    """
    if not isinstance(of, Primitive):
        return None
    import pyarrow as pa  # noqa: PLC0415 - see above

    match of.kind:
        case Kind.DECIMAL:
            return pa.decimal128(of.precision, of.scale)
        case Kind.TIME:
            return pa.time32("ms") if of.unit == "ms" else pa.time64(of.unit)
        case Kind.TIMESTAMP:
            return pa.timestamp(of.unit)
        case Kind.TIMESTAMPTZ:
            return pa.timestamp(of.unit, "UTC")
        case Kind.FIXED:
            return pa.binary(of.length)
        case _:
            return _simple_types().get(of.kind)
