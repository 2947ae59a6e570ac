"""What a client of a server can meet.

ClientError              the server refused, or failed; ``code`` is its public code
├── NotFoundError        404: no such table, snapshot, ref or manifest
├── ServerUnreachable    no answer at all, after the retries
└── AnswerIncomplete     an answer that breaks off, or does not close as it should
"""

from __future__ import annotations

from collections.abc import Mapping


class ClientError(Exception):
    """A request that did not give what was asked.

    Attributes:
        code: the server's public error code (``table_not_found``); one of the classes below has its own.
        status: the HTTP status, None when there was no answer.
        message: one sentence for people.
        context: what the server added to the error.
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
        # Raised on Spark's executors: an exception must survive pickling.
        return (_rebuild, (type(self), self.message, self.code, self.status, dict(self.context)))


def _rebuild(
    kind: type[ClientError], message: str, code: str, status: int | None, context: dict[str, object]
) -> ClientError:
    return kind(message, code=code, status=status, context=context)


class NotFoundError(ClientError):
    """The server knows nothing of that name, or does not show it to this token."""


class ServerUnreachable(ClientError):
    """No server answered at the address."""


class AnswerIncomplete(ClientError):
    """The answer broke off, or its count does not agree with its rows."""
