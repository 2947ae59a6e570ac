"""Progress is shown only on a terminal, and only for long work."""

from __future__ import annotations

import io
import time

import pytest

from lakemuster.cli import terminal
from lakemuster.cli.progress import counting, progress_before_each, progress_until_first, working
from tests.polling import until


class Terminal(io.StringIO):
    """A text file whose ``isatty`` returns True."""

    def isatty(self) -> bool:
        return True


def terminal_as_stderr(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Replace stderr by a terminal and return it; no fixture, because pytest sets stderr after fixtures."""
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    return screen


def test_long_work_shows_how_far_it_is(monkeypatch):
    screen = terminal_as_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0)
    with working("shop.[red]orders\x1b[31m") as advance:
        advance(3, 7)
        deadline = time.monotonic() + 10
        while "3/7" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "3/7" in screen.getvalue()
    assert "shop.[red]orders\\x1b[31m" in screen.getvalue()


def test_short_work_shows_nothing(monkeypatch):
    screen = terminal_as_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 60)
    with working("shop.orders") as advance:
        advance(1, 1)
    assert screen.getvalue() == ""


def test_a_terminal_without_a_cursor_sees_no_progress(monkeypatch):
    screen = terminal_as_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0)
    monkeypatch.setenv("TERM", "dumb")
    with working("shop.orders") as advance:
        advance(1, 2)
        time.sleep(0.05)
    assert screen.getvalue() == ""


def test_a_pipe_sees_no_progress(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    with working("shop.orders") as advance:
        advance(1, 2)
    assert pipe.getvalue() == ""


def test_work_that_fails_takes_its_progress_away(monkeypatch):
    terminal_as_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0)
    with pytest.raises(KeyError), working("shop.orders"):
        raise KeyError
    with working("again"):
        pass


def test_many_things_are_counted_and_lines_stand_above_the_bar(monkeypatch, capsys):
    screen = terminal_as_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0)
    with counting("tables", 120) as count:
        for number in range(37):
            count.step()
            count.say(f"table {number}")
        count.fail("shop.orders: no answer")
        deadline = time.monotonic() + 10
        while "37/120" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "37/120" in screen.getvalue()
    assert "lakemuster: shop.orders: no answer" in screen.getvalue()
    assert capsys.readouterr().out.splitlines() == [f"table {number}" for number in range(37)]


def test_manifests_of_many_tables_have_a_bar_of_their_own(monkeypatch):
    screen = terminal_as_stderr(monkeypatch)
    monkeypatch.setattr(terminal, "PATIENCE_SECONDS", 0)
    with counting("tables", 120) as count:
        until(lambda: "0/120" in screen.getvalue())
        assert "manifests" not in screen.getvalue()
        count.step()
        count.advance_manifests(345, 6_789)
        until(lambda: "345/6789" in screen.getvalue())
    assert "1/120" in screen.getvalue()
    assert "manifests" in screen.getvalue()


def test_a_pipe_sees_no_count(monkeypatch, capsys):
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    with counting("tables", 2) as count:
        count.step()
        count.say("first")
        count.fail("second")
    assert (capsys.readouterr().out, pipe.getvalue()) == ("first\n", "lakemuster: second\n")


@pytest.mark.parametrize("waiting", [progress_until_first, progress_before_each])
@pytest.mark.parametrize("rows", [[], [{"a": 1}], [{"a": 1}, {"a": 2}]])
def test_rows_pass_through_as_they_are(waiting, rows):
    assert list(waiting(rows, "t")) == rows


@pytest.mark.parametrize("waiting", [progress_until_first, progress_before_each])
def test_rows_are_taken_one_at_a_time(waiting):
    taken = []
    rows = waiting(({"a": taken.append(n)} for n in range(3)), "t")
    next(rows)
    assert len(taken) == 1
