"""The files that tables refer to, as sorted keys of 64 bits on disk: ten million of them take 80 MB."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.errors import ReferencesUnknown
from lakemuster.storage.spelling import Keys, keys_of, named

RUN_KEYS = 4_000_000
FOLDERS_OF = frozenset({"metadata", "schema"})
"""The kinds of files whose folders show a table."""


class KnownFiles:
    """A set of references.

    Args:
        folder: for its own files.
        form: returns the comparable form of a location; raises ValueError for relative ones.

    Attributes:
        metadata_folders: the comparable forms of the folders with tables' metadata.
        count: how many references were added, each as often as it was.
    """

    def __init__(self, folder: Path, form: Callable[[str], str]) -> None:
        self._folder, self._form = folder, form
        self._waiting: list[Keys] = []
        self._runs: list[Keys] = []
        self._roots: set[str] = set()
        self._roots_of: dict[str, tuple[str, ...]] = {}
        self.metadata_folders: set[str] = set()
        self.count = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Add references in the shape of ``REFERENCES``.

        Raises:
            ReferencesUnknown: one is a relative location.
        """
        is_exact = pc.is_null(batch.column("name"))
        exact = batch.filter(is_exact)
        try:
            forms = [self._form(location) for location in exact.column("location").to_pylist() if location]
        except ValueError as cause:
            raise ReferencesUnknown("a table names files by relative locations, which need a rewrite") from cause
        kinds = exact.column("kind")
        if any(kind in FOLDERS_OF for kind in pc.unique(kinds).to_pylist()):
            of = zip(kinds.to_pylist(), forms, strict=True)
            self.metadata_folders |= {form.rpartition("/")[0] for kind, form in of if kind in FOLDERS_OF}
        self.add_forms(forms)
        by_name = batch.filter(pc.invert(is_exact))
        for folder in pc.unique(by_name.column("location")).to_pylist():
            own = by_name.filter(pc.equal(by_name.column("location"), folder)).column("name").to_pylist()
            root = self._form(folder)
            self._roots.add(root)
            self._add(keys_of(map(partial(named, root), own)))

    def add_forms(self, forms: Sequence[str]) -> None:
        """Add files by their comparable forms."""
        self._add(keys_of(forms))

    def _add(self, keys: Keys) -> None:
        self.count += len(keys)
        self._waiting.append(keys)
        if sum(map(len, self._waiting)) >= RUN_KEYS:
            self._write_run()

    def _write_run(self) -> None:
        path = self._folder / f"keys-{len(self._runs)}.npy"
        np.save(path, np.unique(np.concatenate(self._waiting)))
        self._waiting = []
        self._runs.append(np.load(path, mmap_mode="r"))

    def hold(self, forms: Sequence[str], names: Sequence[str]) -> NDArray[np.bool_]:
        """Mark the files that are referenced.

        Args:
            forms: their comparable forms.
            names: their own names, as they are.
        """
        if self._waiting:
            self._write_run()
        found = self._contain(keys_of(forms))
        if not self._roots:
            return found
        rows, texts = [], []
        for row in np.flatnonzero(~found).tolist():
            for root in self._roots_above(forms[row]):
                rows.append(row)
                texts.append(named(root, names[row]))
        if texts:
            found[np.array(rows)[self._contain(keys_of(texts))]] = True
        return found

    def _contain(self, keys: Keys) -> NDArray[np.bool_]:
        found = np.zeros(len(keys), np.bool_)
        for run in self._runs:
            if len(run):
                places = np.minimum(np.searchsorted(run, keys), len(run) - 1)
                found |= run[places] == keys
        return found

    def _roots_above(self, form: str) -> tuple[str, ...]:
        folder = form.rpartition("/")[0]
        if (found := self._roots_of.get(folder)) is None:
            if len(self._roots_of) > 100_000:
                self._roots_of.clear()
            found = self._roots_of[folder] = tuple(above for above in _folders(folder) if above in self._roots)
        return found


def _folders(folder: str) -> Iterator[str]:
    """Yield a folder and those above it."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
