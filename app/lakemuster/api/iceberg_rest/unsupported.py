"""Operations of the protocol that are not supported: writes, signing, issuing tokens."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.responses import Response

from lakemuster.api.iceberg_rest.dependencies import PREFIX, the_namespace, the_table_name, the_view_name
from lakemuster.api.iceberg_rest.responses import TOKENS, WRITE
from lakemuster.api.native.dependencies import TheApi, needs
from lakemuster.errors import OperationUnsupported
from lakemuster.wire.iceberg_rest.catalog import OAuthError

_NAMESPACE = "/namespaces/{namespace}"
_TABLE = f"{_NAMESPACE}/tables/{{table}}"
_VIEW = f"{_NAMESPACE}/views/{{view}}"
_WRITES = (
    ("POST", "/namespaces", "create_namespace", "Create a namespace."),
    ("DELETE", _NAMESPACE, "drop_namespace", "Drop a namespace."),
    ("POST", f"{_NAMESPACE}/properties", "update_properties", "Set properties of a namespace."),
    ("POST", f"{_NAMESPACE}/tables", "create_table", "Create a table."),
    ("POST", f"{_NAMESPACE}/register", "register_table", "Register a table: use `POST /api/v1/tables`."),
    ("POST", _TABLE, "commit_table", "Commit to a table."),
    ("DELETE", _TABLE, "drop_table", "Drop a table: use `DELETE /api/v1/tables/{table}` to unregister it."),
    ("POST", f"{_TABLE}/unregister", "unregister_table", "Unregister a table: use `DELETE /api/v1/tables/{table}`."),
    ("POST", f"{_TABLE}/sign", "sign_request", "Sign a request to object storage."),
    ("POST", "/tables/rename", "rename_table", "Rename a table."),
    ("POST", "/transactions/commit", "commit_transaction", "Commit to several tables."),
    ("POST", f"{_NAMESPACE}/views", "create_view", "Create a view."),
    ("POST", f"{_NAMESPACE}/register-view", "register_view", "Register a view."),
    ("POST", _VIEW, "replace_view", "Replace a view."),
    ("DELETE", _VIEW, "drop_view", "Drop a view."),
    ("POST", "/views/rename", "rename_view", "Rename a view."),
)

router = APIRouter(prefix=PREFIX, tags=["iceberg"])
tokens_router = APIRouter(prefix=PREFIX, tags=["iceberg"])


async def refuse() -> None:
    """Fail: the catalog is read-only."""
    raise OperationUnsupported("this catalog is read-only: it does not change tables, views or namespaces")


_PARAMETERS = {
    "{namespace}": Depends(the_namespace),
    "{table}": Depends(the_table_name),
    "{view}": Depends(the_view_name),
}

for _method, _path, _name, _description in _WRITES:
    router.add_api_route(
        _path,
        refuse,
        methods=[_method],
        name=f"iceberg_{_name}",
        summary=_description.split(":")[0].rstrip("."),
        description=f"{_description} Not supported: always fails.",
        response_model=None,
        responses=WRITE,
        status_code=406,
        dependencies=[needs("read"), *(parameter for name, parameter in _PARAMETERS.items() if name in _path)],
    )


@tokens_router.post("/oauth/tokens", name="iceberg_get_token", response_model=None, status_code=400, responses=TOKENS)
async def get_token(api: TheApi) -> Response:
    """Exchange a credential for a token. Refused: callers have tokens of the tokens file, or of an issuer."""
    endpoint = api.identity.token_endpoint
    help_text = (
        "set the catalog property token to a bearer token from the operator, and omit the property credential"
        if endpoint is None
        else f"set the catalog property oauth2-server-uri={endpoint} in addition to credential"
    )
    refusal = OAuthError(
        error="unsupported_grant_type",
        error_description=f"this server does not issue tokens: {help_text}",
    )
    return Response(
        refusal.model_dump_json(), 400, media_type="application/json", headers={"Cache-Control": "no-store"}
    )
