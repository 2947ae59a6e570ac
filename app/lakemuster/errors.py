"""Every deliberate failure of Lakemuster, each with a public code; ``api/errors.py`` maps each to its HTTP status.

CatalogError
├── ConfigInvalid            a setting is wrong; startup fails
├── RequestInvalid           the request is invalid
│   └── FilterInvalid · PageTokenInvalid · NotAcceptable · LocationRefused
├── NotAuthenticated · NotAuthorised · LocationForbidden · IdentityUnavailable
├── NotFound
│   ├── TableNotFound · SnapshotNotFound · RefNotFound · ManifestNotFound · SystemTableNotFound
│   ├── NamespaceNotFound · ViewNotFound · WarehouseNotFound · CatalogNotFound · WebhookNotFound
│   ├── CompanionNotFound    a Paimon table without Iceberg metadata that can be shown
│   └── PlanNotFound · PlanTaskNotFound     a token that this server did not sign, or not for this table and caller
├── OperationUnsupported ─ ClientMustPlan     this server only reads tables; or the client would misread its plan
├── TableExists · NotATable  a location without Iceberg or Paimon metadata
├── FormatUnsupported        readable, but of a version or kind that is not supported
├── MetadataCorrupt ─ WrongLength · LimitExceeded · DecodeFailed     bytes break their format's specification
├── SnapshotQuarantined · SnapshotUnpublished · SnapshotsNotIndexed     known, but not readable, or not now
│   └── SnapshotChanged      removed or indexed again while it was read; a repeated request reads the new state
├── ReferencesUnknown        not every file that tables refer to below a location is known
├── LookFailed               not known, and the table's pointer cannot be read now
├── StorageError ─ ObjectMissing · ListingUnsupported · StorageDenied · StorageUnavailable
├── UpstreamFailed ─ UpstreamUnavailable · UpstreamTimedOut     an attached catalog fails, or breaks its protocol
├── UpstreamRefused          an attached catalog does not let this caller load the table
├── IndexUnavailable ─ RefreshBusy     the database or the segment store does not answer; the table's lease is held
├── Overloaded · RateLimited     too many concurrent requests, or too many of one caller in a period
├── SegmentCorrupt ─ SegmentMissing      a segment file is unreadable, or not in the segment store
└── DatabaseVersionMismatch  the database's schema version is none that this code serves
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

_Headers = Mapping[str, str] | None


class CatalogError(Exception):
    """A failure that we raise on purpose.

    Attributes:
        code: public and stable, one per class.
        context: values that help to fix the failure; no secrets.
    """

    code = "catalog_error"

    def __init__(self, message: str, **context: object) -> None:
        super().__init__(message)
        self.message = message
        self.context: Mapping[str, object] = context

    def __reduce__(self) -> tuple[object, ...]:
        # Raised in worker processes: the context must survive pickling.
        return partial(type(self), self.message, **self.context), ()


class ConfigInvalid(CatalogError):
    """A setting, or a combination of settings, is wrong."""

    code = "config_invalid"


class RequestInvalid(CatalogError):
    """The request is invalid; the message names the cause."""

    code = "request_invalid"


class PageTokenInvalid(RequestInvalid):
    """A page token that this server did not sign, or that belongs to another request or caller."""

    code = "page_token_invalid"


class FilterInvalid(RequestInvalid):
    """A predicate that cannot be parsed, names an unknown column, compares incompatible types or is too large."""

    code = "filter_invalid"


class NotAcceptable(RequestInvalid):
    """The response is not available in any media type that the caller accepts."""

    code = "not_acceptable"


class LocationRefused(RequestInvalid):
    """A location outside the allowed roots, or not a location."""

    code = "location_refused"


class NotAuthenticated(CatalogError):
    """A bearer token is missing or unknown."""

    code = "not_authenticated"


class IdentityUnavailable(CatalogError):
    """The identity provider must be asked about a token, and does not answer."""

    code = "identity_unavailable"


class NotAuthorised(CatalogError):
    """The token is known, but its scopes do not cover the request."""

    code = "not_authorised"


class LocationForbidden(CatalogError):
    """The table's location is not allowed for tables of its namespace."""

    code = "location_forbidden"


class NotFound(CatalogError):
    """Nothing of that name exists."""

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
    """Paimon has no such system table, or it does not hold metadata."""

    code = "system_table_not_found"


class NamespaceNotFound(NotFound):
    """The namespace has no registered table that the caller may see."""

    code = "namespace_not_found"


class ViewNotFound(NotFound):
    """The server has no views."""

    code = "view_not_found"


class CompanionNotFound(NotFound):
    """The caller may see the Paimon table, but it has no Iceberg metadata to serve it as an Iceberg table."""

    code = "companion_not_found"


class WarehouseNotFound(NotFound):
    """The server has no warehouse of that name."""

    code = "warehouse_not_found"


class CatalogNotFound(NotFound):
    """No catalog of that name is attached, or the caller may not see it."""

    code = "catalog_not_found"


class WebhookNotFound(NotFound):
    """The settings have no webhook of that name."""

    code = "webhook_not_found"


class PlanNotFound(NotFound):
    """A plan id that this server did not sign, that is for another table or caller, or whose snapshot has expired."""

    code = "plan_not_found"


class PlanTaskNotFound(NotFound):
    """A plan task that this server did not sign, that is for another table or caller, or whose snapshot has expired."""

    code = "plan_task_not_found"


class OperationUnsupported(CatalogError):
    """The protocol defines the operation, but this server only reads tables."""

    code = "operation_unsupported"


class ClientMustPlan(OperationUnsupported):
    """The client would misread this server's plan of the scan; the message names the option to set."""

    code = "client_must_plan"


class TableExists(CatalogError):
    """A table of that name is registered already."""

    code = "table_exists"


class NotATable(CatalogError):
    """The location holds no Iceberg or Paimon metadata."""

    code = "not_a_table"


class FormatUnsupported(CatalogError):
    """A version or kind of metadata that is not supported."""

    code = "format_unsupported"


class MetadataCorrupt(CatalogError):
    """Bytes were read but break their format's specification."""

    code = "metadata_corrupt"


class WrongLength(MetadataCorrupt):
    """An object is not as long as metadata says: it was cut off on its way, or is damaged in storage."""

    code = "wrong_length"


class LimitExceeded(MetadataCorrupt):
    """Metadata that is larger or nested deeper than the limits of decoding."""

    code = "limit_exceeded"


class DecodeFailed(MetadataCorrupt):
    """A decoder died, stalled or ran out of its memory."""

    code = "decode_failed"


class SnapshotQuarantined(CatalogError):
    """The snapshot's metadata cannot be accepted; the message says why."""

    code = "snapshot_quarantined"


class SnapshotUnpublished(CatalogError):
    """The snapshot is known, but could not be indexed for this request."""

    code = "snapshot_unpublished"


class SnapshotChanged(SnapshotUnpublished):
    """The snapshot was removed or indexed again while the request read it; a repeated request reads the new state."""

    code = "snapshot_changed"


class SnapshotsNotIndexed(CatalogError):
    """An exact answer needs snapshots that are not indexed, or cannot be read; the message says which."""

    code = "snapshots_not_indexed"


class ReferencesUnknown(CatalogError):
    """Not every file that tables refer to below a location is known; the message and ``refused`` say why."""

    code = "references_unknown"


class LookFailed(CatalogError):
    """The requested object is not known but may exist: the table's pointer cannot be read now."""

    code = "look_failed"


class StorageError(CatalogError):
    """A request to object storage failed."""

    code = "storage_error"


class ObjectMissing(StorageError):
    """No object at that location."""

    code = "object_missing"


class ListingUnsupported(StorageError):
    """The storage of that location cannot list folders: plain HTTP."""

    code = "listing_unsupported"


class StorageDenied(StorageError):
    """Object storage refused the server's credentials."""

    code = "storage_denied"


class StorageUnavailable(StorageError):
    """Object storage did not answer within its deadline."""

    code = "storage_unavailable"


class UpstreamFailed(CatalogError):
    """An attached catalog answers with an error, or not as its protocol says."""

    code = "upstream_failed"


class UpstreamUnavailable(UpstreamFailed):
    """An attached catalog does not answer."""

    code = "upstream_unavailable"


class UpstreamTimedOut(UpstreamFailed):
    """An attached catalog has not answered in time."""

    code = "upstream_timed_out"


class UpstreamRefused(CatalogError):
    """An attached catalog does not let a caller load a table; its answer is the caller's to read."""

    code = "upstream_refused"

    def __init__(
        self, message: str, *, status: int = 404, body: bytes = b"", headers: _Headers = None, **context: object
    ) -> None:
        super().__init__(message, **context)
        self.status = status
        self.body = body
        self.headers = headers or {}


class IndexUnavailable(CatalogError):
    """The database or the segment store does not answer."""

    code = "index_unavailable"


class RefreshBusy(IndexUnavailable):
    """Another process is refreshing the table and did not finish in time."""

    code = "refresh_busy"


class Overloaded(CatalogError):
    """The process already serves its maximum of concurrent requests, or the system allows it no further thread."""

    code = "overloaded"


class RateLimited(CatalogError):
    """The caller has used up its limit of requests of a kind; ``seconds`` is the time until the next is allowed."""

    code = "rate_limited"

    def __init__(self, message: str, seconds: float = 0.0, **context: object) -> None:
        super().__init__(message, **context)
        self.seconds = seconds

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.message, self.seconds, **self.context), ()


class DatabaseVersionMismatch(CatalogError):
    """The database's schema version is outside of the range that this code serves."""

    code = "database_version_mismatch"


class SegmentCorrupt(CatalogError):
    """A segment file is unreadable; it is made again from its manifest."""

    code = "segment_corrupt"


class SegmentMissing(SegmentCorrupt):
    """The segment store has no segment of that name."""

    code = "segment_missing"
