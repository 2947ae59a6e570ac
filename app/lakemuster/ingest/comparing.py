"""Compare a stored segment with one that was rebuilt from the same manifests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from lakemuster.index.segment_files import Segment
from lakemuster.index.zone_block import Zones, read_zones

_SHOWN = 5
"""Maximum number of columns listed in a difference."""


def differences(stored: Segment, zones: Zones | None, anew: Path) -> Iterator[str]:
    """Yield the differences in entries, columns and zones as text; nothing if the segments are equal.

    Args:
        zones: the zones of the stored segment.
        anew: the file of the rebuilt segment.

    Raises:
        SegmentCorrupt: a segment cannot be read.
    """
    expected = Segment(stored.name, anew)
    if stored.num_rows != expected.num_rows:
        yield f"{stored.num_rows} entries instead of {expected.num_rows}"
        return
    yield from table_differences(stored.table(), expected.table())
    yield from _zone_differences(zones, read_zones(anew))


def table_differences(found: pa.Table, expected: pa.Table) -> Iterator[str]:
    """Yield, as text, which columns are missing, unexpected, or of another type or value."""
    if found.num_rows != expected.num_rows:
        yield f"{found.num_rows} entries instead of {expected.num_rows}"
        return
    if missing := [name for name in expected.column_names if name not in found.column_names]:
        yield f"missing column {_some(missing)}"
    if extra := [name for name in found.column_names if name not in expected.column_names]:
        yield f"unexpected column {_some(extra)}"
    common = [name for name in expected.column_names if name in found.column_names]
    fields = {name: (found.schema.field(name), expected.schema.field(name)) for name in common}
    if retyped := [name for name, (one, other) in fields.items() if not one.equals(other, check_metadata=True)]:
        yield f"another type of {_some(retyped)}"
    other = [name for name in common if name not in retyped and not _same(found.column(name), expected.column(name))]
    if other:
        yield f"other values of {_some(other)}"
    if not found.schema.equals(expected.schema, check_metadata=True) and not (missing or extra or retyped):
        yield "another schema"


def _zone_differences(found: Zones | None, expected: Zones | None) -> Iterator[str]:
    if found is None or expected is None:
        if found is not expected:
            yield "zones are missing or damaged" if found is None else "unexpected zones"
        return
    if found.num_rows != expected.num_rows or not found.schema.equals(expected.schema, check_metadata=True):
        yield "other zones"
        return
    names = found.schema.names
    other = [name for at, name in enumerate(names) if not _same(found.column(at), expected.column(at))]
    if other:
        yield f"other zones of {_some(other)}"


def _same(one: pa.ChunkedArray | pa.Array, other: pa.ChunkedArray | pa.Array) -> bool:
    """Return whether two columns are equal; NaN equals NaN."""
    if one.equals(other):
        return True
    if not pa.types.is_floating(one.type) or one.type != other.type or len(one) != len(other):
        return False
    nulls, others = (np.asarray(each.is_null()) for each in (one, other))
    if not np.array_equal(nulls, others):
        return False
    left, right = (np.asarray(each.drop_null()) for each in (one, other))
    return np.array_equal(left, right, equal_nan=True)


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
