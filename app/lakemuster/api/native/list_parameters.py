"""Query parameters of lists that are filtered and sorted."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from lakemuster.api.native.dependencies import PageParameters, SnapshotParameters
from lakemuster.catalog.fleet_health import fleet_choice
from lakemuster.catalog.table_lists import TableChoice
from lakemuster.metadata.names import format_name, parse_name
from lakemuster.wire.native.tables import FormatName


class TablesParameters(PageParameters):
    """Parameters of the list of tables."""

    namespace: str | None = Field(
        None,
        max_length=1000,
        description="List only the tables of this namespace, not those of namespaces below it. Empty: tables whose "
        "name has one level.",
    )
    search: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="List only tables whose dotted name contains this text. ASCII letters match in either case.",
    )
    format: FormatName | None = Field(None, description="List only tables of this format.")
    catalog: str | None = Field(
        None, min_length=1, max_length=200, description="List only the tables of this attached catalog."
    )
    stale: bool | None = Field(
        None, description="`true`: list only tables whose newest state could not be read. `false`: only the others."
    )
    health: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="List only tables whose health is one of these, separated by commas: `ok`, `unknown`, `warning`, "
        "`critical`.",
    )
    component: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="List only tables that have this component of health; `health` is then about it, as is sorting by "
        "`health`.",
    )
    sort: str | None = Field(
        None,
        max_length=100,
        description="Sort by `name`, `total_records`, `data_files`, `total_bytes`, `delete_files`, `snapshots`, "
        "`last_committed_at` or `health`; a minus before it means descending. Equal ones follow by name, unknown ones "
        "come last. Absent: `name`.",
    )

    def choice(self) -> TableChoice:
        """Return the choice of tables to list.

        Raises:
            RequestInvalid: the namespace is not a dotted name, or there is no such status or component.
        """
        namespace = self.namespace and format_name(parse_name(self.namespace))
        choice = TableChoice(namespace, self.search, self.format, self.catalog, self.stale)
        return fleet_choice(choice, self.health, self.component)


class SnapshotsParameters(SnapshotParameters):
    """Parameters of the list of snapshots."""

    sort: str | None = Field(
        None,
        max_length=100,
        description="Sort by `committed_at`, `snapshot_id`, `sequence_number`, `schema_id`, `operation` or `state`; a "
        "minus before it means descending. Absent: `-committed_at`, newest first.",
    )


class NamespacesParameters(PageParameters):
    """Parameters of the list of namespaces."""

    search: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="List only namespaces whose dotted name contains this text. Letters match in either case.",
    )
    sort: str | None = Field(
        None,
        max_length=100,
        description="Sort by `name`, `tables`, `unknown_tables`, `total_records`, `data_files`, `total_bytes`, "
        "`delete_files`, `snapshots` or `last_committed_at`; a minus before it means descending. Absent: `name`.",
    )


SnapshotsQuery = Annotated[SnapshotsParameters, Query()]
NamespacesQuery = Annotated[NamespacesParameters, Query()]
TablesQuery = Annotated[TablesParameters, Query()]
