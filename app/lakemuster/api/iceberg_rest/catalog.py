"""Routes of the catalog: namespaces and their tables; there are no views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import unquote

import orjson
from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from lakemuster.api.iceberg_rest.dependencies import (
    PREFIX,
    Names,
    Paging,
    TheNamespace,
    ThePaging,
    TheReadCatalog,
    levels_of,
    the_namespace,
    the_view_name,
)
from lakemuster.api.iceberg_rest.responses import CATALOG, EXISTS, NO_VIEW
from lakemuster.api.native.dependencies import TheApi, TheCaller, needs
from lakemuster.api.shared import Api
from lakemuster.catalog.page_tokens import Place, read_token, write_token
from lakemuster.catalog.token_signing import Audience
from lakemuster.errors import ViewNotFound
from lakemuster.metadata.names import Levels
from lakemuster.wire.iceberg_rest.catalog import (
    IcebergIdentifier,
    IcebergIdentifiersOut,
    IcebergNamespaceOut,
    NamespacesOut,
    RestModel,
)

_A_VIEW = [Depends(the_namespace), Depends(the_view_name)]
_NO_VIEWS = "this catalog has no views"

router = APIRouter(prefix=PREFIX, tags=["iceberg"], dependencies=[needs("read")])


@router.get("/namespaces", name="iceberg_list_namespaces", response_model=NamespacesOut, responses=CATALOG)
def list_namespaces(
    api: TheApi,
    caller: TheCaller,
    paging: ThePaging,
    catalog: TheReadCatalog,
    parent: Annotated[str | None, Query(description="The parent namespace. Absent or empty: the root.")] = None,
) -> Response:
    """List the child namespaces of a namespace."""
    names = Names.of(api, caller, catalog)
    # PyIceberg percent-encodes the levels once more than other clients.
    above = names.require(levels_of(parent), levels_of(unquote(parent))) if parent else ()
    audience = Audience(0, "iceberg namespaces", {"of": parent or "", "in": catalog or ""}, caller.name)
    found, token = _page(api, paging, names.children(above), audience)
    return answer(NamespacesOut(namespaces=[list(levels) for levels in found], next_page_token=token))


@router.get(
    "/namespaces/{namespace}", name="iceberg_load_namespace", response_model=IcebergNamespaceOut, responses=CATALOG
)
def load_namespace(api: TheApi, caller: TheCaller, namespace: TheNamespace, catalog: TheReadCatalog) -> Response:
    """Load a namespace; it exists while a table is registered in it or in a descendant."""
    Names.of(api, caller, catalog).require(namespace)
    return answer(IcebergNamespaceOut(namespace=list(namespace), properties={}))


@router.head(
    "/namespaces/{namespace}",
    name="iceberg_namespace_exists",
    status_code=204,
    response_model=None,
    responses=EXISTS,
)
def namespace_exists(api: TheApi, caller: TheCaller, namespace: TheNamespace, catalog: TheReadCatalog) -> Response:
    """Check whether a namespace exists."""
    Names.of(api, caller, catalog).require(namespace)
    return Response(status_code=204)


@router.get(
    "/namespaces/{namespace}/tables",
    name="iceberg_list_tables",
    response_model=IcebergIdentifiersOut,
    responses=CATALOG,
)
def list_tables(
    api: TheApi, caller: TheCaller, paging: ThePaging, namespace: TheNamespace, catalog: TheReadCatalog
) -> Response:
    """List the tables of a namespace, without those of its descendants."""
    names = Names.of(api, caller, catalog)
    names.require(namespace)
    audience = Audience(0, "iceberg tables", {"of": "\0".join(namespace), "in": catalog or ""}, caller.name)
    found, token = _page(api, paging, names.members(namespace), audience)
    identifiers = [IcebergIdentifier(namespace=list(levels[:-1]), name=levels[-1]) for levels in found]
    return answer(IcebergIdentifiersOut(identifiers=identifiers, next_page_token=token))


@router.get(
    "/namespaces/{namespace}/views",
    name="iceberg_list_views",
    response_model=IcebergIdentifiersOut,
    responses=CATALOG,
)
def list_views(
    api: TheApi, caller: TheCaller, _: ThePaging, namespace: TheNamespace, catalog: TheReadCatalog
) -> Response:
    """List the views of a namespace: always empty."""
    Names.of(api, caller, catalog).require(namespace)
    return answer(IcebergIdentifiersOut(identifiers=[], next_page_token=None))


@router.get(
    "/namespaces/{namespace}/views/{view}",
    name="iceberg_load_view",
    response_model=None,
    responses=NO_VIEW,
    dependencies=_A_VIEW,
)
def load_view() -> None:
    """Load a view: always fails, since the catalog has no views."""
    raise ViewNotFound(_NO_VIEWS)


@router.head(
    "/namespaces/{namespace}/views/{view}",
    name="iceberg_view_exists",
    response_model=None,
    responses=NO_VIEW,
    dependencies=_A_VIEW,
)
def view_exists() -> None:
    """Check whether a view exists: always fails, since the catalog has no views."""
    raise ViewNotFound(_NO_VIEWS)


def answer(document: RestModel) -> Response:
    """Return the JSON response for a protocol document."""
    body = orjson.dumps(document.model_dump(mode="json", by_alias=True))
    return Response(body, media_type="application/json")


def _page(api: Api, paging: Paging, items: Sequence[Levels], audience: Audience) -> tuple[Sequence[Levels], str | None]:
    """Return the items of the requested page, and the token of the next page."""
    if paging.token is None:
        return items, None
    if paging.token:
        after = tuple(str(level) for level in read_token(paging.token, audience, api.token_signer).key)
        items = [item for item in items if item > after]
    page = items[: paging.size]
    token = write_token(Place((), page[-1]), audience, api.token_signer) if len(items) > len(page) else None
    return page, token
