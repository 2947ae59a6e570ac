"""Zones stored in Paimon's segments equal those computed from files, or are not used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.paimon.options import TableOptions
from lakemuster.index.zones import segment_zones
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.paimon.statistics import Evolution
from lakemuster.planner.pruning import zones
from lakemuster.planner.pruning.zones import written_zones, zones_of

INT, LONG, TEXT = Primitive(Kind.INT, "INT"), Primitive(Kind.LONG, "BIGINT"), Primitive(Kind.STRING, "STRING")
EVOLUTION = Evolution(tuple(Schema(number, (Field(1, "a", of),)) for number, of in ((2, LONG), (1, INT), (0, TEXT))))
APPENDED = PaimonReading(TableOptions(has_primary_key=False), EVOLUTION)
KEYED = PaimonReading(TableOptions(has_primary_key=True), EVOLUTION)
READ_OPTIMIZED = PaimonReading(TableOptions(has_primary_key=True), EVOLUTION, read_optimized=True)

BOUND = st.none() | st.integers(-99, 99)
FILE = st.tuples(BOUND, BOUND, st.none() | st.integers(0, 3), st.integers(0, 3))


def entries(files: list[tuple[Any, ...]], schema_ids: list[int], prefix: str = "") -> pa.Table:
    lower, upper, nulls, rows = zip(*files, strict=True)
    bounds = pa.int64() if schema_ids[0] == 2 else pa.int32()
    columns = {
        "record_count": pa.array(rows, pa.int64()),
        "schema_id": pa.array(schema_ids, pa.int64()),
        f"{prefix}lower.1": pa.array(lower, bounds),
        f"{prefix}upper.1": pa.array(upper, bounds),
        f"{prefix}null_count.1": pa.array(nulls, pa.int8()),
    }
    return pa.table({name: array for name, array in columns.items() if array.null_count < len(array)})


@pytest.mark.parametrize(("reading", "prefix"), [(APPENDED, ""), (KEYED, "key_")], ids=["appended", "keyed"])
@pytest.mark.parametrize("schema_id", [1, 2])
@given(st.lists(FILE, min_size=1, max_size=9), st.integers(1, 4))
def test_written_zones_equal_those_computed_from_files(
    reading: PaimonReading, prefix: str, schema_id: int, files: list[tuple[Any, ...]], size: int
) -> None:
    table = entries(files, [schema_id] * len(files), prefix)
    made = zones_of(reading.statistics(table).field(1), LONG, [len(files)], size)
    written = segment_zones(table, [len(files)], size)
    assert reading.written_zones(written, 1) == prefix
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zones, "ZONE_ROWS", size)
        found = written_zones(written, prefix, 1, LONG)
    assert found is not None
    for name in ("lower", "upper", "null_count", "value_count"):
        own, other = getattr(found, name), getattr(made, name)
        if name.endswith("count") and own is None:
            # Row counts alone prove nothing.
            recorded = [of for of in table.column_names if of.endswith(".1")]
            assert not recorded or (name == "null_count" and f"{prefix}null_count.1" not in recorded)
            continue
        assert (own is None) == (other is None)
        assert own is None or own.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("reading", "schema_ids", "write_cols"),
    [
        (APPENDED, [1, 2], None),  # files of several schemas
        (APPENDED, [0, 0], None),  # a schema whose type is not read as the current one
        (APPENDED, [7, 7], None),  # an unknown schema
        (APPENDED, [2, 2], ["a"]),  # files of some columns only
        (READ_OPTIMIZED, [2, 2], None),  # both key and value statistics apply
    ],
)
def test_written_zones_are_not_used_where_schemas_differ(
    reading: PaimonReading, schema_ids: list[int], write_cols: list[str] | None
) -> None:
    table = entries([(1, 2, 0, 3), (3, 4, 0, 3)], schema_ids)
    table = table.append_column("write_cols", pa.array([None, write_cols], pa.list_(pa.string())))
    assert reading.written_zones(segment_zones(table, [2]), 1) is None


def test_without_rows_there_are_no_zones() -> None:
    table = entries([(1, 2, 0, 3)], [2]).slice(1)
    written = segment_zones(table, [0])
    assert written.num_rows == 0
    assert np.asarray(written.column("rows")).tolist() == []
