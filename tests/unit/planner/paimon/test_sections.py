"""Key-range sections against joining files with overlapping keys pair by pair."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.planner.paimon.sections import key_sections, raw_convertible, row_ranges, whole_groups

INT, TEXT = pa.int32(), pa.string()


def ints(values):
    return np.array(values, np.int64)


def in_order(key):
    """Return a sort key in Paimon's order: nulls first, text by UTF-8 bytes."""
    return [() if value is None else (value.encode() if isinstance(value, str) else value,) for value in key]


def joined(files):
    """Return the sets of files in a group whose ranges [low, high] overlap transitively, by comparing all pairs."""
    owner = list(range(len(files)))
    for _ in files:
        for i, (group, low, high) in enumerate(files):
            for j, (other, start, end) in enumerate(files):
                if group == other and low <= end and start <= high:
                    owner[i] = owner[j] = min(owner[i], owner[j])
    return {frozenset(i for i in range(len(files)) if owner[i] == one) for one in owner}


def sets(numbers):
    return {frozenset(np.flatnonzero(numbers == number).tolist()) for number in numbers.tolist()}


texts = st.text(st.sampled_from("a\u00e9\uffee\U0001f600"), max_size=2)
values = {
    "ints": (INT, st.integers(-3, 12)),
    "far": (pa.int64(), st.sampled_from([-(2**63), -(2**63) + 1, -1, 0, 2**62, 2**63 - 1])),
    "instants": (pa.timestamp("us"), st.integers(-3, 12)),
    "texts": (TEXT, texts),
    "decimals": (pa.decimal128(25, 1), st.integers(-20, 20).map(lambda n: Decimal(n).scaleb(-1))),
    "bytes": (pa.binary(), st.binary(max_size=2)),
}


@st.composite
def files_of(draw, unknown=False):
    """Draw Arrow types and files; a file is its group, smallest key and largest key."""
    kinds = draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=3))
    part = [values[kind][1] | st.none() if unknown else values[kind][1] for kind in kinds]
    key = st.tuples(*part)
    drawn = draw(st.lists(st.tuples(st.integers(0, 2), key, key), max_size=12))
    files = [(group, *sorted((a, b), key=in_order)) for group, a, b in drawn]
    return [values[kind][0] for kind in kinds], files


def array(column, of):
    return pa.array(column, pa.int64()).view(of) if of == pa.timestamp("us") else pa.array(column, of)


def sections_of(types, files):
    group = ints([group for group, _, _ in files])
    ends = [[array([file[end][place] for file in files], of) for place, of in enumerate(types)] for end in (1, 2)]
    return key_sections(group, *ends)


@given(files_of())
def test_a_section_is_a_transitive_overlap(drawn):
    types, files = drawn
    found = sections_of(types, files)
    assert sets(found) == joined([(group, in_order(low), in_order(high)) for group, low, high in files])


@given(files_of())
def test_sections_are_numbered_by_group_and_key(drawn):
    types, files = drawn
    found = sections_of(types, files)
    assert sorted(set(found.tolist())) == list(range(len(set(found.tolist()))))
    for i, (group, low, _) in enumerate(files):
        for j, (other, start, _) in enumerate(files):
            if (group, in_order(low)) < (other, in_order(start)):
                assert found[i] <= found[j]


@given(files_of(unknown=True))
def test_unknown_parts_of_keys_only_join(drawn):
    types, files = drawn
    found = sections_of(types, files)
    known = joined([(group, in_order(low), in_order(high)) for group, low, high in files])
    together = sets(found)
    assert all(any(section <= larger for larger in together) for section in known)
    for section in together:
        assert len({files[file][0] for file in section}) == 1


def test_a_file_without_keys_joins_its_whole_group():
    group = ints([0, 0, 0, 1, 1])
    low, high = pa.array([1, None, 5, 1, 5], INT), pa.array([2, None, 6, 2, 6], INT)
    assert key_sections(group, [low], [high]).tolist() == [0, 0, 0, 1, 2]


def test_keys_that_no_file_has_recorded_make_one_section_of_each_group():
    group, none = ints([7, 7, 3]), pa.nulls(3)
    assert key_sections(group, [none], [none]).tolist() == [1, 1, 0]
    assert key_sections(group, [none], [pa.array([1, 2, 3], INT)]).tolist() == [1, 1, 0]
    assert key_sections(group, [], []).tolist() == [1, 1, 0]
    assert key_sections(ints([]), [pa.array([], INT)], [pa.array([], INT)]).tolist() == []


def test_nan_keys_overlap_and_zeros_are_equal():
    low = pa.array([1.0, math.nan, 3.0])
    assert key_sections(ints([0, 0, 0]), [low], [low]).tolist() == [0, 0, 0]
    zeros = pa.array([0.0, -0.0])
    assert key_sections(ints([0, 0]), [zeros], [zeros]).tolist() == [0, 0]


def test_swapped_key_bounds_do_not_hide_an_overlap():
    low, high = pa.array([9, 5], INT), pa.array([1, 6], INT)
    assert key_sections(ints([0, 0]), [low], [high]).tolist() == [0, 0]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 20), st.integers(0, 8)), max_size=12))
def test_a_row_id_range_is_a_transitive_overlap(files):
    columns = [ints(list(column)) for column in zip(*files, strict=True)] or [ints([])] * 3
    found = row_ranges(*columns)
    everything = 10**6
    intervals = [
        (group, first, first + max(rows, 1) - 1) if first >= 0 else (group, -1, everything)
        for group, first, rows in files
    ]
    assert sets(found) == joined(intervals)


GROUP = ints([0, 0, 1, 1, 2])


@pytest.mark.parametrize(
    ("level", "deleted", "merged", "whole"),
    [
        ([5, 5, 5, 5, 5], [0, 0, 0, -1, 0], False, [1, 1, 1, 1, 1]),
        ([5, 4, 5, 5, 5], [0, 0, 0, 0, 0], False, [0, 0, 1, 1, 1]),
        ([5, 4, 5, 5, 5], [0, 0, 0, 0, 0], True, [1, 1, 1, 1, 1]),
        ([5, 0, 5, 5, 0], [0, 0, 0, 0, 0], True, [0, 0, 1, 1, 0]),
        ([0, 0, 5, 5, 5], [0, 0, 0, 3, 0], False, [0, 0, 0, 0, 1]),
    ],
)
def test_a_group_is_whole_on_one_level_above_the_first_and_without_deletes(level, deleted, merged, whole):
    assert whole_groups(GROUP, ints(level), ints(deleted), merged=merged).tolist() == list(map(bool, whole))


def test_a_file_that_is_a_section_of_its_own_is_read_alone_unless_it_deletes():
    group, section = ints([0, 0, 0, 0]), ints([0, 1, 1, 2])
    level = ints([0, 0, 5, 0])
    found = raw_convertible(group, section, level, ints([0, 0, 0, 0]), merged=False)
    assert found.tolist() == [True, False, False, True]
    found = raw_convertible(group, section, level, ints([2, 0, 0, -1]), merged=False)
    assert found.tolist() == [False, False, False, True]


def test_files_of_a_whole_group_are_read_alone_though_their_keys_overlap():
    group, section, level = ints([0, 0]), ints([0, 0]), ints([5, 4])
    none = ints([0, 0])
    assert raw_convertible(group, section, level, none, merged=True).tolist() == [True, True]
    assert raw_convertible(group, section, level, none, merged=False).tolist() == [False, False]
