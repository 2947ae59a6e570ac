"""Match listed files with references to files through 64-bit keys.

A reference is a location, or a file name with a folder, which means every file of that name below the folder. So a file
has one key for its location, and one for each such folder above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.storage.spelling import Keys, keys_of, named

ANYWHERE = ""
"""The folder of references by name that match a file anywhere."""
FOLDERS_OF = frozenset({"metadata", "schema"})
"""The kinds of files whose folders indicate a table."""
_MOST_FOLDERS = 100_000


class ReferenceKeys:
    """Turns references into keys.

    Args:
        form: returns the comparable form of a location; raises ValueError for relative ones.

    Attributes:
        roots: the comparable forms of the folders of references by name.
        metadata_folders: the comparable forms of the folders that hold tables' metadata.
    """

    def __init__(self, form: Callable[[str], str]) -> None:
        self._form = form
        self.roots: set[str] = set()
        self.metadata_folders: set[str] = set()

    def keys(self, batch: pa.RecordBatch) -> Keys:
        """Return the keys of references in columns ``kind, location, name``.

        Raises:
            ValueError: one is a relative location.
        """
        is_exact = pc.is_null(batch.column("name"))
        exact, by_name = batch.filter(is_exact), batch.filter(pc.invert(is_exact))
        forms = [self._form(location) for location in exact.column("location").to_pylist()]
        kinds = exact.column("kind")
        if not FOLDERS_OF.isdisjoint(pc.unique(kinds).to_pylist()):
            of = zip(kinds.to_pylist(), forms, strict=True)
            self.metadata_folders |= {form.rpartition("/")[0] for kind, form in of if kind in FOLDERS_OF}
        found = [keys_of(forms)]
        for folder in pc.unique(by_name.column("location")).to_pylist():
            own = by_name.filter(pc.equal(by_name.column("location"), folder)).column("name").to_pylist()
            root = ANYWHERE if folder == ANYWHERE else self._form(folder)
            self.roots.add(root)
            found.append(keys_of(map(partial(named, root), own)))
        return np.concatenate(found)


class FileKeys:
    """Turns listed files into keys.

    Args:
        root: the location that was listed, without symbolic links.
        form: see :class:`ReferenceKeys`.
        roots: see :class:`ReferenceKeys`.
    """

    def __init__(self, root: str, form: Callable[[str], str], roots: set[str]) -> None:
        self._root, self._form, self._roots = root.rstrip("/"), form, roots
        self._of_folder: dict[str, tuple[str, ...]] = {}

    def keys(self, paths: Sequence[str]) -> tuple[Keys, list[int]]:
        """Return the keys of files, and the position of each key's file.

        The checksum file that Hadoop writes beside a local file has the keys of that file.

        Args:
            paths: the files' paths below the listed location.
        """
        texts: list[str] = []
        rows: list[int] = []
        for row, path in enumerate(map(_covered, paths)):
            form = self._form(f"{self._root}/{path}")
            texts.append(form)
            rows.append(row)
            if self._roots:
                name = path.rpartition("/")[2]
                for root in self._roots_above(form.rpartition("/")[0]):
                    texts.append(named(root, name))
                    rows.append(row)
        return keys_of(texts), rows

    def _roots_above(self, folder: str) -> tuple[str, ...]:
        if (found := self._of_folder.get(folder)) is None:
            if len(self._of_folder) >= _MOST_FOLDERS:
                self._of_folder.clear()
            found = self._of_folder[folder] = tuple(above for above in _folders(folder) if above in self._roots)
        return found


def _folders(folder: str) -> Iterator[str]:
    """Yield a folder, those above it, and ``ANYWHERE``."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ANYWHERE


def _covered(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    if name.startswith(".") and name.endswith(".crc"):
        return f"{folder}{slash}{name[1:-4]}"
    return path
