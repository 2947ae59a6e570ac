"""Columns that have one value in every row, as many of a manifest's entries are: its text is written once."""

from __future__ import annotations

import pyarrow as pa


def is_uniform(array: pa.Array) -> bool:
    """Whether several rows surely have one value: false too where that would take longer to tell."""
    rows, kind, types = len(array), array.type, pa.types
    if rows < 2 or array.null_count:
        return False
    if types.is_string(kind) or (types.is_list(kind) and types.is_integer(kind.value_type)):
        try:
            array.validate(full=True)  # a comparison believes where values begin and end
        except pa.ArrowInvalid:
            return False
    elif not (types.is_integer(kind) or types.is_date32(kind) or types.is_boolean(kind)):
        return False
    # Each row is compared with the next, by one call: numpy takes several, and columns are many.
    return bool(array.slice(1).equals(array.slice(0, rows - 1)))
