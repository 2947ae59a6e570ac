"""Bucket pruning keeps every bucket with a matching row and prunes the others."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lakemuster.formats.paimon.bucketing import BucketFunction, buckets
from lakemuster.planner.paimon.buckets import MAX_KEYS, MAX_TOTALS, BucketFilter, bucket_key, pinned
from lakemuster.predicates import (
    FALSE,
    TRUE,
    Bound,
    BoundAnd,
    BoundLeaf,
    BoundOr,
    Op,
    Opaque,
    all_of,
    any_of,
    bind,
    matches,
)
from lakemuster.predicates.sql import parse_sql
from tests.unit.formats.paimon.writer import schema

DEFAULT = BucketFunction.DEFAULT
COLUMNS = {"i": "INT", "s": "STRING", "d": "DOUBLE", "v": "INT"}
POOLS: dict[str, list[object]] = {
    "i": [-1, 0, 1, 2],
    "s": ["", "a", "A", "a longer text"],
    "d": [0.0, -0.0, 1.5, -1.5],
    "v": [1, 2],
}
OPTIONS = {"bucket": "5"}


def table(*key, options=OPTIONS, **more):
    return schema(COLUMNS, primary=more.pop("primary", ()), options=options | {"bucket-key": ",".join(key)}, **more)


def bound(text, of):
    return bind(parse_sql(text), of)


def filter_of(text, *key, options=OPTIONS, older=(), **more):
    of = table(*key, options=options, **more)
    return BucketFilter.of(of, dict(of.options), bound(text, of), [of, *older])


def ints(*values):
    return np.array(values, np.int64)


def leaves(of):
    def leaf(name):
        field = of.by_name[name]
        values = st.sampled_from(POOLS[name])
        one = st.builds(
            lambda op, value: BoundLeaf(op, field.field_id, name, field.type, (value,)),
            st.sampled_from([Op.EQ, Op.EQ, Op.NOT_EQ, Op.LT_EQ]),
            values,
        )
        several = st.builds(
            lambda op, found: BoundLeaf(op, field.field_id, name, field.type, tuple(dict.fromkeys(found))),
            st.sampled_from([Op.IN, Op.IN, Op.NOT_IN]),
            st.lists(values, min_size=2, max_size=3),
        )
        null = st.just(BoundLeaf(Op.IS_NULL, field.field_id, name, field.type))
        nan = st.just(BoundLeaf(Op.IS_NAN, field.field_id, name, field.type)) if name == "d" else null
        return st.one_of(one, several, one, null, nan)

    return st.sampled_from(sorted(COLUMNS)).flatmap(leaf) | st.sampled_from([Opaque("?", "?"), TRUE, FALSE])


def trees(of):
    return st.recursive(
        leaves(of),
        lambda inner: (
            st.builds(all_of, st.lists(inner, min_size=1, max_size=4))
            | st.builds(any_of, st.lists(inner, min_size=1, max_size=3))
        ),
        max_leaves=8,
    )


TREES = trees(table())


def pinning(of, key):
    """Return a strategy of trees that pin each field of a key to constants."""

    def pin(name):
        field = of.by_name[name]
        leaf = st.lists(st.sampled_from(POOLS[name]), min_size=1, max_size=2).map(
            lambda values: BoundLeaf(Op.IN, field.field_id, name, field.type, tuple(dict.fromkeys(values)))
        )
        parts = st.tuples(leaf, TREES | st.just(TRUE)).map(all_of)
        return st.lists(parts, min_size=1, max_size=2).map(any_of)

    return st.tuples(*map(pin, key), TREES | st.just(TRUE)).map(all_of)


def generous(tree: Bound) -> Bound:
    """Return the tree with opaque conditions replaced by TRUE."""
    match tree:
        case Opaque():
            return TRUE
        case BoundAnd(children=children):
            return all_of(map(generous, children))
        case BoundOr(children=children):
            return any_of(map(generous, children))
    return tree


HELD: list[list[object]] = [[*pool, None, *([math.nan] if name == "d" else [])] for name, pool in POOLS.items()]
ROWS = [dict(zip(POOLS, row, strict=True)) for row in product(*HELD)]


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data())
def test_a_bucket_with_a_matching_row_is_never_pruned(data):
    key = data.draw(st.permutations(["i", "s", "d"]))[: data.draw(st.integers(1, 3))]
    of = table(*key)
    tree = data.draw(pinning(of, key) | TREES)
    found = BucketFilter.of(of, dict(of.options), tree, [of])
    assume(found is not None)
    types = [of.by_name[name].type for name in key]
    total = data.draw(st.integers(1, 40))
    tree = generous(tree)
    matching = [row for row in ROWS if matches(tree, {of.by_name[name].field_id: row[name] for name in row})]
    held = buckets(DEFAULT, types, [tuple(row[name] for name in key) for row in matching], total)
    totals = np.full(len(held), total)
    assert found.can_hold(held, totals).all()
    assert found.any_between(held // 2, held, totals).all()
    assert found.any_between(held, totals - 1, totals).all()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("i = 1 AND s = 'a'", [(1, "a")]),
        ("i IN (1, 2) AND s = 'a' AND v > 3", [(1, "a"), (2, "a")]),
        ("(i = 1 OR i = 2) AND s IN ('a', 'b')", [(1, "a"), (1, "b"), (2, "a"), (2, "b")]),
        ("(i = 1 AND s = 'a') OR (i = 2 AND s = 'b' AND v = 1)", [(1, "a"), (1, "b"), (2, "a"), (2, "b")]),
        ("i IN (1, 2, 3) AND i IN (2, 3, 4) AND i <> 3 AND s = 'a'", [(2, "a"), (3, "a")]),
        ("i IN (1, 2) AND i = 3 AND s = 'a'", []),
        ("i = 1 AND s = 'a' AND d < v", [(1, "a")]),
        ("i = 1.0 AND s = 'a'", [(1, "a")]),
        ("i = 1", None),
        ("i = 1 OR s = 'a'", None),
        ("i = 1 AND s > 'a'", None),
        ("i = 1 AND (s = 'a' OR s IS NULL)", None),
        ("i = 1 AND s LIKE 'a%'", None),
        ("i = 1 AND lower(s) = 'a'", None),
        ("i <> 1 AND s = 'a'", None),
        ("NOT (i = 1 AND s = 'a')", None),
        ("i IS NULL AND s = 'a'", None),
        ("(i = 1 OR v = 1) AND s = 'a'", None),
    ],
)
def test_equality_and_in_pin_keys(text, keys):
    of = table("i", "s")
    fields = [of.by_name["i"], of.by_name["s"]]
    found = pinned(bound(text, of), fields)
    assert found == keys if keys is None else sorted(found) == keys


def test_a_thousand_keys_are_tried_and_no_more():
    of = table("i", "s")
    fields = [of.by_name["i"], of.by_name["s"]]

    def count(numbers, words):
        some = ", ".join(map(str, range(numbers)))
        others = ", ".join(f"'{word}'" for word in range(words))
        return pinned(bound(f"i IN ({some}) AND s IN ({others})", of), fields)

    assert len(count(50, 20)) == MAX_KEYS == 1000
    assert count(50, 21) is None
    assert count(1001, 2) is None


def test_zero_is_hashed_as_both_zeros():
    of = table("d")
    keys = pinned(bound("d = 0", of), [of.by_name["d"]])
    assert [math.copysign(1, value) for (value,) in keys] == [1, -1]


@pytest.mark.parametrize("total", [1, 2, 5, 64, 1000])
def test_other_buckets_are_pruned(total):
    found = filter_of("i IN (1, 2, 3)", "i")
    expected = set(buckets(DEFAULT, [table("i").by_name["i"].type], [(1,), (2,), (3,)], total).tolist())
    every = np.arange(total)
    assert set(every[found.can_hold(every, np.full(total, total))].tolist()) == expected
    pairs = [(low, high) for low, high in product(range(min(total, 20)), repeat=2) if low <= high]
    lows, highs = (ints(*ends) for ends in zip(*pairs, strict=True))
    for low, high, kept in zip(lows, highs, found.any_between(lows, highs, np.full(len(lows), total)), strict=True):
        assert kept == any(low <= bucket <= high for bucket in expected)


def test_each_entry_is_evaluated_with_its_own_bucket_count():
    found = filter_of("i = 1", "i")
    of = table("i").by_name["i"].type
    totals = ints(2, 3, 7, 1000)
    right = ints(*(int(buckets(DEFAULT, [of], [(1,)], int(total))[0]) for total in totals))
    assert found.can_hold(right, totals).all()
    assert not found.can_hold((right + 1) % totals, totals).any()


def test_a_predicate_that_no_row_satisfies_leaves_no_bucket():
    found = filter_of("i = 1 AND i = 2", "i")
    assert found.can_hold(np.arange(5), np.full(5, 5)).tolist() == [False] * 5


def test_what_is_unknown_is_kept():
    found = filter_of("i = 1 AND i = 2", "i")
    assert found.can_hold(ints(0, -1, -2, 9, 0), ints(0, 5, 5, 5, -1)).all()
    assert found.any_between(ints(-1, 0, 0, 3), ints(-1, -1, 4, 2), ints(5, 5, -1, 5)).all()
    many = np.arange(1, 3 * MAX_TOTALS)
    assert found.can_hold(np.zeros(len(many), np.int64), many).sum() == len(many) - MAX_TOTALS


def test_tables_whose_rows_have_no_hashed_bucket_are_not_filtered():
    assert filter_of("i = 1", "i") is not None
    assert filter_of("i = 1", "i", options={"bucket": "-2"}) is not None
    for options in ({"bucket": "-1"}, {}, {"bucket": "many"}, OPTIONS | {"bucket-function.type": "other"}):
        assert filter_of("i = 1", "i", options=options) is None
    assert filter_of("i = 1", "absent") is None
    assert filter_of("i = 1") is None


def test_the_bucket_key_is_the_primary_key_without_partition_keys_unless_it_is_named():
    of = schema(COLUMNS, primary=["v", "s", "i"], partition=["v"], options=OPTIONS)
    assert [field.name for field in bucket_key(of, dict(of.options))] == ["s", "i"]
    of = schema(COLUMNS, primary=["v", "s", "i"], partition=["v"], options=OPTIONS | {"bucket-key": "i"})
    assert [field.name for field in bucket_key(of, dict(of.options))] == ["i"]


def test_keys_that_were_of_another_type_or_another_key_find_nothing():
    def older(**changes):
        return schema(COLUMNS | changes, options=OPTIONS | {"bucket-key": "i"}, schema_id=1)

    assert filter_of("i = 1", "i", older=[older(v="BIGINT")]) is not None
    assert filter_of("i = 1", "i", older=[older(i="TINYINT")]) is None
    assert filter_of("i = 1", "i", older=[table("s")]) is None
    assert filter_of("i = 1", "i", older=[table("i", options=OPTIONS | {"bucket-function.type": "mod"})]) is None
    assert filter_of("i = 1", "i", older=[table("i", options={"bucket": "-1"})]) is not None


def test_functions_are_those_of_the_table():
    mod = filter_of("i = -3", "i", options=OPTIONS | {"bucket-function.type": "mod"})
    assert mod.can_hold(np.arange(5), np.full(5, 5)).tolist() == [False, False, True, False, False]
    hive = filter_of("i = 7", "i", options=OPTIONS | {"bucket-function.type": "HIVE"})
    assert hive.can_hold(np.arange(5), np.full(5, 5)).tolist() == [False, False, True, False, False]
    assert filter_of("s = 'a'", "s", options=OPTIONS | {"bucket-function.type": "mod"}) is None
