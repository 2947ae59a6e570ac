"""A Paimon warehouse without a service: a folder ``DATABASE.db`` for each database, with a folder for each table.

Source: Paimon's ``FileSystemCatalog``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError, LimitExceeded, LocationRefused, StorageError, StorageUnavailable
from lakemuster.metadata.names import Levels
from lakemuster.metadata.snapshot import Format
from lakemuster.storage.objects import ObjectInfo
from lakemuster.storage.store import ObjectStore
from lakemuster.upstream.protocol import Upstream

LOG = logging.getLogger("lakemuster.upstream")
_DATABASE = ".db"
_SCHEMA = "schema"
MAX_FOLDERS = 1_000_000


class PaimonFolders(Upstream):
    """One attached warehouse. Its tables are the folders with a schema; names that no location may have are left out.

    Args:
        store: the server's object storage; the settings' ``roots`` replace its own.
    """

    format: ClassVar[Format] = "paimon"

    def __init__(self, name: str, settings: CatalogSettings, store: ObjectStore, clock: Clock = SYSTEM) -> None:
        super().__init__(name, settings, clock)
        self._warehouse = settings.properties["warehouse"].rstrip("/")
        self._store = store.of_table(name, settings.roots, settings.roots) if settings.roots else store

    def pointer(self, levels: Levels) -> str:
        """See :meth:`Upstream.pointer`."""
        if len(levels) != 2 or any(_is_no_folder(level) for level in levels):
            raise self._no_table(levels)
        root = f"{self._warehouse}/{levels[0]}{_DATABASE}/{levels[1]}"
        if not _has_schema(self._request(lambda: self._schemas(root))):
            self._require(self._request(lambda: self._store.list(self._warehouse)))
            raise self._no_table(levels)
        return root

    def every_table(self) -> Iterator[Levels]:
        """See :meth:`Upstream.every_table`."""
        found = self._request(lambda: list(self._store.walk(self._warehouse, self._below, max_folders=MAX_FOLDERS)))
        for folder, children in found:
            levels = self._levels(folder)
            if isinstance(children, LocationRefused) and levels:
                LOG.warning("the catalog %s: left out: %s", self.name, children)
                continue
            if isinstance(children, CatalogError):
                raise self._failure_of(children) or children
            if not levels:
                self._require(children)
            if len(levels) == 3 and _has_schema(children):
                yield levels[0].removesuffix(_DATABASE), levels[1]

    def _schemas(self, root: str) -> Sequence[ObjectInfo]:
        """Return the files of a folder's schemas; none if no location may have its name."""
        try:
            return self._store.list(f"{root}/{_SCHEMA}")
        except LocationRefused:
            return ()

    def _require(self, children: Sequence[ObjectInfo]) -> None:
        """Raise an error if the warehouse is empty: it may be absent, such as a folder that is not mounted."""
        if not children:
            raise self._failed("there is nothing in its warehouse")

    def _below(self, folder: str, children: Sequence[ObjectInfo]) -> Iterable[ObjectInfo]:
        depth = len(self._levels(folder))
        if depth == 0:
            return [child for child in children if child.name.endswith(_DATABASE) and child.name != _DATABASE]
        if depth > 1:
            return []
        folders = (child for child in children if child.is_folder)
        return [ObjectInfo(f"{child.location}/{_SCHEMA}", _SCHEMA, 0, True, 0) for child in folders]

    def _levels(self, folder: str) -> tuple[str, ...]:
        below = folder.removeprefix(self._warehouse).strip("/")
        return tuple(below.split("/")) if below else ()

    def _failure_of(self, cause: Exception) -> CatalogError | None:
        if isinstance(cause, StorageUnavailable):
            return self._unavailable(str(cause))
        if isinstance(cause, StorageError | LocationRefused | LimitExceeded):
            return self._failed(str(cause))
        return None


def _has_schema(children: Sequence[ObjectInfo]) -> bool:
    return any(child.name.startswith("schema-") and not child.is_folder for child in children)


def _is_no_folder(name: str) -> bool:
    return not name or "/" in name or name in {".", ".."}
