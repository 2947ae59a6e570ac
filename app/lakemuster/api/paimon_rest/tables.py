"""Routes of tables: location and newest schema, by name, by id, or for a whole database."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Annotated, TypeVar
from uuid import UUID

import orjson
from fastapi import APIRouter, Path
from starlette.responses import Response

from lakemuster.api.native.answers import stale_header
from lakemuster.api.native.dependencies import TheApi, TheCaller, needs
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.dependencies import (
    PREFIX,
    Names,
    TablePattern,
    TableType,
    TheDatabase,
    ThePaging,
    ThePaimonTable,
    is_expressible,
    page_of,
)
from lakemuster.api.paimon_rest.responses import LISTED, TABLE
from lakemuster.api.shared import Api
from lakemuster.api.threads import TableRoute
from lakemuster.catalog import TableRecord
from lakemuster.catalog.page_tokens import Place, write_token
from lakemuster.catalog.services import Services
from lakemuster.catalog.token_signing import Audience
from lakemuster.errors import CatalogError, IndexUnavailable, OperationUnsupported, TableNotFound
from lakemuster.metadata.names import format_name, parse_name
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata
from lakemuster.storage.locations import Rewrites
from lakemuster.wire.paimon_rest.catalog import PaimonTableOut, QueryAuth, TableDetailsOut
from lakemuster.wire.paimon_rest.patterns import NamePattern
from lakemuster.wire.paimon_rest.schemas import schema_json

LOOKS_SECONDS = 2.0
"""Time after which a page starts no further looks at tables that were never read: it ends before the next of them."""

T = TypeVar("T")

router = APIRouter(prefix=PREFIX, tags=["paimon"], dependencies=[needs("read")], route_class=TableRoute)


@router.get(
    "/databases/{database}/tables/{table}", name="paimon_get_table", response_model=PaimonTableOut, responses=TABLE
)
def get_table(request: ThePaimonTable) -> Response:
    """Load a table: its location and newest schema; with `$branch_` and a branch's name, that branch's schema.

    A quarantined snapshot does not prevent loading the table.
    """
    (record, metadata, schema), stale = looked_for(
        request.services,
        request.name,
        lambda table, metadata: (table, metadata, newest_schema(metadata, request.branch)),
    )
    return answer(table_out(record, request.database, request.object, metadata, schema), stale_header(stale))


@router.get("/tables/id/{table_id}", name="paimon_get_table_by_id", response_model=PaimonTableOut, responses=TABLE)
def get_table_by_id(
    api: TheApi,
    caller: TheCaller,
    table_id: Annotated[str, Path(description="The `id` of a table, from another response.")],
) -> Response:
    """Load a table by its id."""
    for record in api.tables(caller):
        levels = parse_name(record.name)
        if record.format == "paimon" and is_expressible(levels) and id_of(record) == table_id:
            found, metadata, stale = look(api.services, record.name)
            schema = newest_schema(metadata, MAIN)
            return answer(table_out(found, format_name(levels[:-1]), levels[-1], metadata, schema), stale_header(stale))
    raise TableNotFound(f"no table has the id {table_id[:100]}")


@router.get(
    "/databases/{database}/table-details",
    name="paimon_list_table_details",
    response_model=TableDetailsOut,
    responses=LISTED,
)
def list_table_details(
    api: TheApi,
    caller: TheCaller,
    paging: ThePaging,
    database: TheDatabase,
    pattern: TablePattern = None,
    kind: TableType = None,
) -> Response:
    """List a database's tables with their details, without tables whose metadata could never be read.

    A page may have fewer tables than requested: it ends early where the metadata of many tables is read first.
    """
    like = NamePattern.of(pattern)
    members = Names(api, caller).members(database)
    audience = Audience(
        0, "paimon table details", {"of": database, "like": pattern or "", "type": kind or ""}, caller.name
    )
    chosen = {
        name: record
        for name, record in members.items()
        if like.matches(name) and (not kind or is_of_type(api, record, kind))
    }
    page, token = page_of(api, paging, chosen, lambda name: (name,), audience)
    details, last = _details(api.services, database, {name: chosen[name] for name in page})
    if last is not None:
        token = write_token(Place((), (last,)), audience, api.token_signer)
    return answer(TableDetailsOut(table_details=details, next_page_token=token))


@router.get("/databases/{database}/tables/{table}/token", name="paimon_get_table_token", responses=TABLE)
def get_table_token(request: ThePaimonTable) -> None:
    """Return credentials for a table's files: not supported, clients use their own."""
    registered(request.services, request.name)
    raise OperationUnsupported(
        "this catalog does not vend credentials: leave data-token.enabled off, and configure the client with its own"
    )


@router.post(
    "/databases/{database}/tables/{table}/auth",
    name="paimon_auth_table_query",
    response_model=QueryAuth,
    responses=TABLE,
)
def auth_table_query(request: ThePaimonTable) -> Response:
    """Return the row filters and column masks of a table: none.

    Fails for a table with `query-auth.enabled`: only the catalog that manages it knows its filters and masks.
    """
    schema, _ = looked_for(request.services, request.name, lambda _, metadata: newest_schema(metadata, request.branch))
    options = dict(schema.options)
    if options.get("query-auth.enabled", "false").strip().lower() == "true":
        raise OperationUnsupported(
            "the table has query-auth.enabled, and this catalog does not know its row filters and column masks"
        )
    return answer(QueryAuth())


def registered(services: Services, name: str) -> TableRecord:
    """Return a registered Paimon table.

    Raises:
        TableNotFound: no table has that name, or it has another format.
    """
    record = services.table(name)
    if record.format != "paimon":
        raise TableNotFound("the table is not a Paimon table", table=name)
    return record


def look(services: Services, name: str) -> tuple[TableRecord, TableMetadata, str | None]:
    """Return a Paimon table, its metadata, and why these are staler than allowed; None if they are not.

    Raises:
        TableNotFound: no table has that name, or it has another format.
        CatalogError: its metadata could never be read.
    """
    registered(services, name)
    return services.fresh(name)


def looked_for(services: Services, name: str, find: Callable[[TableRecord, TableMetadata], T]) -> tuple[T, str | None]:
    """Return the result of ``find`` for a Paimon table; see :meth:`Services.found`.

    Raises:
        TableNotFound: no table has that name, or it has another format.
        NotFound: raised by ``find``: the table does not have the requested object.
        LookFailed: the object is unknown, and the table's pointer cannot be read.
    """
    registered(services, name)
    return services.found(name, find)


def newest_schema(metadata: TableMetadata, branch: str) -> Schema:
    """Return the newest schema of a branch.

    Raises:
        TableNotFound: the branch does not exist.
    """
    schemas = metadata.schemas if branch == MAIN else metadata.branch_schemas.get(branch, ())
    if not schemas:
        raise TableNotFound(f"the table has no branch {branch[:100]}")
    return max(schemas, key=lambda schema: schema.schema_id)


def id_of(record: TableRecord) -> str:
    """Return the id of a table's registration, which is the same on all replicas."""
    said = orjson.dumps([record.table_id, record.name, record.created_at_ms])
    return str(UUID(bytes=hashlib.sha256(said).digest()[:16]))


def table_out(record: TableRecord, database: str, said: str, metadata: TableMetadata, schema: Schema) -> PaimonTableOut:
    """Return the protocol's document of a table.

    Args:
        said: the table's name as requested.
    """
    first = min(metadata.schemas, key=lambda schema: schema.schema_id)
    return PaimonTableOut(
        id=id_of(record),
        database=database,
        name=said,
        path=Rewrites(record.rewrites).apply(metadata.location),
        is_external=False,
        schema_id=schema.schema_id,
        table_schema=schema_json(schema),
        created_at=first.created_at_ms or record.created_at_ms,
        updated_at=record.last_updated_ms or record.created_at_ms,
    )


def is_of_type(api: Api, record: TableRecord, kind: str) -> bool:
    """Return whether a table's option ``type`` is ``kind``; absent, or never read, it is ``table``."""
    try:
        properties = api.services.metadata(record).properties
    except TableNotFound:
        properties = {}
    return properties.get("type", "table") == kind


def _details(
    services: Services, database: str, members: dict[str, TableRecord]
) -> tuple[list[PaimonTableOut], str | None]:
    """Return the details of tables; where looks at never-read tables take too long, also the name to continue after."""
    until = time.monotonic() + LOOKS_SECONDS
    details: list[PaimonTableOut] = []
    last: str | None = None
    for name, record in members.items():
        is_read = record.metadata_location is not None
        if not is_read and last is not None and time.monotonic() > until:
            return details, last
        last = name
        try:
            if is_read:
                found, metadata = record, services.metadata(record)
            else:
                found, metadata, _ = services.fresh(record.name)
        except IndexUnavailable:
            raise
        except CatalogError:
            continue
        details.append(table_out(found, database, name, metadata, newest_schema(metadata, MAIN)))
    return details, None
