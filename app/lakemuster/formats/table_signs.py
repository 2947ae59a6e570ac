"""Find tables in a listing by the names of their metadata files, registered or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from lakemuster.formats.registry import table_formats

_OTHERS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
"""Folders of formats that are not supported: all files of their tables would seem to be orphans."""
_OTHER = re.compile(r"(.*)/(_delta_log|\.hoodie)/.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sign:
    """A folder of metadata, and the root of its table; both with a leading slash, or empty for the top.

    Attributes:
        title: the table's format.
        is_known: the format is one whose tables can be registered.
    """

    folder: str
    table: str
    title: str
    is_known: bool = True


class TableSigns:
    """Collects the tables that a listing shows."""

    def __init__(self) -> None:
        self._inventories = [(port.title, port.inventory) for port in table_formats() if port.inventory is not None]
        self._found: dict[str, Sign] = {}

    def look_at(self, names: Iterable[str]) -> list[Sign]:
        """Add the tables that objects belong to, given by their paths below the listed folder; return new ones."""
        new: list[Sign] = []
        for name in names:
            path = f"/{name}"
            for title, inventory in self._inventories:
                table = inventory.table_of(path)
                if table is not None:
                    self._note(Sign(path.rpartition("/")[0], table, title), new)
            if "/_delta_log/" in path or "/.hoodie/" in path:
                other = _OTHER.fullmatch(path)
                if other is not None:
                    table, folder = other[1], other[2]
                    self._note(Sign(f"{table}/{folder}", table, _OTHERS[folder], is_known=False), new)
        return new

    def _note(self, sign: Sign, new: list[Sign]) -> None:
        if sign.folder not in self._found:
            self._found[sign.folder] = sign
            new.append(sign)

    @property
    def found(self) -> Collection[Sign]:
        """All tables found so far."""
        return self._found.values()


def unregistered(
    signs: Iterable[Sign], metadata_folders: Collection[str], form: Callable[[str], str]
) -> list[tuple[str, str]]:
    """Return (table, reason) for the tables whose metadata no registered table has.

    Args:
        metadata_folders: the comparable forms of the folders with registered tables' metadata.
        form: returns the comparable form of a sign's folder.
    """
    found = {}
    for sign in signs:
        if not sign.is_known:
            found[sign.table] = f"it looks like {_a(sign.title)} table, whose files cannot be told"
        elif form(sign.folder) not in metadata_folders:
            found[sign.table] = f"it looks like {_a(sign.title)} table that is not registered"
    return sorted(found.items())


def _a(title: str) -> str:
    return f"{'an' if title[0] in 'AEIOU' else 'a'} {title}"
