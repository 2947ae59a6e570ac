"""SimpleStats: the mapping of statistics to columns by the file's schema, and unknown statistics."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.manifests import parse_manifest
from lakemuster.metadata.files import PAIMON_COLUMNS, split_column
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import ManifestHeader
from tests.unit.formats.paimon.rows import binary_row
from tests.unit.formats.paimon.test_binary_row import TYPES, VALUES, internal, numbers
from tests.unit.formats.paimon.writer import entry, manifest, schema, stats, table_of

ANY = ManifestHeader("m", None)


def statistics(schemas: list[Schema], *records: dict[str, object]) -> dict[str, list[object]]:
    """Return the per-field columns of a manifest, without those of partitions."""
    table = parse_manifest(manifest(*records), ANY, table_of(*schemas))
    table.validate(full=True)
    return {name: table.column(name).to_pylist() for name in table.column_names if split_column(name) is not None}


ABC = schema({"a": "INT", "b": "STRING", "c": "DOUBLE"}, ids=[10, 11, 12])
FULL = stats(["INT", "STRING", "DOUBLE"], [1, "x", 0.5], [2, "y", 1.5], [0, 1, None])


def test_without_a_list_the_bounds_are_of_every_column():
    assert statistics([ABC], entry(_VALUE_STATS_COLS=None, _VALUE_STATS=FULL)) == {
        "lower.10": [1],
        "lower.11": ["x"],
        "lower.12": [0.5],
        "upper.10": [2],
        "upper.11": ["y"],
        "upper.12": [1.5],
        "null_count.10": [0],
        "null_count.11": [1],
    }


def test_a_dense_list_names_the_columns_in_its_own_order():
    dense = entry(_VALUE_STATS_COLS=["c", "a"], _VALUE_STATS=stats(["DOUBLE", "INT"], [0.5, 1], [1.5, 2], [3, 4]))
    assert statistics([ABC], dense) == {
        "lower.12": [0.5],
        "lower.10": [1],
        "upper.12": [1.5],
        "upper.10": [2],
        "null_count.12": [3],
        "null_count.10": [4],
    }


def test_an_empty_list_means_nothing_is_known():
    assert statistics([ABC], entry(_VALUE_STATS_COLS=[], _VALUE_STATS=stats())) == {}
    assert statistics([ABC], entry(_VALUE_STATS_COLS=[], _VALUE_STATS=FULL)) == {}


def test_a_dense_list_goes_before_the_written_columns():
    both = entry(_VALUE_STATS_COLS=["a"], _WRITE_COLS=["b", "c"], _VALUE_STATS=stats(["INT"], [1], [2], [0]))
    assert statistics([ABC], both) == {"lower.10": [1], "upper.10": [2], "null_count.10": [0]}


SYSTEM = stats(["BIGINT", "INT", "BIGINT"], [100, 1, 200], [101, 2, 201], [0, 5, 0])


def test_written_columns_name_the_bounds_and_system_columns_take_a_place():
    written = entry(_VALUE_STATS_COLS=None, _WRITE_COLS=["_ROW_ID", "a", "_SEQUENCE_NUMBER"], _VALUE_STATS=SYSTEM)
    assert statistics([ABC], written) == {"lower.10": [1], "upper.10": [2], "null_count.10": [5]}


def test_written_columns_may_have_no_bounds_of_system_columns():
    own = stats(["INT", "STRING"], [1, "x"], [2, "y"], [5, 6])
    written = entry(_VALUE_STATS_COLS=None, _WRITE_COLS=["a", "b", "_ROW_ID", "_SEQUENCE_NUMBER"], _VALUE_STATS=own)
    assert statistics([ABC], written)["lower.11"] == ["x"]
    assert statistics([ABC], written)["null_count.10"] == [5]


def test_columns_that_the_schema_does_not_have_are_left_out():
    odd = entry(_VALUE_STATS_COLS=["gone", "a"], _VALUE_STATS=stats(["STRING", "INT"], ["q", 1], ["r", 2], [0, 5]))
    assert statistics([ABC], odd) == {"lower.10": [1], "upper.10": [2], "null_count.10": [5]}


@pytest.mark.parametrize("arity", [1, 2, 4])
def test_bounds_of_another_arity_are_unknown(arity):
    other = stats(["INT"] * arity, [1] * arity, [2] * arity, [0] * arity)
    assert statistics([ABC], entry(_VALUE_STATS_COLS=None, _VALUE_STATS=other)) == {}


def test_inverted_bounds_are_unknown_one_by_one():
    of = ["INT", "STRING", "DOUBLE"]
    first = entry("0", _VALUE_STATS_COLS=None, _VALUE_STATS=stats(of, [3, "x", 0.0], [2, "y", -0.0], [0, 1, 2]))
    second = entry("1", _VALUE_STATS_COLS=None, _VALUE_STATS=stats(of, [1, "y", 2.5], [1, "x", 0.5], [0, 1, 2]))
    assert statistics([ABC], first, second) == {
        "lower.10": [None, 1],
        "lower.11": ["x", None],
        "lower.12": [0.0, None],
        "upper.10": [None, 1],
        "upper.11": ["y", None],
        "upper.12": [0.0, None],
        "null_count.10": [0, 0],
        "null_count.11": [1, 1],
        "null_count.12": [2, 2],
    }


def test_inverted_bounds_of_keys_are_unknown():
    keyed = schema({"k": "INT"}, primary=["k"])
    found = statistics([keyed], entry(_KEY_STATS=stats(["INT"], [2], [1], [0]), _VALUE_STATS_COLS=[]))
    assert not {"key_lower.0", "key_upper.0"} & set(found)


def test_lower_upper_and_counts_are_known_each_for_itself():
    halves = {"_MIN_VALUES": FULL["_MIN_VALUES"], "_MAX_VALUES": binary_row([], []), "_NULL_COUNTS": [1, 2]}
    assert set(statistics([ABC], entry(_VALUE_STATS_COLS=None, _VALUE_STATS=halves))) == {
        "lower.10",
        "lower.11",
        "lower.12",
    }
    counts = {"_MIN_VALUES": binary_row([], []), "_MAX_VALUES": binary_row([], []), "_NULL_COUNTS": [1, -1, None]}
    assert statistics([ABC], entry(_VALUE_STATS_COLS=None, _VALUE_STATS=counts)) == {"null_count.10": [1]}


def test_columns_stored_apart_are_not_in_the_bounds_of_the_others():
    mixed = schema({"a": "INT", "pic": "BLOB", "v": {"type": "VECTOR", "element": "FLOAT", "length": 3}, "b": "INT"})
    inline = entry(_VALUE_STATS_COLS=None, _VALUE_STATS=stats(["INT", "INT"], [1, 3], [2, 4], [0, 0]))
    assert statistics([mixed], inline)["lower.3"] == [3]
    whole = stats(["INT", "BYTES", "BYTES", "INT"], [1, None, None, 3], [2, None, None, 4], [0, 9, 9, 0])
    assert statistics([mixed], entry(_VALUE_STATS_COLS=None, _VALUE_STATS=whole))["upper.3"] == [4]


def test_nested_columns_have_null_counts_and_no_bounds():
    nested = schema({"a": {"type": "ARRAY", "element": "INT"}, "b": "INT"})
    record = entry(_VALUE_STATS_COLS=None, _VALUE_STATS=stats(["BYTES", "INT"], [None, 1], [None, 2], [4, 0]))
    assert statistics([nested], record) == {"lower.1": [1], "upper.1": [2], "null_count.0": [4], "null_count.1": [0]}


def test_a_renamed_and_moved_column_keeps_its_bounds():
    new = schema({"c": "DOUBLE", "aa": "INT", "b": "STRING"}, schema_id=1, ids=[12, 10, 11])
    later = stats(["DOUBLE", "INT", "STRING"], [2.5, 3, "z"], [3.5, 4, "zz"], [0, 0, 0])
    found = statistics(
        [ABC, new],
        entry("0", _VALUE_STATS_COLS=None, _VALUE_STATS=FULL),
        entry("1", _SCHEMA_ID=1, _VALUE_STATS_COLS=None, _VALUE_STATS=later),
    )
    assert found["lower.10"] == [1, 3]
    assert found["upper.11"] == ["y", "zz"]


def test_a_column_of_two_types_is_two_columns_in_the_order_met():
    wide = schema({"a": "BIGINT", "b": "STRING"}, schema_id=1, ids=[10, 11])
    table = parse_manifest(
        manifest(
            entry("0", _SCHEMA_ID=1, _VALUE_STATS_COLS=["a"], _VALUE_STATS=stats(["BIGINT"], [2**40], [2**41], [7])),
            entry("1", _VALUE_STATS_COLS=["a"], _VALUE_STATS=stats(["INT"], [1], [2], [8])),
            entry("2", _SCHEMA_ID=1, _VALUE_STATS_COLS=["a"], _VALUE_STATS=stats(["BIGINT"], [None], [5], [9])),
            entry(
                "3",
                _SCHEMA_ID=1,
                _VALUE_STATS_COLS=["b", "a"],
                _VALUE_STATS=stats(["STRING", "BIGINT"], ["x", 6], ["y", 7], [0, 1]),
            ),
        ),
        ANY,
        table_of(ABC, wide),
    )
    assert table.column("lower.10").to_pylist() == [2**40, None, None, 6]
    assert table.column("upper.10").to_pylist() == [2**41, None, 5, 7]
    assert table.column("lower.10@INT").to_pylist() == [None, 1, None, None]
    assert table.column("upper.10@INT").to_pylist() == [None, 2, None, None]
    assert table.column("null_count.10").to_pylist() == [7, 8, 9, 1]
    assert table.schema.field("lower.10").metadata == {b"type": b"BIGINT"}
    assert table.schema.field("lower.10@INT").metadata == {b"type": b"INT"}
    assert table.schema.field("null_count.10").metadata is None


def test_nullability_makes_no_other_type():
    strict = schema({"a": "INT NOT NULL"}, schema_id=1, ids=[10])
    found = statistics(
        [ABC, strict],
        entry("0", _VALUE_STATS_COLS=["a"], _VALUE_STATS=stats(["INT"], [1], [2], [0])),
        entry("1", _SCHEMA_ID=1, _VALUE_STATS_COLS=["a"], _VALUE_STATS=stats(["INT"], [3], [4], [0])),
    )
    assert found["lower.10"] == [1, 3]


def test_a_bound_that_its_type_cannot_hold_is_unknown():
    times = schema({"t": "TIMESTAMP(9)"})
    record = entry(
        _VALUE_STATS_COLS=None, _VALUE_STATS=stats(["TIMESTAMP(9)"], [(0, 1)], [(253_402_300_799_999, 0)], [0])
    )
    table = parse_manifest(manifest(record), ANY, table_of(times))
    assert numbers(table.column("lower.0").chunk(0)) == [1]
    assert "upper.0" not in table.column_names


KEYS = schema(
    {"p": "STRING", "v": "INT", "k2": "STRING NOT NULL", "k1": "BIGINT NOT NULL"},
    partition=["p"],
    primary=["k1", "p", "k2"],
    ids=[5, 6, 7, 8],
)


def test_keys_are_those_of_the_trimmed_primary_key_in_its_order():
    key = ["BIGINT", "STRING"]
    record = entry(
        _PARTITION=binary_row(["STRING"], ["x"]),
        _MIN_KEY=binary_row(key, [1, "a"]),
        _MAX_KEY=binary_row(key, [9, "b"]),
        _KEY_STATS=stats(key, [1, "a"], [9, "zz"], [0, 0]),
    )
    assert {
        name: values for name, values in statistics([KEYS], record).items() if not name.startswith("partition")
    } == {
        "min_key.8": [1],
        "min_key.7": ["a"],
        "max_key.8": [9],
        "max_key.7": ["b"],
        "key_lower.8": [1],
        "key_lower.7": ["a"],
        "key_upper.8": [9],
        "key_upper.7": ["zz"],
        "key_null_count.8": [0],
        "key_null_count.7": [0],
    }


def test_compacted_files_that_are_sorted_by_clustering_columns_have_no_known_keys():
    """Their least and greatest "keys" are values of the clustering columns, here of an INT."""
    clustered = schema(
        {"k": "STRING NOT NULL", "v": "INT"},
        primary=["k"],
        options={"pk-clustering-override": "true", "clustering.columns": "v"},
    )
    sorted_by_key = {"_MIN_KEY": binary_row(["STRING"], ["a"]), "_MAX_KEY": binary_row(["STRING"], ["long enough"])}
    sorted_by_value = {"_MIN_KEY": binary_row(["INT"], [-50]), "_MAX_KEY": binary_row(["INT"], [307])}
    keys = stats(["STRING"], ["a"], ["z"], [0])
    found = statistics(
        [clustered],
        entry("0", _KEY_STATS=keys, **sorted_by_key),
        entry("1", _LEVEL=1, _KEY_STATS=keys, **sorted_by_value),
    )
    assert (found["min_key.0"], found["max_key.0"]) == (["a", None], ["long enough", None])
    assert (found["key_lower.0"], found["key_upper.0"]) == (["a", "a"], ["z", "z"])
    other = replace(clustered, options=())
    with pytest.raises(MetadataCorrupt, match="points outside"):
        statistics([other], entry("1", _LEVEL=1, **sorted_by_value))


def test_files_without_keys_among_files_with_keys_have_null_keys():
    key = ["BIGINT", "STRING"]
    some = entry(
        "0",
        _PARTITION=binary_row(["STRING"], ["x"]),
        _MIN_KEY=binary_row(key, [1, "a"]),
        _MAX_KEY=binary_row(key, [9, "b"]),
    )
    none = entry("1", _PARTITION=binary_row(["STRING"], ["x"]))
    assert statistics([KEYS], none, some, none)["min_key.8"] == [None, 1, None]


def test_schemas_without_a_common_column_share_a_manifest():
    other = schema({"z": "DATE"}, schema_id=1, ids=[20])
    found = statistics(
        [ABC, other],
        *(
            entry(
                str(i),
                _SCHEMA_ID=i % 2,
                _VALUE_STATS_COLS=None,
                _VALUE_STATS=stats(["DATE"], [i], [i], [i]) if i % 2 else FULL,
            )
            for i in range(5)
        ),
    )
    assert found["lower.10"] == [1, None, 1, None, 1]
    assert found["null_count.20"] == [None, 1, None, 3, None]


@st.composite
def manifests(draw):
    """Draw a schema, and files with statistics of some of its columns in one of four layouts."""
    types = draw(st.lists(TYPES, min_size=1, max_size=5))
    names = [f"c{i}" for i in range(len(types))]
    files = []
    for _ in range(draw(st.integers(1, 6))):
        dense = draw(st.sampled_from(["all", "dense", "written", "none"]))
        chosen = (
            list(range(len(types)))
            if dense == "all"
            else draw(st.permutations(range(len(types))))
            if dense != "none"
            else []
        )
        chosen = chosen[: draw(st.integers(1, len(types)))] if dense in ("dense", "written") else chosen
        pairs = [(draw(st.none() | VALUES[types[i]]), draw(st.none() | VALUES[types[i]])) for i in chosen]
        ordered = [pair if None in pair else tuple(sorted(pair)) for pair in pairs]
        bounds = [tuple(pair[side] for pair in ordered) for side in (0, 1)]
        files.append(
            (
                dense,
                chosen,
                *bounds,
                draw(st.lists(st.none() | st.integers(0, 9), min_size=len(chosen), max_size=len(chosen))),
            )
        )
    return types, names, files


@given(manifests())
def test_recorded_statistics_are_read_back_and_others_are_unknown(case):
    types, names, files = case
    table_schema = schema(dict(zip(names, types, strict=True)), ids=[100 + i for i in range(len(types))])
    records = []
    for number, (layout, chosen, lower, upper, nulls) in enumerate(files):
        own = stats([types[i] for i in chosen], lower, upper, nulls)
        columns = [names[i] for i in chosen]
        choice = {"all": (None, None), "dense": (columns, None), "written": (None, columns), "none": ([], None)}[layout]
        records.append(entry(str(number), _VALUE_STATS=own, _VALUE_STATS_COLS=choice[0], _WRITE_COLS=choice[1]))
    table = parse_manifest(manifest(*records), ANY, table_of(table_schema))
    table.validate(full=True)
    for i, of in enumerate(types):
        for kind, member in (("lower", 2), ("upper", 3), ("null_count", 4)):
            expected = [file[member][file[1].index(i)] if i in file[1] else None for file in files]
            if kind != "null_count":
                expected = [internal(of, value) for value in expected]
            name = f"{kind}.{100 + i}"
            if name in table.column_names:
                assert numbers(table.column(name).combine_chunks()) == expected
            else:
                assert set(expected) <= {None}
    assert table.column_names[: len(PAIMON_COLUMNS)] == list(PAIMON_COLUMNS)
    assert isinstance(table.schema, pa.Schema)
