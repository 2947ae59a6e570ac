"""All attached catalogs, opened from the settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import ConfigInvalid, TableNotFound
from lakemuster.extras import pip_install
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.storage.prefix_credentials import CredentialsProvider
from lakemuster.storage.store import ObjectStore
from lakemuster.upstream.locations import split_catalog_location
from lakemuster.upstream.protocol import Upstream
from lakemuster.upstream.rest import RestCatalog


class Upstreams:
    """The attached catalogs by name. A catalog gets no request before it is needed.

    Args:
        store: the server's object storage, in which warehouses without a service are listed.

    Attributes:
        has_rest: whether there are Iceberg REST catalogs.

    Raises:
        ConfigInvalid: the settings of a catalog are wrong, or a library that it needs is not installed.
    """

    def __init__(
        self, catalogs: Mapping[str, CatalogSettings], clock: Clock = SYSTEM, store: ObjectStore | None = None
    ) -> None:
        store = ObjectStore((), {}) if store is None else store
        self._catalogs = {name: open_upstream(name, settings, store, clock) for name, settings in catalogs.items()}
        self.has_rest = any(isinstance(catalog, RestCatalog) for catalog in self._catalogs.values())

    def __contains__(self, name: object) -> bool:
        return name in self._catalogs

    def __iter__(self) -> Iterator[Upstream]:
        return iter(self._catalogs.values())

    def get(self, name: str) -> Upstream | None:
        """Return the catalog of a name, or None."""
        return self._catalogs.get(name)

    def rest(self, name: str) -> RestCatalog | None:
        """Return the Iceberg REST catalog of a name, to which requests about its tables are forwarded, or None."""
        found = self._catalogs.get(name)
        return found if isinstance(found, RestCatalog) else None

    def of_table(self, name: str) -> Upstream | None:
        """Return the attached catalog of a table, which is the first level of the table's name, or None."""
        return self._catalogs.get(parse_name(name)[0]) if self._catalogs else None

    def pointer(self, location: str) -> tuple[str, int | None]:
        """Return the location of a table's current metadata, and its newest snapshot's id if the catalog reports it.

        Args:
            location: the location of a table in a catalog, see ``locations``.

        Raises:
            TableNotFound: the catalog is no longer attached, or has no such table.
            UpstreamFailed: the catalog does not respond, or violates its protocol.
        """
        found = split_catalog_location(location)
        assert found is not None
        name, levels = found
        catalog = self._catalogs.get(name)
        if catalog is None:
            raise _detached(name, levels)
        return catalog.pointer(levels), catalog.newest_snapshot(levels)

    def credentials_provider(self, location: str) -> CredentialsProvider | None:
        """Return the provider of vended credentials for a table's files; None: use the operator's credentials."""
        found = split_catalog_location(location)
        catalog = None if found is None else self.rest(found[0])
        if found is None or catalog is None or catalog.vended is None:
            return None
        return partial(catalog.vended.credentials, found[1])

    def close(self) -> None:
        """Close all connections."""
        for catalog in self._catalogs.values():
            catalog.close()


def open_upstream(name: str, settings: CatalogSettings, store: ObjectStore, clock: Clock = SYSTEM) -> Upstream:
    """Create the catalog that settings describe, without a request to it.

    Raises:
        ConfigInvalid: the settings are wrong, or a library that the catalog needs is not installed.
    """
    metastore = settings.properties.get("metastore", "filesystem")
    try:
        # Lazy imports: the libraries of a type are an extra, and take up to a second to import.
        if settings.type == "hive":
            from lakemuster.upstream.hive import HiveCatalog  # noqa: PLC0415

            return HiveCatalog(name, settings, clock)
        if settings.type == "glue":
            from lakemuster.upstream.glue import GlueCatalog  # noqa: PLC0415

            return GlueCatalog(name, settings, clock)
        if settings.type == "sql":
            from lakemuster.upstream.sql import SqlCatalog  # noqa: PLC0415

            return SqlCatalog(name, settings, clock)
        if settings.type == "paimon" and metastore == "hive":
            from lakemuster.upstream.hive import PaimonHiveCatalog  # noqa: PLC0415

            return PaimonHiveCatalog(name, settings, clock)
    except ImportError as cause:
        raise ConfigInvalid(
            f"the catalog {name} of type {settings.type} needs the extra catalogs ({cause.name} is not installed): "
            f"{pip_install('catalogs')}"
        ) from cause
    if settings.type == "paimon" and metastore == "rest":
        from lakemuster.upstream.paimon_rest import PaimonRestCatalog  # noqa: PLC0415

        return PaimonRestCatalog(name, settings, clock)
    if settings.type == "paimon":
        from lakemuster.upstream.paimon_folders import PaimonFolders  # noqa: PLC0415

        return PaimonFolders(name, settings, store, clock)
    return RestCatalog(name, settings, clock)


def _detached(name: str, levels: Levels) -> TableNotFound:
    return TableNotFound(f"the catalog {name} is not attached", table=format_name((name, *levels)))
