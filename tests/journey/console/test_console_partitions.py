"""Partitions: areas are proportional to bytes, the table beside the treemap has the API's figures, and the address
stores the zoom.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict

import pytest
from playwright.sync_api import expect

from tests.journey.console.browsing import NARROW, raw_bytes, texts, whole
from tests.journey.console.lakes import MARKUP, hostile_name
from tests.polling import until

ROWS = "table.largest tbody tr"
LAYOUT = """async ([path, rows]) => {
  const { addRows, emptyTree, layOut } = await import(path);
  const tree = emptyTree();
  // As pages of a list come.
  for (let start = 0; start < rows.length; start += 7) addRows(tree, rows.slice(start, start + 7));
  const leaves = (await layOut(tree)).leaves();
  return leaves.map(leaf => [leaf.data.row, (leaf.x1 - leaf.x0) * (leaf.y1 - leaf.y0)]);
}"""


def painted(page):
    canvas = page.locator(".treemap canvas[data-painted]")
    canvas.wait_for()
    return int(canvas.get_attribute("data-painted"))


def by_first_field(rows):
    found = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        field, value = next(iter(row["partition"].items()))
        sums = found[f"{field}={'null' if value is None else value}"]
        sums[0] += row["total_data_file_size_in_bytes"]
        sums[1] += row["file_count"]
        sums[2] += row["record_count"]
    return found


@pytest.mark.parametrize("name", ["shop.orders", "shop.stock", "web.clicks", "web.events"])
def test_the_figures_are_the_apis(demo, visit, name):
    page = visit(demo.uri, f"#/tables/{name}/partitions").page
    rows = demo.rows(f"/tables/{name}/partitions")
    assert painted(page) == len(rows)
    expected = by_first_field(rows)
    expect(page.locator(ROWS)).to_have_count(len(expected))
    for row in page.locator(ROWS).all():
        size, files, records = expected.pop(row.locator("th bdi").inner_text())
        cells = row.locator("td")
        assert cells.nth(0).locator("span").get_attribute("title") == raw_bytes(size)
        assert cells.nth(1).inner_text() == whole(files)
        assert cells.nth(2).inner_text() == whole(records)
    assert expected == {}


def areas(running, visit, rows):
    page = visit(running.uri).page
    digest = re.search(r"assets/[0-9a-f]+", running.http.get("/", headers={"Accept": "text/html"}).text)[0]
    return page.evaluate(LAYOUT, [f"{running.uri}/{digest}/treemap.js", rows])


# Rows of specs that add a field, drop it, and differ only in a transform.
EVOLVED = [
    {"spec_id": spec, "partition": partition, "total_data_file_size_in_bytes": 10 * (number + 1)}
    for number, (spec, partition) in enumerate(
        [
            (0, {"day": "a"}),
            (0, {"day": "b"}),
            (1, {"day": "a", "region": "x"}),
            (1, {"day": "a", "region": None}),
            (1, {"day": "c", "region": "x"}),
            (2, {"day": "a"}),
            (2, {"day": "c"}),
            (3, {"day": "a", "region": "x"}),
            (4, {}),
            (5, {}),
        ]
    )
]


def test_areas_are_bytes(demo, many, visit):
    cases = [(running, running.rows(f"/tables/{name}/partitions")) for running, name in
             ((demo, "web.events"), (many, "big.many"))]  # fmt: skip
    for running, rows in [*cases, (demo, EVOLVED)]:
        found = areas(running, visit, rows)
        assert sorted((row for row, _ in found), key=str) == sorted(rows, key=str)
        total = sum(row["total_data_file_size_in_bytes"] for row in rows)
        area = sum(area for _, area in found)
        for row, own in found:
            assert own / area == pytest.approx(row["total_data_file_size_in_bytes"] / total, rel=1e-6)


def test_zooming_is_a_state_of_the_address(many, visit):
    page = visit(many.uri, "#/tables/big.many/partitions").page
    rows = many.rows("/tables/big.many/partitions")
    assert painted(page) == len(rows) == 3200
    page.locator(ROWS).first.locator("button").click()
    expect(page.locator(ROWS)).to_have_count(16)
    expect(page.locator(".trail [aria-current]")).to_contain_text("ts_day=")
    day = page.locator(".trail [aria-current]").inner_text().split("=")[1]
    own = [row for row in rows if row["partition"]["ts_day"] == day]
    sizes = sorted((row["total_data_file_size_in_bytes"] for row in own), reverse=True)
    titles = [row.locator("td").first.locator("span").get_attribute("title") for row in page.locator(ROWS).all()]
    assert titles == [raw_bytes(size) for size in sizes]
    expect(page.locator(".treemap canvas")).to_have_attribute("data-painted", "16")
    page.reload()
    expect(page.locator(ROWS)).to_have_count(16)
    page.locator(ROWS).first.locator("button").press("Escape")
    expect(page.locator(ROWS)).to_have_count(50)
    page.go_back()
    expect(page.locator(ROWS)).to_have_count(16)


def test_a_tile_is_told_on_hover_and_zoomed_by_a_click(many, visit):
    page = visit(many.uri, "#/tables/big.many/partitions").page
    painted(page)
    canvas = page.locator(".treemap canvas")
    canvas.hover(position={"x": 30, "y": 30})
    expect(page.locator(".pointed strong")).to_contain_text("ts_day=")
    expect(page.locator(".treemap .over rect")).to_have_count(1)
    day = page.locator(".pointed strong").inner_text().split(" / ")[0]
    canvas.click(position={"x": 30, "y": 30})
    expect(page.locator(".trail [aria-current]")).to_have_text(day)


def test_colours_are_chosen_and_in_the_address(many, visit):
    page = visit(many.uri, "#/tables/big.many/partitions").page
    painted(page)
    picture = page.locator(".treemap canvas").screenshot()
    page.get_by_role("button", name="Age").click()
    expect(page).to_have_url(re.compile("shade=age"))
    until(lambda: page.locator(".treemap canvas").screenshot() != picture)


@pytest.mark.parametrize("name", ["shop.stock", "web.clicks"])
def test_buckets_and_levels_are_those_of_the_files(demo, visit, name):
    page = visit(demo.uri, f"#/tables/{name}/partitions").page
    buckets = defaultdict(lambda: defaultdict(int))
    for file in demo.rows(f"/tables/{name}/files", content="data"):
        buckets[json.dumps(file["partition"], sort_keys=True), file["bucket"]][file["level"]] += 1
    rows = page.locator("table.buckets tbody tr")
    expect(rows).to_have_count(len(buckets))
    levels = [
        int(text.split()[1]) for text in page.locator("table.buckets th").all_inner_texts() if text.startswith("Level")
    ]
    found = []
    for row in rows.all():
        cells = texts(row.locator("td"))
        files = {level: int(cell.split()[0]) for level, cell in zip(levels, cells[1:-1], strict=True) if cell != "–"}
        assert int(cells[-1]) == files.get(0, 0) + len(set(files) - {0})
        found.append((int(cells[0]), files))
    assert sorted(found, key=str) == sorted(((bucket, dict(own)) for (_, bucket), own in buckets.items()), key=str)
    runs = demo.get(f"/tables/{name}/stats")["sorted_runs"]
    if runs is not None:
        shown = [int(texts(row.locator("td"))[-1]) for row in rows.all()]
        assert (min(shown), max(shown)) == (runs["per_bucket"]["min"], runs["per_bucket"]["max"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(demo, visit, scheme):
    for name in ("web.events", "shop.stock"):
        one = visit(demo.uri, f"#/tables/{name}/partitions", color_scheme=scheme, viewport=NARROW)
        painted(one.page)
        assert one.violations() == []


def test_hostile_values_are_text(troubled, visit):
    one = visit(troubled.uri, viewport=NARROW)
    one.page.locator("a.row").and_(one.page.get_by_title(hostile_name(MARKUP), exact=True)).click()
    one.page.get_by_role("link", name="Partitions").click()
    expect(one.page.locator(ROWS, has_text=MARKUP)).to_have_count(1)
    assert one.page.locator("main img, main script").count() == 0
    assert one.violations() == []


@pytest.mark.parametrize(("name", "column"), [("many", "price"), ("stock", "sku")])
def test_colours_and_figures_show_the_overlap_of_a_column(demo, many, visit, name, column):
    running, table = (many, "big.many") if name == "many" else (demo, "shop.stock")
    path = f"#/tables/{table}/partitions"
    page = visit(running.uri, path).page
    painted(page)
    page.get_by_role("button", name="Overlap").click()
    page.get_by_label("Column").select_option(column)
    expect(page).to_have_url(re.compile(f"column={column}"))
    depths = defaultdict(list)
    for row in running.rows(f"/tables/{table}/overlap", column=column):
        field, value = next(iter(row["partition"].items()))
        depths[f"{field}={'null' if value is None else value}"].append(row)
    expect(page.locator("table.largest th").last).to_be_visible()
    cells = page.locator(f"{ROWS} td:last-child span")
    expect(cells.first).to_have_attribute("title", re.compile("^mean "))
    for row in page.locator(ROWS).all():
        own = depths[row.locator("th bdi").inner_text()]
        mean, most = row.locator("td").last.locator("span").get_attribute("title").split(", at most ")
        files = sum(one["file_count"] for one in own)
        expected = sum(one["mean"] * one["file_count"] for one in own) / files
        assert float(mean.removeprefix("mean ")) == pytest.approx(expected)
        assert int(most.replace(",", "")) == max(one["max"] for one in own)


def test_an_overlap_that_cannot_be_had_is_told_and_asked_again(many, visit):
    one = visit(many.uri, "#/tables/big.many/partitions")
    painted(one.page)
    with one.unreachable("/overlap"):
        one.page.get_by_role("button", name="Overlap").click()
        expect(one.page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    one.page.get_by_role("button", name="Try again").click()
    expect(one.page.locator(f"{ROWS} td:last-child span").first).to_have_attribute("title", re.compile("^mean "))
    expect(one.page.get_by_role("alert")).to_have_count(0)
