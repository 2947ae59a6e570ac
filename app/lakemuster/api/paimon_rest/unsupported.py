"""Operations of the protocol that are not supported: writes and permissions."""

from __future__ import annotations

from fastapi import APIRouter

from lakemuster.api.native.dependencies import needs
from lakemuster.api.paimon_rest.dependencies import PREFIX, path_parameters
from lakemuster.api.paimon_rest.responses import MARK_REFUSED, REFUSED
from lakemuster.errors import NotAuthorised, OperationUnsupported

_DATABASE = "/databases/{database}"
_TABLE = f"{_DATABASE}/tables/{{table}}"
_WRITES = (
    ("POST", "/databases", "create_database", "Create a database."),
    ("POST", _DATABASE, "alter_database", "Set or remove options of a database."),
    ("DELETE", _DATABASE, "drop_database", "Drop a database."),
    ("POST", f"{_DATABASE}/register", "register_table", "Register a table: use `POST /api/v1/tables`."),
    ("POST", f"{_DATABASE}/tables", "create_table", "Create a table."),
    ("POST", "/tables/rename", "rename_table", "Rename a table."),
    ("POST", _TABLE, "alter_table", "Alter a table."),
    ("DELETE", _TABLE, "drop_table", "Drop a table: use `DELETE /api/v1/tables/{table}` to unregister it."),
    ("POST", f"{_TABLE}/replace", "replace_table", "Replace a table."),
    ("POST", f"{_TABLE}/commit", "commit_table", "Commit a snapshot."),
    ("POST", f"{_TABLE}/rollback", "rollback_table", "Roll a table back."),
    ("POST", f"{_TABLE}/rollback-schema", "rollback_schema", "Roll a table's schema back."),
    ("POST", f"{_TABLE}/partitions", "create_partitions", "Register partitions."),
    ("POST", f"{_TABLE}/partitions/drop", "drop_partitions", "Drop partitions."),
    ("POST", f"{_TABLE}/branches", "create_branch", "Create a branch."),
    ("DELETE", f"{_TABLE}/branches/{{branch}}", "drop_branch", "Drop a branch."),
    ("POST", f"{_TABLE}/branches/{{branch}}/rename", "rename_branch", "Rename a branch."),
    ("POST", f"{_TABLE}/branches/{{branch}}/forward", "forward_branch", "Fast-forward main to a branch."),
    ("POST", f"{_TABLE}/tags", "create_tag", "Create a tag."),
    ("DELETE", f"{_TABLE}/tags/{{tag}}", "drop_tag", "Drop a tag."),
    ("POST", f"{_TABLE}/consumers/reset", "reset_consumer", "Reset a consumer."),
    ("POST", f"{_DATABASE}/views", "create_view", "Create a view."),
    ("POST", "/views/rename", "rename_view", "Rename a view."),
    ("POST", f"{_DATABASE}/views/{{view}}", "alter_view", "Alter a view."),
    ("DELETE", f"{_DATABASE}/views/{{view}}", "drop_view", "Drop a view."),
    ("POST", f"{_DATABASE}/functions", "create_function", "Create a function."),
    ("POST", f"{_DATABASE}/functions/{{function}}", "alter_function", "Alter a function."),
    ("DELETE", f"{_DATABASE}/functions/{{function}}", "drop_function", "Drop a function."),
    ("GET", "/permissions", "list_permissions", "List permissions."),
    ("POST", "/permissions/grant", "grant_permission", "Grant a permission."),
    ("POST", "/permissions/revoke", "revoke_permission", "Revoke a permission."),
)
_MESSAGE = "this catalog is read-only: it does not change databases, tables, views or functions"

router = APIRouter(prefix=PREFIX, tags=["paimon"])


async def refuse() -> None:
    """Fail: the catalog is read-only."""
    raise OperationUnsupported(_MESSAGE)


for _method, _path, _name, _description in _WRITES:
    router.add_api_route(
        _path,
        refuse,
        methods=[_method],
        name=f"paimon_{_name}",
        summary=_description.split(":")[0].rstrip("."),
        description=f"{_description} Not supported: always fails.",
        response_model=None,
        responses=REFUSED,
        status_code=501,
        dependencies=[needs("read"), *path_parameters(_path)],
    )


@router.post(
    f"{_TABLE}/partitions/mark",
    name="paimon_mark_partitions",
    response_model=None,
    responses=MARK_REFUSED,
    status_code=403,
    dependencies=[needs("read"), *path_parameters(_TABLE)],
)
async def mark_partitions() -> None:
    """Mark partitions as done. Not supported: fails with status 403, since Java's client takes 501 for success."""
    raise NotAuthorised(_MESSAGE)
