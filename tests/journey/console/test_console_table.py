"""A table's history, schema and details show the API's figures."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.journey.console.browsing import NARROW, raw_bytes, some, texts, whole
from tests.journey.console.lakes import ARABIC, HOSTILE, MARKUP, OVERRIDE, SCRIPT, hostile_name

ORDERS = "#/tables/shop.orders"
COMMITS = "svg[role=listbox] [role=option]"


def sheet(page, title):
    return page.locator("section.sheet", has=page.get_by_role("heading", name=title))


def figures(page):
    return {
        pair.locator("dt").inner_text(): (pair.locator("dd").inner_text(), pair.locator("dd span").first)
        for pair in page.locator(".figures > div").all()
    }


@pytest.mark.parametrize("name", ["shop.orders", "shop.customers", "shop.stock", "web.clicks", "web.events"])
def test_the_figures_and_the_commits_are_the_apis(demo, visit, name):
    page = visit(demo.uri, f"#/tables/{name}").page
    table, commits = demo.get(f"/tables/{name}"), demo.rows(f"/tables/{name}/timeline")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    shown = figures(page)
    for label, key in (("Records", "total_records"), ("Data files", "data_files"), ("Delete files", "delete_files")):
        assert shown[label][0] == whole(table[key])
    assert shown["Size"][1].get_attribute("title") == raw_bytes(table["total_bytes"])
    assert shown["Snapshots"][0] == whole(table["snapshots"])
    rows = sheet(page, "Commits").locator("tbody tr")
    expect(rows.first).to_be_visible()
    own = [row for row in rows.all() if row.locator("td").nth(1).inner_text() == "main"]
    assert len(own) == len(commits)
    # The API and the console order simultaneous commits alike.
    for row, commit in zip(own, commits, strict=True):
        assert row.locator("time").get_attribute("datetime") == commit["committed_at"]
        cells = texts(row.locator("td"))
        for place, kind in ((2, "records"), (3, "data_files")):
            assert cells[place].split() == changes(commit, kind)
        assert cells[5:7] == [whole(commit["partitions"]), whole(commit["total_data_files"])]
        assert row.locator("td").nth(7).locator("span").get_attribute("title") == raw_bytes(commit["total_bytes"])


def changes(commit, kind):
    added, removed = commit[f"added_{kind}"], commit[f"removed_{kind}"]
    return [*([f"+{added:,}"] if added else []), *([f"−{removed:,}"] if removed else [])]


def test_branches_have_lanes_and_tags_flags(demo, visit):
    page = visit(demo.uri, ORDERS).page
    expect(page.locator(COMMITS)).to_have_count(14)
    assert page.locator("text.lane > title").all_text_contents() == ["main", "audit"]
    assert page.locator(".flag-name > title").all_text_contents() == ["april-close"]
    heights = {
        option.get_attribute("aria-label").split(" on ")[1].split(";")[0].split(",")[0]: set()
        for option in page.locator(COMMITS).all()
    }
    for option in page.locator(COMMITS).all():
        branch = re.search(r" on (\w+)", option.get_attribute("aria-label"))[1]
        heights[branch].add(option.locator("circle").get_attribute("cy"))
    assert {branch: len(own) for branch, own in heights.items()} == {"main": 1, "audit": 1}


def test_two_snapshots_are_compared_by_the_keyboard(demo, visit):
    page = visit(demo.uri, ORDERS).page
    commits = demo.rows("/tables/shop.orders/timeline")
    listbox = page.get_by_role("listbox", name="Commits")
    listbox.focus()
    page.keyboard.press("ArrowLeft")
    expect(sheet(page, "Delete May 11")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowLeft")
    later, earlier = commits[1]["snapshot_id"], commits[4]["snapshot_id"]
    rows = demo.rows("/tables/shop.orders/diff", **{"from": earlier, "to": later})
    files = sheet(page, "Files between two snapshots").locator("tbody tr")
    expect(files).to_have_count(len(rows))
    found = [
        (
            row.locator("td").first.locator(".hidden").inner_text(),
            row.locator("bdi").first.get_attribute("title"),
            row.locator("td").nth(2).inner_text(),
        )
        for row in files.all()
    ]
    assert found == [(row["change"], row["file_path"], whole(row["record_count"])) for row in rows]
    for change, sign in (("added", "+"), ("removed", "−")):
        own = [row for row in rows if row["change"] == change]
        words = (
            f"{sign}{len(own)} file{'' if len(own) == 1 else 's'}, {sum(row['record_count'] for row in own):,} records"
        )
        assert words in page.locator(".sums").inner_text()
    page.reload()
    expect(files).to_have_count(len(rows))
    page.go_back()
    expect(files).not_to_have_count(len(rows))


def test_two_snapshots_are_compared_by_dragging(demo, visit):
    page = visit(demo.uri, ORDERS).page
    points = page.locator(COMMITS).locator("circle")
    start, end = points.nth(2).bounding_box(), points.nth(5).bounding_box()
    page.mouse.move(start["x"] + 4, start["y"] + 4)
    page.mouse.down()
    page.mouse.move(end["x"] + 4, end["y"] + 4, steps=6)
    page.mouse.up()
    oldest_first = demo.rows("/tables/shop.orders/timeline", order="asc")
    asked = {"from": oldest_first[2]["snapshot_id"], "to": oldest_first[5]["snapshot_id"]}
    expected = demo.rows("/tables/shop.orders/diff", **asked)
    expect(sheet(page, "Files between two snapshots").locator("tbody tr")).to_have_count(len(expected))


@pytest.mark.parametrize("name", ["shop.orders", "shop.stock"])
def test_the_cutoff_shows_what_an_expiry_frees(demo, visit, name):
    page = visit(demo.uri, f"#/tables/{name}").page
    cutoff = page.get_by_label("Older than")
    cutoff.focus()
    commits = demo.rows(f"/tables/{name}/timeline", order="asc")
    for place in (1, 2, len(commits)):
        cutoff.fill(str(place))
        cut = commits[place - 1]["committed_at"]
        page.wait_for_function("cut => location.hash.includes(encodeURIComponent(cut.slice(0, 20)))", arg=cut)
        older_than = page.evaluate("new URLSearchParams(location.hash.split('?')[1]).get('older_than')")
        expected = demo.get(f"/tables/{name}/expiry", older_than=older_than)
        gone, files = len(expected["snapshots"]), sum(total["files"] for total in expected["totals"])
        words = f"{some(gone, 'snapshot')} of {gone + expected['retained']}, {some(files, 'file')}"
        expect(page.locator(".headline")).to_contain_text(words)
        expect(page.locator("circle.gone")).to_have_count(gone)
        rows = page.locator(".freed tbody tr")
        expect(rows).to_have_count(len(expected["totals"]))
        for row, total in zip(rows.all(), expected["totals"], strict=True):
            assert texts(row.locator("th, td"))[:2] == [total["kind"], whole(total["files"])]


def test_schemas_tell_what_each_version_changed(demo, visit):
    page = visit(demo.uri, f"{ORDERS}/schema").page
    fields = demo.rows("/tables/shop.orders/schemas")[-1]["fields"]
    columns = demo.rows("/tables/shop.orders/columns")
    rows = sheet(page, "Columns").locator("tbody tr")
    expect(rows).to_have_count(len(fields))
    for row, field, column in zip(rows.all(), fields, columns, strict=True):
        assert row.locator("th bdi").first.inner_text() == field["name"]
        cells = texts(row.locator("td"))
        assert cells[:2] == [str(field["id"]), field["type"]]
        assert cells[2].removesuffix(" ?") == whole(column["null_count"])
        assert cells[3].removesuffix(" ?") == str(column["lower_bound"])
    assert texts(sheet(page, "History").locator("li li")) == ["added channel string"]


def test_added_dropped_renamed_and_widened_fields_are_told(demo, visit):
    page = visit(demo.uri).page
    digest = re.search(r"assets/[0-9a-f]+", demo.http.get("/", headers={"Accept": "text/html"}).text)[0]
    old = {
        "fields": [
            {"id": 1, "name": "a", "type": "int"},
            {"id": 2, "name": "b", "type": "string"},
            {"id": 3, "name": "s", "type": {"type": "struct", "fields": [{"id": 4, "name": "x", "type": "float"}]}},
        ]
    }
    new = {
        "fields": [
            {"id": 1, "name": "a", "type": "long"},
            {"id": 3, "name": "t", "type": {"type": "struct", "fields": [{"id": 4, "name": "x", "type": "double"}]}},
            {"id": 5, "name": "c", "type": "date", "required": True},
        ]
    }
    found = page.evaluate(
        "async ([path, old, now]) => (await import(path)).changesOf(old, now)",
        [f"{demo.uri}/{digest}/schema.js", old, new],
    )
    assert [(one["kind"], one["name"], one["text"]) for one in found] == [
        ("widened", "a", "int → long"),
        ("renamed", "t", "was s"),
        ("widened", "t.x", "float → double"),
        ("added", "c", "date"),
        ("dropped", "b", "string"),
    ]


def test_details_have_properties_refs_and_specs(demo, visit):
    page = visit(demo.uri, f"{ORDERS}/details").page
    table, refs = demo.get("/tables/shop.orders"), demo.rows("/tables/shop.orders/refs")
    rows = sheet(page, "Branches and tags").locator("tbody tr")
    expect(rows).to_have_count(len(refs))
    assert texts(rows) == [f"{ref['name']} {ref['type']} {ref['snapshot_id']}" for ref in refs]
    pairs = sheet(page, "Properties").locator("dl > div")
    assert {pair.locator("dt").inner_text(): pair.locator("dd").inner_text() for pair in pairs.all()} == table[
        "properties"
    ]
    assert "day identity → date" in " ".join(texts(sheet(page, "Partition specs")))


@pytest.mark.parametrize("tab", ["history", "schema", "details"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(demo, visit, tab, scheme):
    one = visit(demo.uri, f"{ORDERS}/{tab}", color_scheme=scheme, viewport=NARROW)
    expect(one.page.locator("section.sheet").last).to_be_visible()
    assert one.violations() == []


@pytest.mark.parametrize("place", range(len(HOSTILE)), ids=["markup", "script", "arabic", "override", "long"])
def test_hostile_names_and_values_are_shown_and_do_nothing(troubled, visit, place):
    name = hostile_name(HOSTILE[place])
    one = visit(troubled.uri, viewport=NARROW)
    one.page.locator("a.row").and_(one.page.get_by_title(name, exact=True)).click()
    page = one.page
    expect(page.locator("h1")).to_have_text(name)
    expect(page).to_have_title(re.compile(f"^{re.escape(name)} "))
    expect(page.locator(COMMITS)).to_have_count(2)
    assert page.locator("text.lane > title").all_text_contents() == ["main"]
    assert set(page.locator(".flag-name > title").text_content().split(", ")) == {MARKUP, SCRIPT}
    page.get_by_role("link", name="Details").click()
    rows = sheet(page, "Branches and tags").locator("tbody th")
    expect(rows.first).to_be_visible()
    assert {MARKUP, SCRIPT, "main"} == set(rows.all_inner_texts())
    pairs = {
        pair.locator("dt").inner_text(): pair.locator("dd").inner_text()
        for pair in sheet(page, "Properties").locator("dl > div").all()
    }
    assert pairs.items() >= {MARKUP: SCRIPT, ARABIC: OVERRIDE}.items()
    page.get_by_role("link", name="Schema").click()
    columns = sheet(page, "Columns").locator("tbody th bdi")
    expect(columns.first).to_be_visible()
    assert columns.all_inner_texts()[:2] == [MARKUP, SCRIPT]
    assert page.locator("main img, main script").count() == 0
    assert one.violations() == []


def test_a_stale_table_says_why_and_shows_its_quarantined_snapshot(troubled, visit):
    page = visit(troubled.uri, "#/tables/odd.stale").page
    table = troubled.get("/tables/odd.stale")
    expect(page.get_by_role("alert")).to_contain_text(table["stale"])
    states = {row["snapshot_id"]: row["state"] for row in troubled.rows("/tables/odd.stale/snapshots")}
    assert sorted(states.values()) == ["published", "quarantined"]
    crossed = page.locator("circle.quarantined")
    expect(crossed).to_have_count(list(states.values()).count("quarantined"))


def test_an_empty_and_a_missing_table_say_so(troubled, visit):
    one = visit(troubled.uri, "#/tables/odd.empty")
    expect(one.page.get_by_text("No snapshots yet")).to_be_visible()
    one.may_fail.append("/tables/odd.none")
    one.go("#/tables/odd.none")
    expect(one.page.get_by_text("There is no such table")).to_be_visible()
    assert one.violations() == []
