"""Local folders that misbehave as buckets do: a fault by prefix of the path, at the seam of the local backend."""

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
    """Storage that does not answer, and says so at once."""
    raise StorageUnavailable(f"{path}: storage does not answer (planted)")


def denied(path: str) -> None:
    """Storage that refuses."""
    raise StorageDenied(f"{path}: access denied (planted)")


def missing(path: str) -> None:
    """Storage that says there is nothing."""
    raise ObjectMissing(f"{path}: no such object (planted)")


def cut_off(path: str) -> None:
    """Storage that gives half of an object, as if it were all."""
    check_size(500, 1000, 1 << 20, path)


class Hang:
    """Storage that says nothing until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.met = threading.Event()

    def __call__(self, path: str) -> None:
        self.met.set()
        assert self.go.wait(120)


class FaultyStorage:
    """Plants faults, and counts what was asked by path."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faults: dict[str, Fault] = {}
        self.asked: list[tuple[str, str]] = []
        self._lock = threading.Lock()
        for method in ("read", "admit", "stat", "children"):
            monkeypatch.setattr(LocalFiles, method, self._wrapped(method, getattr(LocalFiles, method)))

    def lists(self, prefix: str) -> int:
        """Folders that were listed below a prefix."""
        return sum(kind == "children" and path.startswith(prefix) for kind, path in self.asked)

    def reads(self, part: str) -> int:
        """Objects that were read, or were to be, with this part in their paths."""
        return sum(kind in ("read", "admit") and part in path for kind, path in self.asked)

    def heal(self) -> None:
        """Forget all faults; what hangs goes on."""
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
