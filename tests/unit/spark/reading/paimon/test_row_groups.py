"""Parquet files without merging are read in pieces, and without row groups that a filter rules out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.client.model import Row
from lakemuster.spark.reading import paimon
from lakemuster.spark.reading.model import Split, TableToRead
from lakemuster.spark.reading.paimon import file_rows
from lakemuster.spark.reading.row_filter import RowFilter
from lakemuster.spark.splits import Packing, cut
from tests.unit.spark.reading.paimon.lake import MemoryLake, field_row, file_bytes, planned, schema_row, to_read

OLD = [field_row(0, "id", "BIGINT"), field_row(1, "word", "STRING"), field_row(2, "n", "INT")]
NOW = [
    field_row(2, "n", "BIGINT"),  # was INT
    field_row(0, "word", "BIGINT"),  # was id
    field_row(1, "id", "STRING"),  # was word
    field_row(3, "later", "INT"),
    field_row(4, "day", "INT"),
]
SCHEMAS = [schema_row(0, OLD), schema_row(1, NOW, partition=["day"])]
rows = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.none() | st.integers(-3, 9),
            "word": st.none() | st.sampled_from(["", "a", "ab", "b"]),
            "n": st.none() | st.integers(-3, 9),
        }
    ),
    min_size=1,
    max_size=40,
)
FILTERS = [
    "word > 5", "NOT word > 5", "word = 2 OR id = 'b'", "id LIKE 'a%'", "id IS NULL AND word <= 0", "n < 0",
    "n IN (1, 2)", "later IS NULL", "later = 1 OR word = 9", "day = 7", "day = 8", "word <> 3 AND id >= 'ab'",
    "NOT (id IS NOT NULL)",
]  # fmt: skip


def of_file(lake: MemoryLake, given_rows: Sequence[Row], form: str, group: int, **more: Any) -> Row:
    data = file_bytes(form, {"id": "BIGINT", "word": "STRING", "n": "INT"}, given_rows, group)
    path = lake.write(f"f.{form}", data)
    return planned(path, data, len(given_rows), partition={"day": 7}, **more)


def read(table: TableToRead, splits: Iterable[Split], lake: MemoryLake, *conditions: RowFilter) -> list[Row]:
    batches = (batch for split in splits for batch in paimon.read(table, split, lake, conditions))
    return [row for batch in batches for row in batch.to_pylist()]


@given(
    rows, st.sampled_from(["parquet", "parquet", "orc", "avro"]), st.sampled_from(FILTERS), st.integers(1, 7),
    st.none() | st.sets(st.integers(0, 39)), st.integers(100, 3000),
)  # fmt: skip
def test_rows_are_those_of_whole_files(given_rows, form, where, group, deleted, target):
    lake, table = MemoryLake(), to_read(SCHEMAS, ["word"])
    marked = sorted(place for place in deleted or () if place < len(given_rows))
    file = of_file(lake, given_rows, form, group, deletion_vector=lake.vector(marked) if marked else None)
    condition = RowFilter.of(where, table)

    def kept(splits: Iterable[Split], *conditions: RowFilter) -> list[Row]:
        batches = (one for split in splits for one in paimon.read(condition.table, split, lake, conditions))
        return [row for batch in batches for row in condition.applied(batch).to_pylist()]

    whole = [Split((file,))]
    pieces = list(cut(whole, Packing(target, 1)))
    left = [row for place, row in enumerate(given_rows) if place not in marked]
    assert [row["word"] for row in read(table, pieces, lake)] == [row["id"] for row in left]
    assert kept(pieces, condition) == kept(whole, condition) == kept(whole)


@pytest.mark.parametrize(
    ("where", "groups"), [("word = 55", 1), ("word < 25", 3), ("n = 55", 10), ("id = 'w55'", 1), ("later = 1", 10)]
)
def test_row_groups_without_a_matching_row_are_not_read(where, groups, monkeypatch):
    """The type of ``n`` has changed and ``later`` is not in the file, so their statistics are unknown."""
    read_of: list[int] = []
    wanted = file_rows.matching_ranges

    def counted(*of: Any) -> Any:
        found = wanted(*of)
        read_of.append(len(found))
        return found

    monkeypatch.setattr(file_rows, "matching_ranges", counted)
    lake, table = MemoryLake(), to_read(SCHEMAS)
    file = of_file(lake, [{"id": n, "word": f"w{n:02}", "n": n} for n in range(100)], "parquet", 10)
    read(table, [Split((file,))], lake, RowFilter.of(where, table))
    assert read_of == [groups]


def test_files_that_are_read_together_are_not_cut():
    lake = MemoryLake()
    file = of_file(lake, [{"id": 1, "word": "a", "n": 1}] * 40, "parquet", 1)
    for split in (Split(({**file, "raw_convertible": False},)), Split((file, file))):
        assert list(cut([split], Packing(100, 1))) == [split]
    assert len(list(cut([Split((file,))], Packing(100, 1)))) > 3
