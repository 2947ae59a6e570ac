"""Settings of the rules by which partitions are ready."""

from __future__ import annotations

from typing import Any

import pytest

from lakemuster.config import load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.table_settings import WATCH_SECONDS, TableRules


def rules(partition_ready: Any, **others: Any) -> TableRules:
    return load_settings(tables={"shop.*": {"partition_ready": partition_ready, **others}}).of_table("shop.t")


@pytest.mark.parametrize(
    ("given", "seconds"), [("90s", 90), ("15m", 900), ("2h", 7200), ("1d", 86_400), ("1.5 h", 5400), (7, 7), (0.5, 0.5)]
)
def test_a_time_has_a_unit_or_is_seconds(given: object, seconds: float) -> None:
    [rule] = rules({"quiet": given}).partition_ready
    assert (rule.quiet, rule.title) == (seconds, "quiet")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "needs quiet, watermark or sibling"),
        ({"sibling": False}, "needs quiet, watermark or sibling"),
        ({"quiet": "2 weeks"}, "such as 90s"),
        ({"quiet": 0}, "greater than 0"),
        ({"quiet": "400d"}, "less than or equal"),
        ({"noise": 1}, "unknown setting"),
        ([{"quiet": 1}, {"quiet": 2}], "two rules of partition_ready are named quiet"),
    ],
)
def test_a_wrong_rule_stops_the_start(given: object, reason: str) -> None:
    with pytest.raises(ConfigInvalid, match=reason):
        rules(given)


def test_rules_have_names() -> None:
    found = rules([{"quiet": 1, "sibling": True}, {"watermark": "w", "time": "dt"}, {"name": "x", "quiet": 1}])
    assert [rule.title for rule in found.partition_ready] == ["quiet+sibling", "watermark", "x"]
    assert found.partition_ready[1].time == ("dt",)


def test_a_table_with_rules_is_watched_unless_the_settings_say_otherwise() -> None:
    rule = {"sibling": True}
    assert rules(rule).watch == WATCH_SECONDS
    assert rules(rule, watch=7).watch == 7
    assert rules(rule, watch=False).watch is None
    watched = load_settings(tables={"*": {"partition_ready": rule}}, watch={"shop.*": 9})
    assert watched.of_table("shop.t").watch == 9
    none = load_settings(tables={"*": {"partition_ready": rule}, "shop.t": {"partition_ready": []}}).of_table("shop.t")
    assert (none.partition_ready, none.watch) == ((), None)
