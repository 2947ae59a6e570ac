"""The cache: budgets, eviction, statistics."""

from __future__ import annotations

import gc
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.caching import ENTRY_BYTES, MEMORY, Budget, Cache, CacheStatistics, SeenKeys, cached


def numbers(budget: Budget, name: str = "numbers", weight: int = 100 - ENTRY_BYTES) -> Cache[int, str]:
    """Return a cache whose entries weigh 100 bytes by default."""
    return Cache(name, lambda key, value: weight, budget)


def test_a_value_is_made_once() -> None:
    made: list[int] = []
    cache = numbers(Budget(1000))

    def make() -> str:
        made.append(1)
        return "one"

    assert [cache.get_or_make(1, make) for _ in range(3)] == ["one"] * 3
    assert made == [1]
    assert cache.get(1) == "one"
    assert 1 in cache
    assert len(cache) == 1
    assert list(cache) == [1]


def test_a_missing_value_is_none() -> None:
    cache = numbers(Budget(1000))
    assert cache.get(1) is None
    assert 1 not in cache


def test_put_leaves_a_value_and_replace_does_not() -> None:
    cache = numbers(Budget(1000))
    cache.put(1, "one")
    cache.put(1, "two")
    assert cache.get(1) == "one"
    cache.replace(1, "two")
    assert cache.get(1) == "two"
    assert len(cache) == 1


def test_an_exception_is_not_cached() -> None:
    cache = numbers(Budget(1000))

    def fail() -> str:
        raise KeyError("once")

    with pytest.raises(KeyError):
        cache.get_or_make(1, fail)
    assert cache.get_or_make(1, lambda: "one") == "one"


def test_caches_share_their_budget() -> None:
    budget = Budget(1000)
    first, second = numbers(budget, "first"), numbers(budget, "second")
    for number in range(8):
        first.put(number, "")
    for number in range(8):
        second.put(number, "")
    assert budget.bytes == 1000
    assert len(first) + len(second) == 10
    assert sum(one.evictions for one in budget.statistics().values()) == 6


def test_entries_that_are_read_outlive_those_that_are_not() -> None:
    budget = Budget(2000)
    cache = numbers(budget)
    for number in range(1000, 2000):
        for wanted in range(10):
            cache.get_or_make(wanted, lambda: "read")
        cache.put(number, "once")
    # Half of the 20 entries are read. Random eviction would evict one of these every other time: 500 misses.
    assert budget.statistics()["numbers"].misses < 150


def test_a_loop_over_more_than_the_budget_still_hits() -> None:
    budget = Budget(5000)
    cache = numbers(budget)
    for _ in range(20):
        for number in range(60):
            cache.get_or_make(number, lambda: "")
    assert budget.statistics()["numbers"].hits > 500


def test_what_weighs_more_than_half_the_budget_is_not_held() -> None:
    budget = Budget(1000)
    cache = Cache[int, int]("heavy", lambda key, value: value - ENTRY_BYTES, budget)
    cache.put(1, 500)
    cache.put(2, 501)
    assert list(cache) == [1]
    cache.replace(1, 501)
    assert list(cache) == []
    assert budget.bytes == 0


def test_a_budget_of_nothing_caches_nothing() -> None:
    cache = numbers(Budget(0))
    assert cache.get_or_make(1, lambda: "one") == "one"
    assert len(cache) == 0


def test_a_lower_limit_evicts_at_once() -> None:
    budget = Budget(1000)
    cache = numbers(budget)
    for number in range(10):
        cache.put(number, "")
        cache.get(number)
    budget.limit = 300
    assert budget.bytes == 300
    assert len(cache) == 3
    assert budget.limit == 300


def test_removed_values_give_their_bytes_back() -> None:
    budget = Budget(1000)
    cache, other = numbers(budget), numbers(budget, "other")
    for number in range(4):
        cache.put(number, "")
        other.put(number, "")
    cache.remove(0)
    cache.remove(99)
    assert budget.bytes == 700
    cache.clear()
    assert budget.bytes == 400
    assert len(other) == 4
    budget.clear()
    assert budget.bytes == 0
    assert len(other) == 0


def test_a_cache_that_is_gone_gives_its_bytes_back_and_keeps_its_counts() -> None:
    budget = Budget(1000)
    cache = numbers(budget)
    cache.put(1, "one")
    cache.get(1)
    del cache
    gc.collect()
    assert budget.bytes == 0
    assert budget.statistics() == {"numbers": CacheStatistics(hits=1)}


def test_statistics_are_those_of_all_caches_of_a_name() -> None:
    budget = Budget(1000)
    first, second = numbers(budget, "same"), numbers(budget, "same")
    first.put(1, "")
    first.get(1)
    second.get(1)
    assert budget.statistics() == {"same": CacheStatistics(hits=1, misses=1, entries=1, bytes=100)}


def test_functions_are_cached_by_their_arguments() -> None:
    calls: list[tuple[int, int]] = []

    @cached("sums", lambda total: 8)
    def add(one: int, *, other: int = 1) -> int:
        calls.append((one, other))
        return one + other

    try:
        assert [add(1), add(1), add(1, other=2), add(1, other=2), add(2)] == [2, 2, 3, 3, 3]
        assert calls == [(1, 1), (1, 2), (2, 1)]
        assert MEMORY.statistics()["sums"].hits == 2
        add.cache_clear()
        assert add(1) == 2
        assert len(calls) == 4
        assert add.__name__ == "add"  # type: ignore[attr-defined]
    finally:
        add.cache_clear()


def test_threads_never_pass_the_limit_or_lose_bytes() -> None:
    budget = Budget(3000)
    caches = [numbers(budget, str(number)) for number in range(2)]
    wrong: list[object] = []

    def work(seed: int) -> None:
        for step in range(3000):
            cache, key = caches[(seed + step) % 2], (step * 7 + seed) % 50
            value = cache.get_or_make(key, lambda key=key: str(key))  # type: ignore[misc]
            if value != str(key) or budget.bytes > 3100:
                wrong.append((key, value, budget.bytes))
            if step % 97 == 0:
                cache.remove(key)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    held = sum(len(cache) for cache in caches)
    assert budget.bytes == 100 * held == sum(one.bytes for one in budget.statistics().values())


def test_seen_keys_tell_a_second_request_within_the_budget() -> None:
    budget = Budget(10_000)
    seen = SeenKeys("seen", budget)
    assert [seen.add(key) for key in ("a", "b", "a", ("a", 1), "b")] == [False, False, True, False, True]
    for number in range(1000):
        assert not seen.add(("many", number))
        assert seen.add(("many", number))
        assert budget.bytes <= budget.limit
    assert sum(seen.add(("many", number)) for number in range(1000)) < 50


@given(st.lists(st.tuples(st.sampled_from("prgc"), st.integers(0, 12), st.integers(0, 60)), max_size=120))
def test_a_cache_holds_what_was_put_last_within_its_budget(steps: list[tuple[str, int, int]]) -> None:
    budget = Budget(100 + 4 * ENTRY_BYTES)
    cache = Cache[int, int]("model", lambda key, value: value, budget)
    model: dict[int, int] = {}
    for action, key, value in steps:
        if action == "p":
            if key not in cache:
                model[key] = value
            cache.put(key, value)
        elif action == "r":
            model[key] = value
            cache.replace(key, value)
        elif action == "g":
            found = cache.get(key)
            assert found is None or found == model[key]
        else:
            cache.remove(key)
            assert key not in cache
        weights = [model[one] + ENTRY_BYTES for one in cache]
        assert budget.bytes == sum(weights) <= budget.limit
        assert budget.statistics()["model"].entries == len(cache) == len(weights)
