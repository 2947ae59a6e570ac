"""Random filters of PyIceberg, with constants from statistics, partitions and rows."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from pyiceberg import expressions
from pyiceberg.expressions import literals as lit
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

ex: Any = expressions  # its types do not show which arguments are positional
COMPARISONS = [
    ex.EqualTo,
    ex.NotEqualTo,
    ex.LessThan,
    ex.LessThanOrEqual,
    ex.GreaterThan,
    ex.GreaterThanOrEqual,
]
_LITERALS: dict[type, Any] = {
    BooleanType: lit.BooleanLiteral,
    IntegerType: lit.LongLiteral,
    LongType: lit.LongLiteral,
    FloatType: lit.DoubleLiteral,
    DoubleType: lit.DoubleLiteral,
    DecimalType: lit.DecimalLiteral,
    DateType: lit.DateLiteral,
    TimeType: lit.TimeLiteral,
    TimestampType: lit.TimestampLiteral,
    TimestamptzType: lit.TimestampLiteral,
    StringType: lit.StringLiteral,
    BinaryType: lit.BinaryLiteral,
    FixedType: lit.FixedLiteral,
    UUIDType: lit.UUIDLiteral,
}
_ENDS = {DateType: (-719_162, 2_932_896), TimeType: (0, 86_399_999_999)}
_ENDS |= dict.fromkeys((TimestampType, TimestamptzType), (-62_135_596_800_000_000, 253_402_300_799_999_999))
_INTEGERS = (IntegerType, LongType, DateType, TimeType, TimestampType, TimestamptzType)


def asked(schema: Schema) -> dict[str, PrimitiveType]:
    """Return the columns that filters can name: primitive ones, outside of lists and maps."""
    found: dict[str, PrimitiveType] = {}

    def walk(of: StructType, prefix: str) -> None:
        for field in of.fields:
            if isinstance(field.field_type, StructType):
                walk(field.field_type, f"{prefix}{field.name}.")
            elif isinstance(field.field_type, PrimitiveType) and type(field.field_type) in _LITERALS:
                found[prefix + field.name] = field.field_type

    walk(schema.as_struct(), "")
    return found


def pool(of: PrimitiveType, known: Iterable[Any]) -> list[Any]:
    """Return the known values and their neighbours."""
    found = {
        value for value in known if value is not None and not (isinstance(value, float) and not math.isfinite(value))
    }
    if type(of) in _INTEGERS:
        low, high = _ENDS.get(type(of), (-(2**31), 2**31 - 1))
        steps = (1, 3_600_000_000, 86_400_000_000) if type(of) in (TimestampType, TimestamptzType) else (1,)
        found |= {value + step for value in set(found) for step in (*steps, *(-s for s in steps))} | {0}
        return sorted(value for value in found if low <= value <= high)
    if isinstance(of, FloatType | DoubleType):
        return sorted({value + step for value in found for step in (0.0, 0.5, -1.0)} | {0.0})
    if isinstance(of, DecimalType):
        step = Decimal(1).scaleb(-of.scale)
        near = {value + step for value in found} | {value - step for value in found} | {0 * step}
        return sorted(value for value in found | near if len(value.as_tuple().digits) <= of.precision)
    if isinstance(of, StringType):
        return sorted(found | {text[:2] for text in found} | {text + "a" for text in found} | {"", "m"})
    if isinstance(of, BinaryType):
        return sorted(found | {text[:1] for text in found} | {b"", b"m"})
    return sorted(found)


def filter_of(dice: random.Random, columns: Mapping[str, PrimitiveType], values: Mapping[str, list[Any]]) -> Any:
    """Return a filter of one to five comparisons."""
    found = [_leaf(dice, columns, values) for _ in range(dice.choice([1, 1, 2, 2, 3, 5]))]
    while len(found) > 1:
        left, right = found.pop(dice.randrange(len(found))), found.pop(dice.randrange(len(found)))
        found.append(dice.choice([ex.And, ex.Or])(left, right))
    return ex.Not(found[0]) if dice.random() < 0.15 else found[0]


def _leaf(dice: random.Random, columns: Mapping[str, PrimitiveType], values: Mapping[str, list[Any]]) -> Any:
    name = dice.choice(list(columns))
    of, known = columns[name], values[name]
    unary = [ex.IsNull, ex.NotNull, *([ex.IsNaN, ex.NotNaN] if isinstance(of, FloatType | DoubleType) else [])]
    if not known or dice.random() < 0.15:
        return dice.choice(unary)(name)
    kinds = [
        *COMPARISONS,
        ex.In,
        ex.NotIn,
        *([ex.StartsWith, ex.NotStartsWith] * 2 if isinstance(of, StringType) else []),
    ]
    kind = dice.choice(kinds)
    if kind in (ex.In, ex.NotIn):
        chosen = dice.sample(known, min(dice.choice([1, 2, 3, 6]), len(known)))
        if isinstance(of, LongType) and dice.random() < 0.2:
            chosen += range(1_000, 1_300)
        found = kind(name, [literal(of, value) for value in chosen])
    else:
        found = kind(name, literal(of, dice.choice(known)))
    return ex.Not(found) if dice.random() < 0.1 else found


def literal(of: PrimitiveType, value: Any) -> Any:
    """Return a literal of PyIceberg; floats have four bytes if the column's do."""
    if isinstance(of, FloatType):
        (value,) = struct.unpack("<f", struct.pack("<f", value))
    return _LITERALS[type(of)](value)
