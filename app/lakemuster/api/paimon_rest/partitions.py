"""Routes of a table's partitions: of the newest snapshot, and only if it could be read whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api.native.asking import PAGE_SIZE, needs
from lakemuster.api.page_tokens import Binding
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.asking import (
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
from lakemuster.api.paimon_rest.tables import look, newest_schema
from lakemuster.formats.paimon.partition_names import DEFAULT_NAME, shown
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.types import Primitive
from lakemuster.planner.lists.snapshot_lists import partitions
from lakemuster.planner.view import View
from lakemuster.wire.paimon_rest.catalog import PartitionFilter, PartitionNames, PartitionOut, PartitionsOut
from lakemuster.wire.paimon_rest.patterns import Pattern

_PARTITIONS = "/databases/{database}/tables/{table}/partitions"
_UNKNOWN = -1

router = APIRouter(prefix=PREFIX, tags=["paimon"], dependencies=[needs("read")])


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
    found = [partition for partition in _partitions(asked) if frozenset(partition.spec.items()) in wanted]
    return answer(PartitionsOut(partitions=found))


def _listed(asked: Asked, page: Paging, pattern: str | None) -> Response:
    like = Pattern.of(pattern)
    named = sorted((_name(partition), partition) for partition in _partitions(asked))
    chosen = [(name, partition) for name, partition in named if like.matches(name)]
    parameters = {"table": asked.name, "branch": asked.branch, "like": pattern or ""}
    binding = Binding(0, "paimon partitions", parameters, asked.caller.name)
    found, token = page_of(asked.api, page, chosen, lambda item: (item[0],), binding)
    return answer(PartitionsOut(partitions=[partition for _, partition in found], next_page_token=token))


def _name(partition: PartitionOut) -> str:
    return "/".join(f"{key}={value}" for key, value in partition.spec.items())


def _partitions(asked: Asked) -> list[PartitionOut]:
    """Those of the newest snapshot.

    Raises:
        SnapshotQuarantined, SnapshotUnpublished: it cannot be read: an older one is no answer.
    """
    head = head_of(asked)
    if head is None:
        return []
    table, metadata, _ = look(asked.services, asked.name)
    schema = newest_schema(metadata, asked.branch)
    if not schema.partition_keys:
        return []
    view = View(table, metadata, asked.services.refresher.ensure_published(table, head))
    source = partitions(asked.services.index, view)
    return [partition for _, batch in source.batches() for partition in _of_batch(batch, schema)]


def _of_batch(batch: pa.RecordBatch, schema: Schema) -> Iterator[PartitionOut]:
    spell = _spelling(schema)
    columns = {name: batch.column(name) for name in batch.schema.names}
    for row in range(batch.num_rows):
        updated = columns["last_updated_at"][row]
        yield PartitionOut(
            spec=spell(columns["partition"], row),
            record_count=columns["record_count"][row].as_py(),
            file_size_in_bytes=columns["total_data_file_size_in_bytes"][row].as_py(),
            file_count=columns["file_count"][row].as_py(),
            last_file_creation_time=updated.value if updated.is_valid else _UNKNOWN,
            total_buckets=_UNKNOWN,
            done=False,
        )


def _spelling(schema: Schema) -> Callable[[pa.StructArray, int], dict[str, str]]:
    """How the table's directories spell a partition's values."""
    options = dict(schema.options)
    legacy = options.get("partition.legacy-name", "true").strip().lower() == "true"
    default = options.get("partition.default-name", DEFAULT_NAME)
    types = {name: schema.by_name[name].type for name in schema.partition_keys}

    def spell(partition: pa.StructArray, row: int) -> dict[str, str]:
        return {
            name: shown(of, partition.field(name)[row], legacy=legacy, default=default)
            for name, of in types.items()
            if isinstance(of, Primitive)
        }

    return spell
