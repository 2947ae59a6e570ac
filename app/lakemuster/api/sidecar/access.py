"""Who may pass what to a catalog with this server's principal (``auth = "service"``): the policy decides.

Reading a table needs the role read for it. Whatever changes the catalog needs admin: for the table, for all tables of
the namespace that the path names, or for the whole catalog if the path names neither. So does what is told of storage
credentials. A path whose answer is not known here may tell of any table: it needs the role for all of them.
"""

from __future__ import annotations

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.policy import Action, Policy
from lakemuster.api.sidecar.requests import SAFE, SidecarRequest
from lakemuster.errors import NamespaceNotFound
from lakemuster.metadata.names import Levels, format_name

DELEGATION = "x-iceberg-access-delegation"
"""The header that asks the catalog for credentials of its storage."""


def require_access(policy: Policy, caller: Caller, method: str, request: SidecarRequest) -> None:
    """Let a request pass.

    Raises:
        NotAuthorised, TableNotFound: see :meth:`Policy.require`.
        NamespaceNotFound: the caller sees nothing in that namespace.
    """
    is_reading = method in SAFE or (method == "POST" and request.is_report)
    action: Action = "read" if is_reading and not request.is_of_storage else "write"
    policy.require(caller, action)
    if request.is_config:
        return
    name, table, namespace = request.catalog.name, request.table, request.namespace
    if table is not None:
        policy.require(caller, action, (name, *table))
        return
    for levels in (namespace, *request.parents):
        if levels is not None and not policy.sees_namespace(caller, (name, *levels)):
            raise NamespaceNotFound(f"namespace {format_name(levels)} does not exist")
    if action == "read" and request.is_filtered and policy.sees_namespace(caller, (name,)):
        return
    policy.require_all(caller, action, (name, *(namespace or ())))


def may_have_credentials(policy: Policy, caller: Caller, request: SidecarRequest) -> bool:
    """Whether a caller may be given the catalog's storage credentials: those of our principal may write."""
    levels: Levels = (request.catalog.name, *(request.table or request.namespace or ()))
    return policy.may_all(caller, "write", levels) if request.table is None else policy.may(caller, "write", levels)
