"""The texts of a plan's residuals, cached up to a limit.

A filter may be a MiB long, and a plan may have a different residual of it in each partition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from lakemuster.predicates import Bound

MAX_CHARACTERS = 4 * 2**20
"""Limit of the cached texts of one plan; others are written each time."""

Text = TypeVar("Text", bound=str | None)


class ResidualTexts(Generic[Text]):
    """Writes the residuals of one plan.

    Args:
        write: returns the text of a residual.
    """

    def __init__(self, write: Callable[[Bound], Text]) -> None:
        self._write = write
        self._texts: dict[Bound, tuple[Text]] = {}
        self._lengths: dict[Bound, int] = {}
        self._characters = 0

    def of(self, residual: Bound) -> Text:
        """Return a residual's text."""
        cached = self._texts.get(residual)
        if cached is not None:
            return cached[0]
        text = self._write(residual)
        length = self._lengths[residual] = 0 if text is None else len(text)
        if self._characters + length <= MAX_CHARACTERS:
            self._characters += length
            self._texts[residual] = (text,)
        return text

    def length_of(self, residual: Bound) -> int:
        """Return the number of characters of a residual's text; 0 if it has none."""
        length = self._lengths.get(residual)
        if length is None:
            self.of(residual)
            length = self._lengths[residual]
        return length
