"""A column's values cast to a later type."""

from __future__ import annotations

import pyarrow as pa
import pytest

from lakemuster.planner.casts import cast_or_none


def test_promoted_values_are_kept() -> None:
    cast = cast_or_none(pa.array([1, None], pa.int32()), pa.int64())
    assert cast is not None
    assert cast.equals(pa.array([1, None], pa.int64()))


@pytest.mark.parametrize(
    ("values", "target"),
    [
        (pa.array(["x"]), pa.int64()),
        (pa.array([1 << 40]), pa.int32()),
        (pa.array([1], pa.int64()), pa.list_(pa.int64())),
    ],
)
def test_values_that_do_not_fit_the_type_are_unknown(values: pa.Array, target: pa.DataType) -> None:
    assert cast_or_none(values, target) is None
