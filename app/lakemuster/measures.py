"""Measures: values that components record and exporters such as Prometheus subscribe to.

A component owns its measures and knows nothing of metrics; without listeners, recording is a loop over nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

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
        """Tell the listeners a value."""
        for listener in self._listeners:
            listener(value, *labels)
