"""Map Arrow's numeric types to numpy's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa


@lru_cache(maxsize=64)
def number_type(kind: pa.DataType) -> np.dtype[Any]:
    """Return the numpy type of an Arrow integer or float: ``to_pandas_dtype`` needs pandas before Arrow 26."""
    sign = "f" if pa.types.is_floating(kind) else "u" if pa.types.is_unsigned_integer(kind) else "i"
    return np.dtype(f"{sign}{kind.bit_width // 8}")
