"""Every deliberate failure of Lakemuster, each with a public code.

CatalogError
├── ConfigInvalid            a setting is wrong; the start is refused
├── RequestInvalid           the caller's words are off
│   ├── PageTokenInvalid
│   ├── FilterInvalid        a predicate that cannot be read, bound or typed
│   ├── NotAcceptable        no media type that the caller takes
│   └── LocationRefused      outside the allowed roots, or not a location at all
├── NotAuthenticated · NotAuthorised · LocationForbidden
├── NotFound
│   ├── TableNotFound · SnapshotNotFound · RefNotFound · ManifestNotFound · SystemTableNotFound
│   ├── NamespaceNotFound · ViewNotFound · WarehouseNotFound
│   ├── CompanionNotFound    a Paimon table without Iceberg metadata that can be shown
│   └── PlanNotFound · PlanTaskNotFound     a token that is not ours, or not for this table and caller
├── OperationUnsupported     part of a protocol, and not of this server: it changes no tables
│   └── ClientMustPlan       the client would misread this server's plan of its scan
├── TableExists
├── NotATable                a location without Iceberg or Paimon metadata
├── FormatUnsupported        readable, but of a version or kind we do not serve
├── MetadataCorrupt          bytes break their format's specification
│   ├── LimitExceeded        ... or exceed what we decode
│   └── DecodeFailed         ... or killed, stalled or starved their decoder
├── SnapshotQuarantined      pinned by the caller, and known to be unreadable
├── SnapshotUnpublished      known, and not readable now
├── LookFailed               not known, and it cannot be looked for now
├── StorageError
│   └── ObjectMissing · StorageDenied · StorageUnavailable
├── IndexUnavailable         the database or the segment store does not answer
│   └── RefreshBusy          another process holds the table's lease
├── Overloaded               more requests at once than we take
├── SegmentCorrupt           a segment of ours does not read back as it was written
│   └── SegmentMissing       ... or is not in the segment store
└── DatabaseVersionMismatch  the database is of another version than this code

Domain errors know no HTTP: ``api/errors.py`` maps each class to its status.
"""

from __future__ import annotations

from collections.abc import Mapping


def pip_install(extra: str) -> str:
    """The command that installs an extra. No package index has Lakemuster: pip takes its source tree or a wheel."""
    return f"pip install '.[{extra}]' in the source tree, or 'WHEEL[{extra}]' with the path of a built wheel"


class CatalogError(Exception):
    """A failure that we raise on purpose.

    Attributes:
        code: public and stable, one per class.
        context: values that help the person who can act; no secrets.
    """

    code = "catalog_error"

    def __init__(self, message: str, **context: object) -> None:
        super().__init__(message)
        self.message = message
        self.context: Mapping[str, object] = context

    def __reduce__(self) -> tuple[object, ...]:
        # Raised in worker processes: the context must survive pickling.
        return (_rebuild, (type(self), self.message, dict(self.context)))


def _rebuild(kind: type[CatalogError], message: str, context: dict[str, object]) -> CatalogError:
    return kind(message, **context)


class ConfigInvalid(CatalogError):
    """A setting, or a combination of settings, is wrong."""

    code = "config_invalid"


class RequestInvalid(CatalogError):
    """The request's words are off; the message says which."""

    code = "request_invalid"


class PageTokenInvalid(RequestInvalid):
    """A page token that we did not sign, or that belongs to another request."""

    code = "page_token_invalid"


class FilterInvalid(RequestInvalid):
    """A predicate that cannot be read, names no column, compares unlike types or is too large."""

    code = "filter_invalid"


class NotAcceptable(RequestInvalid):
    """The answer cannot be given in any media type that the caller takes."""

    code = "not_acceptable"


class LocationRefused(RequestInvalid):
    """A location outside the allowed roots, or not a location."""

    code = "location_refused"


class NotAuthenticated(CatalogError):
    """A bearer token is missing or unknown."""

    code = "not_authenticated"


class NotAuthorised(CatalogError):
    """The token is known, and its scopes do not cover the request."""

    code = "not_authorised"


class LocationForbidden(CatalogError):
    """A table lives where tables of its namespace may not."""

    code = "location_forbidden"


class NotFound(CatalogError):
    """Nothing of that name."""

    code = "not_found"


class TableNotFound(NotFound):
    """No table of that name is registered, or the caller may not see it."""

    code = "table_not_found"


class SnapshotNotFound(NotFound):
    """The table has no such snapshot, or none at that time."""

    code = "snapshot_not_found"


class RefNotFound(NotFound):
    """The table has no such branch or tag."""

    code = "ref_not_found"


class ManifestNotFound(NotFound):
    """The snapshot lists no such manifest."""

    code = "manifest_not_found"


class SystemTableNotFound(NotFound):
    """Paimon has no such system table, or it is not of metadata."""

    code = "system_table_not_found"


class NamespaceNotFound(NotFound):
    """No registered table lies in that namespace, or none that the caller may see."""

    code = "namespace_not_found"


class ViewNotFound(NotFound):
    """There are no views here."""

    code = "view_not_found"


class CompanionNotFound(NotFound):
    """A Paimon table that the caller may see, asked for as an Iceberg table, without Iceberg metadata to show."""

    code = "companion_not_found"


class WarehouseNotFound(NotFound):
    """The server has no warehouse of that name."""

    code = "warehouse_not_found"


class PlanNotFound(NotFound):
    """A plan id that we did not sign, or not for this table and caller, or whose snapshot is gone."""

    code = "plan_not_found"


class PlanTaskNotFound(NotFound):
    """A plan task that we did not sign, or not for this table and caller, or whose snapshot is gone."""

    code = "plan_task_not_found"


class OperationUnsupported(CatalogError):
    """A protocol has the operation, and this server does not: it reads tables and changes none."""

    code = "operation_unsupported"


class ClientMustPlan(OperationUnsupported):
    """The client would misread this server's plan of its scan; the message names the option that helps."""

    code = "client_must_plan"


class TableExists(CatalogError):
    """A table of that name is registered already."""

    code = "table_exists"


class NotATable(CatalogError):
    """The location holds no Iceberg or Paimon metadata."""

    code = "not_a_table"


class FormatUnsupported(CatalogError):
    """A version or kind of metadata that we do not serve."""

    code = "format_unsupported"


class MetadataCorrupt(CatalogError):
    """Bytes were read but break their format's specification."""

    code = "metadata_corrupt"


class LimitExceeded(MetadataCorrupt):
    """Metadata larger or deeper than what we decode."""

    code = "limit_exceeded"


class DecodeFailed(MetadataCorrupt):
    """A decoder died, stalled or ran out of its memory."""

    code = "decode_failed"


class SnapshotQuarantined(CatalogError):
    """The snapshot was read and refused; the message says why."""

    code = "snapshot_quarantined"


class SnapshotUnpublished(CatalogError):
    """The snapshot is known, and could not be indexed for this request."""

    code = "snapshot_unpublished"


class LookFailed(CatalogError):
    """What is asked for is not known, and may exist: the table cannot be looked at now."""

    code = "look_failed"


class StorageError(CatalogError):
    """Object storage did not give what was asked."""

    code = "storage_error"


class ObjectMissing(StorageError):
    """No object at that location."""

    code = "object_missing"


class StorageDenied(StorageError):
    """Object storage refused our credentials."""

    code = "storage_denied"


class StorageUnavailable(StorageError):
    """Object storage did not answer within its deadline."""

    code = "storage_unavailable"


class IndexUnavailable(CatalogError):
    """The database or the segment store does not answer."""

    code = "index_unavailable"


class RefreshBusy(IndexUnavailable):
    """Another process is refreshing the table and did not finish in time."""

    code = "refresh_busy"


class Overloaded(CatalogError):
    """More requests at once than this process takes."""

    code = "overloaded"


class DatabaseVersionMismatch(CatalogError):
    """The database's schema version is not the one of this code."""

    code = "database_version_mismatch"


class SegmentCorrupt(CatalogError):
    """A segment does not read back as it was written."""

    code = "segment_corrupt"


class SegmentMissing(SegmentCorrupt):
    """The segment store has no segment of that name."""

    code = "segment_missing"
