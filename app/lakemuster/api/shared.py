"""The objects that all routes share, and the lists of tables that a caller may see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.opening import Identity
from lakemuster.api.metrics import Metrics
from lakemuster.catalog import TableRecord
from lakemuster.catalog.services import Services
from lakemuster.catalog.table_lists import table_names, table_namespaces
from lakemuster.catalog.token_signing import TokenSigner
from lakemuster.metadata.names import namespace_of, parse_name
from lakemuster.metadata.snapshot import Format


@dataclass(frozen=True)
class Api:
    """The objects that all routes share."""

    services: Services
    identity: Identity
    metrics: Metrics

    def tables(self, caller: Caller, namespace: str | None = None) -> list[TableRecord]:
        """Return the registered tables that a caller may see, or those of them that are directly in a namespace."""
        sees = self.identity.policy.sees
        return [table for table in self.services.tables(namespace) if sees(caller, parse_name(table.name))]

    def table_names(self, caller: Caller, format: Format, namespace: str | None = None) -> list[str]:
        """Return the names of a format's tables that a caller may see, of all or of one namespace, in no order."""
        names = table_names(self.services, format, namespace)
        seen = {above for above in set(map(namespace_of, names)) if self._sees_in(caller, above)}
        return [name for name in names if namespace_of(name) in seen]

    def namespaces(self, caller: Caller, format: Format, without: str | None = None) -> list[str]:
        """Return the namespaces with tables of a format that a caller may see, in no order.

        Args:
            without: a character; tables whose last level has it do not count.
        """
        return [one for one in table_namespaces(self.services, format, without) if self._sees_in(caller, one)]

    def _sees_in(self, caller: Caller, namespace: str) -> bool:
        """Return whether a caller sees the tables of a namespace: what holds for one of them holds for all."""
        return self.identity.policy.sees(caller, (*(parse_name(namespace) if namespace else ()), "table"))

    @cached_property
    def token_signer(self) -> TokenSigner:
        """The signer of page and plan tokens, read from the database once."""
        return self.services.token_signer()
