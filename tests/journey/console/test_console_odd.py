"""Odd answers and states in the console: times and numbers out of JavaScript's range, damaged addresses, missed events.

Tests change answers of the demo lake's server on their way to the browser.
"""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.journey.console.browsing import WIDTHS, texts
from tests.polling import until

ORDERS = "shop.orders"
VIEWS = ("history", "why", "partitions", "health", "schema", "details")
LATE, EARLY, YEAR_10000 = "+146140482-04-24T15:36:27.904Z", "-0001-01-01T00:00:00.000Z", "+10000-01-01T12:00:00.000Z"
LARGE = 2**53 + 1


def table(view, **params):
    asked = "&".join(f"{key}={quote(str(value), safe='')}" for key, value in params.items())
    return f"#/tables/{ORDERS}/{view}" + (f"?{asked}" if asked else "")


def change(one, path, change_text):
    """Change the text of the server's responses to a path."""

    def respond(route):
        response = route.fetch()
        route.fulfill(response=response, body=change_text(response.text()))

    one.page.route(re.compile(rf"/api/v1{re.escape(path)}(\?|$)"), respond)


def change_json(one, path, change_document):
    def change_text(text):
        document = json.loads(text)
        change_document(document)
        return json.dumps(document)

    change(one, path, change_text)


def with_fields(fields):
    """Return a function that replaces the fields of all schemas of a response."""

    def change_document(found):
        for schema in found["schemas"]:
            schema["fields"] = fields

    return change_document


def hide(page, is_hidden):
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        is_hidden,
    )


@pytest.mark.parametrize("at", [LATE, EARLY])
def test_times_that_the_browser_cannot_word_are_shown_as_the_api_writes_them(demo, visit, at):
    one = visit(demo.uri, "#/catalogs")
    times = re.compile(r'("\w+_at": ?)"[^"]*"')
    for path in ("/tables", f"/tables/{ORDERS}", *(f"/tables/{ORDERS}/{key}" for key in ("timeline", "partitions"))):
        change(one, path, lambda text: times.sub(rf'\1"{at}"', text))
    one.go("#/")
    expect(one.page.locator("table.tables time").first).to_have_text(at)
    for view in VIEWS:
        one.go(table(view))
        expect(one.page.locator(".figures time")).to_have_text(at)
        expect(one.page.locator("main .spinner")).to_have_count(0)
    one.go(table("history"))
    expect(one.page.locator("#commits").locator("xpath=../..").locator("tbody time").first).to_have_text(at)


def test_years_above_9999_are_worded(demo, visit):
    one = visit(demo.uri, "#/catalogs")
    change_json(one, f"/tables/{ORDERS}", lambda found: found.update(last_committed_at=YEAR_10000))
    one.go(table("details"))
    expect(one.page.locator(".figures time")).to_have_text("Jan 1, 10000, 1:00 PM")


def test_sums_above_2_to_the_53_are_exact(demo, visit):
    def enlarge(found):
        for row in found["partitions"]:
            row.update(record_count=str(LARGE), total_data_file_size_in_bytes=str(LARGE))

    one = visit(demo.uri, "#/catalogs")
    change_json(one, f"/tables/{ORDERS}/partitions", enlarge)
    one.go(table("partitions"))
    expect(one.page.locator("table.largest tbody tr").first).to_be_visible()
    sizes = one.page.locator("table.largest td:nth-child(2) .number")
    titles = {size.get_attribute("title") for size in sizes.all()}
    records = set(texts(one.page.locator("table.largest td:nth-child(4)")))
    assert titles == {f"{int(count.replace(',', '')):,} bytes" for count in records}
    assert {int(count.replace(",", "")) % LARGE for count in records} == {0}


@pytest.mark.parametrize(
    "address",
    [
        table("why", part="{broken"),
        table("partitions", zoom="[1, null, {}]"),
        table("history", **{"from": "x"}, to="y"),
    ],
)
def test_damaged_parameters_of_an_address_are_ignored(demo, visit, address):
    one = visit(demo.uri, address)
    expect(one.page.locator(".answer-line, canvas[data-painted], svg[role=listbox]")).to_be_visible()


def test_a_view_that_fails_leaves_the_others_alone(demo, visit):
    one = visit(demo.uri, "#/catalogs")
    change_json(one, f"/tables/{ORDERS}/schemas", lambda found: found["schemas"][-1].update(fields=None))
    one.go(table("schema"))
    expect(one.page.get_by_text("This view cannot be shown")).to_be_visible()
    one.page.get_by_role("link", name="Tables", exact=True).first.click()
    expect(one.page.get_by_role("link", name=ORDERS)).to_be_visible()
    assert one.problems
    one.problems.clear()


@pytest.mark.parametrize("fields", [[], [{"id": 1, "name": "x" * 100_000, "type": "long", "required": False}]])
def test_a_query_of_a_table_without_columns_or_with_long_names_is_shown(demo, visit, fields):
    one = visit(demo.uri, "#/catalogs")
    change_json(one, f"/tables/{ORDERS}/schemas", with_fields(fields))
    one.go(table("why", filter="amount > 490"))
    expect(one.page.locator(".answer-line")).to_be_visible()
    expect(one.page.locator("table.files tbody tr").first).to_be_visible()
    wide, window = one.page.evaluate(WIDTHS)
    assert wide <= window


def test_a_deeply_nested_type_does_not_widen_the_page(demo, visit):
    kind = "int"
    for level in range(60):
        kind = {"type": "list", "element-id": 100 + level, "element": kind, "element-required": False}
    field = {"id": 1, "name": "deep", "type": kind, "required": False}
    one = visit(demo.uri, "#/catalogs")
    change_json(one, f"/tables/{ORDERS}/schemas", with_fields([field]))
    for view in ("schema", "why"):
        one.go(table(view))
        expect(one.page.locator("table.schema, .answer-line")).to_be_visible()
        wide, window = one.page.evaluate(WIDTHS)
        assert wide <= window


def test_events_that_happen_while_the_page_is_hidden_are_shown_after_it(many, visit):
    one = visit(many.uri)
    expect(one.page.locator(".connection")).to_have_text("Live")
    hide(one.page, True)
    many.post("/tables", {"name": "big.again", "location": many.get("/tables/big.many")["location"]}, 201)
    try:
        hide(one.page, False)
        expect(one.page.get_by_role("link", name="big.again")).to_be_visible()
    finally:
        many.http.delete("/api/v1/tables/big.again")


@pytest.mark.parametrize(
    ("kind", "subject", "data"),
    [("events.lost", None, {}), ("table.renamed", "shop.other", {"previous_name": ORDERS})],
)
def test_a_table_is_read_again_after_lost_events_and_after_a_rename(demo, visit, kind, subject, data):
    event = json.dumps({"id": "1", "type": kind, "subject": subject, "data": data})
    one = visit(demo.uri, "healthz")  # a page without a stream
    streams = []

    def stream(route):
        if "page_size" in route.request.url:
            route.continue_()
        elif streams:
            route.abort()
        else:
            streams.append(route)

    one.may_fail.append("/events")
    one.page.route(re.compile(r"/api/v1/events\?"), stream)
    one.go(table("details"))
    expect(one.page.locator("#identity")).to_be_visible()
    until(lambda: streams or one.page.wait_for_timeout(50))
    with one.page.expect_request(re.compile(rf"/tables/{ORDERS}$")):
        streams[0].fulfill(content_type="text/event-stream", body=f"event: {kind}\nid: 1\ndata: {event}\n\n")


def test_all_stale_tables_are_listed(demo, visit):
    row = demo.rows("/tables")[0]
    names = [f"shop.stale_{number:04}" for number in range(1500)]

    def respond(route):
        url = route.request.url
        if "stale=true" not in url:
            route.continue_()
            return
        some = names[1000:] if "page_token=next" in url else names[:1000]
        stale = [{**row, "name": name, "stale": "its storage does not answer"} for name in some]
        token = None if "page_token=next" in url else "next"
        route.fulfill(json={"tables": stale, "next_page_token": token, "total_count": len(names), "stale": None})

    one = visit(demo.uri, "#/catalogs")
    one.page.route(re.compile(r"/api/v1/tables\?"), respond)
    one.page.route(re.compile(r"/api/v1/tables/shop.stale_"), lambda route: route.fulfill(json={"timeline": []}))
    one.go("#/")
    expect(one.page.locator(".summary strong")).to_have_text("1,500 need attention")
    one.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(one.page.get_by_role("link", name="shop.stale_1499")).to_be_visible()


@pytest.mark.parametrize("width", [1024, 1139, 1280, 1439, 1440])
def test_names_of_tables_have_room_beside_namespaces(demo, visit, width):
    one = visit(demo.uri, viewport={"width": width, "height": 800})
    expect(one.page.get_by_role("navigation", name="Namespaces")).to_be_visible()
    expect(one.page.locator("a.row").first).to_be_visible()
    assert one.page.locator("table.tables thead th").first.bounding_box()["width"] >= 160


def test_a_copied_query_has_the_snapshot_and_quotes_the_table(demo, visit):
    snapshot = demo.rows(f"/tables/{ORDERS}/snapshots", order="asc")[0]["snapshot_id"]
    one = visit(demo.uri, table("why", snapshot=snapshot), permissions=["clipboard-read", "clipboard-write"])
    expect(one.page.locator(".answer-line")).to_be_visible()
    one.page.get_by_role("button", name="Python", exact=True).click()
    expect(one.page.get_by_role("button", name="Copied")).to_be_visible()
    names = {}
    exec(one.page.evaluate("navigator.clipboard.readText()"), names)
    plan = demo.post(f"/tables/{ORDERS}/plan", {"snapshot_id": snapshot})
    assert names["plan"].paths == [file["file_path"] for file in plan["files"]]
    text = one.page.evaluate(
        "import(document.querySelector('link[href$=\"/query_text.js\"]').href)"
        ".then(found => found.asSql('my-db.`a.b`.select_1', 'x = 1', 'v\\'1'))"
    )
    assert text == "SELECT *\nFROM `my-db`.`a.b`.select_1 VERSION AS OF 'v''1'\nWHERE x = 1;"


def test_copying_without_a_clipboard_keeps_the_focus(demo, visit):
    one = visit(demo.uri, "#/catalogs")
    one.page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    one.go(table("details"))
    one.page.reload()
    button = one.page.get_by_role("button", name="Copy", exact=True)
    button.press("Enter")
    copied = one.page.get_by_role("button", name="Copied", exact=True)
    expect(copied).to_be_focused()


def test_an_error_is_marked_after_leading_spaces(demo, visit):
    one = visit(demo.uri, table("why"))
    one.may_fail.append(f"/api/v1/tables/{ORDERS}/")
    expect(one.page.locator(".answer-line")).to_be_visible()
    one.page.locator("#filter").fill("   amountt > 490")
    expect(one.page.locator(".under mark")).to_have_text("amountt")
