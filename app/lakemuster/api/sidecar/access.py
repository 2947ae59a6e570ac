"""Who may pass what to a catalog with this server's principal (``auth = "service"``): the policy decides.

Reading a table needs the role read for it. Whatever changes the catalog needs admin: for the table, for all tables of
the namespace that the path names, or for the whole catalog if the path names neither.
"""

from __future__ import annotations

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.policy import Action, Policy
from lakemuster.api.sidecar.requests import SAFE, SidecarRequest
from lakemuster.errors import NamespaceNotFound
from lakemuster.metadata.names import Levels, format_name

_REPORTS = "metrics"
DELEGATION = "x-iceberg-access-delegation"
"""The header that asks the catalog for credentials of its storage."""


def require_access(policy: Policy, caller: Caller, method: str, request: SidecarRequest) -> None:
    """Let a request pass.

    Raises:
        NotAuthorised, TableNotFound: see :meth:`Policy.require`.
        NamespaceNotFound: the caller sees nothing in that namespace.
    """
    is_reading = method in SAFE or (request.table is not None and request.segments[-1] == _REPORTS)
    action: Action = "read" if is_reading else "write"
    policy.require(caller, action)
    if request.is_config:
        return
    name, table, namespace = request.catalog.name, request.table, request.namespace
    if table is not None:
        policy.require(caller, action, (name, *table))
    elif action == "write":
        policy.require_all(caller, action, (name, *(namespace or ())))
    elif namespace is not None and not policy.sees_namespace(caller, (name, *namespace)):
        raise NamespaceNotFound(f"namespace {format_name(namespace)} does not exist")
    elif namespace is None and not policy.sees_namespace(caller, (name,)):
        policy.require_all(caller, action, (name,))


def may_have_credentials(policy: Policy, caller: Caller, request: SidecarRequest) -> bool:
    """Whether a caller may be given the catalog's storage credentials: those of our principal may write."""
    levels: Levels = (request.catalog.name, *(request.table or request.namespace or ()))
    return policy.may_all(caller, "write", levels) if request.table is None else policy.may(caller, "write", levels)
