"""Spans: the port to which layers report operations and their durations.

Nothing is recorded until :func:`install` is given a tracer; until then a span costs a comparison and two calls that
do nothing. Attributes name tables, routes, kinds and numbers, never a filter, a query string or a caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

AttributeValue = str | int | float | bool
Attributes = Mapping[str, AttributeValue]


class Span(Protocol):
    """One operation, from its begin to its end."""

    def set(self, **attributes: AttributeValue) -> None:
        """Set attributes that are known only now."""

    def rename(self, name: str) -> None:
        """Replace the name."""

    def fail(self, kind: str) -> None:
        """Mark the operation as failed; ``kind`` is an error's code or class, never its text."""

    def end(self) -> None:
        """End a span that :func:`begin` returned."""


class Tracer(Protocol):
    """A recorder of spans."""

    def span(self, name: str, attributes: Attributes) -> AbstractContextManager[Span]:
        """Record a span during a block: the parent of spans that begin in it. An exception marks it as failed."""

    def request(self, name: str, headers: Mapping[str, str]) -> AbstractContextManager[Span]:
        """Like :meth:`span`, for a request to this server: ``traceparent`` in ``headers`` names its parent."""

    def begin(self, name: str, attributes: Attributes) -> Span:
        """Begin a span that is a child of the current one and the parent of none; the caller ends it."""

    def trace_id(self) -> str | None:
        """Return the id of the current trace in hexadecimal; None if there is none."""


class _NoSpan:
    """Records nothing."""

    __slots__ = ()

    def set(self, **attributes: AttributeValue) -> None:
        pass

    def rename(self, name: str) -> None:
        pass

    def fail(self, kind: str) -> None:
        pass

    def end(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


_NO_SPAN = _NoSpan()
_installed: Tracer | None = None


def install(tracer: Tracer | None) -> None:
    """Record the spans of this process with ``tracer``; None: record nothing."""
    global _installed  # noqa: PLW0603 - one tracer for each process
    _installed = tracer


def is_recording() -> bool:
    """Return whether a tracer is installed."""
    return _installed is not None


def span(name: str, **attributes: AttributeValue) -> AbstractContextManager[Span]:
    """See :meth:`Tracer.span`."""
    return _NO_SPAN if _installed is None else _installed.span(name, attributes)


def request(name: str, headers: Mapping[str, str]) -> AbstractContextManager[Span]:
    """See :meth:`Tracer.request`."""
    return _NO_SPAN if _installed is None else _installed.request(name, headers)


def begin(name: str, **attributes: AttributeValue) -> Span:
    """See :meth:`Tracer.begin`."""
    return _NO_SPAN if _installed is None else _installed.begin(name, attributes)


def trace_id() -> str | None:
    """See :meth:`Tracer.trace_id`."""
    return None if _installed is None else _installed.trace_id()
