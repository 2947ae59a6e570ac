"""What tests of the whole service share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.service.faulty_storage import FaultyStorage


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyStorage]:
    """Local storage that tests plant faults in; whole again at the end."""
    faulty = FaultyStorage(monkeypatch)
    yield faulty
    faulty.heal()
