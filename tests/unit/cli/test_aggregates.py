"""The query and the output of ``statistics``."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.cli.commands import Shelf, run

COUNT = {"aggregate": "count", "exact": True, "value": 40}
MOST = {"aggregate": "max(x)", "exact": False, "lower": 1, "upper": 9, "may_be_null": False, "reason": "1 file: loose"}
ANSWER = {"snapshot_id": "7", "statistics": [COUNT, MOST], "stale": None}


def test_values_and_intervals_are_listed(use: Any) -> None:
    shelf = use(Shelf(statistics=[ANSWER]))
    done = run("statistics", "shop.orders", "--where", "a > 1", "--aggregate", "count", "--aggregate", "max(x)")
    assert done.status == 0
    assert [line.split("\t") for line in done.out.splitlines()] == [
        ["aggregate", "exact", "value", "lower", "upper", "may_be_null", "reason"],
        ["count", "true", "40", "-", "-", "-", "-"],
        ["max(x)", "false", "-", "1", "9", "false", "1 file: loose"],
    ]
    assert shelf.calls == [("statistics", "count", "max(x)")]
    assert shelf.queries[0].options == {"where": "a > 1"}


def test_rows_are_counted_by_default_and_json_is_the_answer(use: Any) -> None:
    shelf = use(Shelf(statistics=[ANSWER]))
    done = run("statistics", "shop.orders", "--json")
    assert json.loads(done.out) == ANSWER
    assert shelf.calls == [("statistics", "count")]


def test_a_stale_answer_says_so(use: Any) -> None:
    use(Shelf(statistics=[{**ANSWER, "stale": "storage_unavailable: gone"}]))
    assert "storage_unavailable: gone" in run("statistics", "shop.orders").err
