"""The list of tables shows the API's figures, tables that need attention first, and changes as they happen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.journey.console.browsing import NARROW, raw_bytes, some, texts, whole
from tests.journey.console.lakes import HOSTILE, hostile_name

ROWS = "table.tables tbody tr"
LINKS = "[...document.querySelectorAll('a.row')]"
SORTS = ["name", "-total_records", "data_files", "-total_bytes", "-last_committed_at"]


def shown(page):
    return [link.inner_text().replace("\n", "") for link in page.locator("a.row").all()]


def test_each_figure_is_the_apis(demo, visit):
    page = visit(demo.uri).page
    expect(page.locator(ROWS)).to_have_count(len(demo.rows("/tables")))
    for row, table in zip(page.locator(ROWS).all(), demo.rows("/tables"), strict=True):
        assert row.locator("a.row").inner_text() == table["name"]
        cells = row.locator("td")
        numbers = [whole(table[key]) for key in ("total_records", "data_files", "delete_files", "snapshots")]
        assert [cells.nth(place).inner_text() for place in (1, 2, 4, 5)] == numbers
        assert cells.nth(3).locator("span").get_attribute("title") == raw_bytes(table["total_bytes"])
        assert cells.nth(6).locator("span > span").first.inner_text() == (table["health"] or "–")
        assert cells.nth(7).locator("time").get_attribute("datetime") == table["last_committed_at"]
    assert page.locator("time").first.get_attribute("title") == "Saturday, May 4, 2024 at 7:00:00 PM UTC"
    assert page.locator("time").first.inner_text() == "May 4, 2024, 9:00 PM"


def test_sparklines_count_the_commits_of_the_timeline(demo, visit):
    page = visit(demo.uri).page
    for table in demo.rows("/tables"):
        days = demo.rows(f"/tables/{table['name']}/timeline", bucket="day")
        label = page.locator(ROWS, has_text=table["name"].split(".")[1]).locator("svg").get_attribute("aria-label")
        commits, on = sum(day["commits"] for day in days), len(days)
        assert label.startswith(f"{some(commits, 'commit')} on {some(on, 'day')}, now ")


@pytest.mark.parametrize("sort", SORTS)
def test_tables_are_sorted_as_by_the_api(demo, visit, sort):
    page = visit(demo.uri, f"#/?sort={sort}").page
    expect(page.locator(ROWS)).to_have_count(len(demo.rows("/tables")))
    assert shown(page) == [table["name"] for table in demo.rows("/tables", sort=sort)]


def test_headings_sort_and_back_undoes_it(demo, visit):
    page = visit(demo.uri).page
    page.get_by_role("button", name="Size").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Size↓")
    expect(page.locator("a.row")).to_have_text([table["name"] for table in demo.rows("/tables", sort="-total_bytes")])
    page.go_back()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Table↑")
    expect(page.locator("a.row").first).to_have_text("shop.customers")


def test_the_search_filters_while_one_types_and_is_in_the_address(demo, visit):
    page = visit(demo.uri).page
    expect(page.locator(ROWS)).to_have_count(len(demo.rows("/tables")))
    page.keyboard.press("/")
    page.keyboard.type("stock")
    expect(page.locator(ROWS)).to_have_count(1)
    expect(page).to_have_url(f"{demo.uri}/#/?q=stock")
    assert shown(page) == ["shop.stock"]
    page.reload()
    expect(page.locator(ROWS)).to_have_count(1)
    assert page.locator("#search").input_value() == "stock"
    page.locator("#search").fill("nothing of this name")
    expect(page.get_by_text("No table matches")).to_be_visible()


def test_namespaces_and_formats_filter(demo, visit):
    page = visit(demo.uri).page
    page.get_by_role("navigation", name="Namespaces").get_by_role("link", name="web").click()
    expect(page.locator(ROWS)).to_have_count(3)
    page.get_by_label("Format").select_option("paimon")
    expect(page.locator(ROWS)).to_have_count(1)
    assert shown(page) == ["web.clicks"]


def test_tables_are_opened_by_the_keyboard_alone(demo, visit):
    page = visit(demo.uri).page
    expect(page.locator(ROWS)).to_have_count(len(demo.rows("/tables")))
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('a.row')"):
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="shop.orders")).to_be_visible()


def test_what_needs_attention_is_on_top_with_its_reason(troubled, visit):
    page = visit(troubled.uri, "#/?sort=-name").page
    expect(page.locator(ROWS)).to_have_count(len(HOSTILE) + 3)
    assert shown(page)[:2] == ["odd.stale", "odd.gone"]
    stale = {table["name"]: table["stale"] for table in troubled.rows("/tables", stale=True)}
    assert len(stale) == 2
    expect(page.locator(".summary")).to_contain_text("2 need attention")
    for name, reason in stale.items():
        assert page.locator(ROWS, has_text=name).locator(".why").inner_text() == reason


def test_a_commit_is_shown_as_it_happens(troubled, visit):
    page = visit(troubled.uri).page
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    expect(page.locator(ROWS)).to_have_count(len(HOSTILE) + 3)
    location = next(table["location"] for table in troubled.rows("/tables") if table["name"] == "odd.empty")
    troubled.post("/tables", {"name": "odd.zz_late", "location": location}, 201)
    expect(page.locator(ROWS)).to_have_count(len(HOSTILE) + 4)
    troubled.http.delete("/api/v1/tables/odd.zz_late")
    expect(page.locator(ROWS)).to_have_count(len(HOSTILE) + 3)


@pytest.fixture
def large_namespace(troubled):
    """The names of 450 tables in the namespace ``many``."""
    location = next(table["location"] for table in troubled.rows("/tables") if table["name"] == "odd.empty")
    names = [f"many.t{number:04}" for number in range(450)]
    for name in names:
        troubled.post("/tables", {"name": name, "location": location}, 201)
    yield names
    for name in names:
        troubled.http.delete(f"/api/v1/tables/{name}")


def test_a_large_fleet_has_few_rows_in_the_page_and_all_by_scrolling(troubled, large_namespace, visit):
    page = visit(troubled.uri, "#/?namespace=many").page
    expect(page.locator(".summary")).to_have_text("450 tables")
    assert page.locator("table.tables").get_attribute("aria-rowcount") == "451"
    last = f"() => {LINKS}.at(-1)"
    seen, end = set(), ""
    while end != large_namespace[-1]:
        rows = page.evaluate(f"() => {LINKS}.map(link => link.textContent)")
        assert len(rows) < 80
        seen |= set(rows)
        end = rows[-1]
        # The row is found by its name, because more rows may have come since they were read.
        page.evaluate(f"end => {LINKS}.find(link => link.textContent === end).scrollIntoView()", end)
        if end != large_namespace[-1]:
            page.wait_for_function(f"before => ({last})().textContent !== before", arg=end)
    assert seen == set(large_namespace)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(demo, troubled, visit, scheme):
    for uri in (demo.uri, troubled.uri):
        for viewport in (None, NARROW):
            one = visit(uri, color_scheme=scheme, **({"viewport": viewport} if viewport else {}))
            expect(one.page.locator("a.row").first).to_be_visible()
            assert one.violations() == []


def test_names_are_text(troubled, visit):
    page = visit(troubled.uri).page
    expect(page.locator(ROWS)).to_have_count(len(HOSTILE) + 3)
    assert set(shown(page)) >= {hostile_name(name) for name in HOSTILE}
    assert page.locator("main img, main script").count() == 0


def test_the_colour_scheme_is_chosen_and_kept(demo, visit):
    page = visit(demo.uri, color_scheme="light").page
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Colour scheme: auto").click()
    page.get_by_role("button", name="Colour scheme: light").click()
    expect(page.locator("html")).to_have_attribute("data-scheme", "dark")
    assert page.evaluate(ground) != "rgb(255, 255, 255)"
    page.reload()
    expect(page.locator(ROWS)).to_have_count(len(demo.rows("/tables")))
    assert page.evaluate(ground) != "rgb(255, 255, 255)"


def test_a_server_that_cannot_be_reached_is_told_and_asked_again(demo, visit):
    one = visit(demo.uri)
    expect(one.page.locator(ROWS)).to_have_count(len(demo.rows("/tables")))
    with one.unreachable("/api/v1/tables"):
        one.page.locator("#search").fill("orders")
        expect(one.page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    one.page.get_by_role("button", name="Try again").click()
    expect(one.page.locator(ROWS)).to_have_count(1)
    assert texts(one.page.get_by_role("alert")) == []
