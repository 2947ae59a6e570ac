"""A replay finds every planted difference, and none between two runs of the same code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.replay.comparison import Report, differences_of
from tests.replay.exchanges import Answer, Exchange, Request, read, writing
from tests.replay.masks import MASKS, TOKENS, masked
from tests.replay.routes import OTHER, Routes

TABLE = b'{"name":"shop.orders","checked_at":"2026-01-02T03:04:05.678Z","stale":null}'
HEADERS = (("content-length", str(len(TABLE))), ("content-type", "application/json"), ("etag", '"a"'))
ANSWER = Answer(200, HEADERS, TABLE)
DOCUMENT = """
paths:
  "/api/v1/tables": {get: {}, post: {}}
  "/api/v1/tables/{table}": {get: {}}
  "/api/v1/tables/{table}/refresh": {post: {}}
  "/api/v1/tables/{table}/files": {get: {}}
  "/metrics": {get: {}}
"""


def report() -> Report:
    return Report.over(Routes.of(DOCUMENT), own_tokens=False)


def found(request: Request, base: Answer, tree: Answer) -> int:
    about = report()
    about.compare(Exchange("guarded", request, base), tree)
    return about.differences


def test_equal_answers_have_no_difference():
    assert differences_of(ANSWER, Answer(200, HEADERS, bytes(TABLE))) == {}


@pytest.mark.parametrize("at", range(len(TABLE)))
def test_one_changed_byte_is_found_where_it_is(at):
    changed = TABLE[:at] + bytes([TABLE[at] ^ 1]) + TABLE[at + 1 :]
    assert differences_of(ANSWER, replace(ANSWER, body=changed))["body"]["at"] == at


@pytest.mark.parametrize("body", [b"", TABLE[:-1], TABLE + b" "])
def test_a_body_of_another_length_is_found(body):
    difference = differences_of(ANSWER, replace(ANSWER, body=body))
    assert difference["body"] == {"at": min(len(body), len(TABLE)), "lengths": [len(TABLE), len(body)]}


@pytest.mark.parametrize(
    "headers",
    [HEADERS[:-1], (*HEADERS, ("vary", "Accept")), (*HEADERS[:-1], ("etag", '"b"')), (*HEADERS, HEADERS[-1])],
    ids=["gone", "come", "changed", "twice"],
)
def test_another_header_is_found(headers):
    assert set(differences_of(ANSWER, replace(ANSWER, headers=headers))) == {"headers"}


def test_another_status_and_a_cut_body_are_found():
    assert differences_of(ANSWER, replace(ANSWER, status=201)) == {"status": [200, 201]}
    assert differences_of(ANSWER, replace(ANSWER, is_whole=False)) == {"whole": [True, False]}


def test_the_time_of_a_look_is_covered_and_nothing_beside_it():
    request = Request.get("/api/v1/tables/shop.orders")
    later = replace(ANSWER, body=TABLE.replace(b"05.678", b"09.001"))
    assert found(request, ANSWER, later) == 0
    for other in (b"null,", b'"",', b'"2026-01-02",'):
        wrong = TABLE.replace(b'"2026-01-02T03:04:05.678Z",', other)
        assert found(request, ANSWER, replace(ANSWER, body=wrong)) == 1
    assert found(request, ANSWER, replace(later, body=later.body.replace(b"null", b"true"))) == 1
    assert found(request, ANSWER, replace(later, headers=HEADERS[:-1])) == 1


def test_a_mask_covers_its_own_operations_only():
    later = replace(ANSWER, body=TABLE.replace(b"05.678", b"09.001"))
    assert found(Request.get("/api/v1/tables/shop.orders/files"), ANSWER, later) == 1


def test_seconds_are_covered_whatever_their_length():
    request = Request("POST", "/api/v1/tables/shop.orders/refresh")
    quick, slow = (
        Answer(200, (("content-length", str(len(body))),), body)
        for body in (b'{"entries_decoded":1,"seconds":0.1}', b'{"entries_decoded":1,"seconds":12.25}')
    )
    assert found(request, quick, slow) == 0
    assert found(request, quick, replace(slow, body=slow.body.replace(b":1,", b":2,"))) == 1


def test_the_id_of_a_table_of_this_run_is_covered_and_of_no_other():
    path = "/paimon/v1/lakemuster/databases/{}/tables/clicks"
    routes = Routes.of('paths: {"/paimon/v1/lakemuster/databases/{database}/tables/{table}": {get: {}}}')
    for database, expected in (("again.one", 0), ("web", 1)):
        base, tree = (
            Answer(200, (), f'{{"id":"{digit * 8}-83ba-5e67-1dc6-4f68f66d324f","database":"{database}"}}'.encode())
            for digit in "ab"
        )
        about = Report.over(routes, own_tokens=False)
        about.compare(Exchange("changing", Request.get(path.format(database)), base), tree)
        assert about.differences == expected


def test_tokens_are_compared_unless_they_are_the_servers_own():
    page = b'{"files":[],"next_page_token":"AAAA","stale":null}'
    other = page.replace(b"AAAA", b"BB")
    operation = "GET /api/v1/tables/{table}/files"
    one, two = (masked(Answer(200, (), body), operation, MASKS)[0] for body in (page, other))
    assert differences_of(one, two)
    one, two = (masked(Answer(200, (), body), operation, (*MASKS, TOKENS))[0] for body in (page, other))
    assert differences_of(one, two) == {}


def test_differences_are_told_in_full_and_counted_by_route():
    about = report()
    request = Request.get("/api/v1/tables", {"page_size": 2}, Accept="application/json")
    about.compare(Exchange("guarded", request, ANSWER), replace(ANSWER, status=500))
    document = about.document()
    (shown,) = document["first_differences"]
    assert shown["request"] == "GET /api/v1/tables?page_size=2"
    assert (shown["base"]["status"], shown["tree"]["status"]) == (200, 500)
    assert document["differing_routes"] == {"GET /api/v1/tables": 1}
    assert document["by_api"] == {"native": 1}
    assert "POST /api/v1/tables/{table}/refresh" in document["unasked"]
    assert "GET /api/v1/tables" not in document["unasked"]


def test_paths_are_told_apart_by_template():
    routes = Routes.of(DOCUMENT)
    assert routes.template_of("/api/v1/tables/a%2Fb/files") == "/api/v1/tables/{table}/files"
    assert routes.template_of("/api/v1/tables/files") == "/api/v1/tables/{table}"
    assert routes.template_of("/api/v1/tables/") == OTHER


def test_what_is_written_down_is_read_again(tmp_path):
    asked = Request.post("/api/v1/tables/shop.orders/plan", {"filter": "é = 1"}, Accept="*/*")
    exchanges = [
        Exchange("guarded", asked, Answer(200, HEADERS, bytes(range(256)))),
        Exchange("open", Request("GET", "/"), Answer(307, (("location", "docs"),), b"", is_whole=False)),
    ]
    with writing(tmp_path / "exchanges") as write:
        for exchange in exchanges:
            write(exchange)
    assert list(read(tmp_path / "exchanges")) == exchanges
