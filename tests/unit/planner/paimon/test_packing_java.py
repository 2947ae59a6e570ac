"""Sections, splits and raw-convertible files against Paimon's Java code."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakemuster.metadata.types import arrow_type
from lakemuster.planner.columns import internal_array
from lakemuster.planner.paimon.sections import key_sections, raw_convertible, row_ranges, whole_groups
from lakemuster.planner.paimon.splits import append_splits, data_evolution_splits, merge_tree_splits
from tests.unit.formats.paimon.keys import VALUES, plain, primitive

beside = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
sizes, targets, costs = st.integers(0, 30), st.integers(1, 60), st.integers(0, 20)


def ints(values):
    return np.array(list(values), np.int64)


def column(files, name):
    return ints(file[name] for file in files)


def members(numbers):
    return [np.flatnonzero(numbers == number).tolist() for number in range(numbers.max(initial=-1) + 1)]


def javas(answer):
    return [sorted(split["files"]) for split in answer["splits"]]


def order(value):
    return value.encode() if isinstance(value, str) else value


@st.composite
def merge_trees(draw):
    """Draw key types and files, with keys from few values so that some files overlap."""
    types = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3))
    pools = [draw(st.lists(VALUES[of], min_size=2, max_size=6)) for of in types]
    key = st.tuples(*map(st.sampled_from, pools))
    levels = draw(st.sampled_from([[0, 1, 5], [5], [4, 5]]))
    deletes = draw(st.sampled_from([[None, 0], [None, 0, 2]]))
    files = []
    for _ in range(draw(st.integers(0, 10))):
        low, high = sorted((draw(key), draw(key)), key=lambda row: list(map(order, row)))
        files.append(
            {
                "low": low,
                "high": high,
                "size": draw(sizes),
                "level": draw(st.sampled_from(levels)),
                "deletes": draw(st.sampled_from(deletes)),
            }
        )
    return types, files


@beside
@given(merge_trees(), st.booleans(), st.booleans(), targets, costs)
def test_merge_trees(java_paimon, tree, deletion_vectors, first_row, target, cost):
    types, files = tree
    told = [
        file | {end: [plain(of, value) for of, value in zip(types, file[end], strict=True)] for end in ("low", "high")}
        for file in files
    ]
    answer = java_paimon.ask(
        "packed",
        kind="merge",
        types=types,
        files=told,
        target=str(target),
        cost=str(cost),
        deletion_vectors=deletion_vectors,
        first_row=first_row,
    )
    group = np.zeros(len(files), np.int64)
    forms = [arrow_type(primitive(of)) for of in types]
    ends = [
        [internal_array([file[end][place] for file in files], form) for place, form in enumerate(forms)]
        for end in ("low", "high")
    ]
    section = key_sections(group, *ends)
    assert members(section) == [sorted(files) for files in answer["sections"]]

    level, size = column(files, "level"), column(files, "size")
    deleted = ints(-1 if file["deletes"] is None else file["deletes"] for file in files)
    merged = deletion_vectors or first_row
    whole = whole_groups(group, level, deleted, merged=merged)
    splits = merge_tree_splits(group, size, section, whole, target_size=target, open_file_cost=cost)
    assert members(splits) == javas(answer)

    raw = raw_convertible(group, section, level, deleted, merged=merged)
    for split in answer["splits"]:
        if split["raw"]:
            assert raw[split["files"]].all()
        elif raw[split["files"]].any():
            # Java decides per split: a split of several sections is not raw, even if a section is a single raw file.
            assert len(split["files"]) > 1
            alone = [file for file in split["files"] if raw[file]]
            assert all((section == section[file]).sum() == 1 and deleted[file] <= 0 for file in alone)


append_files = st.lists(st.fixed_dictionaries({"size": sizes, "sequence": st.integers(0, 5)}), max_size=15)


@beside
@given(append_files, targets, costs)
def test_append_tables(java_paimon, files, target, cost):
    answer = java_paimon.ask("packed", kind="append", files=files, target=str(target), cost=str(cost))
    group = np.zeros(len(files), np.int64)
    sizes_of, sequence = column(files, "size"), column(files, "sequence")
    splits = append_splits(group, sizes_of, sequence, target_size=target, open_file_cost=cost)
    assert members(splits) == javas(answer)
    assert all(split["raw"] for split in answer["splits"])


evolved_files = st.lists(
    st.fixed_dictionaries(
        {"size": sizes, "first_row_id": st.integers(0, 20), "rows": st.integers(1, 8), "blob": st.booleans()}
    ),
    max_size=15,
)


@beside
@given(evolved_files, st.booleans(), targets, costs)
def test_data_evolution(java_paimon, files, count, target, cost):
    answer = java_paimon.ask(
        "packed", kind="evolution", files=files, target=str(target), cost=str(cost), count_blob_size=count
    )
    group = np.zeros(len(files), np.int64)
    ranges = row_ranges(group, column(files, "first_row_id"), column(files, "rows"))
    splits = data_evolution_splits(
        group,
        column(files, "size"),
        ranges,
        column(files, "blob").astype(bool),
        count_blob_size=count,
        target_size=target,
        open_file_cost=cost,
    )
    assert members(splits) == javas(answer)
