"""The alert rules and the dashboard of deploy/ are valid and query existing metrics."""

from __future__ import annotations

import json
import re
from pathlib import Path

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


OF = 'job="lakemuster",instance="a:8181"'
"""The labels of one server's series."""

FIRING = {
    "LakemusterDown": [("up", "", "0x200")],
    "LakemusterErrors": [
        ("lakemuster_requests_total", 'status="200"', "0+90x200"),
        ("lakemuster_requests_total", 'status="503"', "0+10x200"),
    ],
    "LakemusterAnswersBroken": [("lakemuster_answers_broken_total", "", "0+1x200")],
    "LakemusterSlowPlans": [
        ("lakemuster_request_seconds_bucket", f'route="/api/v1/tables/{{table}}/plan",le="{le}"', rise)
        for le, rise in (("5.0", "0+1x200"), ("10.0", "0+9x200"), ("+Inf", "0+9x200"))
    ],
    "LakemusterRequestsWait": [("lakemuster_slots", 'kind="requests",state="waiting"', "3x200")],
    "LakemusterTablesStale": [("lakemuster_tables", 'state="stale"', "2x200")],
    "LakemusterTablesCritical": [("lakemuster_table_health", 'component="health",status="critical"', "2x200")],
    "LakemusterRefreshesFail": [
        ("lakemuster_refresh_seconds_count", 'outcome="ok"', "0+1x200"),
        ("lakemuster_refresh_seconds_count", 'outcome="storage_unavailable"', "0+1x200"),
    ],
    "LakemusterLag": [
        ("lakemuster_refresh_lag_seconds_bucket", f'le="{le}"', rise)
        for le, rise in (("300.0", "0+0x200"), ("900.0", "0+9x200"), ("+Inf", "0+9x200"))
    ],
    "LakemusterStorageFails": [
        ("lakemuster_storage_operations_total", 'kind="read",outcome="ok"', "0+9x200"),
        ("lakemuster_storage_operations_total", 'kind="read",outcome="storage_denied"', "0+1x200"),
    ],
    "LakemusterBucketHangs": [("lakemuster_storage_threads", 'state="full_buckets"', "1x200")],
    "LakemusterCatalogUnreachable": [("lakemuster_upstream_breakers_open", 'catalog="prod"', "1x200")],
    "LakemusterDecodersBehind": [("lakemuster_decoder_tasks", 'state="queued"', "300x200")],
    "LakemusterDatabaseConnectionsUsedUp": [
        ("lakemuster_database_connections", 'state="in_use"', "32x200"),
        ("lakemuster_database_connections_limit", "", "32x200"),
    ],
    "LakemusterJobFails": [("lakemuster_job_failures_in_a_row", 'name="watch"', "9x200")],
    "LakemusterNoJobs": [("lakemuster_job_leases", "", "0x200")],
    "LakemusterWebhookBehind": [("lakemuster_webhook_lag_seconds", 'webhook="lake"', "1000x200")],
    "LakemusterDeadLetters": [("lakemuster_webhook_dead_letters", 'webhook="lake"', "1x200")],
    "LakemusterReloadFailed": [("lakemuster_last_reload_successful", 'file="certificate"', "0x200")],
    "LakemusterCachesTooSmall": [
        ("lakemuster_cache_evictions_total", 'cache="packs"', "0+9x200"),
        ("lakemuster_cache_misses_total", 'cache="packs"', "0+10x200"),
        ("lakemuster_cache_bytes", 'cache="packs"', "99x200"),
        ("lakemuster_cache_limit_bytes", "", "100x200"),
    ],
    "LakemusterWorkersRestart": [
        ("process_start_time_seconds", 'worker="1"', "0+60x200"),
        ("lakemuster_build_info", 'version="1"', "1x200"),
    ],
}
"""The series that make each alert fire: name, labels, and values at one-minute intervals."""


WELL = [
    ("up", "", "1x200"),
    ("lakemuster_requests_total", 'status="200"', "0+90x200"),
    ("lakemuster_job_leases", "", "4x200"),
    ("process_start_time_seconds", 'worker="1"', "60x200"),
    ("lakemuster_build_info", 'version="1"', "1x200"),
    ("lakemuster_last_reload_successful", 'file="tokens"', "1x200"),
    ("lakemuster_webhook_lag_seconds", 'webhook="lake"', "60x200"),
    ("lakemuster_webhook_dead_letters", 'webhook="lake"', "0x200"),
]
"""Series of a healthy server, for which no alert fires."""


def case(series: list[tuple[str, str, str]], firing: str | None) -> dict[str, object]:
    """Return a promtool test: after 90 minutes of the series, only the alert ``firing`` fires."""
    given = [
        {"series": f"{name}{{{','.join(filter(None, [OF, labels]))}}}", "values": values}
        for name, labels, values in series
    ]

    def count(matchers: str, number: int) -> dict[str, object]:
        found = [{"labels": "{}", "value": number}] if number else []
        return {"expr": f'count(ALERTS{{alertstate="firing"{matchers}}})', "eval_time": "90m", "exp_samples": found}

    expected = [count("", 0)] if firing is None else [count(f',alertname="{firing}"', 1), count("", 1)]
    return {"interval": "1m", "input_series": given, "promql_expr_test": expected}


@pytest.mark.slow
def test_each_alert_fires_alone_when_it_should_and_none_of_a_server_that_is_well(tmp_path: Path) -> None:
    (tmp_path / RULES.name).write_text(RULES.read_text())
    cases = [case(series, alert) for alert, series in FIRING.items()]
    document = {"rule_files": [RULES.name], "evaluation_interval": "1m", "tests": [*cases, case(WELL, None)]}
    (tmp_path / "test.yml").write_text(json.dumps(document))
    status, words = promtool("test", "rules", str(tmp_path / "test.yml"))
    assert status == 0, words
    document["tests"] = [case(FIRING["LakemusterDown"], "LakemusterErrors")]
    (tmp_path / "test.yml").write_text(json.dumps(document))
    assert promtool("test", "rules", str(tmp_path / "test.yml"))[0] != 0


def test_every_alert_is_tested() -> None:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    assert {rule["alert"] for group in groups for rule in group["rules"]} == FIRING.keys()


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
