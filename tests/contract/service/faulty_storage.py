"""Local storage with faults of buckets, planted by path prefix at the interface of the local backend."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from lakemuster.errors import ObjectMissing, StorageDenied, StorageUnavailable
from lakemuster.storage.failures import check_size
from lakemuster.storage.local import LocalFiles

Fault = Callable[[str], None]


def unavailable(path: str) -> None:
    """Fail at once as unavailable storage does."""
    raise StorageUnavailable(f"{path}: storage does not answer (planted)")


def denied(path: str) -> None:
    """Fail as storage that denies access does."""
    raise StorageDenied(f"{path}: access denied (planted)")


def missing(path: str) -> None:
    """Fail as storage without the object does."""
    raise ObjectMissing(f"{path}: no such object (planted)")


def cut_off(path: str) -> None:
    """Fail as a read that returns half of an object does."""
    check_size(500, 1000, 1 << 20, path)


class Hang:
    """A fault that blocks until it is released."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.met = threading.Event()

    def __call__(self, path: str) -> None:
        self.met.set()
        assert self.go.wait(120)


class FaultyStorage:
    """Plants faults and records the requested paths."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faults: dict[str, Fault] = {}
        self.asked: list[tuple[str, str]] = []
        self._lock = threading.Lock()
        for method in ("read", "admit", "stat", "children"):
            monkeypatch.setattr(LocalFiles, method, self._wrapped(method, getattr(LocalFiles, method)))

    def lists(self, prefix: str) -> int:
        """Return the number of listings of folders below a prefix."""
        return sum(kind == "children" and path.startswith(prefix) for kind, path in self.asked)

    def reads(self, part: str) -> int:
        """Return the number of attempted reads of objects whose path contains ``part``."""
        return sum(kind in ("read", "admit") and part in path for kind, path in self.asked)

    def heal(self) -> None:
        """Remove all faults, and release blocked operations."""
        faults, self.faults = list(self.faults.values()), {}
        for fault in faults:
            if isinstance(fault, Hang):
                fault.go.set()

    def _wrapped(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(files: LocalFiles, asked: Any) -> Any:
            location = asked.location if kind in ("read", "admit") else asked
            path = f"/{location.key}"
            with self._lock:
                self.asked.append((kind, path))
            fault = next((fault for prefix, fault in self.faults.items() if path.startswith(prefix)), None)
            if fault is not None:
                fault(path)
            return real(files, asked)

        return call
