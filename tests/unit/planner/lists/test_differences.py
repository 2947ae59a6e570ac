"""What makes two entries of different manifests the same file."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lakemuster.planner.lists.differences import identity

PAIMON = {"file_path": "t/bucket-0/f", "file_name": "f", "bucket": 0, "level": 1, "external_path": None}
KINDS = {"content_offset": pa.int64(), "external_path": pa.string(), "partition.1": pa.string()}


def one(**columns: Any) -> str:
    arrays = {name: pa.array([value], KINDS.get(name)) for name, value in columns.items()}
    text: str = identity(pa.table(arrays))[0].as_py()
    return text


def test_a_null_is_a_column_that_the_segment_leaves_out() -> None:
    """A position delete file is the same file beside deletion vectors and without them."""
    assert one(file_path="p", content_offset=4) != one(file_path="p")
    assert one(file_path="p", content_offset=None) == one(file_path="p")
    assert one(**PAIMON) == one(**{name: value for name, value in PAIMON.items() if value is not None})


@pytest.mark.parametrize("partition", [{"partition.1": None, "partition.2": "a"}, {"partition.2": "a"}])
def test_values_of_different_partition_fields_differ(partition: dict[str, Any]) -> None:
    file = {"file_path": "f", "bucket": 0}
    assert one(**file, **partition) != one(**file, **{"partition.1": "a"})
    assert one(**file, **partition) == one(**file, **{"partition.2": "a"})
