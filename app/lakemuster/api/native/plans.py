"""Routes of plans: the files that a query must read, and why."""

from __future__ import annotations

import json
from collections.abc import Mapping

import orjson
from fastapi import APIRouter
from starlette.responses import Response

from lakemuster.api import media
from lakemuster.api.native.answers import SNAPSHOT_HEADER, Asked, pins_of, stale_header, stream, views_of
from lakemuster.api.native.asking import PREFIX, Paged, TheTable, needs
from lakemuster.api.native.documented import EXPLAIN, PLAN
from lakemuster.api.page_tokens import Place
from lakemuster.api.planned import PlanListing
from lakemuster.api.planning import explanation_out, plan_listing, selector_of
from lakemuster.planner.view import View
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.explanations import ExplanationOut
from lakemuster.wire.native.plans import ExplainRequest, PlanPage, PlanRequest

router = APIRouter(prefix=PREFIX, tags=["plans"], dependencies=[needs("read", parameters=False)])


class _Paging(Paged):
    """A body's paging; all the rest of it chooses the files."""

    asked: PlanRequest

    def choosing(self) -> dict[str, str]:
        """The rest as one text, made when a token needs it."""
        fields = PlanRequest.model_fields
        values = {name: getattr(self.asked, name) for name in fields if name not in ("page_size", "page_token")}
        chosen = {name: value for name, value in values.items() if value != fields[name].default}
        return {"body": json.dumps(chosen, sort_keys=True)}


@router.post("/tables/{table}/plan", response_model=PlanPage, responses=PLAN)
def plan(table: TheTable, asked: PlanRequest) -> Response:
    """The data files that hold rows that match a filter, as far as metadata can tell: never too few.

    With each file come the delete files that apply to it, and what is left of the filter for its rows. A page lists
    the delete files of its own files. In NDJSON, lines are `{"plan": …}` (what a page says of the whole plan),
    `{"delete": …}`, `{"file": …}` and `{"end": …}`; in Arrow, delete files are rows with their `content` and without
    `deletes`, and the schema's metadata have `plan`. There, `deletes` count the stream's delete files from 0; each
    stands before the first file that names it.
    """
    selector = selector_of(asked)
    paging = _Paging(page_size=asked.page_size, page_token=asked.page_token, asked=asked)
    request, (view,), place = views_of(table, "plan", paging, lambda: (table.services.view(table.name, selector),))
    pinned = place is not None or selector.snapshot_id is not None
    listing = plan_listing(table.services, view, asked, stale=None if pinned else view.stale)
    return _answer(request, view, listing, place)


@router.post("/tables/{table}/explain", response_model=ExplanationOut, responses=EXPLAIN)
def explain(table: TheTable, asked: ExplainRequest) -> Response:
    """What a filter drops at which level, by which of its conjuncts; and why any data file is kept or dropped."""
    selector = selector_of(asked)
    view = table.services.view(table.name, selector)
    stale = None if selector.snapshot_id is not None else view.stale
    document = explanation_out(table.services, view, asked, stale=stale).model_dump(mode="json")
    return Response(dumps(document), media_type=media.JSON, headers=stale_header(stale))


def _answer(asked: Asked, view: View, listing: PlanListing, place: Place | None) -> Response:
    form = asked.form
    headers = {"Vary": "Accept", **stale_header(listing.stale)}
    if view.snapshot_id is not None:
        headers[SNAPSHOT_HEADER] = str(view.snapshot_id)
    if form != media.JSON:
        return stream(form, listing, view.snapshot_id, headers)
    return Response(_page(asked, view, listing, place), media_type=media.JSON, headers=headers)


def _page(asked: Asked, view: View, listing: PlanListing, place: Place | None) -> bytes:
    page = listing.page(None if place is None else place.key, asked.query.page_size)
    token = None if page.after is None else asked.token(Place(pins_of([view]), page.after))
    about: Mapping[str, object] = listing.about
    head = orjson.dumps({"snapshot_id": about["snapshot_id"]})[:-1]
    rest = {key: about[key] for key in ("applied", "not_applied", "counts")}
    rest |= {"next_page_token": token, "stale": about["stale"]}
    return b'%s,"files":[%s],"deletes":[%s],%s' % (head, page.files, page.deletes, orjson.dumps(rest)[1:])
