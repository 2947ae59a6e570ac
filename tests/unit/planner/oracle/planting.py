"""Registries of named bugs, one per oracle, and how to plant them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Patch = pytest.MonkeyPatch
Bug = Callable[[Patch], None]


class Planted(dict[str, tuple[Bug, str | None]]):
    """Bugs by name: a function that plants the bug, and the theme of the tables to search; None for any."""

    def named(self, name: str, theme: str | None = None) -> Callable[[Bug], None]:
        """Return a decorator that registers a bug."""

        def kept(bug: Bug) -> None:
            self[name] = bug, theme

        return kept


def instead(patch: Patch, owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace a function by ``make`` of it."""
    patch.setattr(owner, name, make(getattr(owner, name)))
