"""Routes of the partitions of a table's newest snapshot; they fail if it cannot be read completely."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api.native.dependencies import needs
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.dependencies import (
    PREFIX,
    Paging,
    PartitionPattern,
    TableRequest,
    ThePaging,
    ThePaimonTable,
    page_of,
    requested_page,
)
from lakemuster.api.paimon_rest.history import head_of
from lakemuster.api.paimon_rest.responses import TABLE
from lakemuster.api.paimon_rest.tables import newest_schema
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.branches import second_branch
from lakemuster.catalog.paimon_rest.partitions import partitions_of
from lakemuster.catalog.token_signing import Audience
from lakemuster.errors import OperationUnsupported
from lakemuster.wire.paimon_rest.catalog import PartitionFilter, PartitionNames, PartitionOut, PartitionsOut
from lakemuster.wire.paimon_rest.patterns import NamePattern

_PARTITIONS = "/databases/{database}/tables/{table}/partitions"

router = APIRouter(prefix=PREFIX, tags=["paimon"], dependencies=[needs("read")], route_class=TableRoute)


@router.get(_PARTITIONS, name="paimon_list_partitions", response_model=PartitionsOut, responses=TABLE)
def list_partitions(request: ThePaimonTable, page: ThePaging, pattern: PartitionPattern = None) -> Response:
    """List the partitions that have a live file, by name."""
    return _listed(request, page, pattern)


@router.post(
    f"{_PARTITIONS}/list-by-filter",
    name="paimon_list_partitions_by_filter",
    response_model=PartitionsOut,
    responses=TABLE,
)
def list_partitions_by_filter(request: ThePaimonTable, body: PartitionFilter) -> Response:
    """List all partitions: the protocol permits partitions that do not match the predicate."""
    page = requested_page(body.page_token, body.max_results)
    return _listed(request, page, body.partition_name_pattern)


@router.post(
    f"{_PARTITIONS}/list-by-names",
    name="paimon_list_partitions_by_names",
    response_model=PartitionsOut,
    responses=TABLE,
)
def list_partitions_by_names(request: ThePaimonTable, body: PartitionNames) -> Response:
    """Return those of the given partitions that exist."""
    wanted = {frozenset(spec.items()) for spec in body.specs}
    found = [partition for partition in _partitions(request).values() if frozenset(partition.spec.items()) in wanted]
    return answer(PartitionsOut(partitions=found))


def _listed(request: TableRequest, page: Paging, pattern: str | None) -> Response:
    like = NamePattern.of(pattern)
    named = _partitions(request)
    chosen = [name for name in sorted(named) if like.matches(name)]
    parameters = {"table": request.name, "branch": request.branch, "like": pattern or ""}
    audience = Audience(0, "paimon partitions", parameters, request.caller.name)
    found, token = page_of(request.api, page, chosen, lambda name: (name,), audience)
    return answer(PartitionsOut(partitions=[named[name] for name in found], next_page_token=token))


def _partitions(request: TableRequest) -> dict[str, PartitionOut]:
    """Return the partitions of the newest snapshot, by name.

    Raises:
        OperationUnsupported: the table also has partitions of another branch. Java's client and pypaimon then list the
            partitions from its files.
        SnapshotQuarantined, SnapshotUnpublished: it cannot be read; an older snapshot is not used instead.
    """
    head = head_of(request)
    schema = newest_schema(head.metadata, request.branch)
    if (other := second_branch(head.metadata, request.branch)) is not None:
        raise OperationUnsupported(
            f"{other.option} reads partitions of branch {other.branch}, which this catalog does not list: list them "
            "from the table's files"
        )
    if head.record is None or not schema.partition_keys:
        return {}
    return partitions_of(request.services, head.table, head.metadata, head.record, schema)
