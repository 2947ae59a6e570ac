"""How bugs are planted, by name: each oracle has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Patch = pytest.MonkeyPatch
Bug = Callable[[Patch], None]


class Planted(dict[str, tuple[Bug, str | None]]):
    """By name: what plants a bug, and the theme of tables that it is looked for in; None for any."""

    def named(self, name: str, theme: str | None = None) -> Callable[[Bug], None]:
        """Keep a bug."""

        def kept(bug: Bug) -> None:
            self[name] = bug, theme

        return kept


def instead(patch: Patch, owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put something in a function's place that may call it."""
    patch.setattr(owner, name, make(getattr(owner, name)))
