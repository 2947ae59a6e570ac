"""Convert keys and sequence fields to forms that Arrow sorts and compares as Paimon does.

Source: Paimon's generated comparators: numbers by value, -0.0 equal to 0.0, strings and bytes by unsigned bytes, false
before true. They consider NaN equal to any number, so rows with NaN have no order.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, Type
from lakemuster.spark.reading.model import NotReadable

Cells = Sequence[pa.Array] | Sequence[pa.Scalar]

_WITHOUT_ORDER = (Kind.VARIANT, Kind.GEOMETRY, Kind.GEOGRAPHY, Kind.OTHER, Kind.UNKNOWN)


class NoOrder(Exception):
    """A value that has no order in Paimon: NaN."""


def check_orderable(table: str, field: Field, what: str) -> None:
    """Check that a column's values can be ordered.

    Raises:
        NotReadable: they cannot.
    """
    of = field.type
    if isinstance(of, StructType | ListType | MapType) or of.kind in _WITHOUT_ORDER:
        raise NotReadable(table, f"its {what} {field.name} is of type {of.text}, which is not ordered here")
    # Spark's timestamps have six digits: values that differ in the seventh would become equal.
    if of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) and of.unit == "ns":
        raise NotReadable(table, f"its {what} {field.name} has more than six digits of a second")


def ordered_form(values: pa.Array, of: Type) -> pa.Array:
    """Convert a column's values to a form that sorts like them; nulls stay null.

    Raises:
        NoOrder: a value is NaN.
    """
    match of:
        case Primitive(kind=Kind.BOOLEAN):
            return values.cast(pa.int8())
        case Primitive(kind=Kind.DATE):
            return values.cast(pa.int32())
        case Primitive(kind=Kind.TIMESTAMP | Kind.TIMESTAMPTZ):
            return values.cast(pa.int64())
        case Primitive(kind=Kind.FLOAT | Kind.DOUBLE):
            if pc.any(pc.is_nan(values)).as_py():
                raise NoOrder("a key or a sequence.field is NaN")
            return pc.add(values, pa.scalar(0.0, values.type))
    return values


def before(left: Cells, right: Cells) -> pa.BooleanArray:
    """Return whether each row of ``left`` sorts before that of ``right``; most significant column first, no nulls."""
    found: pa.Array | None = None
    for own, other in zip(reversed(left), reversed(right), strict=True):
        less = pc.less(own, other)
        found = less if found is None else pc.or_(less, pc.and_(pc.equal(own, other), found))
    return found
