"""The page that explains a plan: its funnel, files and reasons equal the API's."""

from __future__ import annotations

import json
import shlex
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.journey.console.browsing import NARROW, raw_bytes, texts, whole
from tests.journey.console.lakes import ARABIC, MARKUP, SCRIPT, hostile_name

ORDERS = "shop.orders"
FILTERS = [
    ("shop.orders", "day >= DATE '2024-05-06' AND amount > 490 AND length(status) > 4"),
    ("shop.orders", "amount BETWEEN 1 AND 5 OR customer_id = 7"),
    ("shop.orders", ""),
    ("shop.stock", "warehouse = 'lyon' AND quantity > 480"),
    ("web.events", "user_id = 7 AND ts < TIMESTAMP '2024-05-01 00:00:00'"),
    ("web.clicks", "1 = 0"),
]
LABELS = {"manifests": "Manifests", "segments": "Segments", "zones": "Zones", "entries": "Files",
          "indexes": "File indexes", "groups": "Merge groups"}  # fmt: skip


def why(table, condition="", **more):
    given = {"filter": condition, **more}
    return f"#/tables/{table}/why?" + "&".join(f"{key}={quote(value)}" for key, value in given.items() if value)


def paths(demo, table, condition, ref=None):
    body = {"filter": condition or None, **({"ref": ref} if ref else {})}
    return [file["file_path"] for file in demo.post(f"/tables/{table}/plan", body)["files"]]


@pytest.mark.parametrize(("table", "condition"), FILTERS, ids=[str(number) for number in range(len(FILTERS))])
def test_the_funnel_and_the_files_are_the_apis(demo, visit, table, condition):
    page = visit(demo.uri, why(table, condition)).page
    explained = demo.post(f"/tables/{table}/explain", {"filter": condition or None})
    counts = demo.post(f"/tables/{table}/plan", {"filter": condition or None})["counts"]
    answer = page.locator(".answer-line")
    expect(answer).to_contain_text(f"reads {whole(counts['files'])} of")
    assert answer.locator("span.number").nth(2).get_attribute("title") == raw_bytes(counts["bytes"])
    assert answer.locator("span.number").nth(3).inner_text() == whole(counts["records"])
    levels = page.locator(".funnel > li")
    assert levels.count() == len(explained["funnel"])
    for shown, level in zip(levels.all(), explained["funnel"], strict=True):
        assert shown.locator(".level strong").inner_text() == LABELS[level["level"]]
        assert texts(shown.locator(".counts > .number")) == [f"{whole(level['kept'])} of {whole(level['seen'])}"]
        droppers = [f"{whole(part['dropped'])} dropped by {part['filter']}" for part in level["dropped_by"]]
        assert texts(shown.locator(".dropper")) == droppers
        assert shown.locator("rect.part").count() == len(droppers)
    told = page.locator("p.notice code").all_inner_texts()
    assert told == [one["filter"] for one in explained["not_applied"]]
    rows = page.locator("#content table.files tbody tr")
    data = demo.rows(f"/tables/{table}/files", content="data")
    expect(rows).to_have_count(len(data))
    kept = {row.locator("th button").get_attribute("title") for row in rows.all() if row.locator("td.kept").count()}
    assert kept == set(paths(demo, table, condition))


def test_bars_narrow_by_what_each_level_keeps(demo, visit):
    table, condition = FILTERS[0]
    page = visit(demo.uri, why(table, condition)).page
    funnel = demo.post(f"/tables/{table}/explain", {"filter": condition})["funnel"]
    expect(page.locator(".funnel > li")).to_have_count(len(funnel))
    share = 1.0
    for shown, level in zip(page.locator("svg.bar").all(), funnel, strict=True):
        wide = [float(part.get_attribute("width").removesuffix("%")) / 100 for part in shown.locator("rect").all()]
        assert wide[0] == pytest.approx(share * level["kept"] / level["seen"], abs=0.003)
        assert sum(wide) == pytest.approx(share, abs=0.003)
        share *= level["kept"] / level["seen"]


def test_a_part_shows_what_it_dropped_and_by_which_bound(demo, visit):
    table, condition = FILTERS[0]
    page = visit(demo.uri, why(table, condition)).page
    funnel = demo.post(f"/tables/{table}/explain", {"filter": condition})["funnel"]
    entries = next(level for level in funnel if level["level"] == "entries")
    part = entries["dropped_by"][0]
    page.locator(".funnel > li", has_text="one by one").locator("rect.part").first.click()
    rows = page.locator("table.files tbody tr")
    expect(page.get_by_role("heading", name="Dropped by")).to_contain_text(part["filter"])
    listed = [file["file_path"] for file in demo.rows(f"/tables/{table}/files", content="data")]
    files = demo.post(f"/tables/{table}/explain", {"filter": condition, "files": listed})["files"]
    own = [file for file in files if (file["level"], file["dropped_by"]) == ("entries", part["filter"])]
    expect(rows).to_have_count(len(own))
    assert len(own) == part["dropped"]
    rows.first.locator("button").click()
    chosen = next(file for file in own if file["file_path"] == rows.first.locator("button").get_attribute("title"))
    told = page.locator(".reasons")
    expect(told.locator(".path")).to_have_text(chosen["file_path"])
    expect(told.locator(".verdict")).to_contain_text("Dropped by its own bounds")
    for row, reason in zip(told.locator("tbody tr").all(), chosen["reasons"], strict=True):
        assert row.locator("th").inner_text() == reason["filter"]
        assert row.locator(".answer").inner_text() == reason["verdict"]
        assert reason["reason"] in row.inner_text()
        if "lower" in reason["bound"]:
            assert row.locator("td").first.locator("code").all_inner_texts() == [
                str(reason["bound"]["lower"]), str(reason["bound"]["upper"])
            ]  # fmt: skip
    page.reload()
    expect(told.locator(".path")).to_have_text(chosen["file_path"])
    expect(rows).to_have_count(len(own))


def test_any_path_is_explained(demo, visit):
    page = visit(demo.uri, why(ORDERS, "amount > 490")).page
    field = page.get_by_label("Path of a file")
    field.fill("file:///nowhere/a.parquet")
    field.press("Enter")
    expect(page.locator(".verdict")).to_have_text("This snapshot lists no such data file")


def test_intervals_of_files_have_their_bounds_and_the_query_is_over_them(demo, visit):
    page = visit(demo.uri, why(ORDERS, "amount > 490", column="amount")).page
    files = demo.rows(f"/tables/{ORDERS}/files", content="data", stats="amount")
    kept = set(paths(demo, ORDERS, "amount > 490"))
    page.locator(".bounds svg").wait_for()
    expect(page.locator(".bounds path.kept")).not_to_have_attribute("d", "")
    numbers = "m => m.slice(1).map(Number)"
    shape = f"path => [...path.getAttribute('d').matchAll(/M([\\d.]+) ([\\d.]+)h([\\d.]+)/g)].map({numbers})"
    drawn = {state: page.locator(f".bounds path.{state}").evaluate(shape) for state in ("kept", "dropped")}
    assert {state: len(own) for state, own in drawn.items()} == {"kept": len(kept), "dropped": len(files) - len(kept)}
    lowers = [float(file["lower_bounds"]["amount"]) for file in files]
    uppers = [float(file["upper_bounds"]["amount"]) for file in files]
    least, greatest = min(lowers), max(uppers)
    left = min(x for own in drawn.values() for x, _, _ in own)
    right = max(x + wide for own in drawn.values() for x, _, wide in own)
    found = sorted(
        (least + (x - left) / (right - left) * (greatest - least), state)
        for state, own in drawn.items() for x, _, _ in own
    )  # fmt: skip
    expected = sorted(
        (low, "kept" if file["file_path"] in kept else "dropped") for low, file in zip(lowers, files, strict=True)
    )
    for (value, state), (low, is_kept) in zip(found, expected, strict=True):
        assert value == pytest.approx(low, abs=1.5)
        assert state == is_kept
    edge = float(page.locator(".bounds path.edge").get_attribute("d").split()[0][1:])
    assert least + (edge - left) / (right - left) * (greatest - least) == pytest.approx(490, abs=1.5)


def test_columns_are_completed_by_the_keyboard(demo, visit):
    one = visit(demo.uri, f"#/tables/{ORDERS}/why")
    page = one.page
    # The console may already send requests for an incomplete filter.
    one.may_fail += ["/explain", "/plan"]
    expect(page.locator(".answer-line")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("am")
    expect(page.locator("#completions li", has_text="amount")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.type("> 490 and cust")
    page.keyboard.press("Enter")
    expect(page.locator("#filter")).to_have_value("amount > 490 and customer_id ")
    page.keyboard.type("> 'am")
    expect(page.locator("#completions li")).to_have_count(0)


@pytest.mark.parametrize(
    ("condition", "marked"),
    [
        ("day >= DATE '2024-05-06' AND amountt > 490", "amountt"),
        ("amount = 'x'", "'x'"),
        ("customer_id IN (1, 2", "("),
        ("'\U0001f600\U0001f600' = '\U0001f600' AND amountt > 490", "amountt"),
    ],
)  # fmt: skip
def test_an_error_is_marked_where_it_is(demo, visit, condition, marked):
    one = visit(demo.uri)
    one.may_fail.append("/api/v1/tables/shop.orders/")
    one.go(why(ORDERS, condition))
    error = demo.post(f"/tables/{ORDERS}/explain", {"filter": condition}, 400)["error"]
    expect(one.page.get_by_role("alert")).to_have_text(error["message"])
    assert one.page.locator("#filter").get_attribute("aria-invalid") == "true"
    if "position" in error:
        assert one.page.locator(".under mark").inner_text() == marked
    assert one.violations() == []


def test_another_snapshot_is_asked_by_its_ref(demo, visit):
    page = visit(demo.uri, why(ORDERS, "amount > 490")).page
    expect(page.locator(".answer-line")).to_be_visible()
    page.get_by_label("At", exact=True).select_option("april-close")
    counts = demo.post(f"/tables/{ORDERS}/plan", {"filter": "amount > 490", "ref": "april-close"})["counts"]
    expect(page.locator(".answer-line")).to_contain_text(f"reads {counts['files']} files")


def test_the_question_is_copied_as_programs_that_answer_the_same(demo, visit, tmp_path):
    condition = "day >= DATE '2024-05-06' AND amount > 490"
    one = visit(demo.uri, permissions=["clipboard-read", "clipboard-write"]).go(why(ORDERS, condition))
    page = one.page
    expect(page.locator(".answer-line")).to_be_visible()

    def copied(label):
        page.get_by_role("button", name=label, exact=True).click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        text = page.evaluate("navigator.clipboard.readText()")
        expect(page.get_by_role("button", name=label, exact=True)).to_be_visible()
        return text

    assert copied("SQL") == f"SELECT *\nFROM {ORDERS}\nWHERE {condition};"
    names = {}
    exec(copied("Python"), names)
    assert names["plan"].paths == paths(demo, ORDERS, condition)
    words = shlex.split(copied("curl").replace("\\\n", " "))
    assert words[:3] == ["curl", "-X", "POST"]
    body = json.loads(words[-1])
    answer = demo.http.post(words[3].removeprefix(demo.uri), json=body).json()
    assert [file["file_path"] for file in answer["files"]] == paths(demo, ORDERS, condition)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(demo, visit, scheme):
    table, condition = FILTERS[0]
    one = visit(demo.uri, why(table, condition), color_scheme=scheme, viewport=NARROW)
    one.page.locator("table.files button").first.click()
    expect(one.page.locator(".reasons")).to_be_visible()
    expect(one.page.locator(".bounds svg")).to_be_visible()
    assert one.violations() == []


def test_hostile_columns_and_values_are_text(troubled, visit):
    name = hostile_name(MARKUP)
    condition = f"`{MARKUP}` = '{MARKUP}'"
    one = visit(troubled.uri, f"#/tables/{quote(name)}/why?filter=" + quote(condition), viewport=NARROW)
    page = one.page
    rows = page.locator("table.files tbody tr")
    expect(rows).to_have_count(10)
    assert {SCRIPT, ARABIC} < {
        text.removeprefix("part=") for text in page.locator("table.files td bdi").all_inner_texts()
    }
    expect(page.locator(".answer-line")).to_contain_text("reads 2 of 10 files")
    # A filter of two lines is shown completely.
    shown = "own => own.scrollHeight <= own.clientHeight && own.clientHeight > 40"
    assert page.locator("#filter").evaluate(shown)
    assert one.violations() == []
    one.may_fail.append("/api/v1/")
    page.locator("#filter").fill("")
    page.keyboard.type("<")
    page.keyboard.press("Backspace")
    page.keyboard.type("img")
    page.locator("#completions li", has_text=MARKUP).click()
    expect(page.locator("#filter")).to_have_value(f"`{MARKUP}` ")
    assert page.locator("main img, main script").count() == 0


def test_all_files_of_a_large_table_are_drawn_in_groups(many, visit):
    where = "price > 50"
    page = visit(many.uri, why("big.many", where, column="price")).page
    told = many.get("/tables/big.many/bounds", column="price", groups=180, filter=where)
    groups = page.locator(".bounds.groups g")
    expect(groups).to_have_count(len(told["groups"]))
    assert sum(one["files"] for one in told["groups"]) == told["files"] > 500
    for group, one in zip(groups.all(), told["groups"], strict=True):
        title = group.locator("title").text_content()
        assert title.startswith(f"{one['files']} files, {one['kept']} kept: from {one['lower_bound']}")
        state = "dropped" if one["kept"] == 0 else "kept" if one["kept"] == one["files"] else "some"
        assert group.get_attribute("class") == state
    expect(page.locator(".legend", has_text=f"All {told['files']:,} files")).to_be_visible()
