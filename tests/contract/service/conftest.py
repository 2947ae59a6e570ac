"""Fixtures for tests of the whole service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.service.faulty_storage import FaultyStorage


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyStorage]:
    """Local storage with planted faults, which are removed afterwards."""
    faulty = FaultyStorage(monkeypatch)
    yield faulty
    faulty.heal()
