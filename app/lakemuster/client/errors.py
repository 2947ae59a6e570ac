"""The exceptions of the client.

ClientError              the server refused or failed; ``code`` is its public code
├── NotFoundError        404: no such table, snapshot, ref or manifest
├── ServerUnreachable    no response, after the retries
└── AnswerIncomplete     a response that breaks off, or whose end is missing or inconsistent
"""

from __future__ import annotations

from collections.abc import Mapping


class ClientError(Exception):
    """A failed request.

    Attributes:
        code: the server's public error code (``table_not_found``); one of the classes below has its own.
        status: the HTTP status; None without a response.
        message: one sentence for people.
        context: further members of the server's error.
    """

    def __init__(
        self, message: str, *, code: str, status: int | None = None, context: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.context: Mapping[str, object] = context or {}

    def __reduce__(self) -> tuple[object, ...]:
        # Spark's executors raise it, so it must survive pickling.
        return (_rebuild, (type(self), self.message, self.code, self.status, dict(self.context)))


def _rebuild(
    kind: type[ClientError], message: str, code: str, status: int | None, context: dict[str, object]
) -> ClientError:
    return kind(message, code=code, status=status, context=context)


class NotFoundError(ClientError):
    """The server has no such name, or hides it from this token."""


class ServerUnreachable(ClientError):
    """No server responds at the address."""


class AnswerIncomplete(ClientError):
    """The response was cut off, or its count differs from its rows."""
