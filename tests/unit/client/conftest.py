"""Fixtures of the client's tests."""

from __future__ import annotations

import pytest


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the client would have slept."""
    slept: list[float] = []
    monkeypatch.setattr("lakemuster.client.transport.time.sleep", slept.append)
    return slept
