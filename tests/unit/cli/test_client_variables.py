"""LAKEMUSTER_URI and LAKEMUSTER_TOKEN name the server and the bearer token of commands that can ask one."""

from __future__ import annotations

import pytest

from lakemuster.cli import remote
from tests.unit.cli.commands import Shelf, run

LAKE, OTHER = "http://lake", "http://other"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """The address and the token of each server that a command opened."""
    opened: list[tuple[str, str | None]] = []

    def server(uri: str, token: str | None) -> Shelf:
        opened.append((uri, token))
        return Shelf(tables=[])

    monkeypatch.setattr(remote, "RemoteSource", server)
    return opened


@pytest.mark.parametrize(
    ("variables", "words", "expected"),
    [
        ({"URI": LAKE}, (), (LAKE, None)),
        ({"URI": LAKE, "TOKEN": " secret\n"}, (), (LAKE, "secret")),
        ({"URI": LAKE, "TOKEN": ""}, (), (LAKE, None)),
        ({"TOKEN": "secret"}, ("--uri", OTHER), (OTHER, "secret")),
        ({"URI": LAKE}, ("--token", "given"), (LAKE, "given")),
        ({"URI": LAKE, "TOKEN": "secret"}, ("--uri", OTHER, "--token", "given"), (OTHER, "given")),
        ({"URI": LAKE, "TOKEN": "secret", "OTHER": "named"}, ("--token-env", "LAKEMUSTER_OTHER"), (LAKE, "named")),
    ],
)
def test_options_win_over_the_variables(asked, monkeypatch, variables, words, expected):
    for name, value in variables.items():
        monkeypatch.setenv(f"LAKEMUSTER_{name}", value)
    assert run("tables", *words).status == 0
    assert asked == [expected]


@pytest.mark.parametrize(("uri", "words"), [(None, ()), ("", ()), (LAKE, ("--uri", ""))])
def test_without_an_address_the_local_index_answers(asked, use, monkeypatch, uri, words):
    use(Shelf(tables=[]))
    monkeypatch.setenv("LAKEMUSTER_TOKEN", "secret")
    if uri is not None:
        monkeypatch.setenv("LAKEMUSTER_URI", uri)
    assert run("tables", *words).status == 0
    assert asked == []


def test_help_names_both_variables_and_no_value(monkeypatch):
    monkeypatch.setenv("LAKEMUSTER_URI", LAKE)
    monkeypatch.setenv("LAKEMUSTER_TOKEN", "secret")
    said = run("tables", "--help").out
    assert "LAKEMUSTER_URI" in said
    assert "LAKEMUSTER_TOKEN" in said
    assert "secret" not in said
