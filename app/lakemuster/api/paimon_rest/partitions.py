"""Routes of a table's partitions: of the newest snapshot, and only if it could be read whole."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api.native.dependencies import PAGE_SIZE, needs
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.dependencies import (
    PREFIX,
    Asked,
    Paging,
    PartitionPattern,
    ThePaging,
    ThePaimonTable,
    page_of,
)
from lakemuster.api.paimon_rest.documented import TABLE
from lakemuster.api.paimon_rest.history import head_of
from lakemuster.api.paimon_rest.tables import newest_schema
from lakemuster.api.threads import TableRoute
from lakemuster.catalog.page_tokens import Binding
from lakemuster.formats.paimon.partition_names import DEFAULT_NAME, shown
from lakemuster.metadata.schema import Schema
from lakemuster.planner.lists.system.sums import partition_sums
from lakemuster.planner.lists.system.texts import partition_columns
from lakemuster.planner.view import View
from lakemuster.wire.paimon_rest.catalog import PartitionFilter, PartitionNames, PartitionOut, PartitionsOut
from lakemuster.wire.paimon_rest.patterns import Pattern

_PARTITIONS = "/databases/{database}/tables/{table}/partitions"
_UNKNOWN = -1

router = APIRouter(prefix=PREFIX, tags=["paimon"], dependencies=[needs("read")], route_class=TableRoute)


@router.get(_PARTITIONS, name="paimon_list_partitions", response_model=PartitionsOut, responses=TABLE)
def list_partitions(asked: ThePaimonTable, page: ThePaging, pattern: PartitionPattern = None) -> Response:
    """The partitions that hold a live file, by name."""
    return _listed(asked, page, pattern)


@router.post(
    f"{_PARTITIONS}/list-by-filter",
    name="paimon_list_partitions_by_filter",
    response_model=PartitionsOut,
    responses=TABLE,
)
def list_partitions_by_filter(asked: ThePaimonTable, body: PartitionFilter) -> Response:
    """The same: the protocol lets an answer hold partitions that a predicate does not ask for."""
    page = Paging(body.page_token or None, body.max_results or PAGE_SIZE)
    return _listed(asked, page, body.partition_name_pattern)


@router.post(
    f"{_PARTITIONS}/list-by-names",
    name="paimon_list_partitions_by_names",
    response_model=PartitionsOut,
    responses=TABLE,
)
def list_partitions_by_names(asked: ThePaimonTable, body: PartitionNames) -> Response:
    """Those of some partitions that exist."""
    wanted = {frozenset(spec.items()) for spec in body.specs}
    found = [partition for partition in _partitions(asked).values() if frozenset(partition.spec.items()) in wanted]
    return answer(PartitionsOut(partitions=found))


def _listed(asked: Asked, page: Paging, pattern: str | None) -> Response:
    like = Pattern.of(pattern)
    named = _partitions(asked)
    chosen = [name for name in sorted(named) if like.matches(name)]
    parameters = {"table": asked.name, "branch": asked.branch, "like": pattern or ""}
    binding = Binding(0, "paimon partitions", parameters, asked.caller.name)
    found, token = page_of(asked.api, page, chosen, lambda name: (name,), binding)
    return answer(PartitionsOut(partitions=[named[name] for name in found], next_page_token=token))


def _partitions(asked: Asked) -> dict[str, PartitionOut]:
    """Those of the newest snapshot, by name. Null and blank values have one name, and are one partition here.

    Raises:
        SnapshotQuarantined, SnapshotUnpublished: it cannot be read: an older one is no answer.
    """
    head = head_of(asked)
    schema = newest_schema(head.metadata, asked.branch)
    if head.record is None or not schema.partition_keys:
        return {}
    record = asked.services.refresher.ensure_published(head.table, head.record)
    view = View(head.table, head.metadata, record)
    found: dict[str, PartitionOut] = {}
    for partition in _spelled(partition_sums(asked.services.index, view), view, schema):
        name = "/".join(f"{key}={value}" for key, value in partition.spec.items())
        found[name] = _together(found[name], partition) if name in found else partition
    return found


def _together(one: PartitionOut, other: PartitionOut) -> PartitionOut:
    newer = max(one, other, key=lambda partition: partition.last_file_creation_time)
    sums = ("record_count", "file_size_in_bytes", "file_count")
    return newer.model_copy(update={name: getattr(one, name) + getattr(other, name) for name in sums})


def _spelled(sums: pa.Table, view: View, schema: Schema) -> Iterator[PartitionOut]:
    """Partitions, their values as the table's directories spell them."""
    options = dict(schema.options)
    legacy = options.get("partition.legacy-name", "true").strip().lower() == "true"
    default = options.get("partition.default-name", DEFAULT_NAME)
    columns = partition_columns(sums, view.metadata.specs[0], view.schemas)
    updated = sums.column("last_update_time").cast(pa.int64()).to_pylist()
    numbers = sums.select(["record_count", "file_size_in_bytes", "file_count", "total_buckets"]).to_pylist()
    for row, counts in enumerate(numbers):
        yield PartitionOut(
            spec={name: shown(of, values[row], legacy=legacy, default=default) for name, of, values in columns},
            record_count=counts["record_count"],
            file_size_in_bytes=counts["file_size_in_bytes"],
            file_count=counts["file_count"],
            last_file_creation_time=_UNKNOWN if updated[row] is None else updated[row],
            total_buckets=_UNKNOWN if counts["total_buckets"] is None else counts["total_buckets"],
            done=False,
        )
