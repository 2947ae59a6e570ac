"""Measures: values that components record and exporters such as Prometheus subscribe to.

A component owns its measures and is independent of metrics; without listeners, recording does nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from lakemuster.errors import CatalogError

OK = "ok"
"""The outcome of an operation that did not fail; a failed one has its error's code."""
INTERNAL = "internal"
"""The outcome of an operation that failed with an unexpected exception."""

Listener: TypeAlias = Callable[..., None]
"""Called with a value and the values of the measure's labels, in any thread; it must be fast and must not raise."""


class Measure:
    """A stream of values, each with the same labels.

    Args:
        labels: their names. Their values come from a small set: kinds, outcomes, route templates.
    """

    __slots__ = ("_listeners", "labels")

    def __init__(self, *labels: str) -> None:
        self.labels = labels
        self._listeners: tuple[Listener, ...] = ()

    def listen(self, listener: Listener) -> None:
        """Call ``listener`` for each value from now on."""
        self._listeners += (listener,)

    def record(self, value: float, *labels: str) -> None:
        """Pass a value to the listeners."""
        for listener in self._listeners:
            listener(value, *labels)

    @contextmanager
    def timed(self, *labels: str, since: float | None = None) -> Iterator[None]:
        """Record the seconds that the block takes, with ``labels`` and its outcome as the last label.

        Args:
            since: when the operation began, by ``time.perf_counter``; None: when the block does.
        """
        began, outcome = time.perf_counter() if since is None else since, OK
        try:
            yield
        except CatalogError as error:
            outcome = error.code
            raise
        except BaseException:
            outcome = INTERNAL
            raise
        finally:
            self.record(time.perf_counter() - began, *labels, outcome)
