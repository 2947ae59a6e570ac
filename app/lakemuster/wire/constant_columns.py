"""Detect columns with one value in all rows, which are common in manifests: their text is written once."""

from __future__ import annotations

import pyarrow as pa


def is_uniform(array: pa.Array) -> bool:
    """Tell whether several rows have one value; also False where the check would cost too much."""
    rows, kind, types = len(array), array.type, pa.types
    if rows < 2 or array.null_count:
        return False
    if types.is_string(kind) or (types.is_list(kind) and types.is_integer(kind.value_type)):
        try:
            array.validate(full=True)  # ``equals`` trusts the offsets
        except pa.ArrowInvalid:
            return False
    elif not (types.is_integer(kind) or types.is_date32(kind) or types.is_boolean(kind)):
        return False
    # One call compares each row with the next: NumPy would need several, and there are many columns.
    return bool(array.slice(1).equals(array.slice(0, rows - 1)))
