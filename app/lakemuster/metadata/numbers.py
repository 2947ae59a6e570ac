"""Map Arrow's numeric types to numpy's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

_DIGITS_OF_A_WORD = 18


@lru_cache(maxsize=64)
def number_type(kind: pa.DataType) -> np.dtype[Any]:
    """Return the numpy type of an Arrow integer or float: ``to_pandas_dtype`` needs pandas before Arrow 26."""
    sign = "f" if pa.types.is_floating(kind) else "u" if pa.types.is_unsigned_integer(kind) else "i"
    return np.dtype(f"{sign}{kind.bit_width // 8}")


@lru_cache(maxsize=64)
def order_type(of: pa.DataType) -> np.dtype[Any] | None:
    """Return the numpy type of values in memory (for decimals, of the low half); None if not compared as numbers."""
    if pa.types.is_floating(of) or pa.types.is_integer(of):
        return number_type(of)
    if pa.types.is_temporal(of):
        return np.dtype(f"i{of.bit_width // 8}")
    return np.dtype(np.int64) if pa.types.is_decimal128(of) and of.precision <= _DIGITS_OF_A_WORD else None
