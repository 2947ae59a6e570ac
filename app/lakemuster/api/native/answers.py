"""Build responses of lists: media type, pinned snapshots, pages, ETag and cache headers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson
from fastapi import Request
from starlette.responses import Response

from lakemuster import __version__
from lakemuster.api import media, streams
from lakemuster.api.native.dependencies import PageParameters, Target
from lakemuster.api.response_cache import cache_until_changed
from lakemuster.api.shared import Api
from lakemuster.catalog import CURRENT, RowSource, View
from lakemuster.catalog.branches import branch_of, second_branch
from lakemuster.catalog.listings import Listing, RowListing, Streamed
from lakemuster.catalog.lists import not_applied
from lakemuster.catalog.page_tokens import Pin, Place, read_token, write_token
from lakemuster.catalog.selected_fields import with_fields
from lakemuster.catalog.token_signing import Audience
from lakemuster.cpu_semaphore import CPU
from lakemuster.errors import RequestInvalid

PINNED_SECONDS = 31_536_000
STALE_HEADER = "Lakemuster-Stale"
SNAPSHOT_HEADER = "Lakemuster-Snapshot-Id"
NOTHING: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True)
class ListRequest:
    """One request for a list.

    Attributes:
        name: the list's name, its key in JSON.
        table_id: the table's id; 0 for lists that do not belong to a table.
        forms: the media types in which the list is available.
    """

    http: Request
    api: Api
    name: str
    query: PageParameters
    table_id: int = 0
    forms: Sequence[str] = media.LISTS

    @property
    def form(self) -> str:
        """The response's media type.

        Raises:
            NotAcceptable: the caller accepts none of a list's media types.
            RequestInvalid: there is a page token, but a stream has no pages.
        """
        form = media.choose(self.http.headers.get("accept"), self.forms)
        if form != media.JSON and self.query.page_token is not None:
            raise RequestInvalid("a stream has no pages: omit page_token, or accept application/json")
        return form

    @property
    def _audience(self) -> Audience:
        return Audience(self.table_id, self.name, self.query.choosing(), self.http.state.caller)

    def place(self) -> Place | None:
        """Return the position from the page token; None for the first page."""
        if self.query.page_token is None:
            return None
        return read_token(self.query.page_token, self._audience, self.api.token_signer)

    def token(self, place: Place) -> str:
        """Return the token of the next page."""
        return write_token(place, self._audience, self.api.token_signer)


def listing_answer(
    request: ListRequest,
    listing: Listing,
    *,
    stale: str | None,
    others: Collection[str] = (),
    about: Mapping[str, object] = NOTHING,
) -> Response:
    """Return the response of a list that does not depend on a snapshot.

    Args:
        others: names of fields without a column of their own.
        about: members of every page besides the list.
    """
    form, place = request.form, request.place()
    listing = with_fields(listing, request.query.fields, others)
    headers = {"Vary": "Accept", **stale_header(stale)}
    if form != media.JSON:
        return stream(form, listing, None, headers)
    return _page(request, listing, (), place, {}, stale, headers, about)


def snapshot_answer(
    request: ListRequest,
    views: Sequence[View],
    source: Callable[[], RowSource],
    *,
    pinned: bool,
    place: Place | None,
) -> Response:
    """Return the response of a list of a snapshot's rows.

    Args:
        views: the view to list; for a difference, preceded by the view to compare with.
        source: computes the rows; not called if If-None-Match has the ETag.
        pinned: whether the response can never change.
        place: where the page begins.
    """
    form, view = request.form, views[-1]
    if all(one.stale is None for one in views):
        cache_until_changed(request.http, view.table)
    stale = None if pinned else view.stale
    etag = _etag(request, views, form, stale)
    is_alone = all(one.second_branch is None for one in views)
    headers = {
        "ETag": etag,
        "Vary": "Accept" if request.api.identity.authenticator is None else "Accept, Authorization",
        # The snapshot of a second branch, which is paired with a pinned snapshot, may change.
        "Cache-Control": f"private, max-age={PINNED_SECONDS}, immutable" if pinned and is_alone else "no-cache",
        **stale_header(stale),
    }
    if view.snapshot_id is not None:
        headers[SNAPSHOT_HEADER] = str(view.snapshot_id)
    if is_known(etag, request.http.headers.getlist("if-none-match")):
        return Response(status_code=304, headers=headers)
    rows = source()
    listing, about = with_fields(RowListing(rows), request.query.fields), _about(rows)
    if form != media.JSON:
        return stream(form, listing, view.snapshot_id, headers, about)
    ids = {"snapshot_id": view.snapshot_id}
    if len(views) > 1:
        ids["from_snapshot_id"] = views[0].snapshot_id
    return _page(request, listing, pins_of(views), place, ids, stale, headers, about)


def _about(rows: RowSource) -> Mapping[str, object]:
    """Return metadata for every page and for a stream's end record: the part of the filter that did not prune."""
    found = not_applied(rows)
    return {} if found is None else {"not_applied": found}


def views_of(
    target: Target, listing: str, query: PageParameters, first: Callable[[], tuple[View, ...]]
) -> tuple[ListRequest, tuple[View, ...], Place | None]:
    """Return the list's request, the views that it reads, and the place of the page.

    The views of the first page are the ones that ``first`` returns; the token of a later page pins them.

    Raises:
        PageTokenInvalid: the token belongs to another list, or one of its snapshots no longer exists.
    """
    if query.page_token is None:
        views = first()
        return ListRequest(target.request, target.api, listing, query, views[-1].table.table_id), views, None
    table = target.services.table(target.name)
    request = ListRequest(target.request, target.api, listing, query, table.table_id)
    place = request.place()
    assert place is not None
    return request, tuple(_views(target.services.pinned(table, pin) for pin in place.pins)), place


def _views(pinned: Iterable[View]) -> Iterator[View]:
    """Yield the views of a list, each joined with its second branch's view, whose pin follows its own."""
    before: View | None = None
    for view in pinned:
        if before is not None:
            own = branch_of(before, CURRENT)
            other = second_branch(before.metadata, own)
            if other is not None and before.second_branch is None and branch_of(view, CURRENT) == other.branch:
                before = replace(before, second_branch=replace(other, view=view))
                continue
            yield before
        before = view
    if before is not None:
        yield before


def _each(views: Sequence[View]) -> Iterator[View]:
    """Yield the views, each followed by its second branch's view."""
    for view in views:
        yield view
        if view.second_branch is not None and view.second_branch.view is not None:
            yield view.second_branch.view


def pins_of(views: Sequence[View]) -> tuple[Pin, ...]:
    """Return the pins of a list's views for its page token."""
    pairs = [(view.snapshot, view.schema_id) for view in _each(views) if view.snapshot is not None]
    return tuple(Pin(r.snapshot.snapshot_id, r.snapshot.branch, r.row_id, schema_id) for r, schema_id in pairs)


def _page(
    request: ListRequest,
    listing: Listing,
    pins: tuple[Pin, ...],
    place: Place | None,
    ids: Mapping[str, int | None],
    stale: str | None,
    headers: dict[str, str],
    about: Mapping[str, object] = NOTHING,
) -> Response:
    with CPU.permit():
        page = listing.page(None if place is None else place.key, request.query.page_size)
    token = None if page.after is None else request.token(Place(pins, page.after))
    rest: dict[str, object] = {key: None if value is None else str(value) for key, value in ids.items()}
    rest |= {"next_page_token": token, "total_count": page.total, "stale": stale, **about}
    body = b"".join((b'{"%s":[' % request.name.encode(), page.items, b"],", memoryview(orjson.dumps(rest))[1:]))
    return Response(body, media_type=media.JSON, headers=headers)


def stream(
    form: str,
    listing: Streamed,
    snapshot_id: int | None,
    headers: dict[str, str],
    about: Mapping[str, object] = NOTHING,
) -> Response:
    """Return the streaming response of a whole list."""
    write = {media.NDJSON: streams.ndjson, media.ARROW: streams.arrow, media.CSV: streams.csv}[form]
    return streams.Stream(write(listing, snapshot_id, about), form, headers)


def _etag(request: ListRequest, views: Sequence[View], form: str, stale: str | None) -> str:
    """Return a strong ETag of all inputs of the response, computed before the rows.

    Row ids of the index identify snapshots and are never reused; the package's version identifies the decoding of
    segments.
    """
    fields: list[object] = [__version__, request.name, form, stale]
    for view in _each(views):
        fields += [view.table.table_id, None if view.snapshot is None else view.snapshot.row_id, view.table.rewrites]
        fields.append(view.schemas[0].schema_id)
    query = request.query
    fields += [sorted(query.choosing().items()), query.page_size if form == media.JSON else None, query.page_token]
    return f'"{hashlib.sha256(orjson.dumps(fields)).hexdigest()[:32]}"'


def is_known(etag: str, headers: Sequence[str]) -> bool:
    """Return whether If-None-Match headers match an ETag."""
    known = [tag.strip().removeprefix("W/") for header in headers for tag in header.split(",")]
    return etag in known or "*" in known


def stale_header(stale: str | None) -> dict[str, str]:
    """Return the header with the reason why a response is not of the newest state; empty if it is."""
    if stale is None:
        return {}
    return {STALE_HEADER: stale.encode("ascii", "replace").decode().translate(_NO_CONTROL)[:300]}


_NO_CONTROL = dict.fromkeys((*range(32), 127), " ")
