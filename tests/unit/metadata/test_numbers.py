"""Conversion of Arrow numbers to numpy, with and without pandas."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.metadata.numbers import number_type
from tests.tree import PACKAGE

KINDS = [
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
    *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    *(pa.float16(), pa.float32(), pa.float64()),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_type_is_that_of_the_array_in_memory(kind):
    array = pa.array(np.array([1, 2, 3]).astype(number_type(kind)))
    assert array.type == kind
    assert array.to_numpy().dtype == number_type(kind)
    assert np.frombuffer(array.buffers()[1], number_type(kind))[:3].tolist() == [1, 2, 3]


def test_nothing_asks_arrow_for_what_needs_pandas():
    assert not [path for path in PACKAGE.rglob("*.py") if ".to_pandas_dtype(" in path.read_text()]
