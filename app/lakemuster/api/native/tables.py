"""Routes of tables: list, register, look, refresh, remove."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from lakemuster.api.listings import DocumentListing
from lakemuster.api.native.answers import Asked, listing_answer
from lakemuster.api.native.asking import PREFIX, PagedQuery, TheApi, TheCaller, TheTable, needs, no_parameters
from lakemuster.api.native.documented import CREATE, LIST_OF_TABLES, READ, REFRESH, REMOVE
from lakemuster.errors import CatalogError, NotAuthorised, TableNotFound
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.names import format_name, parse_name
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.wire.documents import TABLES, Document, dumps
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.pages import TablesPage
from lakemuster.wire.native.snapshots import QuarantinedOut, RefreshOut
from lakemuster.wire.native.tables import NewTable, RewriteRule, TableDetails, TableOut

router = APIRouter(prefix=PREFIX, tags=["tables"])


@router.get("/tables", response_model=TablesPage, responses=LIST_OF_TABLES, dependencies=[needs("read")])
def list_tables(caller: TheCaller, api: TheApi, query: PagedQuery, request: Request) -> Response:
    """The registered tables that the caller may see, by name."""
    shown = sorted(
        (table for table in api.services.tables() if caller.sees(parse_name(table.name))),
        key=lambda table: table.name,
    )
    listing = DocumentListing(TABLES, shown, lambda table: (table.name,), lambda table: _document(_table(table)))
    return listing_answer(Asked(request, api, "tables", query), listing, stale=None)


@router.post(
    "/tables",
    response_model=TableOut,
    status_code=201,
    responses=CREATE,
    dependencies=[needs("admin"), Depends(no_parameters)],
)
def add_table(caller: TheCaller, api: TheApi, table: NewTable) -> Response:
    """Register a table. Its location must lie under the server's roots; nothing is indexed yet."""
    levels = parse_name(table.name)
    if not caller.sees(levels):
        raise NotAuthorised("this token's namespaces do not hold that name", needs="namespace")
    rewrites = tuple((rule.old, rule.new) for rule in table.rewrite)
    record = api.services.add(format_name(levels), table.location, table.format, rewrites, operator=False)
    return _json(_document(_table(record)), 201)


@router.get(
    "/tables/{table}", response_model=TableDetails, responses=READ, dependencies=[needs("read"), Depends(no_parameters)]
)
def get_table(table: TheTable) -> Response:
    """One table, as its newest metadata has it; of a table that could never be read, what is registered."""
    try:
        record, metadata, stale = table.services.fresh(table.name)
    except TableNotFound:
        raise
    except CatalogError as error:
        record = table.services.table(table.name)
        return _json(_document(_details(record, None, f"{error.code}: {error}")))
    return _json(_document(_details(record, metadata, stale)))


@router.delete(
    "/tables/{table}",
    status_code=204,
    responses=REMOVE,
    dependencies=[needs("admin"), Depends(no_parameters)],
    response_model=None,
)
def remove_table(table: TheTable) -> Response:
    """Forget a table. Its files are not touched."""
    table.services.remove(table.name)
    return Response(status_code=204)


@router.post(
    "/tables/{table}/refresh",
    response_model=RefreshOut,
    responses=REFRESH,
    dependencies=[needs("index"), Depends(no_parameters)],
)
def refresh_table(table: TheTable) -> Response:
    """Look at the table's pointer now, and index what is new."""
    report = table.services.refresh(table.name)
    out = RefreshOut(
        table=report.table,
        published=list(report.published),
        quarantined=[QuarantinedOut(snapshot_id=number, reason=reason) for number, reason in report.quarantined],
        lists_fetched=report.lists_fetched,
        manifests_fetched=report.manifests_fetched,
        entries_decoded=report.entries_decoded,
        seconds=round(report.seconds, 3),
    )
    return _json(_document(out))


def _common(record: TableRecord, stale: str | None) -> dict[str, object]:
    return {
        "name": record.name,
        "format": record.format,
        "location": record.location,
        "rewrite": [RewriteRule(old=old, new=new) for old, new in record.rewrites],
        "uuid": record.uuid,
        "format_version": record.format_version,
        "metadata_location": record.metadata_location,
        "current_snapshot_id": record.current_snapshot_id,
        "current_schema_id": record.current_schema_id,
        "default_spec_id": record.default_spec_id,
        "last_updated_at": None if record.last_updated_ms is None else format_instant(record.last_updated_ms),
        "checked_at": None if record.checked_at_ms is None else format_instant(record.checked_at_ms),
        "stale": stale,
    }


def _table(record: TableRecord) -> TableOut:
    return TableOut.model_validate(_common(record, record.stale_reason))


def _details(record: TableRecord, metadata: TableMetadata | None, stale: str | None) -> TableDetails:
    return TableDetails.model_validate(
        {
            **_common(record, stale),
            "properties": {} if metadata is None else dict(metadata.properties),
            "partition_keys": [] if metadata is None else _partition_keys(metadata),
            "primary_keys": [] if metadata is None else _primary_keys(metadata),
        }
    )


def _partition_keys(metadata: TableMetadata) -> list[str]:
    return [field.name for spec in metadata.specs if spec.spec_id == metadata.default_spec_id for field in spec.fields]


def _primary_keys(metadata: TableMetadata) -> list[str]:
    for schema in metadata.schemas:
        if schema.schema_id == metadata.current_schema_id:
            if schema.primary_keys:
                return list(schema.primary_keys)
            return [schema.names[i] for i in schema.identifier_field_ids if i in schema.names]
    return []


def _document(model: TableOut | RefreshOut) -> Document:
    return model.model_dump(mode="json")


def _json(document: Mapping[str, object], status: int = 200) -> Response:
    return Response(dumps(document), status, media_type="application/json")
