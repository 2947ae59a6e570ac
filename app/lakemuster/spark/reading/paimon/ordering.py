"""Columns in forms that Arrow orders and compares as Paimon does its keys and sequence fields.

Source: Paimon's generated comparators: numbers as numbers, -0.0 as 0.0, text and bytes by unsigned bytes, false before
true. NaN is to them the same as any number, so that rows with it have no order.
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
    """Rows that Paimon itself does not put into an order."""


def check_orderable(table: str, field: Field, what: str) -> None:
    """Make sure that values of a column can be ordered here.

    Raises:
        NotReadable: they cannot.
    """
    of = field.type
    if isinstance(of, StructType | ListType | MapType) or of.kind in _WITHOUT_ORDER:
        raise NotReadable(table, f"its {what} {field.name} is of type {of.text}, which is not ordered here")
    # Spark's instants have six digits: those that differ in the seventh would be one.
    if of.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) and of.unit == "ns":
        raise NotReadable(table, f"its {what} {field.name} has more than six digits of a second")


def ordered_form(values: pa.Array, of: Type) -> pa.Array:
    """Values of a column in a form of the same order; nulls stay.

    Raises:
        NoOrder: one of them has none.
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
    """Where the cells of ``left`` come before those of ``right``, the first column counting most; without nulls."""
    found: pa.Array | None = None
    for own, other in zip(reversed(left), reversed(right), strict=True):
        less = pc.less(own, other)
        found = less if found is None else pc.or_(less, pc.and_(pc.equal(own, other), found))
    return found
