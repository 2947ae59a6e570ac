"""Statistics of files of older schemas: by field id, all null for later columns, else often unknown."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.planner.paimon.statistics import Evolution, FileStatistics
from lakemuster.planner.pruning.prune import UNKNOWN

INT, LONG, TEXT = Primitive(Kind.INT, "INT"), Primitive(Kind.LONG, "BIGINT"), Primitive(Kind.STRING, "STRING")
FLOAT, DOUBLE = Primitive(Kind.FLOAT, "FLOAT"), Primitive(Kind.DOUBLE, "DOUBLE")


def schema(number: int, *columns: tuple[int, str, Primitive]) -> Schema:
    return Schema(number, tuple(Field(field_id, name, of) for field_id, name, of in columns))


NOW = schema(2, (1, "renamed", LONG), (2, "added", INT), (3, "number", INT), (4, "real", DOUBLE))
THEN = schema(0, (1, "a", INT), (3, "number", TEXT), (4, "real", FLOAT))
BETWEEN = schema(1, (1, "a", LONG), (2, "added", INT), (3, "number", TEXT), (4, "real", DOUBLE))
EVOLUTION = Evolution((NOW, BETWEEN, THEN))


def entries(schema_ids: list[int], **columns: pa.Array) -> pa.Table:
    count = len(schema_ids)
    names = {name.replace("__", "."): values for name, values in columns.items()}
    own = {
        "record_count": pa.array([10] * count, pa.int64()),
        "schema_id": pa.array(schema_ids, pa.int64()),
        "write_cols": pa.nulls(count, pa.list_(pa.string())),
    }
    return pa.table({**own, **names})


def test_a_widened_integer_keeps_its_bounds():
    table = entries(
        [0, 1, 2],
        lower__1=pa.array([5, None, None], pa.int32()),
        **{"lower.1@BIGINT": pa.array([None, 6, 7], pa.int64())},
        null_count__1=pa.array([0, 1, 2], pa.int8()),
    )
    found = FileStatistics(table, EVOLUTION).field(1)
    assert found is not None
    assert found.lower is not None
    assert found.lower.to_pylist() == [5, 6, 7]
    assert found.null_count is not None
    assert found.null_count.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("field_id", "bounds"), [(3, pa.array(["1", "2", None])), (4, pa.array([1.5, None, None]))])
def test_other_type_changes_make_statistics_unknown(field_id: int, bounds: pa.Array):
    columns = {f"upper__{field_id}": bounds, f"null_count__{field_id}": pa.array([0, 0, 0], pa.int8())}
    found = FileStatistics(entries([0, 0, 2], **columns), EVOLUTION).field(field_id)
    assert found is not None
    assert found.upper is None
    assert found.null_count is not None
    assert found.null_count.tolist() == [UNKNOWN, UNKNOWN, 0]


def test_a_column_added_later_is_null_in_older_files():
    table = entries([0, 1, 2], null_count__2=pa.array([None, 3, None], pa.int8()))
    found = FileStatistics(table, EVOLUTION).field(2)
    assert found is not None
    assert found.null_count is not None
    assert found.null_count.tolist() == [10, 3, UNKNOWN]


def test_where_only_keys_drop_files_a_later_column_proves_nothing():
    """A merged row may take the column from another file."""
    found = FileStatistics(entries([0, 1, 2]), EVOLUTION, ("keys",)).field(2)
    assert found is None or found.null_count is None or (found.null_count == UNKNOWN).all()


def test_with_data_evolution_a_later_column_proves_nothing():
    found = FileStatistics(entries([0, 1, 2]), Evolution((NOW, BETWEEN, THEN), spread=True)).field(2)
    assert found is None or found.null_count is None or (found.null_count == UNKNOWN).all()


def test_a_default_that_replaces_nulls_makes_statistics_unknown():
    evolution = Evolution((NOW, BETWEEN, THEN), frozenset({"added"}))
    assert FileStatistics(entries([0, 1, 2]), evolution).field(2) is None


def test_a_column_missing_from_a_file_is_not_found_by_its_old_name():
    table = entries([0, 0, 2], null_count__1=pa.array([1, 2, 3], pa.int8())).set_column(
        2, "write_cols", pa.array([["a"], ["number"], ["renamed"]])
    )
    statistics = FileStatistics(table, EVOLUTION)
    assert statistics.held(1, (0, 1, 2)).tolist() == [True, False, True]
    found = statistics.field(1)
    assert found is not None
    assert found.null_count is not None
    assert found.null_count.tolist() == [1, UNKNOWN, 3]


def test_key_statistics_replace_missing_value_statistics():
    table = entries(
        [1, 1],
        lower__1=pa.array([3, None], pa.int64()),
        key_lower__1=pa.array([1, 2], pa.int64()),
        key_null_count__1=pa.array([0, 0], pa.int8()),
    )
    found = FileStatistics(table, EVOLUTION, ("values", "keys")).field(1)
    assert found is not None
    assert found.lower is not None
    assert found.lower.to_pylist() == [3, 2]
    assert np.asarray(found.null_count).tolist() == [0, 0]
