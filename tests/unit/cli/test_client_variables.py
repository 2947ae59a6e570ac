"""LAKEMUSTER_URI and LAKEMUSTER_TOKEN set the server and the bearer token of commands that can use a server."""

from __future__ import annotations

import pytest

from lakemuster.cli import remote
from tests.unit.cli.commands import Shelf, run

LAKE, OTHER = "http://lake", "http://other"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """The URI and the token of each server that a command opened."""
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


def test_a_token_file_wins_over_the_variable_and_excludes_the_other_options(asked, monkeypatch, tmp_path):
    monkeypatch.setenv("LAKEMUSTER_TOKEN", "secret")
    place = tmp_path / "token"
    place.write_text("of the file\n")
    assert run("--token-file", str(place), "tables", "--uri", LAKE).status == 0
    ((_, token),) = asked
    assert token() == "of the file"
    for words in (("--token", "given"), ("--token-env", "LAKEMUSTER_TOKEN")):
        done = run("tables", "--uri", LAKE, "--token-file", str(place), *words)
        assert (done.status, done.out) == (2, "")
        assert f"{words[0]} / --token-file: give one of them" in " ".join(done.err.split())


def test_a_token_file_that_is_missing_is_one_line(tmp_path):
    done = run("tables", "--uri", LAKE, "--token-file", str(tmp_path / "none"))
    assert (done.status, done.out) == (1, "")
    assert done.err == f"lakemuster: no token in the file {tmp_path / 'none'}: No such file or directory\n"


@pytest.mark.parametrize(("variable", "words"), [("lm_sécret", ()), ("", ("--token", "lm_secret\n"))])
def test_a_token_that_no_header_can_have_is_wrong_usage_and_not_shown(monkeypatch, variable, words):
    monkeypatch.setenv("LAKEMUSTER_TOKEN", variable)
    ran = run("tables", "--uri", LAKE, *words)
    assert ran.status == 2
    assert "LAKEMUSTER_TOKEN" in ran.err
    assert "ASCII" in ran.err
    assert "cret" not in ran.err


@pytest.mark.parametrize(("uri", "words"), [(None, ()), ("", ()), (LAKE, ("--uri", ""))])
def test_without_an_address_the_local_index_answers(asked, use, monkeypatch, uri, words):
    use(Shelf(tables=[]))
    monkeypatch.setenv("LAKEMUSTER_TOKEN", "secret")
    if uri is not None:
        monkeypatch.setenv("LAKEMUSTER_URI", uri)
    assert run("tables", *words).status == 0
    assert asked == []


LOCAL = [
    ("discover", "/lake"),
    ("index", "t"),
    ("sync", "prod"),
    ("sweep",),
    ("orphans", "/lake"),
    ("verify", "t"),
    ("catalogs",),
    ("jobs",),
]


@pytest.mark.parametrize("words", LOCAL)
def test_a_command_on_the_index_here_refuses_a_server(use, words):
    use(Shelf())
    for given in ((*words, "--uri", LAKE), ("--uri", LAKE, *words)):
        done = run(*given)
        assert (done.status, done.out) == (2, "")
        assert f"{words[0]} works on the index of this folder only, not on a server" in " ".join(done.err.split())
    assert "--uri" not in run(words[0], "--help").out


def test_a_command_on_the_index_here_warns_of_the_variable(use, monkeypatch):
    use(Shelf())
    monkeypatch.setenv("LAKEMUSTER_URI", LAKE)
    done = run("sweep", "--json")
    assert (done.status, done.out[0]) == (0, "{")
    assert done.err == "lakemuster: sweep works on the index of this folder only, not on the server of LAKEMUSTER_URI\n"
    assert run("--uri", "", "sweep").err == ""
    monkeypatch.setenv("LAKEMUSTER_URI", " ")
    assert run("sweep").err == ""


def test_help_names_both_variables_and_no_value(monkeypatch):
    monkeypatch.setenv("LAKEMUSTER_URI", LAKE)
    monkeypatch.setenv("LAKEMUSTER_TOKEN", "secret")
    said = run("tables", "--help").out
    assert "LAKEMUSTER_URI" in said
    assert "LAKEMUSTER_TOKEN" in said
    assert "secret" not in said


def test_a_proxy_that_cannot_be_used_is_one_line(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "ftp://me:secret@proxy")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    ran = run("tables", "--uri", "http://lake.test")
    assert (ran.status, ran.err) == (
        1,
        "lakemuster: the environment's proxy is no address: ftp://…@proxy; http://host:3128 is one\n",
    )


def test_events_of_no_server_are_not_followed():
    ran = run("events", "--follow", "--uri", "http://127.0.0.1:1")
    assert ran.status == 1
    assert ran.err.startswith("lakemuster: no response from http://127.0.0.1:1: ")
