"""The pictures of docs/console.md show the current console; ``--update-golden`` takes them again.

They are compared as small grey pictures, because fonts differ between machines.
"""

from __future__ import annotations

import base64

import pytest
from playwright.sync_api import expect

from tests.tree import ROOT

FOLDER = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 1200, 860
HEIGHTS = {"buckets": 1130, "tables": 480, "events": 640, "schema": 700,
           "details": 780, "catalogs": 300, "sign-in": 420}  # fmt: skip
FILTER = "day%20%3E%3D%20DATE%20'2024-05-06'%20AND%20amount%20%3E%20490"
VIEWS = {
    "tables": ("#/", "svg polyline"),
    "history": (
        "#/tables/shop.orders/history?older_than=2024-05-08T10%3A00%3A00.001Z&from=main%203306823715258192653&to=main%207283556339469030770",
        ".freed tbody tr",
    ),
    "schema": ("#/tables/shop.orders/schema", ".versions li li"),
    "why": (f"#/tables/shop.orders/why?filter={FILTER}&column=amount", ".bounds svg"),
    "bounds": ("#/tables/web.sessions/why?filter=user_id%20%3C%201200&column=user_id", ".bounds svg"),
    "partitions": ("#/tables/web.events/partitions?shade=age", ".treemap canvas[data-painted]"),
    "overlap": ("#/tables/web.sessions/partitions?shade=overlap&column=user_id", "table.largest td span[title^=mean]"),
    "buckets": ("#/tables/shop.prices/partitions", "table.buckets tbody tr"),
    "branches": ("#/tables/shop.returns/history", "circle.commit.quarantined"),
    "health": ("#/tables/web.sessions/health", "table.health tbody tr"),
    "details": ("#/tables/shop.orders/details", "#specs"),
    "events": ("#/events", "main tbody tr"),
    "catalogs": ("#/catalogs", "main tbody tr"),
    "sign-in": ("#/", "#token"),
}
SIGNED_OUT = {"is_open": False, "caller": None, "methods": ["token", "oidc"]}
ALIKE = 10
"""Largest mean difference of grey values (0 to 255) between equal pictures."""
DIFFERENCE = """async ([one, other]) => {
  const grey = async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [60, 38];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 60, 38);
    const pixels = context.getImageData(0, 0, 60, 38).data;
    return Array.from({length: 60 * 38}, (_, n) => (pixels[4 * n] + pixels[4 * n + 1] + pixels[4 * n + 2]) / 3);
  };
  const [a, b] = [await grey(one), await grey(other)];
  return a.reduce((sum, value, place) => sum + Math.abs(value - b[place]), 0) / a.length;
}"""
PLACES = """() => {
  for (const text of document.querySelectorAll(".location bdi, .pairs bdi, .told bdi"))
    text.textContent = text.textContent.replace(/(file:[/][/])?[/][^ ]*[/]lake[/]/g, "s3://lake/");
}"""


def difference(page, one, other):
    return page.evaluate(DIFFERENCE, [base64.b64encode(picture).decode() for picture in (one, other)])


@pytest.fixture
def updates(request):
    return request.config.getoption("update_golden")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_the_picture_is_what_one_sees(demo, attached, visit, updates, view, scheme):
    path, shown = VIEWS[view]
    size = {"width": WIDTH, "height": HEIGHTS.get(view, HEIGHT)}
    uri = attached.uri if view == "catalogs" else demo.uri
    one = visit(uri, "#/none", viewport=size, color_scheme=scheme)
    page = one.page
    if view == "sign-in":
        page.route("**/session", lambda route: route.fulfill(json=SIGNED_OUT))
        page.reload()
    one.go(path)
    expect(page.locator(shown).first).to_be_visible()
    expect(page.locator(".spark:not(:has(polyline))")).to_have_count(0)
    if view != "sign-in":
        expect(page.get_by_text("Live", exact=True)).to_be_visible()
    expect(page.locator(".spinner")).to_have_count(0)
    page.evaluate(PLACES)
    picture = page.screenshot(animations="disabled")
    stored = FOLDER / f"console-{view}-{scheme}.png"
    if updates:
        FOLDER.mkdir(exist_ok=True)
        stored.write_bytes(picture)
    assert difference(page, picture, stored.read_bytes()) < ALIKE


def test_another_picture_is_found(demo, visit):
    page = visit(demo.uri).page
    pictures = [(FOLDER / f"console-{view}-light.png").read_bytes() for view in ("history", "why")]
    dark = (FOLDER / "console-why-dark.png").read_bytes()
    assert difference(page, pictures[0], pictures[0]) == 0
    assert difference(page, *pictures) > ALIKE
    assert difference(page, pictures[1], dark) > ALIKE
