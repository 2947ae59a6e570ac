"""Merging of entries: live entries are the ADDs that no DELETE cancels, in any order."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.formats.paimon.folding import IDENTITY_COLUMNS, live_rows
from lakemuster.metadata.files import ADDED, DELETED, PAIMON_COLUMNS

Row = dict[str, Any]
BASE: Row = {
    "status": ADDED,
    "file_name": "a",
    "bucket": 0,
    "level": 0,
    "extra_files": [],
    "embedded_file_index": None,
    "external_path": None,
    "partition.1": None,
    "partition.2": None,
}
TYPES = {name: PAIMON_COLUMNS[name] for name in IDENTITY_COLUMNS} | {
    "partition.1": pa.int32(),
    "partition.2": pa.float64(),
}


def table(rows: list[Row]) -> pa.Table:
    return pa.table({name: pa.array([row[name] for row in rows], of) for name, of in TYPES.items()})


def row(**changes: Any) -> Row:
    return BASE | {key.replace("_1", ".1").replace("_2", ".2"): value for key, value in changes.items()}


def identity(one: Row) -> tuple[Any, ...]:
    values = (one[name] for name in TYPES if name != "status")
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)


def by_the_book(rows: list[Row]) -> Counter[tuple[Any, ...]]:
    """Return the live entries by the definition, one entry at a time."""
    gone = {identity(one) for one in rows if one["status"] == DELETED}
    return Counter({identity(one) for one in rows if one["status"] == ADDED} - gone)


def living(tables: list[list[Row]]) -> Counter[tuple[Any, ...]]:
    masks = live_rows([table(rows) for rows in tables])
    assert [len(mask) for mask in masks] == [len(rows) for rows in tables]
    kept = [one for rows, mask in zip(tables, masks, strict=True) for one, keep in zip(rows, mask, strict=True) if keep]
    assert all(one["status"] == ADDED for one in kept)
    return Counter(identity(one) for one in kept)


CHOICES: dict[str, list[Any]] = {
    "status": [ADDED, DELETED],
    "file_name": ["a", "b", "c"],
    "bucket": [0, 1],
    "level": [0, 1],
    "extra_files": [None, [], ["a"], ["a", "b"], ["ab"]],
    "embedded_file_index": [None, b"", b"x"],
    "external_path": [None, "s3://a"],
    "partition.1": [None, 0, 1],
    "partition.2": [None, 0.5],
}


def chosen(number: int) -> Row:
    """Return the combination of ``CHOICES`` with a number; small numbers differ in few members."""
    one = {}
    for name, values in CHOICES.items():
        number, which = divmod(number, len(values))
        one[name] = values[which]
    return one


ENTRIES = st.integers(0, math.prod(map(len, CHOICES.values())) - 1).map(chosen)
TABLES = st.lists(st.lists(ENTRIES, max_size=8), min_size=1, max_size=4)


@given(TABLES)
def test_live_entries_are_the_adds_that_no_delete_cancels(tables):
    assert living(tables) == by_the_book([one for rows in tables for one in rows])


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_entries_and_manifests_does_not_matter(tables, random):
    shuffled = [random.sample(rows, len(rows)) for rows in random.sample(tables, len(tables))]
    assert living(shuffled) == living(tables)


@given(TABLES)
def test_how_entries_are_spread_over_manifests_does_not_matter(tables):
    assert living([[one for rows in tables for one in rows]]) == living(tables)


@given(TABLES)
def test_deleting_everything_leaves_nothing(tables):
    undone = [one | {"status": DELETED} for rows in tables for one in rows]
    assert living([*tables, undone]) == Counter()


def test_an_upgrade_moves_a_file_to_another_level():
    tables = [[row(level=0)], [row(status=DELETED, level=0), row(level=5)]]
    assert [mask.tolist() for mask in live_rows([table(rows) for rows in tables])] == [[False], [False, True]]


def test_every_part_of_the_identity_tells_entries_apart():
    for change in (
        {"bucket": 1},
        {"level": 1},
        {"extra_files": ["x"]},
        {"embedded_file_index": b"x"},
        {"external_path": "s3://x"},
        {"partition_1": 7},
        {"partition_2": 0.5},
    ):
        (mask,) = live_rows([table([row(), row(status=DELETED, **change)])])
        assert mask.tolist() == [True, False], change


def test_a_null_partition_and_an_empty_list_cancel_their_like():
    (mask,) = live_rows([table([row(), row(status=DELETED)])])
    assert mask.tolist() == [False, False]


def test_not_a_number_is_a_partition_like_any_other():
    nan = float("nan")
    (mask,) = live_rows([table([row(partition_2=nan), row(status=DELETED, partition_2=nan)])])
    assert mask.tolist() == [False, False]


def test_an_entry_added_twice_is_live_once():
    masks = live_rows([table([row(), row()]), table([row()])])
    assert sum(int(mask.sum()) for mask in masks) == 1


def test_columns_that_a_segment_left_out_are_null():
    whole = table([row(), row(file_name="b")])
    part = table([row(status=DELETED)]).drop_columns(["external_path", "embedded_file_index", "partition.2"])
    assert [mask.tolist() for mask in live_rows([whole, part])] == [[False, True], [False]]


def test_chunked_columns_are_one_table():
    chunked = pa.concat_tables([table([row()]), table([row(status=DELETED), row(file_name="b")])])
    assert chunked.column("status").num_chunks == 2
    assert [mask.tolist() for mask in live_rows([chunked])] == [[False, False, True]]


def test_nothing_folds_to_nothing():
    assert live_rows([]) == []
    assert [mask.tolist() for mask in live_rows([table([]), table([])])] == [[], []]
