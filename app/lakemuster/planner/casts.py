"""Cast values that were recorded under an earlier type of a column to its present type."""

from __future__ import annotations

import pyarrow as pa


def cast_or_none(values: pa.Array, target: pa.DataType) -> pa.Array | None:
    """Cast values to another type; None when the type cannot hold them all, so that they count as unknown.

    A column's type may have changed since the values were recorded. Promotions succeed; text to numbers may not.
    """
    if values.type.equals(target):
        return values
    try:
        return values.cast(target)
    except pa.ArrowException:
        return None
