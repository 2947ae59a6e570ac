"""Allowed additions to responses: an entry removes what it names, and nothing else."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.replay.added import ADDED, CHANGED, LATER, asked_as_before, columns_of, ordered, without_additions
from tests.replay.comparison import Report, differences_of
from tests.replay.exchanges import Answer, Exchange, Request
from tests.replay.masks import masked
from tests.replay.routes import Routes

ROUTES = Routes.of('paths: {"/": {get: {}}, "/api/v1/tables/{table}": {get: {}}, "/healthz": {get: {}}}')
TABLE = b'{"name":"a","primary_keys":[]}'
SETTINGS = b',"settings":{"staleness":5.0,"history":100,"nan":"any","watch":null}'
FIGURES = (
    b',"total_records":6,"data_files":2,"total_bytes":null,"delete_files":4,"snapshots":6,'
    b'"last_committed_at":"2025-09-26T09:41:21.766Z","health":null'
)


def counted(body: bytes, **headers: str) -> Answer:
    return Answer(200, tuple(sorted({**headers, "content-length": str(len(body))}.items())), body)


def test_what_is_added_is_taken_out_of_the_trees_answer_of_its_operation_only() -> None:
    tree = counted(TABLE[:-1] + SETTINGS + b"}")
    assert without_additions(tree, "GET /api/v1/tables/{table}") == (counted(TABLE), (ADDED[0],))
    assert without_additions(tree, "GET /api/v1/tables") == (tree, ())
    other = counted(TABLE[:-1] + SETTINGS.replace(b"history", b"past") + b"}")
    assert without_additions(other, "GET /api/v1/tables/{table}") == (other, ())


@pytest.mark.parametrize("more", [b"", b"\n", b',"extra":1'])
def test_figures_are_taken_out_whole(more: bytes) -> None:
    operation = "GET /api/v1/tables"
    assert without_additions(counted(b'{"a":1' + FIGURES + more), operation)[0] == counted(b'{"a":1' + more)
    cut = counted(b'{"a":1' + FIGURES.replace(b'"snapshots"', b'"commits"'))
    assert without_additions(cut, operation) == (cut, ())


def test_the_number_of_rows_is_taken_out_of_lists() -> None:
    tree = counted(b'{"refs":[],"next_page_token":null,"total_count":3,"stale":null}')
    base = counted(b'{"refs":[],"next_page_token":null,"stale":null}')
    assert without_additions(tree, "GET /api/v1/tables/{table}/refs")[0] == base
    assert without_additions(tree, "POST /api/v1/tables/{table}/plan")[0] == tree


def test_vary_is_compared_without_the_encoding_alone() -> None:
    tree, operation = counted(b"", vary="Accept, Accept-Encoding, Origin"), "GET /healthz"
    assert without_additions(tree, operation)[0] == counted(b"", vary="Accept, Origin")
    assert without_additions(counted(b"", vary="Accept-Encoding"), operation)[0] == counted(b"")
    assert differences_of(counted(b"", vary="Accept"), without_additions(tree, operation)[0])


def test_the_report_counts_additions() -> None:
    report = Report(ROUTES, meant=())
    request = Request.get("/api/v1/tables/a")
    assert report.compare(Exchange("open", request, counted(TABLE)), counted(TABLE[:-1] + SETTINGS + b"}"))
    assert not report.compare(Exchange("open", request, counted(TABLE[:-1] + SETTINGS + b"}")), counted(b"{}"))
    assert report.document()["added"]["settings of a table"]["meant"] == "1 answers by this addition"
    assert set(report.unused()) == {entry.name for entry in ADDED} - {"settings of a table"}


def test_operations_that_are_something_else_now_are_counted_and_not_compared() -> None:
    report = Report(ROUTES)
    assert report.compare(Exchange("open", Request.get("/"), counted(b"")), Answer(404, (), b"console"))
    assert report.document()["by_route"] == {"GET /": 1}
    assert report.document()["not_compared"] == CHANGED
    assert not report.compare(Exchange("open", Request.get("/healthz"), counted(b"")), Answer(404, (), b""))


def test_snapshots_are_asked_for_in_the_order_of_the_base() -> None:
    operation = "GET /api/v1/tables/{table}/snapshots"
    assert asked_as_before(Request.get("/s"), operation).target == "/s?order=asc"
    assert asked_as_before(Request.get("/s?a=1"), operation).target == "/s?a=1&order=asc"
    assert asked_as_before(Request.get("/s?order=desc"), operation).target == "/s?order=desc"
    assert asked_as_before(Request.get("/s"), "GET /api/v1/tables/{table}/refs").target == "/s"


def test_the_order_of_members_is_not_compared_where_it_is_said() -> None:
    base, tree = counted(b'{"a":1,"b":[1,2]}'), counted(b'{"b":[1,2],"a":1}')
    other = counted(b'{"b":[2,1],"a":1}')
    operation = "GET /api/v1/tables/{table}/schemas"
    assert ordered(base, operation).body == ordered(tree, operation).body
    assert ordered(base, operation).body != ordered(other, operation).body
    assert ordered(tree, "GET /api/v1/tables/{table}/refs") == tree


def stream(**columns: list[int]) -> Answer:
    table, sink = pa.table(columns), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return Answer(200, (("content-type", "application/vnd.apache.arrow.stream"),), sink.getvalue().to_pybytes())


def test_arrow_streams_are_compared_by_the_columns_of_the_base() -> None:
    base, operation = stream(a=[1, 2]), "GET /api/v1/tables"

    def compared(answer: Answer) -> bool:
        return columns_of(base, answer, operation).body == columns_of(base, base, operation).body

    assert compared(stream(a=[1, 2], b=[3, 4]))
    assert not compared(stream(a=[1, 3], b=[3, 4]))
    assert columns_of(base, base, "GET /api/v1/tables/{table}/files") == base


def test_zones_and_tokens_differ_and_nothing_beside_them() -> None:
    operation = "GET /api/v1/tables/{table}/partitions"
    base, tree = (counted(b'{"last_updated_at":"2025-05-13T10:38:46.105%s"}' % zone) for zone in (b"+00:00", b"Z"))
    later = counted(tree.body.replace(b"46.105", b"46.106"))
    assert differences_of(masked(base, operation, LATER)[0], masked(tree, operation, LATER)[0]) == {}
    assert differences_of(masked(base, operation, LATER)[0], masked(later, operation, LATER)[0])
