"""Each log line is one JSON object or readable text, and contains its request's id."""

from __future__ import annotations

import json
import logging
import logging.config
import sys
from collections.abc import Iterator

import pytest

from lakemuster import tracing
from lakemuster.config import LogFormat, LogLevel
from lakemuster.log_lines import REQUEST_ID, Fields, JsonLines, TextLines, WithoutDetail, log_config


def record(message: object, *args: object, error: bool = False) -> logging.LogRecord:
    raised = ValueError("odd") if error else None
    found = None if raised is None else (type(raised), raised, raised.__traceback__)
    return logging.LogRecord("lakemuster.x", logging.WARNING, __file__, 1, message, args, found)


@pytest.fixture
def in_request() -> Iterator[None]:
    token = REQUEST_ID.set("r-1")
    yield
    REQUEST_ID.reset(token)


@pytest.mark.usefixtures("in_request")
@pytest.mark.parametrize("message", ["two\nlines", "ein Wörtchen", '"quoted" \x00 \x1b[31m', "not UTF-8: \udcff"])
def test_a_json_line_is_one_line_that_holds_its_message_and_its_request(message: str) -> None:
    line = JsonLines().format(record("%s!", message))
    assert "\n" not in line
    found = json.loads(line)
    assert found["message"] == message + "!"
    assert (found["level"], found["logger"], found["request_id"]) == ("warning", "lakemuster.x", "r-1")
    assert found["time"].endswith("+00:00")


def test_a_line_outside_of_a_request_has_no_id() -> None:
    assert "request_id" not in json.loads(JsonLines().format(record("started")))
    assert "request_id" not in TextLines().format(record("started"))


def test_fields_are_members_of_a_json_line_and_pairs_of_a_text_line() -> None:
    fields = Fields(status=200, path="/a b", request_id="own")
    found = json.loads(JsonLines().format(record(fields)))
    assert (found["status"], found["path"], found["request_id"]) == (200, "/a b", "own")
    assert "message" not in found
    assert TextLines().format(record(fields)).endswith('lakemuster.x: status=200 path="/a b" request_id=own')
    assert json.loads(record(fields).getMessage()) == fields


@pytest.mark.usefixtures("in_request")
def test_a_text_line_ends_with_the_request_and_control_characters_of_fields_are_escaped() -> None:
    assert TextLines().format(record("words")).endswith("WARNING lakemuster.x: words request_id=r-1")
    assert "\x1b" not in TextLines().format(record(Fields(path="\x1b[31m")))


def test_a_text_line_is_not_forged_by_names_in_its_message() -> None:
    name = "a\x1b[31m\x9b2J\r\u202eb\u2028\n2026-01-01 ERROR lakemuster: forged"
    first, second = TextLines().format(record("table %s is wrong", name)).split("\n")
    assert first.endswith(r"table a\x1b[31m\x9b2J\r\u202eb\u2028")
    assert second == "  2026-01-01 ERROR lakemuster: forged is wrong"
    assert TextLines().format(record(Fields(path="\x9b\u202e é"))).endswith(r'path="\x9b\u202e é"')


def test_an_exception_stays_within_its_json_line() -> None:
    line = JsonLines().format(record("failed", error=True))
    assert "\n" not in line
    assert "ValueError: odd" in json.loads(line)["exception"]
    assert "ValueError: odd" in TextLines().format(record("failed", error=True))


@pytest.mark.parametrize(("form", "terminal", "kind"), [
    (None, True, TextLines), (None, False, JsonLines), ("json", True, JsonLines), ("text", False, TextLines),
])  # fmt: skip
def test_lines_are_text_on_a_terminal_unless_the_setting_says_otherwise(
    form: LogFormat | None, terminal: bool, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    assert log_config(form, "info")["formatters"]["line"] == {"()": kind}


@pytest.mark.parametrize(
    ("level", "own", "server"),
    [("debug", "DEBUG", "WARNING"), ("info", "INFO", "WARNING"), ("error", "ERROR", "ERROR")],
)
def test_the_level_holds_for_our_lines_and_never_for_the_audit_log(level: LogLevel, own: str, server: str) -> None:
    loggers = log_config("json", level)["loggers"]
    assert (loggers["lakemuster"]["level"], loggers["uvicorn"]["level"]) == (own, server)
    assert loggers["lakemuster.audit"]["level"] == "INFO"


def test_a_record_of_the_event_loop_has_no_detail() -> None:
    odd = record("Task exception was never retrieved\nfuture: <Task exception=hunter2>", error=True)
    assert WithoutDetail().filter(odd)
    found = json.loads(JsonLines().format(odd))
    assert found["message"] == "Task exception was never retrieved: ValueError"
    assert "exception" not in found
    logger = log_config("json", "info")["loggers"]["asyncio"]
    assert log_config("json", "info")["handlers"][logger["handlers"][0]]["filters"] == ["without_detail"]


def test_a_line_names_the_trace_of_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "trace_id", lambda: "4bf92f3577b34da6a3ce929d0e0e4736")
    assert json.loads(JsonLines().format(record("x")))["trace_id"] == "4bf92f3577b34da6a3ce929d0e0e4736"


def test_a_field_that_is_not_utf_8_is_escaped() -> None:
    fields = Fields(path="/\udcff é")
    assert json.loads(JsonLines().format(record(fields)))["path"] == "/\udcff é"
    assert json.loads(str(fields))["path"] == "/\udcff é"
    assert "\\udcff" in TextLines().format(record(fields))
