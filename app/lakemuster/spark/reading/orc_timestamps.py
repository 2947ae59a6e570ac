"""Tell whether the installed pyarrow reads timestamps of ORC files safely."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa
from pyarrow import orc

NEWER_PYARROW_NEEDED = "timestamps of ORC files need a newer pyarrow: this version silently returns wrong values"


@lru_cache(maxsize=1)
def timestamps_are_checked() -> bool:
    """Return whether this pyarrow refuses timestamps beyond int64 nanoseconds; older ones wrap (apache/arrow#50078)."""
    target = pa.BufferOutputStream()
    orc.write_table(pa.table({"at": pa.array([2**34], pa.timestamp("s"))}), target)
    try:
        orc.ORCFile(pa.BufferReader(target.getvalue())).read()
    except pa.ArrowInvalid:
        return True
    return False


def has_timestamps(of: pa.DataType) -> bool:
    """Return whether a type is a timestamp or contains one."""
    return bool(pa.types.is_timestamp(of)) or any(has_timestamps(of.field(at).type) for at in range(of.num_fields))
