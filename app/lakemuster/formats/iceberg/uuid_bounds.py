"""Find bounds of UUIDs that do not hold in both orders in which writers compare UUIDs.

Most compare the bytes. Iceberg Java compares the halves as signed numbers, so that UUIDs whose first bit is set come
first: of such ones and others, its lower bound is greater than its upper bound, and both enclose nothing. A bound is
used only if it holds in either order; one that is not counts as unknown.

The second halves have a sign too. It is a bit of the variant, which is the same in all UUIDs in use.

Source: RFC 9562, section 6.11; Iceberg Java, ``Comparators``, ``PartitionSummary``; apache/iceberg issue 14216.
"""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_BYTES = 16
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


def ruled_out(lower: pa.Array | None, upper: pa.Array | None) -> tuple[Mask, Mask]:
    """Return the rows whose lower, and whose upper bounds one of the orders rules out; (1,) where there are none."""
    lower_set, lower_clear = _first_bits(lower)
    upper_set, upper_clear = _first_bits(upper)
    return lower_set & ~upper_set, upper_clear & ~lower_clear


def _first_bits(values: pa.Array | None) -> tuple[Mask, Mask]:
    """Return where the first bit of the values is set, and where it is not; both false where there is no value."""
    if values is None:
        return np.zeros(1, np.bool_), np.zeros(1, np.bool_)
    data = np.frombuffer(values.buffers()[1], np.uint8, len(values) * _BYTES, values.offset * _BYTES)
    is_set = data[::_BYTES] >= _FIRST_BIT
    known = np.asarray(values.is_valid().to_numpy(zero_copy_only=False), np.bool_)
    return is_set & known, ~is_set & known
