"""Catalogs, events, and pages without content."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.journey.console.browsing import NARROW, texts, whole
from tests.journey.servers import served

ROWS = "main table tbody tr"
MOVED_AT_ONCE = """new MutationObserver((_, observer) => {
  if (document.querySelector("#console > *") === null) return;
  observer.disconnect();
  location.hash = "#/events";
}).observe(document, {childList: true, subtree: true});"""
"""A script that changes the address in the task that shows the console for the first time."""


def test_catalogs_are_the_apis(attached, visit):
    page = visit(attached.uri, "#/catalogs").page
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    catalogs = attached.get("/catalogs")["catalogs"]
    assert [catalog["reachable"] for catalog in catalogs] == [False, True]
    expect(page.locator(ROWS)).to_have_count(len(catalogs))
    for row, catalog in zip(page.locator(ROWS).all(), catalogs, strict=True):
        assert row.locator("th").inner_text() == catalog["name"]
        cells = texts(row.locator("td"))
        assert cells[1].startswith("reachable" if catalog["reachable"] else "not reachable")
        assert (catalog["error"] or "") in cells[1]
        assert cells[2] == whole(catalog["tables"])


def test_an_address_that_changes_while_the_console_starts_is_followed(demo, visit):
    one = visit(demo.uri, "docs")
    one.page.add_init_script(MOVED_AT_ONCE)
    one.go("#/none")
    expect(one.page.get_by_role("heading", name="Events")).to_be_visible()


def test_a_catalog_is_listed_on_demand(attached, visit):
    one = visit(attached.uri, "#/catalogs")
    one.may_fail.append("/catalogs/gone/sync")
    one.page.get_by_role("button", name="List now: lake").click()
    expect(one.page.get_by_text("1 table: 0 new, 0 gone")).to_be_visible()
    one.page.get_by_role("button", name="List now: gone").click()
    expect(one.page.locator(ROWS).first.get_by_role("status")).to_be_visible()


def test_events_are_the_logs_newest_first(demo, visit):
    page = visit(demo.uri, "#/events").page
    events = demo.http.get("/api/v1/events", headers={"Accept": "application/json"}).json()["events"]
    expect(page.locator(ROWS)).to_have_count(len(events))
    for row, event in zip(page.locator(ROWS).all(), reversed(events), strict=True):
        assert row.locator("th").inner_text() == event["subject"]
        assert row.locator("time").first.get_attribute("datetime") == event["time"]
        words = event["type"].removeprefix("table.").replace(".", " ").replace("_", " ")
        assert row.locator(".tag").inner_text() == words


def test_events_are_filtered_and_come_as_they_happen(troubled, visit):
    page = visit(troubled.uri, "#/events?type=table.quarantined").page
    expect(page.locator(ROWS).first).to_be_visible()
    assert {row.split()[0] for row in texts(page.locator(f"{ROWS} .tag"))} == {"quarantined"}
    page.get_by_label("Table", exact=True).fill("odd.late")
    page.get_by_label("Type").select_option("table.removed")
    expect(page.get_by_text("No events")).to_be_visible()
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    location = next(table["location"] for table in troubled.rows("/tables") if table["name"] == "odd.empty")
    troubled.post("/tables", {"name": "odd.late", "location": location}, 201)
    troubled.http.delete("/api/v1/tables/odd.late")
    expect(page.locator(ROWS)).to_have_count(1)
    expect(page.locator(f"{ROWS} th")).to_have_text("odd.late")
    page.get_by_label("Table", exact=True).fill("odd.other")
    expect(page.locator(ROWS)).to_have_count(0)


def test_an_empty_lake_says_how_to_begin(visit, tmp_path):
    with served(tmp_path) as running:
        one = visit(running.uri)
        expect(one.page.get_by_text("No tables yet")).to_be_visible()
        assert one.violations() == []
        for path, words in (
            ("#/catalogs", "No catalog is attached"),
            ("#/events", "No events"),
            ("#/nothing", "There is no such page"),
        ):
            one.go(path)
            expect(one.page.get_by_text(words)).to_be_visible()
            assert one.violations() == []
        one.close()  # before its server


def test_below_the_path_of_a_proxy_everything_is_found(visit, tmp_path):
    with served(tmp_path, "--demo", ROOT_PATH="/lake") as running:
        page = visit(running.uri + "/lake").page
        expect(page.locator("a.row")).to_have_count(8)
        expect(page.get_by_text("Live", exact=True)).to_be_visible()
        page.context.close()  # before its server


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(demo, attached, visit, scheme):
    for uri, path in ((demo.uri, "#/events"), (attached.uri, "#/catalogs")):
        one = visit(uri, path, color_scheme=scheme, viewport=NARROW)
        expect(one.page.locator(ROWS).first).to_be_visible()
        assert one.violations() == []
