"""The rights that each operation of ``openapi.yaml`` requires: a table written from the documentation alone.

A request without a valid token gets 401, unless its operation is open. A caller without the operation's role for any
table gets 403. A table, namespace, database or catalog of which a caller may see nothing is missing: 404. If the caller
may see the table but lacks the role for it, the response is 403.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

from lakemuster.api.identity.policy import Action
from lakemuster.metadata.names import Levels
from tests.contract.service.access_generator import Request
from tests.contract.service.access_lake import CONFINED, AccessLake
from tests.unit.api.identity.access_model import CATALOGS, RIGHTS, Model

Outcome = Literal["open", "unauthenticated", "denied", "hidden", "listed", "allowed"]
"""``hidden``: the response for a missing name; ``listed``: the rows that the caller may see; ``allowed``, ``open``: the
operator's response."""


def _named(words: str, prefix: str = "", suffix: str = "") -> set[str]:
    return {f"{prefix}{word}{suffix}" for word in words.split()}


def _iceberg(words: str) -> set[str]:
    """Return operations of the server's own Iceberg catalog, and the same ones of attached catalogs."""
    return _named(words, "iceberg_") | _named(words, "iceberg_", "_of_catalog")


OPEN = _named("healthz readyz show_session begin_session end_session iceberg_get_token")
TABLES: dict[Action, set[str]] = {
    "read": (
        _named(
            "plan plan_tasks explain statistics get_table list_snapshots get_snapshot list_refs list_schemas "
            "list_specs list_ready_partitions list_timeline show_expiry list_expired_files list_manifests "
            "list_entries list_files list_partitions list_indexes list_diff get_stats list_columns list_overlap "
            "get_bounds list_system_tables list_system_table get_health"
        )
        | _iceberg(
            "plan_table_scan fetch_planning_result cancel_planning fetch_scan_tasks load_table table_exists "
            "load_credentials report_metrics"
        )
        | _named(
            "get_table get_table_by_id get_table_token auth_table_query get_snapshot list_snapshots get_version "
            "list_branches list_tags get_tag list_consumers list_partitions list_partitions_by_filter "
            "list_partitions_by_names",
            "paimon_",
        )
    ),
    "refresh": {"refresh_table"},
    "remove": {"remove_table"},
}
"""Operations on one table, by the action whose role the caller needs."""
NAMESPACES = _iceberg("load_namespace namespace_exists list_views")
"""Operations on a namespace, which exists for callers that may see an Iceberg table in it or below it."""
DATABASES = _named("get_database list_views list_view_details list_functions list_function_details", "paimon_")
"""Operations on a database, which exists for callers that may see a Paimon table in it."""
LISTS = (
    _named("list_tables list_namespaces list_health list_events list_catalogs metrics")
    | _iceberg("list_namespaces list_tables")
    | _named("list_databases list_tables list_table_details list_all_tables", "paimon_")
)
"""Lists whose rows are filtered by what the caller may see; some of them are of one namespace or database."""
OF_ALL_TABLES = _named("list_webhooks list_dead_letters redeliver_dead_letters")
"""Operations for admins of all tables."""
OF_ANY_READER = (
    _iceberg("load_view view_exists")
    | _named(
        "create_namespace drop_namespace update_properties create_table register_table commit_table drop_table "
        "unregister_table sign_request rename_table commit_transaction create_view register_view replace_view "
        "drop_view rename_view",
        "iceberg_",
    )
    | _named(
        "create_database alter_database drop_database register_table create_table rename_table alter_table drop_table "
        "replace_table commit_table rollback_table rollback_schema create_partitions drop_partitions mark_partitions "
        "create_branch drop_branch rename_branch forward_branch create_tag drop_tag reset_consumer create_view "
        "rename_view alter_view drop_view create_function alter_function drop_function list_permissions "
        "grant_permission revoke_permission get_config list_all_views list_all_functions get_view get_function",
        "paimon_",
    )
)
"""Operations whose response does not depend on tables; most of them always fail. They need the role read."""
OTHERS = _named("add_table sync_catalog list_references iceberg_get_config")
"""Operations with special rules."""
ALL = (OPEN, *TABLES.values(), NAMESPACES, DATABASES, LISTS, OF_ALL_TABLES, OF_ANY_READER, OTHERS)
_FOR_ADMINS = OF_ALL_TABLES | _named("add_table list_references")
"""Operations that name no table and require the role admin for some table."""


class Rules:
    """The expected outcome of requests about the tables of a lake."""

    def __init__(self, lake: AccessLake) -> None:
        self._lake = lake

    def outcome(self, request: Request, model: Model | None) -> Outcome:
        """Return the outcome of a request by the caller of a model; None stands for a caller without a valid token."""
        operation, levels = request.operation, request.levels
        if operation in OPEN:
            return "open"
        if model is None:
            return "unauthenticated"
        if not _has_role(model, operation):
            return "denied"
        if operation in OF_ANY_READER:
            return "allowed"
        if operation in OF_ALL_TABLES:
            return "allowed" if _is_admin_of_all(model) else "denied"
        for action, operations in TABLES.items():
            if operation in operations:
                found = _for_table(model, action, levels)
                # Indexing snapshots for the response needs the role of a refresh.
                is_indexing = found == "allowed" and ("index", "true") in request.query
                return _for_table(model, "refresh", levels) if is_indexing else found
        match operation:
            case "add_table":
                return self._adding(request, model)
            case "sync_catalog":
                return self._listing(levels[0], model)
            case "list_references":
                return self._references(request, model)
            case "iceberg_get_config":
                is_catalog = ("warehouse", "{catalog}") in request.query and levels[0] in CATALOGS
                return "hidden" if is_catalog and not self.sees_catalog(model, levels[0]) else "allowed"
        return self._of_namespace(request, model)

    def sees_any(self, model: Model, namespace: Levels, format: str) -> bool:
        """Return whether a caller may see a table of a format in a namespace; for Iceberg, also below it."""
        return any(map(model.sees, self._tables_of(namespace, format)))

    def sees_catalog(self, model: Model, catalog: str) -> bool:
        """Return whether a caller has a role for a namespace of an attached catalog."""
        return catalog in CATALOGS and any(
            grant.namespaces is None or any(own == catalog for own, _ in grant.namespaces) for grant in model.grants
        )

    def _tables_of(self, namespace: Levels, format: str) -> list[Levels]:
        depth = len(namespace)
        return [
            table.levels
            for table in self._lake.tables
            if (table.format, table.levels[:depth]) == (format, namespace)
            and (len(table.levels) > depth if format == "iceberg" else len(table.levels) == depth + 1)
        ]

    def _of_namespace(self, request: Request, model: Model) -> Outcome:
        """Return the outcome of a request about a namespace or a database, or for a list."""
        found: Outcome = "listed" if request.operation in LISTS else "allowed"
        if "{catalog}" in request.path and not self.sees_catalog(model, request.levels[0]):
            return "hidden"
        if not request.names_namespace:
            return found
        namespace, api = request.levels[:-1], "paimon" if request.operation.startswith("paimon_") else "iceberg"
        if self.sees_any(model, namespace, api):
            return found
        return "hidden" if self._tables_of(namespace, api) else "allowed"

    def _listing(self, catalog: str, model: Model) -> Outcome:
        """Return the outcome of a sync, which needs the role index for the whole catalog."""
        if not self.sees_catalog(model, catalog):
            return "hidden" if catalog in CATALOGS else "allowed"
        has_all = any(
            "refresh" in RIGHTS[grant.role] and (grant.namespaces is None or (catalog, ()) in grant.namespaces)
            for grant in model.grants
        )
        return "allowed" if has_all else "denied"

    def _adding(self, request: Request, model: Model) -> Outcome:
        """Return the outcome of adding a table, which admins of its namespace may do.

        An admin of namespaces needs an entry of the tokens file for one of them, or for a namespace below one, and a
        location that the entry allows.
        """
        levels = request.levels
        held = [grant for grant in model.grants if grant.role == "admin" and grant.holds_for(levels)]
        if any(grant.namespaces is None for grant in held):
            return "allowed"
        entry = levels[0] if len(levels) > 1 and levels[0] in CONFINED else None
        has_entry = entry is not None and any(_includes(grant.namespaces, entry) for grant in held)
        return "allowed" if has_entry and _is_below(request.location, f"{self._lake.root}/{entry}") else "denied"

    def _references(self, request: Request, model: Model) -> Outcome:
        """Return the outcome of listing references, which needs the role admin for the location and its tables."""
        if _is_admin_of_all(model):
            return "allowed"
        places = [
            f"{self._lake.root}/{entry}"
            for entry in CONFINED
            if any(grant.role == "admin" and _includes(grant.namespaces, entry) for grant in model.grants)
        ]
        return "allowed" if any(_is_below(request.location, place) for place in places) else "denied"


def _for_table(model: Model, action: Action, levels: Levels) -> Outcome:
    found = model.outcome(action, levels)
    return "allowed" if found == "allowed" else "hidden" if found == "hidden" else "denied"


def _has_role(model: Model, operation: str) -> bool:
    """Return whether a caller has the role of an operation for some table."""
    needed: Action = "remove" if operation in _FOR_ADMINS else "read"
    return any(needed in RIGHTS[grant.role] for grant in model.grants)


def _is_admin_of_all(model: Model) -> bool:
    return any(grant.role == "admin" and grant.namespaces is None for grant in model.grants)


def _includes(namespaces: Sequence[tuple[str, Levels]] | None, entry: str) -> bool:
    """Return whether the namespace of an entry of the tokens file is one of a grant's."""
    return any(
        not catalog and len(levels) == 1 and fnmatchcase(entry, levels[0]) for catalog, levels in namespaces or ()
    )


def _is_below(location: str, place: str) -> bool:
    return location == place or location.startswith(f"{place}/")
