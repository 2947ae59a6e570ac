"""At a width of 320 pixels, every view fits the window: only tables and charts scroll sideways (WCAG 1.4.10)."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.journey.console.lakes import HOSTILE, hostile_name

PHONE = {"width": 320, "height": 640}
ORDERS = "#/tables/shop.orders"
VIEWS = {
    "#/": "a.row",
    f"{ORDERS}/history?older_than=2024-05-08T10%3A00%3A00.001Z": ".freed tbody tr",
    f"{ORDERS}/schema": ".versions li li",
    f"{ORDERS}/why?filter=amount%20%3E%20490&column=amount": ".bounds svg",
    f"{ORDERS}/details": "#specs",
    "#/tables/web.events/partitions": ".treemap canvas[data-painted]",
    "#/tables/shop.prices/partitions": "table.buckets tbody tr",
    "#/tables/web.sessions/health": "table.health tbody tr",
    "#/events": "main tbody tr",
    "#/catalogs": "main tbody tr",
}


@pytest.mark.parametrize("path", VIEWS)
def test_every_view_fits_a_phone(demo, attached, visit, path):
    one = visit(attached.uri if path == "#/catalogs" else demo.uri, path, viewport=PHONE)
    expect(one.page.locator(VIEWS[path]).first).to_be_visible()
    assert one.violations() == []


@pytest.mark.parametrize("tab", ["history", "schema", "why", "details"])
def test_long_and_hostile_names_fit_a_phone(troubled, visit, tab):
    one = visit(troubled.uri, f"#/tables/{quote(hostile_name(HOSTILE[-1]))}/{tab}", viewport=PHONE)
    expect(one.page.locator(".figures")).to_be_visible()
    expect(one.page.locator(".spinner")).to_have_count(0)
    assert one.violations() == []


def test_the_list_of_tables_has_room_for_names(demo, visit):
    page = visit(demo.uri, viewport=PHONE).page
    expect(page.locator("a.row").first).to_be_visible()
    assert page.locator(".tables tbody th").first.bounding_box()["width"] > PHONE["width"] / 3
