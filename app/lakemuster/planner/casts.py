"""Values recorded under one type of a column, read under another."""

from __future__ import annotations

import pyarrow as pa


def cast_or_none(values: pa.Array, target: pa.DataType) -> pa.Array | None:
    """The values in another type; None when it does not hold them all, which makes them unknown.

    A column's type may have changed since they were recorded: promotions hold, text to numbers does not.
    """
    if values.type.equals(target):
        return values
    try:
        return values.cast(target)
    except pa.ArrowException:
        return None
