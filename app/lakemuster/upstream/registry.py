"""All attached catalogs, opened from the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import TableNotFound
from lakemuster.metadata.names import format_name
from lakemuster.upstream.locations import split_catalog_location
from lakemuster.upstream.rest import RestCatalog


class Upstreams:
    """The attached catalogs by name. Nothing is asked before it is needed."""

    def __init__(self, catalogs: Mapping[str, CatalogSettings], clock: Clock = SYSTEM) -> None:
        self._catalogs = {name: RestCatalog(name, settings, clock) for name, settings in catalogs.items()}

    def __contains__(self, name: object) -> bool:
        return name in self._catalogs

    def __iter__(self) -> Iterator[RestCatalog]:
        return iter(self._catalogs.values())

    def get(self, name: str) -> RestCatalog | None:
        """The catalog of a name."""
        return self._catalogs.get(name)

    def of_location(self, location: str) -> RestCatalog | None:
        """The catalog that has the pointer of a table; None: the pointer is in object storage, or it is detached."""
        found = split_catalog_location(location)
        return None if found is None else self._catalogs.get(found[0])

    def pointer(self, location: str) -> str:
        """The location of the current metadata of a table, given its location in a catalog.

        Raises:
            TableNotFound: the catalog is no longer attached, or has no such table.
            UpstreamFailed: the catalog does not answer, or not as its protocol says.
        """
        found = split_catalog_location(location)
        assert found is not None
        name, levels = found
        catalog = self._catalogs.get(name)
        if catalog is None:
            raise TableNotFound(f"the catalog {name} is not attached", table=format_name((name, *levels)))
        return catalog.pointer(levels)

    def close(self) -> None:
        """Close all connections."""
        for catalog in self._catalogs.values():
            catalog.close()
