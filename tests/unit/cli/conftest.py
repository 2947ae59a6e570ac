"""Fixtures of the command line's tests."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import pytest
from typer.main import get_command

from tests.unit.cli.commands import Shelf


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Shelf], Shelf]:
    """A function that replaces the local index by a shelf."""

    def put(shelf: Shelf) -> Shelf:
        monkeypatch.setattr("lakemuster.cli.opening.local_rows", lambda *_: None)
        for module in ("opening", "changing"):
            monkeypatch.setattr(f"lakemuster.cli.{module}.local_source", lambda **_: shelf)
        return shelf

    return put


@pytest.fixture(scope="package", autouse=True)
def _commands_are_built_once() -> Iterator[None]:
    """Build the tree of commands once: typer's runner builds it for each command, which takes longer than most run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", functools.cache(get_command))
        yield
