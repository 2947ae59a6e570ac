"""Log lines: JSON or text, each with the id of the request that it belongs to.

``request_id`` is a context variable: it follows a request into its tasks and threads, and into the work that they start
for it. Work that several requests share has the id of the request that started it.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

import orjson

from lakemuster import tracing
from lakemuster.config import LogFormat, LogLevel
from lakemuster.failure_reasons import reason_of

REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request that this code runs for."""

_MAX_VALUE = 2_000


class Fields(dict[str, object]):
    """A log message that consists of fields; its text is JSON."""

    def __str__(self) -> str:
        return _json(self)


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object in one line: ``time``, ``level``, ``logger``, ``request_id``, the message.

    The message is ``message``, or the fields of a :class:`Fields`.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without a line break."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if (request_id := REQUEST_ID.get()) is not None:
            line["request_id"] = request_id
        if (trace_id := tracing.trace_id()) is not None:
            line["trace_id"] = trace_id
        if isinstance(record.msg, Fields):
            line.update(record.msg)
        else:
            line["message"] = record.getMessage()
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _json(line)


class TextLines(logging.Formatter):
    """Formats a record as text for people: time, level, logger, message, request id.

    Fields are written as ``name=value``.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the text; it has more lines than one if the message has, and those after the first are indented."""
        fields = record.msg if isinstance(record.msg, Fields) else None
        words = "\n  ".join(map(_visible, record.getMessage().split("\n"))) if fields is None else _pairs(fields)
        belonging = {"request_id": REQUEST_ID.get(), "trace_id": tracing.trace_id()}
        added = {name: value for name, value in belonging.items() if value is not None and name not in (fields or ())}
        line = " ".join(
            filter(None, [self.formatTime(record), record.levelname, f"{record.name}:", words, _pairs(added)])
        )
        return line if not record.exc_info else f"{line}\n{self.formatException(record.exc_info)}"


class WithoutDetail(logging.Filter):
    """Reduces a library's record to its first line and the exception's reason: the rest may hold URLs and secrets."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Reduce the record; return True, so that the handler emits it."""
        raised = record.exc_info[1] if record.exc_info else None
        first = record.getMessage().partition("\n")[0]
        record.msg, record.args = first if raised is None else f"{first}: {reason_of(raised)}", ()
        record.exc_info = record.exc_text = None
        return True


def log_config(form: LogFormat | None, level: LogLevel) -> dict[str, Any]:
    """Return the configuration of a server's loggers, for ``logging.config.dictConfig``.

    Args:
        form: None: text if stderr is a terminal, else JSON. The audit log is JSON in any case.
        level: the minimum level of our own lines; the HTTP server's is at least ``warning``. The audit log has none.
    """
    chosen = form or ("text" if sys.stderr.isatty() else "json")
    own, server = level.upper(), level.upper() if level in {"error", "critical"} else "WARNING"
    stream = {"class": "logging.StreamHandler", "stream": "ext://sys.stderr"}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"()": TextLines if chosen == "text" else JsonLines},
            "message": {"format": "%(message)s"},
        },
        "filters": {"without_detail": {"()": WithoutDetail}},
        "handlers": {
            "stderr": {**stream, "formatter": "line"},
            "loop": {**stream, "formatter": "line", "filters": ["without_detail"]},
            "audit": {**stream, "formatter": "message"},
        },
        "loggers": {
            "lakemuster": {"handlers": ["stderr"], "level": own, "propagate": False},
            "lakemuster.audit": {"handlers": ["audit"], "level": "INFO", "propagate": False},
            "uvicorn": {"handlers": ["stderr"], "level": server, "propagate": False},
            "asyncio": {"handlers": ["loop"], "level": "ERROR", "propagate": False},
            "opentelemetry": {"handlers": ["stderr"], "level": server, "propagate": False},
        },
    }


def _json(value: object) -> str:
    """Return a value as JSON; names of files that are not UTF-8 hold surrogates, which only ``json`` escapes."""
    try:
        return orjson.dumps(value, default=str).decode()
    except TypeError:
        return json.dumps(value, default=str)


def _pairs(fields: Mapping[str, object]) -> str:
    return " ".join(f"{name}={_value(value)}" for name, value in fields.items())


def _value(value: object) -> str:
    text = str(value)[:_MAX_VALUE]
    is_plain = text.isascii() and text.isprintable() and " " not in text
    return text if is_plain else _visible(_json(text))


def _visible(text: str) -> str:
    """Return a text with its unprintable characters escaped: names in a lake must neither move nor hide lines."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
