"""Authorize requests that are forwarded with this server's principal (``auth = "service"``): the policy decides.

Reading a table needs the role read for it. Requests that change the catalog need admin: for the table, for all tables
of the namespace that the path names, or for the whole catalog if the path names neither. So do requests for storage
credentials. The response to an unknown path may contain any table, so the request needs the role for all of them.
"""

from __future__ import annotations

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.policy import Action, Policy
from lakemuster.api.sidecar.requests import SAFE, SidecarRequest
from lakemuster.errors import NamespaceNotFound
from lakemuster.metadata.names import Levels, format_name

DELEGATION = "x-iceberg-access-delegation"
"""The header that requests storage credentials from the catalog."""


def require_access(policy: Policy, caller: Caller, method: str, request: SidecarRequest) -> None:
    """Require that the caller may send a request.

    Raises:
        NotAuthorised, TableNotFound: see :meth:`Policy.require`.
        NamespaceNotFound: the caller sees nothing in that namespace.
    """
    is_reading = method in SAFE or (method == "POST" and request.is_report)
    action: Action = "read" if is_reading and not request.may_be_of_storage else "write"
    name, table, namespace = request.catalog.name, request.table, request.namespace
    if table is not None:
        policy.require(caller, action, (name, *table))
        return
    policy.require(caller, action)
    if request.is_config:
        return
    for levels in (namespace, *request.parents):
        if levels is not None and not policy.sees_namespace(caller, (name, *levels)):
            raise NamespaceNotFound(f"namespace {format_name(levels)} does not exist")
    if action == "read" and request.is_filtered and policy.sees_namespace(caller, (name,)):
        return
    policy.require_all(caller, action, (name, *(namespace or ())))


def may_have_credentials(policy: Policy, caller: Caller, request: SidecarRequest) -> bool:
    """Return whether a caller may get the catalog's storage credentials, which may allow writing: it needs admin."""
    levels: Levels = (request.catalog.name, *(request.table or request.namespace or ()))
    return policy.may_all(caller, "write", levels) if request.table is None else policy.may(caller, "write", levels)
