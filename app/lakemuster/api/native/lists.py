"""Routes of what a snapshot holds: manifests, entries, files, partitions, indexes; and of differences."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from starlette.responses import Response

from lakemuster.api.native.answers import Asked, chosen_view, pinned_view, snapshot_answer
from lakemuster.api.native.asking import (
    Api,
    DiffQuery,
    EntriesQuery,
    FilesQuery,
    OfSnapshot,
    Reader,
    SnapshotQuery,
    TableName,
    TheApi,
    snapshot_id,
    words,
)
from lakemuster.api.native.documented import LIST_OF_SNAPSHOT
from lakemuster.errors import RequestInvalid
from lakemuster.planner import lists
from lakemuster.planner.rows import RowSource
from lakemuster.planner.view import Selector, View
from lakemuster.wire.native.pages import DiffPage, EntriesPage, FilesPage, IndexesPage, ManifestsPage, PartitionsPage

router = APIRouter(tags=["lists"])


@router.get("/tables/{table}/manifests", response_model=ManifestsPage, responses=LIST_OF_SNAPSHOT)
def list_manifests(caller: Reader, api: TheApi, name: TableName, query: SnapshotQuery, request: Request) -> Response:
    """The rows of the snapshot's manifest lists, partition bounds typed."""
    return _answer(request, api, name, "manifests", query, lambda view: lists.manifests(api.services.index, view))


@router.get("/tables/{table}/entries", response_model=EntriesPage, responses=LIST_OF_SNAPSHOT)
def list_entries(caller: Reader, api: TheApi, name: TableName, query: EntriesQuery, request: Request) -> Response:
    """Every entry of every manifest, deleted ones too, with all of its fields; of one manifest if it is named."""
    return _answer(
        request, api, name, "entries", query, lambda view: lists.entries(api.services.index, view, query.manifest)
    )


@router.get("/tables/{table}/files", response_model=FilesPage, responses=LIST_OF_SNAPSHOT)
def list_files(caller: Reader, api: TheApi, name: TableName, query: FilesQuery, request: Request) -> Response:
    """The live data and delete files."""
    return _answer(
        request,
        api,
        name,
        "files",
        query,
        lambda view: lists.files(api.services.index, view, words(query.content), words(query.stats)),
    )


@router.get("/tables/{table}/partitions", response_model=PartitionsPage, responses=LIST_OF_SNAPSHOT)
def list_partitions(caller: Reader, api: TheApi, name: TableName, query: SnapshotQuery, request: Request) -> Response:
    """One row a partition: files, records, bytes, delete files, last commit."""
    return _answer(request, api, name, "partitions", query, lambda view: lists.partitions(api.services.index, view))


@router.get("/tables/{table}/indexes", response_model=IndexesPage, responses=LIST_OF_SNAPSHOT)
def list_indexes(caller: Reader, api: TheApi, name: TableName, query: SnapshotQuery, request: Request) -> Response:
    """Paimon's index files: hash indexes, and deletion vectors with their ranges. Empty for Iceberg."""
    return _answer(request, api, name, "indexes", query, lambda view: lists.indexes(api.services.index, view))


@router.get("/tables/{table}/diff", response_model=DiffPage, responses=LIST_OF_SNAPSHOT)
def list_diff(caller: Reader, api: TheApi, name: TableName, query: DiffQuery, request: Request) -> Response:
    """The files that were removed and added from one snapshot to another."""
    later = query.selector()
    if query.end is not None:
        if later != Selector():
            raise RequestInvalid("to, snapshot, ref and as_of exclude each other")
        later = Selector(snapshot_id(query.end))
    asked = Asked(request, api, "diff", query, api.services.table(name).id)
    place = asked.place(2)
    if place is None:
        old = api.services.view(name, Selector(snapshot_id(query.start)))
        new = api.services.view(name, later)
    else:
        old, new = (pinned_view(api, name, pin) for pin in place.pins)
    pinned = place is not None or later.snapshot_id is not None
    return snapshot_answer(
        asked, (old, new), lambda: lists.diff(api.services.index, old, new), pinned=pinned, place=place
    )


def _answer(
    request: Request, api: Api, name: str, listing: str, query: OfSnapshot, source: Callable[[View], RowSource]
) -> Response:
    asked = Asked(request, api, listing, query, api.services.table(name).id)
    place = asked.place(1)
    view = chosen_view(asked, name, query, place)
    pinned = place is not None or query.snapshot is not None
    return snapshot_answer(asked, (view,), lambda: source(view), pinned=pinned, place=place)
