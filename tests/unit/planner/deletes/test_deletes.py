"""Delete matching against the specification's rules, applied file by file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.metadata.files import EQUALITY_DELETES, POSITION_DELETES
from lakemuster.metadata.partition import PartitionSpec
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Field, Kind, ListType, Primitive
from lakemuster.planner.deletes import delete_groups
from lakemuster.planner.deletes.deletes import DeleteIndex
from tests.unit.planner.deletes.delete_files import (
    BY_NAME,
    BY_RATIO,
    COLUMNS,
    DOUBLE,
    LONG,
    PATH,
    SCHEMA,
    SPECS,
    TEXT,
    UNKNOWN,
    UNPARTITIONED,
    VOIDED,
    File,
    Recorded,
    between,
    by,
    data,
    equality,
    expected,
    matched,
    numbers_of,
    positions,
    table_of,
    vector,
)

VALUES: dict[int, st.SearchStrategy[Any]] = {
    1: st.integers(-2, 2),
    2: st.text("ab", max_size=2),
    3: st.sampled_from([-1.0, -0.0, 0.0, 1.0]),
    4: st.integers(-2, 2),
    6: st.integers(-2, 2),
}
PARTITIONS: dict[int, st.SearchStrategy[Any]] = {
    1000: st.sampled_from([None, "a", "b"]),
    1001: st.sampled_from([None, -0.0, 0.0, math.nan, -math.nan, 1.0]),
    1002: st.integers(0, 1),
    1003: st.sampled_from([None, b"x", b"y"]),
}
paths = st.sampled_from("abc")
ages = st.none() | st.integers(0, 3)


@st.composite
def columns(draw: st.DrawFn, field_id: int) -> tuple[list[Any], Recorded]:
    """Draw values of a column, and valid statistics of them, some of which are missing."""
    values = draw(st.lists(VALUES[field_id] | (st.just(math.nan) if field_id == 3 else st.nothing()), max_size=2))
    if field_id != 4:
        values += [None] * draw(st.integers(0, 1))
    ordered = [value for value in values if value is not None and not is_nan(value)]
    said = draw(st.fixed_dictionaries(dict.fromkeys(("lower", "upper", "nulls", "values", "nans"), st.booleans())))
    found: dict[str, Any] = {
        "lower": min(ordered, default=None),
        "upper": max(ordered, default=None),
        "nulls": values.count(None),
        "values": len(values),
        "nans": sum(map(is_nan, values)) if field_id == 3 else None,
    }
    return values, Recorded(**{kind: found[kind] if said[kind] else None for kind in found})


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


@st.composite
def data_files(draw: st.DrawFn, spec: PartitionSpec) -> tuple[File, dict[int, list[Any]]]:
    held = {field_id: draw(columns(field_id)) for field_id in COLUMNS}
    recorded = {field_id: statistics for field_id, (_, statistics) in held.items()}
    file = File(draw(paths), draw(ages), draw(partitions(spec)), statistics=recorded)
    return file, {field_id: values for field_id, (values, _) in held.items()}


def partitions(spec: PartitionSpec) -> st.SearchStrategy[dict[int, Any]]:
    return st.fixed_dictionaries({own.field_id: PARTITIONS[own.field_id] for own in spec.fields})


@st.composite
def delete_files(draw: st.DrawFn, spec: PartitionSpec) -> tuple[File, dict[int, list[Any]]]:
    content = draw(st.sampled_from([POSITION_DELETES, EQUALITY_DELETES]))
    file = File("d", draw(ages), draw(partitions(spec)), content)
    if content == EQUALITY_DELETES:
        ids = tuple(draw(st.lists(st.sampled_from([*COLUMNS, 99]), min_size=1, max_size=2, unique=True)))
        held = {field_id: draw(columns(field_id)) for field_id in ids if field_id in COLUMNS}
        recorded = {field_id: statistics for field_id, (_, statistics) in held.items()}
        values = {field_id: values for field_id, (values, _) in held.items()}
        return replace(file, equality_ids=ids, statistics=recorded), values
    if draw(st.booleans()):
        return replace(file, format=draw(st.sampled_from(["puffin", "PUFFIN"])), referenced=draw(paths)), {}
    listed = sorted(draw(st.lists(paths, min_size=1, max_size=2)))
    known = draw(st.sampled_from(["bounds", "lower", "upper", "nothing", "referenced"]))
    if known == "referenced":
        return replace(file, referenced=listed[0]), {}
    lower = listed[0] if known in ("bounds", "lower") else None
    return between(file, lower, listed[-1] if known in ("bounds", "upper") else None), {}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, PartitionSpec, list[tuple[File, dict[int, list[Any]]]]]:
    specs = draw(st.lists(st.sampled_from(SPECS), min_size=1, max_size=4))
    deletes = [(spec, draw(st.lists(delete_files(spec), max_size=4))) for spec in specs]
    spec = draw(st.sampled_from(specs))
    return deletes, spec, draw(st.lists(data_files(spec), min_size=1, max_size=4))


@given(tables())
def test_each_data_file_has_the_deletes_that_the_specification_applies(case: Any) -> None:
    numbered, spec, files = case
    deletes = [(of, [file for file, _ in some]) for of, some in numbered]
    everything = [one for _, some in numbered for one in some]
    found = matched(deletes, spec, [file for file, _ in files])
    for (file, values), numbers in zip(files, found, strict=True):
        scope, kept = expected(deletes, spec, file)
        assert numbers == kept
        for number in set(scope) - set(numbers):
            delete, deleted = everything[number]
            assert delete.content == POSITION_DELETES or not shared(delete, deleted, values)


def shared(delete: File, deleted: dict[int, list[Any]], values: dict[int, list[Any]]) -> bool:
    """Return whether the data shares a value with every equality delete column."""
    return all(
        {str(value + 0.0 if isinstance(value, float) else value) for value in deleted[field_id]}
        & {str(value + 0.0 if isinstance(value, float) else value) for value in values[field_id]}
        for field_id in delete.equality_ids or ()
        if field_id in COLUMNS
    )


def one(delete: File, file: File, spec: PartitionSpec = UNPARTITIONED, of: PartitionSpec | None = None) -> bool:
    return matched([(of or spec, [delete])], spec, [file]) == [[0]]


def test_position_deletes_and_vectors_apply_to_files_of_the_same_commit() -> None:
    for delete in (positions(2), positions(2, referenced="a"), vector("a", 2)):
        assert [one(delete, data(sequence=age)) for age in (1, 2, 3)] == [True, True, False]


def test_equality_deletes_apply_to_older_files_only() -> None:
    assert [one(equality(1, sequence=2), data(sequence=age)) for age in (1, 2, 3)] == [True, False, False]


def test_a_missing_sequence_number_is_zero() -> None:
    assert one(positions(None), data(sequence=None))
    assert one(equality(1, sequence=1), data(sequence=None))
    assert not one(equality(1, sequence=None), data(sequence=None))
    assert not one(positions(None), data(sequence=1))


def test_the_oldest_and_the_newest_sequence_numbers() -> None:
    newest = 2**63 - 1
    assert not one(equality(1, sequence=newest), data(sequence=newest))
    assert one(equality(1, sequence=newest), data(sequence=newest - 1))
    assert one(positions(newest), data(sequence=newest))


def test_null_is_equal_to_null_and_nan_to_any_nan() -> None:
    null, other = {1000: None}, {1000: "a"}
    assert one(positions(partition=null), data(partition=null), BY_NAME)
    assert not one(positions(partition=null), data(partition=other), BY_NAME)
    nan, negative = {1001: math.nan, 1002: 0}, {1001: math.copysign(math.nan, -1), 1002: 0}
    assert one(equality(4, partition=nan), data(partition=negative), BY_RATIO)


def test_negative_zero_is_a_separate_partition() -> None:
    zero, negative = {1001: 0.0, 1002: 0}, {1001: -0.0, 1002: 0}
    assert not one(equality(4, partition=zero), data(partition=negative), BY_RATIO)
    assert one(equality(4, partition=negative), data(partition=negative), BY_RATIO)


def test_equal_values_of_another_spec_are_another_partition() -> None:
    again = by((1000, "identity", 2), spec_id=9)
    index = DeleteIndex.of([(9, table_of([equality(1, partition={1000: "a"})], again))], (*SPECS, again), (SCHEMA,))
    files = table_of([data(partition={1000: "a"})], BY_NAME)
    assert numbers_of(index, BY_NAME, files) == [[]]
    assert numbers_of(index, again, files) == [[0]]


@pytest.mark.parametrize("spec", [UNPARTITIONED, VOIDED])
def test_unpartitioned_equality_deletes_apply_to_all_files(spec: PartitionSpec) -> None:
    assert one(equality(1), data(partition={1000: "a"}), BY_NAME, of=spec)
    assert not one(positions(), data(partition={1000: "a"}), BY_NAME, of=spec)


def test_values_of_an_unknown_transform_are_compared() -> None:
    assert one(positions(partition={1003: b"x"}), data(partition={1003: b"x"}), UNKNOWN)
    assert not one(positions(partition={1003: b"x"}), data(partition={1003: b"y"}), UNKNOWN)


def test_a_promoted_partition_value_is_equal() -> None:
    for narrow, wide, value in [
        (Primitive(Kind.INT, "int"), LONG, 7),
        (Primitive(Kind.FLOAT, "float"), DOUBLE, 0.5),
        (Primitive(Kind.DATE, "date"), Primitive(Kind.INT, "int"), 19_000),
    ]:
        spec = by((1000, "identity", 1))
        schemas = (Schema(0, (Field(1, "id", wide),)), Schema(1, (Field(1, "id", narrow),)))
        old = table_of([positions(partition={1000: value})], spec, {1000: narrow}, schemas)
        new = table_of([data(partition={1000: value})], spec, {1000: wide}, schemas)
        assert numbers_of(DeleteIndex.of([(0, old)], (spec,), schemas), spec, new) == [[0]]
        newer = table_of([positions(partition={1000: value})], spec, {1000: wide}, schemas)
        assert numbers_of(DeleteIndex.of([(0, newer)], (spec,), schemas), spec, old) == [[0]]


def test_a_delete_file_applies_only_to_its_referenced_data_file() -> None:
    assert one(positions(referenced="a"), data("a"))
    assert not one(positions(referenced="b"), data("a"))


def test_equal_path_bounds_name_the_data_file() -> None:
    assert one(between(positions(), "a", "a"), data("a"))
    assert not one(between(positions(), "a", "a"), data("ab"))


def test_path_bounds_limit_which_files_a_delete_applies_to() -> None:
    listed = between(positions(), "b", "d")
    assert [one(listed, data(path)) for path in ("a", "b", "c", "d", "e")] == [False, True, True, True, False]
    assert one(between(positions(), None, "d"), data("a"))
    assert one(between(positions(), "b", None), data("z"))


def test_a_referenced_data_file_takes_precedence_over_path_bounds() -> None:
    assert one(between(positions(referenced="a"), "x", "x"), data("a"))


def test_a_delete_of_one_file_applies_from_another_partition_and_spec() -> None:
    """DuckDB writes such deletes after a change of the spec; a delete of all files of a partition stays in it."""
    here, there = {1000: "a"}, {1000: "b"}
    for delete in (positions(referenced="f"), between(positions(), "f", "f"), vector("f")):
        assert one(replace(delete, partition=there), data("f", partition=here), BY_NAME)
        assert one(delete, data("f", partition=here), BY_NAME, UNPARTITIONED)
        assert one(replace(delete, partition=there), data("f"), UNPARTITIONED, BY_NAME)
        assert not one(delete, data("g", partition=here), BY_NAME, UNPARTITIONED)
    assert not one(between(positions(partition=there), "a", "g"), data("f", partition=here), BY_NAME)


def test_a_vector_of_another_partition_replaces_position_deletes() -> None:
    deletes = [(BY_NAME, [positions(2, partition={1000: "a"})]), (UNPARTITIONED, [vector("f", 2)])]
    files = [data("f", partition={1000: "a"}), data("g", partition={1000: "a"})]
    assert matched(deletes, BY_NAME, files) == [[1], [0]]


def test_a_vector_replaces_position_deletes_but_not_equality_deletes() -> None:
    deletes = [positions(2), positions(2, referenced="a"), vector("a", 2), equality(1, sequence=2)]
    assert matched([(UNPARTITIONED, deletes)], UNPARTITIONED, [data("a"), data("b")]) == [[2, 3], [0, 3]]


def test_a_vector_that_does_not_apply_replaces_nothing() -> None:
    deletes = [positions(3), vector("a", 1)]
    assert matched([(UNPARTITIONED, deletes)], UNPARTITIONED, [data("a", 2)]) == [[0]]


def test_vectors_of_one_puffin_file_are_distinguished() -> None:
    deletes = [vector("a"), vector("b"), vector("c")]
    assert matched([(UNPARTITIONED, deletes)], UNPARTITIONED, [data("c"), data("a")]) == [[2], [0]]


def test_a_vector_without_a_data_file_applies_to_none() -> None:
    assert not one(vector(None), data("a"))
    assert not one(between(vector(None), "a", "a"), data("a"))


def stats(*bounds: Any, nulls: int | None = 0, values: int | None = 2, nans: int | None = None) -> Recorded:
    lower, upper = bounds or (None, None)
    return Recorded(lower, upper, nulls, values, nans)


@pytest.mark.parametrize(
    ("field_id", "delete", "file", "kept"),
    [
        (1, stats(5, 9), stats(1, 4), False),
        (1, stats(1, 4), stats(5, 9), False),
        (1, stats(1, 5), stats(5, 9), True),
        (1, stats(5, 9, nulls=1), stats(1, 4, nulls=1), True),
        (1, stats(5, 9, nulls=1), stats(1, 4, nulls=None), True),
        (1, stats(5, 9, nulls=1), stats(1, 4), False),
        (1, stats(5, 9, nulls=None), stats(1, 4, nulls=None), True),
        (1, stats(nulls=2), stats(1, 4), False),
        (1, stats(nulls=2, values=None), stats(1, 4), True),
        (1, stats(nulls=1, values=1), stats(1, 4), True),
        (1, stats(1, 4), stats(nulls=2), False),
        (1, stats(1, 4, nulls=1), stats(nulls=2), True),
        (1, stats(None, 9), stats(1, 4), True),
        (1, stats(5, None), stats(1, 4), False),
        (1, stats(5, None), stats(1, None), True),
        (1, Recorded(), stats(1, 4), True),
        (1, stats(nulls=0, values=0), stats(1, 4), True),
        (2, stats("b", "c"), stats("a", "az"), False),
        (2, stats("b", "c"), stats("a", "b"), True),
        (2, stats("\U0001d11e", "\U0001d11e"), stats("\uffff", "\uffff"), False),
        (3, stats(1.0, 2.0, nans=0), stats(3.0, 4.0), False),
        (3, stats(1.0, 2.0), stats(3.0, 4.0), True),
        (3, stats(1.0, 2.0, nans=1), stats(3.0, 4.0, nans=1), True),
        (3, stats(0.0, 0.0, nans=0), stats(-0.0, -0.0, nans=0), True),
        (3, stats(math.nan, math.nan, nans=0), stats(3.0, 4.0, nans=0), True),
        (4, stats(5, 9, nulls=None), stats(1, 4, nulls=None), False),
        (6, stats(5, 9, nulls=None), stats(1, 4, nulls=None), True),
        (6, stats(5, 9), stats(1, 4), False),
        (6, stats(5, 9, values=1), stats(1, 4, values=1), True),
        (6, stats(5, 9, values=None), stats(1, 4, values=None), True),
        (99, stats(5, 9), stats(1, 4), True),
    ],
)
def test_equality_deletes_that_share_no_value_are_dropped(
    field_id: int, delete: Recorded, file: Recorded, kept: bool
) -> None:
    one_delete = equality(field_id, statistics={field_id: delete})
    found = table_of([one_delete], UNPARTITIONED, {99: LONG})
    index = DeleteIndex.of([(0, found)], SPECS, (SCHEMA,))
    files = table_of([data(statistics={field_id: file})], UNPARTITIONED, {99: LONG})
    assert numbers_of(index, UNPARTITIONED, files) == [[0] if kept else []]


def test_one_column_without_shared_values_is_enough() -> None:
    delete = equality(1, 2, statistics={1: stats(1, 4), 2: stats("x", "z")})
    assert not one(delete, data(statistics={1: stats(1, 4), 2: stats("a", "b")}))
    assert one(delete, data(statistics={1: stats(1, 4), 2: stats("a", "x")}))


def test_bounds_of_other_columns_prove_nothing() -> None:
    deletes = [equality(1, statistics={1: stats(1, 4), 2: stats("x", "z")}), equality(2, statistics={})]
    files = [data(statistics={1: stats(1, 4), 2: stats("a", "b")})]
    assert matched([(UNPARTITIONED, deletes)], UNPARTITIONED, files) == [[0, 1]]


def test_an_equality_delete_without_delete_columns_is_kept() -> None:
    assert one(replace(equality(), equality_ids=None), data(statistics={1: stats(1, 4)}))


def test_stat_columns_names_the_statistics_that_are_read() -> None:
    deletes = table_of([equality(1, 3, 5, 99), positions()], UNPARTITIONED)
    index = DeleteIndex.of([(0, deletes)], SPECS, (SCHEMA,))
    kinds = ("lower", "upper", "null_count", "value_count")
    assert index.stat_columns == {f"{kind}.{i}" for kind in kinds for i in (1, 3)} | {"nan_count.3", "record_count"}


def test_bounds_of_list_elements_prove_nothing() -> None:
    schema = Schema(0, (Field(1, "tags", ListType(Field(2, "element", TEXT))),))
    delete, file = equality(2, statistics={2: stats("a", "b")}), data(statistics={2: stats("x", "y")})
    assert matched([(UNPARTITIONED, [delete])], UNPARTITIONED, [file], (schema,)) == [[0]]


@pytest.mark.parametrize("newest_first", [True, False])
def test_bounds_are_compared_in_the_newest_type(newest_first: bool) -> None:
    narrow, wide = Primitive(Kind.INT, "int"), LONG
    schemas = (Schema(1, (Field(1, "id", wide),)), Schema(0, (Field(1, "id", narrow),)))
    schemas = schemas if newest_first else schemas[::-1]
    old = table_of([data(statistics={1: stats(1, 4)}), data(statistics={1: stats(1, 5)})], UNPARTITIONED, {1: narrow})
    new = table_of([equality(1, statistics={1: stats(5, 2**40)})], UNPARTITIONED)
    assert numbers_of(DeleteIndex.of([(0, new)], SPECS, schemas), UNPARTITIONED, old) == [[], [0]]


def test_bounds_of_incomparable_types_keep_the_delete() -> None:
    text = table_of([data(statistics={1: stats("x", "y")})], UNPARTITIONED, {1: TEXT})
    new = table_of([equality(1, statistics={1: stats(5, 9)})], UNPARTITIONED)
    assert numbers_of(DeleteIndex.of([(0, new)], SPECS, (SCHEMA,)), UNPARTITIONED, text) == [[0]]


def test_a_column_that_was_optional_once_may_hold_nulls() -> None:
    schemas = (Schema(1, (Field(1, "id", LONG, required=True),)), SCHEMA)
    unknown = {1: stats(1, 4, nulls=None)}, {1: stats(5, 9, nulls=None)}
    delete, file = equality(1, statistics=unknown[0]), data(statistics=unknown[1])
    assert matched([(UNPARTITIONED, [delete])], UNPARTITIONED, [file], schemas) == [[0]]
    assert matched([(UNPARTITIONED, [delete])], UNPARTITIONED, [file], schemas[:1]) == [[]]


FIXED, CASH = Primitive(Kind.FIXED, "fixed[2]", length=2), Primitive(Kind.DECIMAL, "decimal(9,2)", precision=9, scale=2)


@pytest.mark.parametrize(
    ("of", "low", "high"),
    [
        (FIXED, b"\x01\x00", b"\xff\x00"),
        (Primitive(Kind.UUID, "uuid"), b"\x01" * 16, b"\xf1" * 16),
        (Primitive(Kind.BINARY, "binary"), b"", b"\x80"),
        (Primitive(Kind.BOOLEAN, "boolean"), False, True),
        (CASH, -1, 1),
        (Primitive(Kind.DATE, "date"), -3, 3),
        (Primitive(Kind.TIMESTAMP, "timestamp_ns", unit="ns"), -3, 3),
        (Primitive(Kind.TIME, "time"), 0, 1),
    ],
)
def test_bounds_of_every_type_compare(of: Primitive, low: Any, high: Any) -> None:
    schema = Schema(0, (Field(1, "value", of),))

    def kept(delete: Any, file: Any) -> bool:
        deletes = table_of([equality(1, statistics={1: stats(delete, delete)})], UNPARTITIONED, {1: of})
        files = table_of([data(statistics={1: stats(file, file)})], UNPARTITIONED, {1: of})
        index = DeleteIndex.of([(0, deletes)], SPECS, (schema,))
        return numbers_of(index, UNPARTITIONED, files) == [[0]]

    assert kept(low, low)
    assert not kept(low, high)
    assert not kept(high, low)


def test_delete_numbers_continue_across_manifests() -> None:
    deletes = [
        (UNPARTITIONED, [equality(1, sequence=9), positions()]),
        (BY_NAME, []),
        (BY_NAME, [positions(partition={1000: "b"}), positions(partition={1000: "a"})]),
        (UNPARTITIONED, [equality(2, sequence=5)]),
    ]
    files = [data(partition={1000: name}) for name in ("a", "b", "c")]
    assert matched(deletes, BY_NAME, files) == [[0, 3, 4], [0, 2, 4], [0, 4]]


def test_an_index_of_nothing_is_empty() -> None:
    index = DeleteIndex.of([], SPECS, (SCHEMA,))
    assert index.empty
    assert index.stat_columns == frozenset()
    assert numbers_of(index, BY_NAME, table_of([data(), data()], BY_NAME)) == [[], []]


def test_no_data_files_have_no_deletes() -> None:
    assert matched([(UNPARTITIONED, [positions()])], UNPARTITIONED, []) == []


def test_a_manifest_of_an_unknown_spec_is_refused() -> None:
    with pytest.raises(MetadataCorrupt, match="spec 7"):
        DeleteIndex.of([(7, table_of([positions()], UNPARTITIONED))], SPECS, (SCHEMA,))


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_pairs_are_built_in_chunks(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    deletes: Sequence[File] = [positions(3), equality(1, sequence=3), positions(2), vector("c", 3), positions(1)]
    files = [data(path, age) for path in "abc" for age in (1, 2, 3)]
    whole = matched([(UNPARTITIONED, deletes)], UNPARTITIONED, files)
    assert whole[:3] == [[0, 1, 2, 4], [0, 1, 2], [0]]
    monkeypatch.setattr(delete_groups, "_AT_ONCE", at_once)
    assert matched([(UNPARTITIONED, deletes)], UNPARTITIONED, files) == whole


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delete_groups, "MAX_PAIRS", 5)
    deletes = [(UNPARTITIONED, [positions(), positions()])]
    assert len(matched(deletes, UNPARTITIONED, [data(), data()])) == 2
    with pytest.raises(LimitExceeded, match="delete files"):
        matched(deletes, UNPARTITIONED, [data(), data(), data()])


def test_a_chunked_table_gives_the_same_result() -> None:
    files = table_of([data(path, statistics={PATH: Recorded()}) for path in "abcd"], UNPARTITIONED)
    chunked = pa.concat_tables([files.slice(0, 1), files.slice(1, 2), files.slice(3)])
    deletes = table_of([between(positions(), "b", "c"), positions(referenced="d")], UNPARTITIONED)
    index = DeleteIndex.of([(0, deletes.slice(0, 1)), (0, deletes.slice(1))], SPECS, (SCHEMA,))
    assert numbers_of(index, UNPARTITIONED, chunked) == [[], [0], [0], [1]]


def test_many_deletes_are_matched_like_a_few() -> None:
    rng = np.random.default_rng(7)
    count, names = 20_000, [None, "a", "b"]
    deletes = [
        positions(int(age), partition={1000: names[part]}, referenced=None if scoped else f"f{number}")
        for number, (age, part, scoped) in enumerate(
            zip(rng.integers(0, 9, count), rng.integers(0, 3, count), rng.random(count) < 0.001, strict=True)
        )
    ]
    files = [data(f"f{number}", 4, partition=deletes[number].partition) for number in range(0, count, 997)]
    found = matched([(BY_NAME, deletes)], BY_NAME, files)
    assert found == [expected([(BY_NAME, deletes)], BY_NAME, file)[1] for file in files]
