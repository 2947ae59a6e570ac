"""Bearer tokens that are asked for before each request."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.client import ClientError, TokenFile
from tests.unit.client.answers import Server, page, refusal


def sent(server: Server) -> list[str]:
    return [request.headers["Authorization"].removeprefix("Bearer ") for request in server.requests]


def test_each_request_has_the_current_token_and_so_has_a_retry(monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    server = Server(page("tables", [], "more"), refusal(503, "overloaded"), page("tables", []))
    tokens = iter(("one", "two", "three"))
    assert list(server.client(lambda: next(tokens)).tables()) == []
    assert sent(server) == ["one", "two", "three"]


def test_a_renewed_file_is_read_and_one_that_is_being_written_is_not(tmp_path: Path):
    path = tmp_path / "token"
    server = Server(*(page("tables", []) for _ in range(4)))
    client = server.client(TokenFile(path))
    for content in ("one\n", "", None, "two"):
        if content is None:
            path.unlink()
        else:
            path.write_text(content)
        list(client.tables())
    assert sent(server) == ["one", "one", "one", "two"]


@pytest.mark.parametrize(("content", "reason"), [(None, "No such file"), (b"", "it is empty"), (b" \n", "it is empty")])
def test_a_file_that_never_had_a_token_is_an_error_that_names_it(tmp_path: Path, content: bytes | None, reason: str):
    path = tmp_path / "token"
    if content is not None:
        path.write_bytes(content)
    server = Server()
    with pytest.raises(ClientError, match=f"no token in the file {path}: {reason}") as caught:
        list(server.client(TokenFile(str(path))).tables())
    assert caught.value.code == "token_unreadable"
    assert server.requests == []


@pytest.mark.parametrize("content", [b"lm_secret\r\nX: y", "lm_sécret".encode(), b"lm_secret\0", b"\xff\xfelm_secret"])
def test_a_file_with_something_else_is_an_error_and_not_shown(tmp_path: Path, content: bytes):
    path = tmp_path / "token"
    path.write_bytes(content)
    with pytest.raises(ClientError) as caught:
        list(Server().client(TokenFile(path)).tables())
    assert caught.value.code == "token_malformed"
    assert "cret" not in str(caught.value)
