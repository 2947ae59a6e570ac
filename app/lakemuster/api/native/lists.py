"""Routes of a snapshot's contents (manifests, entries, files, partitions, indexes), and of differences."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypeVar

from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api.native.answers import snapshot_answer, views_of
from lakemuster.api.native.dependencies import (
    PREFIX,
    DiffQuery,
    EntriesQuery,
    FilesParameters,
    FilesQuery,
    PartitionsParameters,
    PartitionsQuery,
    SnapshotParameters,
    SortedQuery,
    Target,
    TheTable,
    needs,
    snapshot_id,
)
from lakemuster.api.native.responses import LIST_OF_SNAPSHOT
from lakemuster.api.threads import TableRoute
from lakemuster.catalog import Selector, View
from lakemuster.catalog.arranged_rows import Arrangement
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.lists import EVERYTHING, Choice, ListName, difference, rows_of, words
from lakemuster.errors import RequestInvalid
from lakemuster.wire.native.pages import DiffPage, EntriesPage, FilesPage, IndexesPage, ManifestsPage, PartitionsPage

router = APIRouter(prefix=PREFIX, tags=["lists"], dependencies=[needs("read")], route_class=TableRoute)


@router.get("/tables/{table}/manifests", response_model=ManifestsPage, responses=LIST_OF_SNAPSHOT)
def list_manifests(table: TheTable, query: SortedQuery) -> Response:
    """List the manifests of a snapshot, with typed partition bounds."""
    return _answer(table, "manifests", query)


@router.get("/tables/{table}/entries", response_model=EntriesPage, responses=LIST_OF_SNAPSHOT)
def list_entries(table: TheTable, query: EntriesQuery) -> Response:
    """List all manifest entries of a snapshot, including deleted ones, with all fields."""
    return _answer(table, "entries", query, Choice(manifest=query.manifest))


@router.get("/tables/{table}/files", response_model=FilesPage, responses=LIST_OF_SNAPSHOT)
def list_files(table: TheTable, query: FilesQuery) -> Response:
    """List the live data and delete files of a snapshot; with a filter, those that a plan has."""
    query, choice = _filtered(table, query, Choice(content=words(query.content), stats=words(query.stats)))
    return _answer(table, "files", query, choice)


@router.get("/tables/{table}/partitions", response_model=PartitionsPage, responses=LIST_OF_SNAPSHOT)
def list_partitions(table: TheTable, query: PartitionsQuery) -> Response:
    """List the partitions of a snapshot with totals of their files, and the last commit."""
    query, choice = _filtered(table, query, Choice())
    return _answer(table, "partitions", query, choice)


@router.get("/tables/{table}/indexes", response_model=IndexesPage, responses=LIST_OF_SNAPSHOT)
def list_indexes(table: TheTable, query: SortedQuery) -> Response:
    """List Paimon's index files: hash indexes, and deletion vectors with their ranges. Empty for Iceberg."""
    return _answer(table, "indexes", query)


@router.get("/tables/{table}/diff", response_model=DiffPage, responses=LIST_OF_SNAPSHOT)
def list_diff(table: TheTable, query: DiffQuery) -> Response:
    """List the files that were removed and added between two snapshots."""
    if query.order == "desc":
        raise RequestInvalid("a difference has no descending order: it may have millions of rows", order=query.order)
    later = query.selector()
    if query.end is not None:
        if later != Selector():
            raise RequestInvalid("to, snapshot, ref and as_of are mutually exclusive")
        later = Selector(snapshot_id(query.end))
    earlier = Selector(snapshot_id(query.start))

    def chosen() -> tuple[View, ...]:
        return table.services.view(table.name, earlier), table.services.view(table.name, later)

    request, (old, new), place = views_of(table, "diff", query, chosen)
    pinned = place is not None or later.snapshot_id is not None
    return snapshot_answer(
        request,
        (old, new),
        lambda: difference(table.services.index, old, new),
        pinned=pinned,
        place=place,
    )


FilteredQuery = TypeVar("FilteredQuery", FilesParameters, PartitionsParameters)


def _filtered(table: Target, query: FilteredQuery, choice: Choice) -> tuple[FilteredQuery, Choice]:
    """Add a request's filter to a choice, and the NaN mode to the request, so that page tokens are bound to it."""
    if query.filter is None:
        return query, choice
    nan = query.nan or table.services.settings.nan_of(table.name)
    choice = replace(choice, filter=Filter.of_text(query.filter), nan=nan)
    return query.model_copy(update={"nan": nan}), choice


def _answer(table: Target, name: ListName, query: SnapshotParameters, choice: Choice = EVERYTHING) -> Response:
    selector = query.selector()
    request, (view,), place = views_of(table, name, query, lambda: (table.services.view(table.name, selector),))
    pinned = place is not None or query.snapshot is not None
    sort, top = getattr(query, "sort", None), getattr(query, "top", None)
    choice = replace(choice, arrangement=Arrangement(sort, query.order, top))
    rows = partial(rows_of, table.services.index, name, view, choice)
    return snapshot_answer(request, (view,), rows, pinned=pinned, place=place)
