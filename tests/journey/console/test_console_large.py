"""Tables of 100,000 partitions and of 1,000,000 files: figures equal the API's, and the size of a page is bounded.

``python -m benchmarks.console`` measures how long it takes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import expect

from benchmarks.generate import append_manifest, iceberg_table
from tests.journey.console.browsing import NARROW, raw_bytes, whole
from tests.journey.servers import served

MOST_NODES = 2500
MOST_BYTES = 128 * 1024
"""Limit of the size of a response body as it is sent."""
MOST_ROWS = 10_000
FILTER = "ts >= TIMESTAMP '2023-06-01 00:00:00+00:00' AND user_id < 40000000"
LISTS = {"columns", "diff", "events", "files", "overlap", "partitions", "refs", "schemas", "snapshots", "specs",
         "tables", "timeline"}  # fmt: skip
VIEWS = {
    "history": "svg[role=listbox] [role=option]",
    f"why?filter={quote(FILTER)}&column=user_id": ".bounds.groups g",
    "partitions": ".treemap canvas[data-painted]",
    "partitions?shade=overlap&column=user_id": "table.largest td:last-child span[title^=mean]",
    "health": "table.health tbody tr",
    "schema": ".versions li",
    "details": "#specs",
}
# Counts the tiles of each frame: the rectangles that one callback draws.
FRAMES = """
  const request = window.requestAnimationFrame.bind(window);
  const draw = CanvasRenderingContext2D.prototype.fillRect;
  let tiles = 0;
  window.frames_of_tiles = [];
  CanvasRenderingContext2D.prototype.fillRect = function (...given) { tiles += 1; return draw.apply(this, given); };
  window.requestAnimationFrame = (step) => request((now) => {
    tiles = 0;
    step(now);
    if (tiles) window.frames_of_tiles.push(tiles);
  });
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A server with the tables ``big.parted`` and ``big.million``.

    ``big.parted`` has 100,000 partitions on 6,250 days, ``big.million`` a commit of 1,000,000 files and one of 1,000.
    """
    folder = tmp_path_factory.mktemp("console-large")
    lake = folder / "lake"
    iceberg_table(lake / "parted", files=100_000, columns=3, manifests=4, days=6250, level=1)
    iceberg_table(lake / "million", files=1_000_000, columns=3, manifests=20, level=1, processes=2)
    append_manifest(lake / "million", files=1000)
    with served(folder, ROOTS=f"file://{folder}") as running:
        for name in ("parted", "million"):
            running.post("/tables", {"name": f"big.{name}", "location": str(lake / name)}, 201)
            running.post(f"/tables/big.{name}/refresh")
            running.get(f"/tables/big.{name}/health")
        yield running


@pytest.fixture(scope="module")
def partitions(large):
    """All partitions of ``big.parted``."""
    found, token = [], {}
    while token is not None:
        answer = large.get("/tables/big.parted/partitions", page_size=MOST_ROWS, **token)
        found += answer["partitions"]
        token = answer["next_page_token"] and {"page_token": answer["next_page_token"]}
    return found


def unpaged(request):
    """Return whether a request asks for an unpaged list, or for pages larger than ``MOST_ROWS``."""
    path, query = urlsplit(request.url).path, parse_qs(urlsplit(request.url).query)
    if request.method == "POST":
        body = json.loads(request.post_data or "{}")
        return path.endswith("/plan") and not 0 < body.get("page_size", 0) <= MOST_ROWS
    return path.rsplit("/", 1)[-1] in LISTS and not 0 < int(query.get("page_size", ["0"])[0]) <= MOST_ROWS


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["parted", "million"])
def test_what_a_view_holds_and_asks_for_is_bounded(large, visit, name, view):
    one = visit(large.uri, "#/none", viewport=NARROW)
    page, told, sizes = one.page, [], []

    def note(request):
        if "/api/v1/" in request.url and "/events?" not in request.url:
            told.append(request)

    page.on("request", note)
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    one.go(f"#/tables/big.{name}/{view}")
    expect(page.locator(VIEWS[view]).first).to_be_visible()
    expect(page.locator(".spinner")).to_have_count(0)
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_NODES
    assert len(told) > 1
    assert [request.url for request in told if unpaged(request)] == []
    assert max(sizes) < MOST_BYTES
    assert one.violations() == []


def test_the_list_has_the_figures_of_large_tables(large, visit):
    page = visit(large.uri).page
    for name in ("parted", "million"):
        table = large.get(f"/tables/big.{name}")
        cells = page.locator("table.tables tbody tr", has_text=name).locator("td")
        expect(cells.nth(2)).to_have_text(whole(table["data_files"]))
        assert cells.nth(1).inner_text() == whole(table["total_records"])
        assert cells.nth(3).locator("span").get_attribute("title") == raw_bytes(table["total_bytes"])
    assert large.get("/tables/big.million")["data_files"] == 1_001_000


def test_each_of_many_partitions_is_a_tile_and_none_holds_a_frame(large, partitions, visit):
    one = visit(large.uri, "#/none")
    one.page.add_init_script(FRAMES)
    one.page.reload()
    page = one.go("#/tables/big.parted/partitions").page
    expect(page.locator(".treemap canvas")).to_have_attribute("data-painted", str(len(partitions)))
    assert len(partitions) == 100_000
    frames = page.evaluate("frames_of_tiles")
    assert sum(frames) >= len(partitions)
    assert len(frames) > 2
    days = defaultdict(lambda: [0, 0, 0])
    for row in partitions:
        own = days[row["partition"]["ts_day"]]
        for place, key in enumerate(("total_data_file_size_in_bytes", "file_count", "record_count")):
            own[place] += row[key]
    largest = sorted(days.items(), key=lambda day: -day[1][0])[:50]
    rows = page.locator("table.largest tbody tr")
    expect(rows).to_have_count(50)
    for row, (day, (size, files, records)) in zip(rows.all(), largest, strict=True):
        assert row.locator("th").inner_text() == f"ts_day={day}"
        cells = row.locator("td")
        assert cells.nth(0).locator("span").get_attribute("title") == raw_bytes(size)
        assert [cells.nth(1).inner_text(), cells.nth(2).inner_text()] == [whole(files), whole(records)]
    expect(page.locator(".more button")).to_have_text("Show 200 more of 6,250")


def test_many_partitions_are_zoomed_by_the_keyboard(large, partitions, visit):
    page = visit(large.uri, "#/tables/big.parted/partitions").page
    expect(page.locator(".treemap canvas")).to_have_attribute("data-painted", "100000")
    first = page.locator("table.largest tbody tr button").first
    day = first.inner_text()
    first.focus()
    expect(page.locator(".pointed strong")).to_have_text(day)
    page.keyboard.press("Enter")
    own = [row for row in partitions if f"ts_day={row['partition']['ts_day']}" == day]
    expect(page.locator("table.largest tbody tr")).to_have_count(len(own))
    expect(page.locator(".treemap canvas")).to_have_attribute("data-painted", str(len(own)))
    page.locator("table.largest tbody tr button").first.press("Escape")
    expect(page.locator(".treemap canvas")).to_have_attribute("data-painted", "100000")


@pytest.mark.parametrize("name", ["parted", "million"])
def test_the_funnel_of_many_files_is_the_apis_and_typed_by_the_keyboard(large, visit, name):
    one = visit(large.uri, f"#/tables/big.{name}/why?column=user_id")
    one.may_fail += ["/explain", "/plan"]  # requests for an incomplete filter
    page = one.page
    expect(page.locator(".answer-line")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type(FILTER)
    page.keyboard.press("Escape")
    path = f"/tables/big.{name}"
    levels = large.post(f"{path}/explain", {"filter": FILTER})["funnel"]
    counts = large.post(f"{path}/plan", {"filter": FILTER, "page_size": 1})["counts"]
    expect(page.locator(".answer-line")).to_contain_text(f"reads {whole(counts['files'])} of")
    assert page.locator(".answer-line span.number").nth(2).get_attribute("title") == raw_bytes(counts["bytes"])
    shown = page.locator(".funnel .counts > .number").all_inner_texts()
    assert shown == [f"{whole(level['kept'])} of {whole(level['seen'])}" for level in levels]
    assert 0 < counts["files"] < levels[-1]["seen"]
    told = large.get(f"{path}/bounds", column="user_id", groups=180, filter=FILTER)
    expect(page.locator(".bounds.groups svg")).to_have_attribute(
        "aria-label", f"{whole(told['files'])} files in {len(told['groups'])} groups as intervals of user_id, "
        f"{whole(told['kept_files'])} kept"
    )  # fmt: skip
    assert told["kept_files"] == counts["files"]
    dropper = page.locator(".dropper").last
    dropper.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Dropped by")).to_be_visible()


def test_a_difference_and_an_expiry_of_many_files_are_the_apis(large, visit):
    page = visit(large.uri, "#/tables/big.million/history").page
    listbox = page.get_by_role("listbox", name="Commits")
    listbox.focus()
    page.keyboard.press("Shift+ArrowLeft")
    rows = page.locator("section.sheet", has=page.locator("#diff")).locator("tbody tr")
    expect(rows).to_have_count(200)
    [later, earlier] = [row["snapshot_id"] for row in large.rows("/tables/big.million/timeline")]
    paths = [row["file_path"] for row in large.rows("/tables/big.million/diff", **{"from": earlier, "to": later})]
    assert len(paths) == 1000
    assert [row.get_attribute("title") for row in rows.locator("th bdi").all()] == paths[:200]
    expect(page.locator(".sums")).to_contain_text("of those shown; there are more")
    page.get_by_role("button", name="Show more", exact=True).press("Enter")
    expect(rows).to_have_count(400)
    page.locator("#retain").fill("1")
    page.get_by_label("Older than").press("End")
    cutoff = page.locator(".cutoff output time")
    expect(cutoff).to_be_visible()
    told = large.get("/tables/big.million/expiry", older_than=cutoff.get_attribute("datetime"), retain_last=1)
    assert [row["snapshot_id"] for row in told["snapshots"]] == [earlier]
    files = sum(total["files"] for total in told["totals"])
    expect(page.locator(".freed .headline")).to_contain_text(f"1 snapshot of 2, {files} file")
