"""Row ids that a plan's files inherit, from manifests of which some have no first row id."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, cast

import pyarrow as pa
import pytest

from lakemuster.index import Index
from lakemuster.index.snapshots import ManifestRecord
from lakemuster.metadata.files import ADDED, DATA, DELETED, EXISTING
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.metadata.types import Field
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import scan_index_over
from lakemuster.predicates import TRUE
from tests.unit.planner.oracle.held import HeldSegments, packed, view_of
from tests.unit.planner.oracle.model import Table
from tests.unit.planner.oracle.values import TYPES

SPEC = PartitionSpec(0, ())
TABLE = Table(3, (Schema(0, (Field(1, "c", TYPES["long"]),)),), 0, (SPEC,), [], [], {})
HEADER = ManifestHeader("", None, "data", 0, 5, 0, 7, 2, 1, 1)


def columns_of(number: int) -> dict[str, pa.Array]:
    """Return the columns of four files, of which the first is deleted."""
    return {
        "status": pa.array([DELETED, EXISTING, ADDED, ADDED], pa.int8()),
        "sequence_number": pa.array([1, 1, 1, 1]),
        "content": pa.array([DATA] * 4, pa.int8()),
        "file_path": pa.array([f"{number}-{at}" for at in range(4)]),
        "record_count": pa.array([1, 2, 3, 4]),
    }


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("firsts", list(product([None, 100], repeat=3)))
@pytest.mark.parametrize("has_own", [True, False])
def test_files_have_the_row_ids_of_their_own_manifest(size: int, firsts: tuple[int | None, ...], has_own: bool) -> None:
    segments, records = HeldSegments(), []
    expected: list[int | None] = []
    for number, first in enumerate(firsts):
        own = {"first_row_id": pa.array([None, None, 900, None], pa.int64())} if has_own else {}
        segments.put(f"s{number}", pa.table({**columns_of(number), **own}))
        header = replace(HEADER, location=f"m{number}", first_row_id=first)
        records.append(ManifestRecord(number, "manifests", header, f"s{number}"))
        third = 900 if has_own else None
        expected += [None, third, None] if first is None else [first, third or first + 2, first + (2 if has_own else 5)]
    scan = scan_index_over(
        Index(cast("Any", None), cast("Any", segments)), view_of(TABLE), [*map(ManifestPart, records)]
    )
    for spec in scan.specs:
        vars(spec)["sources"] = tuple(packed(segments, spec, size))
    found: list[int | None] = []
    for batch in Plan(scan, TRUE).batches():
        has = "first_row_id" in batch.table.column_names
        found += batch.table.column("first_row_id").to_pylist() if has else [None] * len(batch.rows)
    assert found == expected
