"""What is kept stays within its budget, also where values weigh nothing."""

from __future__ import annotations

from lakemuster.planner.scan.weighed_cache import WeighedCache


def test_keys_weigh_too() -> None:
    kept = WeighedCache(1000, lambda _: 100)
    for number in range(1000):
        kept.keep((number,), None, 0)
    assert sum(kept.has((number,)) for number in range(1000)) == 10
    assert kept.has((999,))


def test_a_value_is_made_once_and_one_above_the_budget_is_kept_alone() -> None:
    kept = WeighedCache(10, lambda _: 0)
    assert [kept.get(("a",), lambda: ("value", 5)), kept.get(("a",), lambda: ("other", 5))] == ["value", "value"]
    kept.keep(("large",), "x", 50)
    assert kept.find(("large",)) == "x"
    assert kept.find(("a",)) is None
