"""A set of 64-bit keys in sorted files on disk: ten million take 80 MB of disk, and almost no memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lakemuster.storage.spelling import Keys

RUN_KEYS = 4_000_000


class KnownFiles:
    """A set of keys.

    Args:
        folder: where the set stores its files.

    Attributes:
        count: number of keys that were added, duplicates included.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: list[Keys] = []
        self._waiting_keys = 0
        self._runs: list[Keys] = []
        self.count = 0

    def add(self, keys: Keys) -> None:
        """Add keys."""
        self.count += len(keys)
        self._waiting.append(keys)
        self._waiting_keys += len(keys)
        if self._waiting_keys >= RUN_KEYS:
            self._write_run()

    def hold(self, keys: Keys) -> NDArray[np.bool_]:
        """Return an (N,) mask of the keys that the set contains."""
        if self._waiting:
            self._write_run()
        found = np.zeros(len(keys), np.bool_)
        for run in self._runs:
            if len(run):
                places = np.minimum(np.searchsorted(run, keys), len(run) - 1)
                found |= run[places] == keys
        return found

    def _write_run(self) -> None:
        path = self._folder / f"keys-{len(self._runs)}.npy"
        np.save(path, np.unique(np.concatenate(self._waiting)))
        self._waiting, self._waiting_keys = [], 0
        run: Keys = np.load(path, mmap_mode="r")
        self._runs.append(run)
