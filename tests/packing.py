"""Make runs of small manifests end where a test can foresee it, whatever the names of their segments are."""

from __future__ import annotations

import pytest

from lakemuster.index import packed


def pack_every(monkeypatch: pytest.MonkeyPatch, manifests: int, *, small: int) -> None:
    """End a run after each ``manifests`` manifests seen; ``small``: most entries of a manifest that is packed.

    The names of segments hold the folder of the test, and by their hash a list may have no run at all.
    """
    seen: dict[str, int] = {}

    def ends_run(segment: str, rows: int, size: int) -> bool:
        return seen.setdefault(segment, len(seen)) % manifests == manifests - 1

    monkeypatch.setattr(packed, "ends_run", ends_run)
    monkeypatch.setattr(packed, "SMALL", small)
