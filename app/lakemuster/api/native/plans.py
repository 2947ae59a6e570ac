"""Routes of plans: list the files that a query must read, divide plans into tasks, and explain them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import orjson
from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api import media
from lakemuster.api.native.answers import SNAPSHOT_HEADER, ListRequest, pins_of, stale_header, stream, views_of
from lakemuster.api.native.body_route import BodyRoute
from lakemuster.api.native.dependencies import PREFIX, PageParameters, Target, TheTable, needs
from lakemuster.api.native.responses import EXPLAIN, PLAN, PLAN_TASKS
from lakemuster.api.response_cache import cache_until_changed
from lakemuster.catalog import View
from lakemuster.catalog.page_tokens import Place
from lakemuster.catalog.plan_response import PlanListing
from lakemuster.catalog.planning import explanation_out, plan_listing, selector_of
from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import RequestInvalid
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.explanations import ExplanationOut
from lakemuster.wire.native.plans import (
    ExplainRequest,
    PlanOptions,
    PlanPage,
    PlanRequest,
    PlanTasks,
    PlanTasksRequest,
    QueryOptions,
)

_TASKS = "plan-tasks"

MAX_TASKS = 100_000
"""Maximum number of plan tasks in one response, of about 150 bytes each."""

router = APIRouter(prefix=PREFIX, tags=["plans"], dependencies=[needs("read", parameters=False)], route_class=BodyRoute)


class _Paging(PageParameters):
    """A body's paging; all the rest of it chooses the files."""

    body: PlanOptions
    plan_task: str | None = None

    def choosing(self) -> dict[str, str]:
        """Return all other fields as one JSON text; it is built only when a token needs it."""
        fields = PlanOptions.model_fields
        values = {name: getattr(self.body, name) for name in fields}
        chosen = {name: value for name, value in values.items() if value != fields[name].default}
        task = {} if self.plan_task is None else {"plan_task": self.plan_task}
        return {"body": json.dumps(chosen, sort_keys=True), **task}


@router.post("/tables/{table}/plan", response_model=PlanPage, responses=PLAN)
def plan(table: TheTable, body: PlanRequest) -> Response:
    """Plan a scan: list the data files that may hold rows matching a filter.

    A file is left out only if metadata proves that none of its rows match. Each file has the delete files that apply
    to it, and the residual filter for its rows. A page has the delete files of its own files.

    An NDJSON stream has lines `{"plan": …}` (the totals), `{"delete": …}`, `{"file": …}` and `{"end": …}`. In an Arrow
    stream, delete files are rows with their `content` and null `deletes`, and `plan` is in the schema's metadata. In
    both, `deletes` are indexes into the stream's delete files; a delete file precedes the first file that refers to it.
    """
    body = with_nan(table, body)
    selector = selector_of(body)
    paging = _Paging(page_size=body.page_size, page_token=body.page_token, body=body, plan_task=body.plan_task)
    if body.plan_task is not None:
        return _task(table, body, paging)
    request, (view,), place = views_of(table, "plan", paging, lambda: (table.services.view(table.name, selector),))
    pinned = place is not None or selector.snapshot_id is not None
    with CPU.permit():
        listing = plan_listing(table.services, view, body, stale=None if pinned else view.stale)
        return _answer(request, view, listing, place)


@router.post("/tables/{table}/plan/tasks", response_model=PlanTasks, responses=PLAN_TASKS)
def plan_tasks(table: TheTable, body: PlanTasksRequest) -> Response:
    """Plan a scan in parts, which several readers can fetch in parallel.

    Files that must be read together are in one part. The tokens are valid on every replica as long as the snapshot
    exists.
    """
    if body.limit is not None:
        raise RequestInvalid("limit applies to whole plans, not to plan tasks")
    body = with_nan(table, body)
    selector = selector_of(body)
    view = table.services.view(table.name, selector)
    stale = None if selector.snapshot_id is not None else view.stale
    with CPU.permit():
        listing = plan_listing(table.services, view, body, stale=stale)
        count = listing.plan.totals.files
        keys = listing.tasks(max(body.task_files, -(-count // MAX_TASKS))) if count else ()
        table.api.metrics.planned("native", listing.plan.entries, count)
    tokens = ListRequest(table.request, table.api, _TASKS, _Paging(body=body), view.table.table_id)
    pins = pins_of([view])
    document = {**listing.about, "plan_tasks": [tokens.token(Place(pins, key)) for key in keys]}
    headers = stale_header(stale)
    if view.snapshot_id is not None:
        headers[SNAPSHOT_HEADER] = str(view.snapshot_id)
    return Response(dumps(document), media_type=media.JSON, headers=headers)


@router.post("/tables/{table}/explain", response_model=ExplanationOut, responses=EXPLAIN)
def explain(table: TheTable, body: ExplainRequest) -> Response:
    """Explain a plan: how many items each conjunct drops at each level, and why given files are kept or dropped."""
    body = with_nan(table, body)
    selector = selector_of(body)
    view = table.services.view(table.name, selector)
    stale = None if selector.snapshot_id is not None else view.stale
    with CPU.permit():
        document = explanation_out(table.services, view, body, stale=stale).model_dump(mode="json")
        return Response(dumps(document), media_type=media.JSON, headers=stale_header(stale))


PlanBody = TypeVar("PlanBody", bound=QueryOptions)


def with_nan(table: Target, body: PlanBody) -> PlanBody:
    """Set the table's NaN mode if the request has none, so that tokens are bound to it."""
    mode = "any" if body.nan is not None else table.services.settings.nan_of(table.name)
    return body if mode == "any" else body.model_copy(update={"nan": mode})


def _task(table: Target, body: PlanRequest, paging: _Paging) -> Response:
    """Return the response with the files of one plan task."""
    if body.limit is not None:
        raise RequestInvalid("limit applies to whole plans, not to plan tasks")
    _, (view,), part_of = views_of(table, _TASKS, _Paging(page_token=body.plan_task, body=body), lambda: ())
    assert part_of is not None
    request, _, place = views_of(table, "plan", paging, lambda: (view,))
    with CPU.permit():
        listing = plan_listing(table.services, view, body, stale=None)
        of_part = listing.task(tuple(int(number) for number in part_of.key))
        return _answer(request, view, of_part, place)


def _answer(request: ListRequest, view: View, listing: PlanListing, place: Place | None) -> Response:
    form, metrics = replace(request, forms=media.PLANS).form, request.api.metrics
    if view.stale is None:
        cache_until_changed(request.http, view.table)
    headers = {"Vary": "Accept", **stale_header(listing.stale)}
    if view.snapshot_id is not None:
        headers[SNAPSHOT_HEADER] = str(view.snapshot_id)
    if form != media.JSON:
        response = stream(form, listing, view.snapshot_id, headers)
        metrics.planned("native", listing.plan.entries, listing.plan.totals.files)
        return response
    body, files = _page(request, view, listing, place)
    if place is None:
        metrics.planned("native", listing.plan.entries, files)
    return Response(body, media_type=media.JSON, headers=headers)


def _page(request: ListRequest, view: View, listing: PlanListing, place: Place | None) -> tuple[bytes, int]:
    """Return one page as JSON, and the number of files in the whole plan."""
    size, pages = request.query.page_size, request.api.services.pages
    known = pages.find(listing, size) if place is None else None
    page = known or listing.page(None if place is None else place.key, size)
    token = None if page.after is None else request.token(Place(pins_of([view]), page.after))
    about: Mapping[str, object] = listing.about_of(page.totals)
    head = orjson.dumps({key: about[key] for key in ("snapshot_id", "schema_id")})[:-1] + b',"files":['
    rest = {key: about[key] for key in ("applied", "not_applied", "counts")}
    rest |= {"next_page_token": token, "stale": about["stale"]}
    between = b'],"deletes":['
    body = b"".join((head, page.files, between, page.deletes, b"],", memoryview(orjson.dumps(rest))[1:]))
    if place is None and known is None:
        # The cached page shares the buffer of the response body, which is also in the response cache.
        files, whole = len(head) + len(page.files), memoryview(body)
        deletes = whole[files + len(between) :][: len(page.deletes)]
        pages.put(listing, size, replace(page, files=whole[len(head) : files], deletes=deletes))
    return body, page.totals.files
