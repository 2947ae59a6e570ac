"""Statuses follow from values and thresholds, with hysteresis around a threshold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.metadata.health import RANKS, Change, Component, Measured, Status, changes, judge, worst
from lakemuster.table_settings import (
    THRESHOLDS,
    HealthRules,
    HealthSettings,
    Threshold,
    ThresholdSettings,
    health_of,
)

RULES = HealthRules({**THRESHOLDS, "skew": Threshold(10, 100)}, 5)


def status(value: float | None, before: Status | None = None, **more: object) -> Status:
    return judge(replace(Measured("skew", value, "times"), **more), RULES, before)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "before", "expected"),
    [
        (9.99, None, "ok"),
        (10, None, "warning"),
        (99.9, None, "warning"),
        (100, None, "critical"),
        (9.5, "ok", "ok"),
        (9.5, "warning", "warning"),
        (9.0, "warning", "ok"),
        (95, "warning", "warning"),
        (95, "critical", "critical"),
        (90, "critical", "warning"),
        (9.5, "critical", "warning"),
        (1, "critical", "ok"),
        (9.5, "unknown", "ok"),
        (None, "critical", "unknown"),
    ],
)
def test_a_status_gets_worse_at_a_threshold_and_better_below_nine_tenths_of_it(
    value: float | None, before: Status | None, expected: Status
) -> None:
    assert status(value, before) == expected


def test_shares_of_few_files_are_ok_and_what_is_unreadable_is_critical() -> None:
    assert status(100, concerned=4) == "ok"
    assert status(100, concerned=5) == "critical"
    assert status(None, is_critical=True) == "critical"


@given(st.floats(0, 200), st.floats(0, 200), st.sampled_from([None, *RANKS]))
def test_a_worse_value_has_no_better_status(one: float, other: float, before: Status | None) -> None:
    low, high = sorted((one, other))
    assert RANKS[status(low, before)] <= RANKS[status(high, before)]


def test_a_table_is_as_ill_as_its_worst_component() -> None:
    assert worst([]) == "ok"
    assert worst(["ok", "unknown"]) == "unknown"
    assert worst(["warning", "unknown", "critical", "ok"]) == "critical"


def component(name: str, of: Status) -> Component:
    return Component(Measured(name, 1, "x"), Threshold(), of, 0)


def test_changes_are_those_of_statuses() -> None:
    before = [component("skew", "ok"), component("overlap", "warning"), component("manifests", "critical")]
    now = [component("skew", "warning"), component("manifests", "critical"), component("snapshots", "ok")]
    assert changes(before, now) == [Change("skew", "ok", "warning"), Change("overlap", "warning", None)]
    assert changes([], [component("skew", "critical"), component("overlap", "unknown")]) == [
        Change("skew", None, "critical")
    ]


def test_the_most_specific_pattern_says_a_limit_and_false_removes_both() -> None:
    specific = HealthSettings(skew=ThresholdSettings(warning=7), overlap=False)  # type: ignore[arg-type]
    general = HealthSettings(skew=ThresholdSettings(warning=1, critical=50), least_files=3)
    found = health_of([specific, general])
    assert found.thresholds["skew"] == Threshold(7, 50)
    assert found.thresholds["overlap"] == Threshold(None, None)
    assert found.thresholds["manifests"] == THRESHOLDS["manifests"]
    assert found.least_files == 3


def test_settings_name_every_component() -> None:
    assert set(HealthSettings.model_fields) == {*THRESHOLDS, "least_files"}
