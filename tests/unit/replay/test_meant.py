"""Allowed changes of wording: an entry covers what it names, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import orjson
import pyarrow as pa
import pytest

from tests.replay.comparison import Report, differences_of
from tests.replay.exchanges import Answer, Exchange, Request
from tests.replay.meant import MEANT, Rewording, reworded
from tests.replay.routes import Routes

WHY = "plainer words"
PRUNE = Rewording("{name} is not looked through", "{name}() cannot prune", WHY)
NAMED = Rewording("no such table", re.compile(rb"table [a-z.]+ is not registered"), WHY)
ROUTES = Routes.of('paths: {"/api/v1/tables/{table}": {get: {}}, "/metrics": {get: {}}}')


def answer(message: str, code: str = "invalid", **headers: str) -> Answer:
    body = orjson.dumps({"error": {"code": code, "message": message}})
    named = {"content-length": str(len(body)), "content-type": "application/json", **headers}
    return Answer(400, tuple(sorted(named.items())), body)


def differences(base: Answer, tree: Answer, *entries: Rewording) -> set[str]:
    one, other, _ = reworded(base, tree, entries)
    return set(differences_of(one, other)) - {"bytes"}


def test_the_new_text_in_place_of_the_old_is_meant() -> None:
    base, tree = answer("a: length is not looked through; é"), answer("a: length() cannot prune; é")
    assert differences(base, tree) == {"body", "headers"}
    assert differences(base, tree, PRUNE) == set()


@pytest.mark.parametrize(
    "tree",
    [
        answer("a: lengths() cannot prune"),
        answer("a: length() cannot prune."),
        answer("a: length is not looked through"),
        answer("a: length() cannot prune", code="other"),
        replace(answer("a: length() cannot prune"), status=404),
        answer("a: length() cannot prune", vary="Accept"),
    ],
    ids=["field", "more text", "old text", "code", "status", "header"],
)
def test_everything_else_must_be_equal(tree: Answer) -> None:
    assert differences(answer("a: length is not looked through"), tree, PRUNE)


def test_a_text_that_depends_on_the_request_is_a_pattern() -> None:
    base = answer("no such table")
    assert differences(base, answer("table shop.a is not registered"), NAMED) == set()
    for wrong in ("table A is not registered", "table shop.a is not registered!", "no such thing"):
        assert "body" in differences(base, answer(wrong), NAMED)


def test_the_new_text_where_there_was_no_old_one_is_a_difference() -> None:
    assert differences(answer("no such view"), answer("table shop.a is not registered"), NAMED)


def test_each_of_several_texts_is_replaced() -> None:
    base = answer("upper is not looked through; lower is not looked through; no such table; no such table")
    tree = answer("upper() cannot prune; lower() cannot prune; table a is not registered; table b is not registered")
    assert differences(base, tree, NAMED, PRUNE) == set()


def test_texts_are_given_without_the_escapes_of_json() -> None:
    entry = Rewording('say "{name}"\n', 'write "{name}"\n', WHY)
    assert differences(answer('say "a\\b"\n'), answer('write "a\\b"\n'), entry) == set()


def test_a_stale_answer_has_its_reason_in_a_header_too() -> None:
    base = answer("length is not looked through", **{"lakemuster-stale": "length is not looked through", "etag": '"a"'})
    tree = answer("length() cannot prune", **{"lakemuster-stale": "length() cannot prune", "etag": '"b"'})
    assert differences(base, tree, PRUNE) == set()
    other = answer("length() cannot prune", **{"lakemuster-stale": "another reason", "etag": '"b"'})
    assert differences(base, other, PRUNE) == {"headers"}


def test_an_answer_without_the_text_is_compared_as_it_is() -> None:
    base, tree = answer("equal", etag='"a"'), answer("equal", etag='"b"')
    assert reworded(base, tree, (PRUNE, NAMED)) == (base, tree, ())
    assert differences(base, tree, PRUNE, NAMED) == {"headers"}


def stream(reason: str, values: list[int]) -> Answer:
    schema = pa.schema([("n", pa.int64())], {"plan": orjson.dumps({"reason": reason})})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch({"n": values}, schema=schema))
        writer.write_batch(
            pa.record_batch({"n": pa.array([], pa.int64())}, schema=schema), custom_metadata={"end": reason}
        )
    body = sink.getvalue().to_pybytes()
    return Answer(200, (("content-type", "application/vnd.apache.arrow.stream"),), body)


def test_metadata_of_an_arrow_stream_is_reworded() -> None:
    base = stream("length is not looked through", [1, 2])
    assert differences(base, stream("length() cannot prune", [1, 2]), PRUNE) == set()
    assert differences(base, stream("length() cannot prune", [1, 3]), PRUNE) == {"body"}
    assert differences(base, stream("length() cannot prune!", [1, 2]), PRUNE) == {"body"}
    broken = replace(base, body=base.body[:-40])
    assert differences(broken, replace(broken, body=broken.body[:-1]), PRUNE)


def test_the_report_counts_answers_by_entry_and_names_those_without() -> None:
    report = Report(ROUTES, meant=(PRUNE, NAMED), added=())
    request = Request.get("/api/v1/tables/a")
    for name in ("upper", "lower"):
        assert report.compare(
            Exchange("open", request, answer(f"{name} is not looked through")), answer(f"{name}() cannot prune")
        )
    assert report.differences == 0
    assert [entry["meant"] for entry in report.document()["meant"]] == [
        "2 answers by this rewording",
        "0 answers by this rewording",
    ]
    assert report.unused() == [NAMED.old]


@pytest.mark.parametrize(
    ("method", "status", "alike"), [("HEAD", 404, True), ("HEAD", 200, False), ("GET", 404, False)]
)
def test_the_length_of_an_error_that_is_not_sent_is_not_compared(method: str, status: int, alike: bool) -> None:
    base, tree = (Answer(status, (("content-length", length),), b"") for length in ("10", "11"))
    report = Report(ROUTES)
    assert report.compare(Exchange("open", Request(method, "/api/v1/tables/a"), base), tree) == alike


def test_entries_have_a_reason_and_are_given_once() -> None:
    assert len({entry.old for entry in MEANT}) == len(MEANT)
    assert all(entry.reason and entry.old != entry.new for entry in MEANT)
