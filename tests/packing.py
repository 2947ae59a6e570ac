"""Deterministic ends of runs of small manifests, independent of the names of their segments."""

from __future__ import annotations

import pytest

from lakemuster.index import packed


def pack_every(monkeypatch: pytest.MonkeyPatch, manifests: int, *, small: int) -> None:
    """End a run after every ``manifests`` manifests.

    Otherwise runs depend on the hash of segment names, which contain the test's folder.

    Args:
        small: the maximum number of entries of a manifest that is packed.
    """
    seen: dict[str, int] = {}

    def ends_run(segment: str, rows: int, size: int) -> bool:
        return seen.setdefault(segment, len(seen)) % manifests == manifests - 1

    monkeypatch.setattr(packed, "ends_run", ends_run)
    monkeypatch.setattr(packed, "SMALL", small)
