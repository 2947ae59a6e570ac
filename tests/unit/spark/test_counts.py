"""Rows counted from a plan: only where its files hold matching rows alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from lakemuster.spark.counts import counted

LISTS = pa.list_(pa.int64())
WHOLE = {"record_count": [3, 4], "residual": pa.nulls(2, pa.string()), "deletes": pa.array([[], []], LISTS)}
PAIMON = {"raw_convertible": [True, True], "delete_row_count": [0, 0]}


def count(**columns: Any) -> int | None:
    table = pa.table({**WHOLE, **columns})
    return counted(cast("Any", SimpleNamespace(to_arrow=lambda: table)))


def test_files_of_matching_rows_are_counted_by_their_metadata():
    assert count() == 7
    assert count(**PAIMON, deletion_vector=pa.nulls(2, pa.struct([("cardinality", pa.int64())]))) == 7
    empty = pa.table(WHOLE).slice(0, 0)
    assert counted(cast("Any", SimpleNamespace(to_arrow=lambda: empty))) == 0


@pytest.mark.parametrize(
    "columns",
    [
        {"residual": [None, "id > 3"]},
        {"deletes": pa.array([[], [0]], LISTS)},
        {"record_count": [3, None]},
        {**PAIMON, "raw_convertible": [True, False]},
        {**PAIMON, "raw_convertible": [True, None]},
        {**PAIMON, "delete_row_count": [0, 1]},
        {**PAIMON, "delete_row_count": [0, None]},
        {**PAIMON, "deletion_vector": [None, {"cardinality": 1}]},
        {**PAIMON, "write_cols": [None, ["a"]]},
    ],
)
def test_everything_else_is_read(columns):
    assert count(**columns) is None
