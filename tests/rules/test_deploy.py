"""The alert rules and the dashboard of deploy/ are valid, and ask for metrics that there are."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from tests.prometheus import promtool
from tests.tree import ROOT

RULES = ROOT / "deploy" / "prometheus-alerts.yml"
BOARD = ROOT / "deploy" / "grafana-dashboard.json"
NAME = re.compile(r"\b((?:lakemuster|process|python)_[a-z0-9_]+)\b")
_HISTOGRAM = ("_bucket", "_count", "_sum")


def expressions() -> list[str]:
    rules = [rule["expr"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    panels = json.loads(BOARD.read_text())["panels"]
    return rules + [target["expr"] for panel in panels for target in panel.get("targets", ())]


@pytest.fixture(scope="module")
def documented() -> set[str]:
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    rows = re.findall(r"^\| `([a-z0-9_]+)` \| (\w+) \|", page, re.MULTILINE)
    parts = {name + suffix for name, kind in rows if kind == "histogram" for suffix in _HISTOGRAM}
    return {name for name, _ in rows} | parts


def test_every_metric_that_is_asked_for_is_documented(documented: set[str]) -> None:
    named = {name for text in expressions() for name in NAME.findall(text)}
    assert len(named) > 30
    assert named <= documented


@pytest.mark.slow
def test_promtool_accepts_the_rules(tmp_path) -> None:
    status, words = promtool("check", "rules", str(RULES))
    assert (status, "SUCCESS" in words) == (0, True), words
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(RULES.read_text().replace("sum by (job)", "sum by job", 1))
    assert promtool("check", "rules", str(wrong))[0] != 0


def test_every_rule_says_how_bad_it_is_and_what_to_do() -> None:
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in {"critical", "warning", "info"}, rule
            assert rule["annotations"].keys() == {"summary", "description"}, rule


def test_panels_of_the_dashboard_do_not_overlap_and_say_what_they_show() -> None:
    panels = json.loads(BOARD.read_text())["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
        assert panel["type"] == "row" or panel["description"].endswith(".")
    assert len({panel["id"] for panel in panels}) == len(panels)
