"""Routes of a table's history: the newest snapshot, all snapshots, branches, tags, consumers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from lakemuster.api.native.answers import stale_header
from lakemuster.api.native.dependencies import needs
from lakemuster.api.paimon_rest.answers import answer
from lakemuster.api.paimon_rest.dependencies import PREFIX, TableRequest, ThePaging, ThePaimonTable, page_of, path_name
from lakemuster.api.paimon_rest.responses import TABLE
from lakemuster.api.paimon_rest.tables import looked_for, newest_schema
from lakemuster.api.threads import TableRoute
from lakemuster.catalog import SnapshotRecord, TableRecord
from lakemuster.catalog.paimon_rest.creation_times import last_file_creation_ms
from lakemuster.catalog.token_signing import Audience
from lakemuster.errors import RefNotFound, SnapshotNotFound, SnapshotQuarantined, SnapshotUnpublished
from lakemuster.metadata.snapshot import MAIN, UNREADABLE, Ref, Snapshot, TableMetadata
from lakemuster.wire.paimon_rest.catalog import (
    BranchesOut,
    Consumer,
    ConsumersOut,
    PaimonSnapshotOut,
    SnapshotsOut,
    TableSnapshot,
    TableSnapshotOut,
    TagOut,
    TagsOut,
)
from lakemuster.wire.paimon_rest.patterns import NamePattern
from lakemuster.wire.paimon_rest.snapshots import snapshot_json, tag_json

_TABLE = "/databases/{database}/tables/{table}"
_UNKNOWN = -1

router = APIRouter(prefix=PREFIX, tags=["paimon"], dependencies=[needs("read")], route_class=TableRoute)


@router.get(f"{_TABLE}/snapshot", name="paimon_get_snapshot", response_model=TableSnapshotOut, responses=TABLE)
def get_table_snapshot(request: ThePaimonTable) -> Response:
    """Return the newest snapshot, even if it is quarantined.

    It is never replaced by an older one, and 404 means that the table has no snapshot. If the newest state is not
    available, the status is 503.
    """
    head = head_of(request)
    record = head.require()
    snapshot, live = _read(record), record.live
    created_ms = last_file_creation_ms(request.services, head.table, head.metadata, record)
    total = snapshot.extra.get("total_record_count")
    told = TableSnapshot(
        snapshot=snapshot_json(snapshot),
        record_count=total if isinstance(total, int) else _UNKNOWN,
        file_size_in_bytes=_UNKNOWN if live is None else live.bytes,
        file_count=_UNKNOWN if live is None else live.data_files,
        last_file_creation_time=_UNKNOWN if created_ms is None else created_ms,
    )
    return answer(TableSnapshotOut(snapshot=told))


@router.get(f"{_TABLE}/snapshots", name="paimon_list_snapshots", response_model=SnapshotsOut, responses=TABLE)
def list_table_snapshots(request: ThePaimonTable, page: ThePaging) -> Response:
    """List the snapshots of a table or branch, newest first, without expired ones that tags or changelogs keep."""
    table, _, stale = _looked(request)
    records = sorted(_snapshots(request, table), key=lambda record: -record.snapshot.snapshot_id)
    audience = _audience(request, table, "paimon snapshots")
    found, token = page_of(request.api, page, records, lambda record: (-record.snapshot.snapshot_id,), audience)
    shown = [snapshot_json(_read(record)) for record in found]
    return answer(SnapshotsOut(snapshots=shown, next_page_token=token), stale_header(stale))


@router.get(
    f"{_TABLE}/snapshots/{{version}}", name="paimon_get_version", response_model=PaimonSnapshotOut, responses=TABLE
)
def get_version_snapshot(
    http: Request,
    request: ThePaimonTable,
    version: Annotated[str, Path(description="`EARLIEST`, `LATEST`, the id of a snapshot, or the name of a tag.")],
) -> Response:
    """Return a snapshot."""
    version = path_name(http, 5, version)
    if version == "LATEST":
        return answer(PaimonSnapshotOut(snapshot=snapshot_json(_read(head_of(request).require()))))

    def find(table: TableRecord, metadata: TableMetadata) -> SnapshotRecord:
        newest_schema(metadata, request.branch)
        by_id = {record.snapshot.snapshot_id: record for record in _snapshots(request, table)}
        if version == "EARLIEST":
            record = by_id.get(min(by_id, default=0))
        elif version.isascii() and version.isdecimal():
            record = by_id.get(int(version[:20]))
        else:
            tag = _tags(request, metadata).get(version)
            record = None if tag is None else _kept(request, table, tag)
        if record is None:
            raise SnapshotNotFound(f"the table has no snapshot or tag {version[:100]}")
        return record

    record, stale = looked_for(request.services, request.name, find)
    return answer(PaimonSnapshotOut(snapshot=snapshot_json(_read(record))), stale_header(stale))


@router.get(f"{_TABLE}/branches", name="paimon_list_branches", response_model=BranchesOut, responses=TABLE)
def list_branches(request: ThePaimonTable) -> Response:
    """List the branches of a table other than main."""
    _, metadata, stale = _looked(request)
    return answer(BranchesOut(branches=sorted(metadata.branch_schemas)), stale_header(stale))


@router.get(f"{_TABLE}/tags", name="paimon_list_tags", response_model=TagsOut, responses=TABLE)
def list_tags(
    request: ThePaimonTable,
    page: ThePaging,
    prefix: Annotated[
        str | None,
        Query(
            alias="tagNamePrefix",
            max_length=4096,
            description="Prefix of names, with an optional trailing `%`. Absent: all tags.",
        ),
    ] = None,
) -> Response:
    """List the tags of a table or branch."""
    table, metadata, stale = _looked(request)
    like = NamePattern.of(None if not prefix else prefix.removesuffix("%") + "%")
    names = sorted(name for name in _tags(request, metadata) if like.matches(name))
    found, token = page_of(
        request.api, page, names, lambda name: (name,), _audience(request, table, "paimon tags", prefix)
    )
    return answer(TagsOut(tags=found, next_page_token=token), stale_header(stale))


@router.get(f"{_TABLE}/tags/{{tag}}", name="paimon_get_tag", response_model=TagOut, responses=TABLE)
def get_tag(
    http: Request, request: ThePaimonTable, tag: Annotated[str, Path(description="Name of the tag.")]
) -> Response:
    """Return a tag and the snapshot that it keeps."""
    name = path_name(http, 5, tag)

    def find(table: TableRecord, metadata: TableMetadata) -> tuple[Ref, SnapshotRecord]:
        newest_schema(metadata, request.branch)
        found = _tags(request, metadata).get(name)
        if found is None:
            raise RefNotFound(f"the table has no tag {name[:100]}")
        return found, _kept(request, table, found)

    (found, record), stale = looked_for(request.services, request.name, find)
    return answer(TagOut.model_validate(tag_json(found, _read(record))), stale_header(stale))


@router.get(f"{_TABLE}/consumers", name="paimon_list_consumers", response_model=ConsumersOut, responses=TABLE)
def list_consumers(request: ThePaimonTable, page: ThePaging) -> Response:
    """List the consumers of a table or branch: readers that record their progress."""
    table, metadata, stale = _looked(request)
    known = _consumers(metadata, request.branch)
    found, token = page_of(
        request.api, page, sorted(known), lambda name: (name,), _audience(request, table, "paimon consumers")
    )
    consumers = [Consumer(consumer_id=name, next_snapshot=known[name]) for name in found]
    return answer(ConsumersOut(consumers=consumers, next_page_token=token), stale_header(stale))


@dataclass(frozen=True, slots=True)
class Head:
    """The current state of a table, and the newest snapshot of the requested branch.

    Attributes:
        record: the newest snapshot, published or not; None if the branch has none.
    """

    table: TableRecord
    metadata: TableMetadata
    record: SnapshotRecord | None

    def require(self) -> SnapshotRecord:
        """Return the snapshot.

        Raises:
            SnapshotNotFound: the branch has none.
        """
        if self.record is None:
            raise SnapshotNotFound("the table has no snapshots")
        return self.record


def head_of(request: TableRequest) -> Head:
    """Look at a table's pointer, and return the newest snapshot of the requested branch.

    Raises:
        SnapshotUnpublished: the newest state could not be read.
    """
    table, metadata, stale = _looked(request)
    heads = {ref.branch: ref.snapshot_id for ref in metadata.refs if ref.kind == "branch"}
    try:
        records = request.services.heads(
            table, {branch: heads[branch] for branch in {MAIN, request.branch} & heads.keys()}
        )
    except SnapshotNotFound as cause:
        raise SnapshotUnpublished("the table changed while its metadata was read; try again") from cause
    # If main's newest snapshot is quarantined, the table is stale, but its newest snapshot is known.
    main = records.get(MAIN)
    if stale is not None and (main is None or stale != main.error):
        raise SnapshotUnpublished(f"the table's newest state is not available: {stale}")
    return Head(table, metadata, records.get(request.branch))


def _looked(request: TableRequest) -> tuple[TableRecord, TableMetadata, str | None]:
    """Return a table that has the requested branch, its metadata, and why these are staler than allowed, if so.

    Raises:
        TableNotFound: the table or branch does not exist.
        LookFailed: the branch is unknown, and the table's pointer cannot be read.
    """

    def find(table: TableRecord, metadata: TableMetadata) -> tuple[TableRecord, TableMetadata]:
        newest_schema(metadata, request.branch)
        return table, metadata

    found, stale = looked_for(request.services, request.name, find)
    return *found, stale


def _snapshots(request: TableRequest, table: TableRecord) -> list[SnapshotRecord]:
    records = request.services.known_snapshots(table, request.branch)
    return [record for record in records if record.snapshot.source == "snapshot"]


def _tags(request: TableRequest, metadata: TableMetadata) -> dict[str, Ref]:
    return {ref.name: ref for ref in metadata.refs if ref.kind == "tag" and ref.branch == request.branch}


def _consumers(metadata: TableMetadata, branch: str) -> dict[str, int]:
    own = metadata.extra.get("consumers")
    of_branches = metadata.extra.get("branch_consumers")
    if branch != MAIN:
        own = of_branches.get(branch) if isinstance(of_branches, Mapping) else None
    return dict(own) if isinstance(own, Mapping) else {}


def _kept(request: TableRequest, table: TableRecord, tag: Ref) -> SnapshotRecord:
    return request.services.heads(table, {tag.branch: tag.snapshot_id})[tag.branch]


def _read(record: SnapshotRecord) -> Snapshot:
    """Return a record's snapshot.

    Raises:
        SnapshotQuarantined: the snapshot's own file could not be read.
    """
    if (reason := record.snapshot.extra.get(UNREADABLE)) is not None:
        raise SnapshotQuarantined(f"snapshot {record.snapshot.snapshot_id} cannot be read: {reason}")
    return record.snapshot


def _audience(request: TableRequest, table: TableRecord, listing: str, like: str | None = None) -> Audience:
    return Audience(table.table_id, listing, {"branch": request.branch, "like": like or ""}, request.caller.name)
