"""The health of a table: each component as the API reports it, with its remedy to copy."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.journey.console.browsing import NARROW, texts
from tests.journey.servers import served

ROWS = "table.health tbody tr"
TABLE = "shop.orders"


@pytest.fixture(scope="module")
def ailing(tmp_path_factory):
    """A server of the demo lake with thresholds that its tables exceed."""
    health = {
        "small_files": {"warning": 0, "critical": 0},
        "manifests": {"warning": 1, "critical": 100},
        "least_files": 0,
    }
    rules = {"*": {"health": health, "target_file_size": 2**40}}
    with served(tmp_path_factory.mktemp("console-ailing"), "--demo", TABLES=json.dumps(rules)) as running:
        for row in running.rows("/tables"):
            running.get(f"/tables/{row['name']}/health")
        yield running


def plain(number):
    """Return a number as JavaScript writes it."""
    return int(number) if number == int(number) else number


def test_each_component_is_the_apis(ailing, visit):
    page = visit(ailing.uri, f"#/tables/{TABLE}/health").page
    told = ailing.get(f"/tables/{TABLE}/health", history=60)
    expect(page.locator(ROWS)).to_have_count(len(told["components"]))
    assert {one["status"] for one in told["components"]} >= {"critical", "warning", "ok"}
    for row, one in zip(page.locator(ROWS).all(), told["components"], strict=True):
        head = row.locator("th").inner_text()
        assert head.startswith(one["name"].replace("_", " "))
        assert one["reason"] is None or one["reason"] in head
        assert row.locator("td").nth(0).inner_text() == one["status"]
        shown = row.locator("td").nth(1).locator("span").get_attribute("title")
        assert shown == ("not known" if one["value"] is None else f"{plain(one['value'])} {one['unit']}")
        assert row.locator("time").get_attribute("datetime") == one["since"]
        assert row.locator("svg").get_attribute("aria-label") == ", ".join(
            f"{day['day']} {part['status']}"
            for day in told["history"]
            for part in day["components"]
            if part["name"] == one["name"]
        )
    expect(page.get_by_text(f"Worst component: {told['health']}")).to_be_visible()


def test_remedies_are_those_of_what_ails_and_can_be_copied(ailing, visit):
    one = visit(ailing.uri, f"#/tables/{TABLE}/health")
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    told = ailing.get(f"/tables/{TABLE}/health")["components"]
    expected = [part["remedy"] for part in told if part["status"] != "ok" and part["remedy"]]
    assert expected
    expect(one.page.locator(".remedy")).to_have_count(len(expected))
    assert texts(one.page.locator(".remedy pre")) == expected
    one.page.locator(".remedy").first.get_by_role("button", name="Copy").click()
    expect(one.page.get_by_role("button", name="Copied")).to_be_visible()
    assert one.page.evaluate("navigator.clipboard.readText()") == expected[0]


def test_the_list_has_the_worst_status_and_sorts_by_it(ailing, visit):
    page = visit(ailing.uri, "#/?sort=-health").page
    rows = ailing.rows("/tables", sort="-health")
    expect(page.locator("a.row")).to_have_text([row["name"] for row in rows])
    cells = page.locator("table.tables tbody td:nth-child(8)")
    assert texts(cells.locator(".tag")) == [row["health"] for row in rows]
    ailing_parts = {row["name"]: row for row in ailing.rows("/health")}
    expect(page.locator(".ailing")).to_have_count(len(rows))
    for cell, row in zip(cells.all(), rows, strict=True):
        worst = ailing_parts[row["name"]][row["health"]]
        assert cell.locator(".ailing").inner_text() == ", ".join(name.replace("_", " ") for name in worst)


def test_components_are_counted_and_choosing_one_sorts_by_it(ailing, visit):
    page = visit(ailing.uri).page
    counts = ailing.get("/health")["components"]
    ill = [one for one in counts if one["warning"] + one["critical"]]
    chips = page.get_by_role("group", name="Health by component").get_by_role("link")
    expect(chips).to_have_count(len(ill))
    for chip, one in zip(chips.all(), ill, strict=True):
        name = one["component"].replace("_", " ")
        words = [f"{one[status]} {status}" for status in ("critical", "warning") if one[status]]
        assert " ".join(chip.text_content().split()).startswith(f"{name} {words[0]}")
    page.get_by_role("link", name="manifests").click()
    expect(page).to_have_url(re.compile("component=manifests"))
    rows = ailing.rows("/tables", component="manifests", sort="-health")
    expect(page.locator("a.row")).to_have_text([row["name"] for row in rows])
    expect(page.locator("th[aria-sort=descending]")).to_have_text("manifests↓")
    statuses = {row["name"]: row for row in ailing.rows("/health", component="manifests")}
    for row in page.locator("table.tables tbody tr").all():
        own = statuses[row.locator("a.row").inner_text()]
        expected = next((one for one in ("critical", "warning", "unknown") if "manifests" in own[one]), "ok")
        assert row.locator("td").nth(6).inner_text() == expected
    page.go_back()
    expect(page.locator("a.row")).to_have_count(len(ailing.rows("/tables")))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(ailing, visit, scheme):
    one = visit(ailing.uri, f"#/tables/{TABLE}/health", color_scheme=scheme, viewport=NARROW)
    expect(one.page.locator(ROWS).first).to_be_visible()
    assert one.violations() == []
