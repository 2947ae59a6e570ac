"""Requests: their URLs, their retries, and the errors that they raise."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import httpx
import pytest

from lakemuster.client import AnswerIncomplete, Client, ClientError, NotFoundError, ServerUnreachable
from tests.unit.client.answers import Server, page, refusal


def tables(server: Server, token: str | None = None) -> list[object]:
    return list(server.client(token).tables())


@pytest.mark.parametrize(
    "uri",
    [
        "lake:8181", "ftp://lake", "http://", "http://me:secret@lake", "http://lake?x=1", "", "http://lake:port",
        "http://lake:99999", "http://lake:0", "http://[::1", "http://la ke", "http://é..lake",
        "http://a..lake", f"http://{'x' * 64}.lake", "http://xn--a", "http://me:secret@lake:x",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(uri):
    with pytest.raises(ValueError, match="address") as caught:
        Client(uri)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "token", ["", " ", "lm_secret\n", "lm_secret\r\nX: y", " lm_secret", "lm_sécret", "lm_secret\0"]
)
def test_a_token_that_no_header_can_have_is_refused_and_not_shown(token):
    with pytest.raises(ValueError, match="visible ASCII") as caught:
        Client("http://lake", token)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    "uri", ["http://lake:81", "http://lake:81/", "http://lake:81/api/v1", "http://lake:81/api/v1/"]
)
def test_the_address_may_end_as_it_likes(uri):
    assert Client(uri).uri == "http://lake:81"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a..b", "\udcff", "a\nb"])
def test_a_name_that_no_table_can_have_is_refused(name):
    server = Server()
    for ask in (lambda c: list(c.table(name).files()), lambda c: c.remove(name), lambda c: c.refresh(name)):
        with pytest.raises(ClientError) as caught:
            ask(server.client())
        assert caught.value.code == "request_invalid"
    assert server.asked == []


def test_a_request_that_is_too_long_for_an_address_is_refused():
    server = Server()
    files = server.client().table("a.b").files(where="x" * 70_000)
    for ask in (list, lambda rows: rows.to_arrow()):
        with pytest.raises(ClientError, match="too long") as caught:
            ask(files)
        assert caught.value.code == "request_invalid"
    assert server.asked == []


def test_text_that_cannot_be_sent_is_refused(naps):
    server = Server()
    table = server.client().table("a.b")
    for ask in (lambda: list(table.files(ref="\udcff")), lambda: table.plan("x = '\udcff'")):
        with pytest.raises(ClientError, match="not Unicode") as caught:
            ask()
        assert caught.value.code == "request_invalid"
    assert (server.asked, naps) == ([], [])


@pytest.mark.parametrize("part", [".", ".."])
def test_dots_are_not_resolved_as_a_path(part):
    server = Server(refusal(404, "snapshot_not_found"))
    with pytest.raises(NotFoundError):
        server.client().table("a.b").snapshot(part)
    assert server.asked == [f"GET /api/v1/tables/a.b/snapshots/{part.replace('.', '%2E')}"]


def test_a_server_may_stand_below_a_path():
    server = Server(page("tables", []))
    list(Client("https://lake/muster/", transport=server).tables())
    assert server.requests[0].url.path == "/muster/api/v1/tables"


def test_the_token_is_sent_and_never_shown():
    server = Server(page("tables", []))
    client = server.client("lm_secret")
    list(client.tables())
    assert server.requests[0].headers["Authorization"] == "Bearer lm_secret"
    assert "secret" not in repr(client)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(status, naps):
    server = Server(refusal(status, "overloaded"), page("tables", []))
    assert tables(server) == []
    assert len(naps) == 1


@pytest.mark.parametrize(
    "cause", [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut")]
)
def test_a_broken_connection_is_tried_again(cause, naps):
    assert tables(Server(cause, page("tables", []))) == []
    assert len(naps) == 1


def test_patience_ends(naps):
    server = Server(*[httpx.ConnectError("Connection refused")] * 5)
    with pytest.raises(
        ServerUnreachable, match=r"no response from http://lake.test:8181: Connection refused"
    ) as caught:
        tables(server)
    assert caught.value.code == "server_unreachable"
    assert len(naps) == 4
    assert sorted(naps) == naps or max(naps) < 5  # pauses grow, apart from jitter


def test_a_server_that_stays_busy_is_told_with_its_own_words(naps):
    server = Server(*[refusal(503, "index_unavailable", "the database does not answer")] * 5)
    with pytest.raises(ClientError) as caught:
        tables(server)
    assert (caught.value.code, caught.value.status) == ("index_unavailable", 503)
    assert caught.value.message == "the database does not answer"


def test_retry_after_is_heeded_within_reason(naps):
    busy = [
        httpx.Response(503, headers={"Retry-After": text}) for text in ("3", "86400", "Wed, 21 Oct 2026 07:28:00 GMT")
    ]
    tables(Server(*busy, page("tables", [])))
    assert naps[0] == 3
    assert naps[1] == 10
    assert naps[2] < 3


@pytest.mark.parametrize("text", ["9" * 5000, "²", "-1", ""])
def test_a_retry_after_that_is_no_number_is_ignored(text, naps):
    busy = httpx.Response(503, headers=[(b"Retry-After", text.encode("latin-1"))])
    assert tables(Server(busy, page("tables", []))) == []
    assert naps[0] < 3


def test_retries_below_zero_are_none(naps):
    with pytest.raises(ClientError):
        list(Client("http://lake", retries=-1, transport=Server(refusal(503, "overloaded"))).tables())
    assert naps == []


class Endless(httpx.SyncByteStream):
    """A body without end, which counts its parts."""

    def __init__(self, part: bytes) -> None:
        self.part, self.sent, self.is_closed = part, 0, False

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.sent += 1
            yield self.part

    def close(self) -> None:
        self.is_closed = True


def test_a_document_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("lakemuster.client.transport.MAX_DOCUMENT_BYTES", 3 << 20)
    body = Endless(b" " * (1 << 20))
    with pytest.raises(AnswerIncomplete, match="larger than 3 MiB"):
        tables(Server(httpx.Response(200, stream=body)))
    assert (body.sent, body.is_closed) == (4, True)


@pytest.mark.parametrize("ask", [tables, lambda server: server.client().tables().to_arrow()])
def test_an_error_without_end_names_the_status(ask):
    body = Endless(b" " * (1 << 19))
    with pytest.raises(ClientError) as caught:
        ask(Server(httpx.Response(500, stream=body)))
    assert (caught.value.code, body.sent, body.is_closed) == ("http_500", 3, True)


@pytest.mark.parametrize("status", [200, 500])
def test_a_document_that_is_nested_too_deeply_is_told(status):
    with pytest.raises(ClientError, match=r"is it a Lakemuster server|answered 500"):
        tables(Server(httpx.Response(status, text='{"error":' + "[" * 200_000)))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 500, 501])
def test_other_refusals_are_final(status, naps):
    with pytest.raises(ClientError) as caught:
        tables(Server(refusal(status, "some_code")))
    assert (caught.value.code, caught.value.status, naps) == ("some_code", status, [])
    assert isinstance(caught.value, NotFoundError) == (status == 404)


@pytest.mark.parametrize("code", ["not_found", 404])
def test_a_path_that_the_server_does_not_have_is_named(code):
    server = Server(httpx.Response(404, json={"error": {"code": code, "message": "no such path"}}))
    with pytest.raises(NotFoundError) as caught:
        tables(server)
    asked = server.requests[0].url
    assert asked.query
    assert caught.value.message == f"the server has no such path: {asked.copy_with(query=None)}"


@pytest.mark.parametrize(
    "change",
    [lambda c: c.add("a.b", "s3://x/y"), lambda c: c.remove("a.b"), lambda c: c.refresh("a.b")],
    ids=["add", "remove", "refresh"],
)
@pytest.mark.parametrize("answer", [refusal(503, "overloaded"), httpx.ReadTimeout("slow")], ids=["busy", "cut"])
def test_changes_are_never_repeated(change, answer, naps):
    server = Server(answer)
    with pytest.raises(ClientError):
        change(server.client())
    assert len(server.requests) == 1
    assert naps == []


def test_an_error_without_our_shape_names_the_server_and_the_status(naps):
    with pytest.raises(ClientError, match=r"http://lake\.test:8181 answered 418") as caught:
        tables(Server(httpx.Response(418, html="<h1>nginx</h1>")))
    assert caught.value.code == "http_418"


def test_a_redirect_is_not_followed_with_the_token():
    server = Server(httpx.Response(302, headers={"Location": "http://elsewhere"}))
    with pytest.raises(ClientError, match="302"):
        tables(server, "lm_secret")
    assert len(server.requests) == 1


@pytest.mark.parametrize("content", ["<h1>hello</h1>", "[]", "null", '"x"', "5", ""])
@pytest.mark.parametrize(
    "ask",
    [lambda c: list(c.tables()), lambda c: c.table("t").info(), lambda c: c.table("t").stats(), Client.event_page],
)
def test_something_else_than_a_json_object_is_told(ask, content):
    with pytest.raises(AnswerIncomplete, match="is it a Lakemuster server"):
        ask(Server(httpx.Response(200, text=content)).client())


def test_an_error_carries_what_the_server_added():
    with pytest.raises(ClientError) as caught:
        tables(Server(refusal(400, "request_invalid", parameters=["x"])))
    assert caught.value.context == {"type": "X", "parameters": ["x"]}


def test_errors_survive_pickling():
    error = NotFoundError("no such table", code="table_not_found", status=404, context={"a": 1})
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is NotFoundError
    assert (again.message, again.code, again.status, again.context) == (
        "no such table",
        "table_not_found",
        404,
        {"a": 1},
    )
