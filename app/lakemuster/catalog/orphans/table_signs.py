"""Find tables in a listing by the names of their metadata files, registered or not."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lakemuster.formats.registry import table_formats
from lakemuster.storage.backend import StorageEntry
from lakemuster.storage.spelling import comparable

_OTHERS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
"""Folders of formats that are not known here: their tables' files would all seem to be orphans."""
_OTHER = re.compile(r"(?:(.*)/)?(_delta_log|\.hoodie)/.*", re.DOTALL)


class TableSigns:
    """The tables that a listing shows.

    Args:
        root: the comparable form of the location.
    """

    def __init__(self, root: str) -> None:
        self._root = root.rstrip("/")
        self._inventories = [(port.title, port.inventory) for port in table_formats() if port.inventory is not None]
        self._found: dict[str, tuple[str, str]] = {}
        self._others: dict[str, str] = {}

    def look_at(self, entries: Sequence[StorageEntry]) -> None:
        """Note the tables that some objects show."""
        for entry in entries:
            path = f"/{entry.name}"
            for title, inventory in self._inventories:
                table = inventory.table_of(path)
                if table is not None:
                    self._found.setdefault(path.rpartition("/")[0], (table, title))
            if "_delta_log/" in path or ".hoodie/" in path:
                other = _OTHER.fullmatch(entry.name)
                if other is not None:
                    self._others.setdefault(other[1] or "", _OTHERS[other[2]])

    def unknown(self, metadata_folders: Collection[str]) -> list[tuple[str, str]]:
        """Return the tables whose metadata no registered table has: their folders, and what they look like.

        Args:
            metadata_folders: the comparable forms of the folders with registered tables' metadata.
        """
        found = {
            f"{self._root}{table}": f"it looks like {_a(title)} table that is not registered"
            for folder, (table, title) in self._found.items()
            if comparable(f"{self._root}{folder}" or "/") not in metadata_folders
        }
        found |= {
            f"{self._root}/{table}".rstrip("/"): f"it looks like {_a(title)} table, whose files cannot be told"
            for table, title in self._others.items()
        }
        return sorted(found.items())


def _a(title: str) -> str:
    return f"{'an' if title[0] in 'AEIOU' else 'a'} {title}"
