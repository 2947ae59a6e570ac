"""Shared options work before and after the command; a command without such an option refuses it."""

from __future__ import annotations

import json

import pytest

from lakemuster.cli import opening
from lakemuster.cli.option_groups import Server
from tests.unit.cli.commands import Shelf, run

TABLE = {"name": "shop.orders", "format": "iceberg", "location": "s3://lake/orders"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """The URI and the token of each server that a command opened."""
    found: list[tuple[str, str | None]] = []

    def remote(uri: str, token: str | None) -> Shelf:
        found.append((uri, token))
        return Shelf(tables=[TABLE], files=[])

    monkeypatch.setattr(opening, "_remote", remote)
    monkeypatch.delenv("LAKEMUSTER_TOKEN", raising=False)
    return found


@pytest.mark.parametrize(
    "words",
    [
        ("--uri", "http://a", "--token", "t", "--json", "tables"),
        ("--json", "tables", "--uri", "http://a", "--token", "t"),
        ("--uri", "http://b", "--token", "t", "tables", "--json", "--uri", "http://a"),
        ("tables", "--uri", "http://a", "--token", "t", "--json"),
    ],
)
def test_shared_options_act_anywhere_and_the_later_one_wins(asked, words):
    done = run(*words)
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == [TABLE]
    assert asked == [("http://a", "t")]


@pytest.mark.parametrize(("uri", "server"), [((), "http://env"), (("--uri", "http://a"), "http://a")])
def test_an_option_before_the_command_wins_over_the_variable(asked, monkeypatch, uri, server):
    monkeypatch.setenv("LAKEMUSTER_URI", "http://env")
    assert run(*uri, "tables").status == 0
    assert asked == [(server, None)]


def test_an_empty_address_before_the_command_means_the_index_here(asked, use, monkeypatch):
    monkeypatch.setenv("LAKEMUSTER_URI", "http://env")
    use(Shelf(tables=[TABLE]))
    assert run("--uri", "", "tables").status == 0
    assert asked == []


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (("--uri", "http://a", "migrate"), "--uri"),
        (("--json", "remove", "shop.orders"), "--json"),
        (("--token", "t", "migrate"), "--token"),
    ],
)
def test_a_command_without_the_option_refuses_it(words, flag):
    done = run(*words)
    assert done.status == 2
    assert "has no such option" in done.err
    assert flag in done.err


@pytest.mark.parametrize("words", [("--help",), ("tables", "--help"), ("plan", "--help")])
def test_help_shows_the_shared_options(words):
    shown = run(*words).out
    assert all(option in shown for option in ("--json", "--uri", "--token", "--token-env", "LAKEMUSTER_URI"))


def test_a_server_is_chosen_by_option_before_variable(monkeypatch):
    monkeypatch.setenv("LAKEMUSTER_URI", " http://env ")
    assert [Server(uri).address for uri in (None, "", "http://a")] == ["http://env", None, "http://a"]
