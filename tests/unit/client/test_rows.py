"""Lists, by pages and by Arrow stream; an incomplete list is an error."""

from __future__ import annotations

from typing import Any

import httpx
import pyarrow as pa
import pytest

from lakemuster.client import AnswerIncomplete, ClientError, Rows
from tests.unit.client.answers import Server, arrow, page, refusal


def batch(*numbers: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"record_count": pa.array(numbers, pa.int64())})


def files(server: Server, **choice: Any) -> Rows[Any]:
    return server.client().table("shop.orders").files(**choice)


def test_rows_follow_pages_to_the_end():
    server = Server(page("files", [{"n": 1}, {"n": 2}], "t1"), page("files", [], "t2"), page("files", [{"n": 3}]))
    assert [row["n"] for row in files(server)] == [1, 2, 3]
    assert server.asked == [
        "GET /api/v1/tables/shop.orders/files?page_size=1000",
        "GET /api/v1/tables/shop.orders/files?page_size=1000&page_token=t1",
        "GET /api/v1/tables/shop.orders/files?page_size=1000&page_token=t2",
    ]


def test_the_next_page_is_asked_for_only_when_it_is_needed():
    server = Server(page("files", [{"n": 1}], "t1"), page("files", [{"n": 2}]))
    iterator = iter(files(server))
    assert next(iterator) == {"n": 1}
    assert len(server.requests) == 1


def test_later_pages_repeat_the_question():
    server = Server(page("files", [], "t1"), page("files", []))
    list(files(server, snapshot_id=7, content=["data"], stats=["a", "b.c"], page_size=5))
    queries = [dict(request.url.params) for request in server.requests]
    question = {"snapshot": "7", "content": "data", "stats": "a,b.c", "page_size": "5"}
    assert queries == [question, {**question, "page_token": "t1"}]


def test_rows_can_be_read_again():
    server = Server(page("files", [{"n": 1}]), page("files", [{"n": 1}]))
    rows = files(server)
    assert list(rows) == list(rows)


def test_a_failing_page_raises_after_the_rows_before_it(naps):
    iterator = iter(files(Server(page("files", [{"n": 1}], "t1"), refusal(400, "page_token_invalid"))))
    assert next(iterator) == {"n": 1}
    with pytest.raises(ClientError, match="no"):
        next(iterator)


@pytest.mark.parametrize("body", [{}, {"files": None, "next_page_token": None}, {"entries": []}, [], None, "files"])
def test_a_page_without_its_key_is_no_empty_list(body):
    with pytest.raises(AnswerIncomplete, match=r"'files'|a JSON object"):
        list(files(Server(httpx.Response(200, json=body))))


@pytest.mark.parametrize(
    "answer",
    [page("tables", [5]), page("tables", [None]), page("tables", [{}]), page("tables", [], snapshot_id="x")],
    ids=["number", "null", "without fields", "snapshot"],
)
def test_rows_of_another_service_are_told(answer):
    with pytest.raises(AnswerIncomplete, match=r"lake.test:8181 answered with a"):
        list(Server(answer).client().tables())


def test_a_page_that_points_to_itself_is_refused():
    server = Server(page("files", [], "t1"), page("files", [], "t1"))
    with pytest.raises(AnswerIncomplete, match="twice"):
        list(files(server))


def test_pages_of_two_snapshots_are_refused():
    server = Server(page("files", [], "t1", snapshot_id="1"), page("files", [], snapshot_id="2"))
    with pytest.raises(AnswerIncomplete, match="different snapshots"):
        list(files(server))


def test_rows_tell_their_snapshot_and_whether_they_are_stale():
    first = page("files", [], "t1", snapshot_id="9007199254740993", stale="the bucket is gone")
    rows = files(Server(first, page("files", [], snapshot_id="9007199254740993")))
    assert (rows.snapshot_id, rows.stale) == (None, None)
    assert list(rows) == []
    assert (rows.snapshot_id, rows.stale) == (9007199254740993, "the bucket is gone")


def test_arrow_gives_all_rows_and_the_snapshot():
    answer = arrow([batch(1, 2), batch(3)], {"count": "3", "snapshot_id": "7"})
    server = Server(answer)
    table = files(server, snapshot_id=7).to_arrow()
    assert table.column("record_count").to_pylist() == [1, 2, 3]
    assert table.schema.metadata == {b"snapshot_id": b"7"}
    assert server.requests[0].headers["Accept"] == "application/vnd.apache.arrow.stream"
    assert dict(server.requests[0].url.params) == {"snapshot": "7"}


@pytest.mark.parametrize("kind", ["snapshots", "refs", "schemas", "specs"])
def test_arrow_of_a_list_of_the_table_names_no_snapshot(kind):
    server = Server(arrow([batch(1)], {"count": "1"}))
    assert getattr(server.client().table("shop.orders"), kind)(snapshot_id=7).to_arrow().num_rows == 1
    assert dict(server.requests[0].url.params) == {"snapshot": "7"}


def test_a_stream_of_files_without_a_snapshot_raises():
    with pytest.raises(AnswerIncomplete, match="snapshot None, and 7 was asked for"):
        files(Server(arrow([batch(1)], {"count": "1"})), snapshot_id=7).to_arrow()


def test_iterations_at_the_same_time_have_their_own_snapshots():
    def pages(snapshot_id):
        return [page("files", [{"n": 1}], "t", snapshot_id=snapshot_id), page("files", [], snapshot_id=snapshot_id)]

    (first, rest), (newer, newer_rest) = pages("7"), pages("8")
    rows = files(Server(first, newer, rest, newer_rest))
    iterators = iter(rows), iter(rows)
    assert [next(iterator) for iterator in iterators] == [{"n": 1}, {"n": 1}]
    assert [list(iterator) for iterator in iterators] == [[], []]


def test_arrow_of_an_empty_list_has_its_columns():
    table = files(Server(arrow([batch()], {"count": "0"}))).to_arrow()
    assert (table.num_rows, table.column_names) == (0, ["record_count"])


def test_arrow_batches_come_one_by_one():
    answer = arrow([batch(1, 2), batch(3)], {"count": "3"})
    assert [piece.num_rows for piece in files(Server(answer)).batches()] == [2, 1]


def test_a_stream_without_its_end_raises():
    with pytest.raises(AnswerIncomplete, match="without its end record"):
        files(Server(arrow([batch(1, 2)], None))).to_arrow()


@pytest.mark.parametrize("count", ["1", "3", "-2", "many"])
def test_a_stream_whose_count_disagrees_raises(count):
    with pytest.raises(AnswerIncomplete, match="received 2 of"):
        files(Server(arrow([batch(1, 2)], {"count": count}))).to_arrow()


def test_a_stream_of_another_snapshot_raises():
    answer = arrow([batch(1)], {"count": "1", "snapshot_id": "8"})
    with pytest.raises(AnswerIncomplete, match="snapshot 8, and 7 was asked for"):
        files(Server(answer), snapshot_id=7).to_arrow()


def test_a_stream_that_ends_for_another_snapshot_than_it_began_raises():
    answer = arrow([batch(1)], {"count": "1", "snapshot_id": "8"}, **{"Lakemuster-Snapshot-Id": "7"})
    with pytest.raises(AnswerIncomplete, match="snapshot 8"):
        files(Server(answer)).to_arrow()


@pytest.mark.parametrize("kept", [0, 3, 40, 200, -9, -1])
def test_a_stream_cut_anywhere_raises(kept):
    whole = arrow([batch(1, 2)], {"count": "2"}).content
    cut = whole[: kept if kept >= 0 else len(whole) - 8 + kept]  # the last 8 bytes are the end-of-stream marker
    with pytest.raises(AnswerIncomplete):
        files(Server(httpx.Response(200, content=cut))).to_arrow()


def test_a_connection_cut_within_the_stream_raises():
    def cut(request: httpx.Request) -> httpx.Response:
        def parts():
            yield arrow([batch(1, 2)], None).content[:-8]
            raise httpx.ReadError("connection reset")

        return httpx.Response(200, content=parts())

    with pytest.raises(AnswerIncomplete):
        files(Server(cut)).to_arrow()


def test_a_stream_is_asked_for_again_until_it_begins(naps):
    server = Server(httpx.ConnectError("x"), refusal(503, "overloaded"), arrow([batch(1)], {"count": "1"}))
    assert files(server).to_arrow().num_rows == 1
    assert len(naps) == 2


def test_a_refused_stream_has_the_servers_words():
    with pytest.raises(ClientError, match="no such column") as caught:
        files(Server(refusal(400, "request_invalid", "no such column: x"))).to_arrow()
    assert caught.value.code == "request_invalid"


def test_something_else_than_arrow_is_told():
    with pytest.raises(AnswerIncomplete, match="not an Arrow stream"):
        files(Server(httpx.Response(200, json={"files": []}))).to_arrow()
