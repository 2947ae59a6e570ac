"""Keep only bounds of UUIDs that hold in both orders in which writers compare UUIDs.

Most compare the bytes. Iceberg Java compares the halves as signed numbers, so that UUIDs whose first bit is set come
first: of such ones and others, its lower bound is greater than its upper bound, and both enclose nothing. A bound is
used only if it holds in either order; one that is not counts as unknown.

The second halves have a sign too. It is a bit of the variant, which is the same in all UUIDs in use.

Source: RFC 9562, section 6.11; Iceberg Java, ``Comparators``, ``PartitionSummary``; apache/iceberg issue 14216.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.iceberg.statistics import Column, bound_field
from lakemuster.metadata.files import column, split_column
from lakemuster.metadata.types import Kind, Primitive

_BYTES = 16
_TYPE = pa.binary(_BYTES)
_FIRST_BIT = 0x80

Mask = NDArray[np.bool_]


def ordered_pair(lower: object, upper: object) -> tuple[object, object]:
    """Return bounds of one field, with None for those that one of the orders rules out; other values as they are."""
    has_lower, has_upper = isinstance(lower, UUID), isinstance(upper, UUID)
    lower_set = isinstance(lower, UUID) and lower.bytes[0] >= _FIRST_BIT
    upper_set = isinstance(upper, UUID) and upper.bytes[0] >= _FIRST_BIT
    return (
        None if lower_set and not upper_set else lower,
        None if has_upper and not upper_set and (lower_set or not has_lower) else upper,
    )


def ordered_columns(columns: Iterable[Column], type_of: Callable[[int], Primitive]) -> Iterator[Column]:
    """Move bounds of UUIDs that one of the orders rules out from typed columns to those of raw bytes.

    Args:
        columns: statistics in the shape of ``metadata.files``; the raw column of a bound follows the typed one.
        type_of: the type of a column by field id.
    """
    columns = list(columns)
    typed = {field.name: values for field, values in columns if values.type == _TYPE and _is_uuid(field, type_of)}
    moved = dict(_ruled_out(typed)) if typed else {}
    raw = {field.name: values for field, values in columns} if moved else {}
    replaced = {_raw(name) for name in moved}
    for field, values in columns:
        rows = moved.get(field.name)
        if rows is None:
            if field.name not in replaced:
                yield field, values
            continue
        kept = pc.if_else(pa.array(rows), pa.scalar(None, _TYPE), values)
        if kept.null_count < len(kept):
            yield field, kept
        kind, field_id, _ = split_column(field.name) or ("", 0, "")
        other = raw.get(_raw(field.name), pa.scalar(None, pa.binary()))
        bytes_of = pc.if_else(pa.array(rows), values.cast(pa.binary()), other)
        yield bound_field(f"{kind}_raw", field_id, pa.binary(), type_of(field_id).text), bytes_of


def _is_uuid(field: pa.Field, type_of: Callable[[int], Primitive]) -> bool:
    split = split_column(field.name)
    return split is not None and split[0] in ("lower", "upper") and type_of(split[1]).kind is Kind.UUID


def _raw(name: str) -> str:
    kind, field_id, _ = split_column(name) or ("", 0, "")
    return column(f"{kind}_raw", field_id)


def _ruled_out(typed: dict[str, pa.Array]) -> Iterator[tuple[str, Mask]]:
    """Yield the columns that have bounds which one of the orders rules out, and the rows of these."""
    for field_id in sorted({split[1] for name in typed if (split := split_column(name))}):
        lower, upper = typed.get(column("lower", field_id)), typed.get(column("upper", field_id))
        lower_set, lower_clear = _first_bits(lower)
        upper_set, upper_clear = _first_bits(upper)
        for side, values, rows in (
            ("lower", lower, lower_set & ~upper_set),
            ("upper", upper, upper_clear & ~lower_clear),
        ):
            if values is not None and rows.any():
                yield column(side, field_id), np.broadcast_to(rows, len(values))


def _first_bits(values: pa.Array | None) -> tuple[Mask, Mask]:
    """Return where the first bit of the values is set, and where it is not; both false where there is no value."""
    if values is None:
        return np.zeros(1, np.bool_), np.zeros(1, np.bool_)
    data = np.frombuffer(values.buffers()[1], np.uint8, len(values) * _BYTES, values.offset * _BYTES)
    is_set = data[::_BYTES] >= _FIRST_BIT
    known = np.asarray(values.is_valid().to_numpy(zero_copy_only=False), np.bool_)
    return is_set & known, ~is_set & known
