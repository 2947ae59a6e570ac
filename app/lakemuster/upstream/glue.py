"""AWS Glue as an Iceberg catalog: a table's pointer is the parameter ``metadata_location`` of its record.

PyIceberg's catalog creates the client; this module reads the records with the client directly.
Source: Iceberg's ``GlueTableOperations``, PyIceberg's ``GlueCatalog``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    HTTPClientError,
    ReadTimeoutError,
)
from botocore.exceptions import ConnectionError as BotoConnectionError
from botocore.parsers import ResponseParserError
from botocore.session import Session
from pyiceberg.catalog.glue import GlueCatalog as PyIcebergGlueCatalog

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import CatalogError, NamespaceNotFound
from lakemuster.failure_reasons import reason_of
from lakemuster.metadata.names import Levels
from lakemuster.upstream.deadlines import DeadlineExceeded, Deadlines
from lakemuster.upstream.iceberg_records import is_iceberg, location_in
from lakemuster.upstream.protocol import ANSWER_SECONDS, CONNECT_SECONDS, T, Upstream

ATTEMPTS = 3
WHOLE_SECONDS = 30.0
"""Timeout of a request, including its retries."""
_RETRIES = "glue.max-retries"


class GlueCatalog(Upstream):
    """One attached Glue catalog: its databases are namespaces of one level."""

    def __init__(self, name: str, settings: CatalogSettings, clock: Clock = SYSTEM) -> None:
        super().__init__(name, settings, clock)
        self._deadlines = Deadlines(clock=clock)
        self._lock = threading.Lock()
        self._client: Any = None

    def pointer(self, levels: Levels) -> str:
        """See :meth:`Upstream.pointer`."""
        if len(levels) != 2:
            raise self._no_table(levels)
        database, name = levels
        try:
            answer = self._call(lambda glue: glue.get_table(DatabaseName=database, Name=name))
        except NamespaceNotFound as error:
            raise self._no_table(levels) from error
        if "Table" not in answer:
            raise self._failed("it answers with no table")
        found = answer["Table"]
        parameters = found.get("Parameters", {})
        # Glue's lookup ignores case. A link to another database has that database's tables, with its name.
        of = str(found.get("DatabaseName", database))
        is_other = found.get("Name") != name or (of != database and of.lower() == database.lower())
        if is_other or not is_iceberg(parameters):
            raise self._no_table(levels)
        location = location_in(parameters)
        if location is None:
            raise self._failed("the table's record has no metadata_location")
        return location

    def every_table(self) -> Iterator[Levels]:
        """See :meth:`Upstream.every_table`."""
        for database in self._listed("get_databases", "DatabaseList", {}):
            namespace = self._name(database)
            # A database that is dropped meanwhile has no tables.
            with suppress(NamespaceNotFound):
                for found in self._listed("get_tables", "TableList", {"DatabaseName": namespace}):
                    if is_iceberg(found.get("Parameters", {})):
                        yield namespace, self._name(found)

    def _name(self, record: Mapping[str, Any]) -> str:
        name = record.get("Name")
        if not isinstance(name, str) or not name:
            raise self._failed("a list has a record without a name")
        return name

    def _listed(self, operation: str, name: str, asked: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        def page(token: str) -> tuple[list[Mapping[str, Any]], str]:
            at = {"NextToken": token} if token else {}
            answer = self._call(lambda glue: getattr(glue, operation)(**asked, **at))
            if name not in answer:
                raise self._failed("it answers with no list")
            following = answer.get("NextToken", "")
            if not isinstance(following, str):
                raise self._failed("a list does not follow the protocol")
            return answer[name], following

        return self._pages(page)

    def _call(self, ask: Callable[[Any], T]) -> T:
        return self._request(lambda: self._deadlines.run(lambda: ask(self._opened()), WHOLE_SECONDS))

    def _opened(self) -> Any:
        with self._lock:
            if self._client is None:
                properties: dict[str, Any] = dict(self.settings.properties)
                session = Session()
                session.set_default_client_config(Config(connect_timeout=CONNECT_SECONDS, read_timeout=ANSWER_SECONDS))
                properties[_RETRIES] = int(properties.get(_RETRIES, ATTEMPTS))
                self._client = PyIcebergGlueCatalog(self.name, **{**properties, "botocore_session": session}).glue
            return self._client

    def _failure_of(self, cause: Exception) -> CatalogError | None:
        if isinstance(cause, DeadlineExceeded | ConnectTimeoutError | ReadTimeoutError):
            return self._timed_out()
        if isinstance(cause, BotoConnectionError | HTTPClientError):
            return self._unavailable(reason_of(cause))
        if isinstance(cause, ClientError):
            code = str(cause.response.get("Error", {}).get("Code", ""))
            if code == "EntityNotFoundException":
                return NamespaceNotFound(f"the catalog {self.name} has no such database or table", catalog=self.name)
            return self._failed(f"it answers with the error {code if code.isidentifier() else 'unknown'}")
        # botocore's parser raises a ValueError for a response that is not text, and the others for wrong types in it.
        if isinstance(cause, BotoCoreError | ResponseParserError | ValueError | AttributeError | TypeError):
            return self._failed(type(cause).__name__)
        return None
