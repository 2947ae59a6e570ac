"""Answer with a list: choose its form, pin its snapshot, cut its page, and let caches keep what never changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import orjson
from fastapi import Request
from starlette.responses import Response

from lakemuster import __version__
from lakemuster.api import media, streams
from lakemuster.api.listings import Listing, RowListing
from lakemuster.api.native.asking import Api, OfSnapshot, Paged
from lakemuster.api.page_tokens import Binding, Pin, Place, read_token, write_token
from lakemuster.errors import PageTokenInvalid, RequestInvalid
from lakemuster.index.snapshots import get_snapshot
from lakemuster.index.tables import load_metadata
from lakemuster.planner.rows import RowSource
from lakemuster.planner.view import View

PINNED_SECONDS = 31_536_000
STALE_HEADER = "Lakemuster-Stale"
SNAPSHOT_HEADER = "Lakemuster-Snapshot-Id"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a list.

    Attributes:
        name: the list's: its key in JSON.
        table_id: of the table that is listed from; 0 for the list of tables.
    """

    request: Request
    api: Api
    name: str
    query: Paged
    table_id: int = 0

    @property
    def form(self) -> str:
        """The media type to answer in.

        Raises:
            NotAcceptable: none that the caller takes.
            RequestInvalid: a page token for a stream, which has no pages.
        """
        form = media.choose(self.request.headers.get("accept"))
        if form != media.JSON and self.query.page_token is not None:
            raise RequestInvalid("a stream is the whole list: leave page_token out, or accept application/json")
        return form

    @property
    def _binding(self) -> Binding:
        return Binding(self.table_id, self.name, self.query.choosing(), self.request.state.caller)

    def place(self, pins: int) -> Place | None:
        """Where the page token leads, with as many pinned snapshots; None on a first page."""
        if self.query.page_token is None:
            return None
        place = read_token(self.query.page_token, self._binding, self.api.signing_key)
        if len(place.pins) > pins:
            raise PageTokenInvalid("this page token is of another list")
        return place

    def token(self, place: Place) -> str:
        """The token of a next page."""
        return write_token(place, self._binding, self.api.signing_key)


def listing_answer(asked: Asked, listing: Listing, *, stale: str | None) -> Response:
    """Answer with a list that is of no snapshot."""
    form, place = asked.form, asked.place(0)
    headers = {"Vary": "Accept", **_stale_header(stale)}
    if form != media.JSON:
        return _stream(form, listing, None, headers)
    return _page(asked, listing, (), place, {}, stale, headers)


def snapshot_answer(
    asked: Asked, views: Sequence[View], source: Callable[[], RowSource], *, pinned: bool, place: Place | None
) -> Response:
    """Answer with rows of a snapshot.

    Args:
        views: the snapshot to list, and before it the one to compare with.
        source: makes the rows; not called when the caller has them already.
        pinned: whether the answer can never change.
        place: where the page begins.
    """
    form, view = asked.form, views[-1]
    stale = None if pinned else view.stale
    etag = _etag(asked, views, form, stale)
    headers = {
        "ETag": etag,
        "Vary": "Accept" if asked.api.tokens is None else "Accept, Authorization",
        "Cache-Control": f"private, max-age={PINNED_SECONDS}, immutable" if pinned else "no-cache",
        **_stale_header(stale),
    }
    if view.snapshot_id is not None:
        headers[SNAPSHOT_HEADER] = str(view.snapshot_id)
    if _is_known(etag, asked.request.headers.getlist("if-none-match")):
        return Response(status_code=304, headers=headers)
    listing = RowListing(source())
    if form != media.JSON:
        return _stream(form, listing, view.snapshot_id, headers)
    ids = {"snapshot_id": view.snapshot_id}
    if len(views) > 1:
        ids["from_snapshot_id"] = views[0].snapshot_id
    return _page(asked, listing, _pins(views), place, ids, stale, headers)


def chosen_view(asked: Asked, name: str, query: OfSnapshot, place: Place | None) -> View:
    """The view that a request for a list of a snapshot is about; the token's, on a later page."""
    if place is None or not place.pins:
        return asked.api.services.view(name, query.selector())
    return pinned_view(asked.api, name, place.pins[-1])


def pinned_view(api: Api, name: str, pin: Pin) -> View:
    """A view of a snapshot that a page token names: the pointer is not looked at.

    Raises:
        PageTokenInvalid: the table has forgotten the snapshot, or means another one by its id now.
    """
    table = api.services.table(name)
    with api.services.index.database.reading() as session:
        record = get_snapshot(session, table.table_id, pin.snapshot_id, pin.branch)
        metadata = load_metadata(session, table.table_id)
    if record.row_id != pin.row_id:
        raise PageTokenInvalid("the snapshot of this page token is gone")
    return View(table, metadata, api.services.refresher.ensure_published(table, record))


def _pins(views: Sequence[View]) -> tuple[Pin, ...]:
    records = [view.snapshot for view in views if view.snapshot is not None]
    return tuple(Pin(r.snapshot.snapshot_id, r.snapshot.branch, r.row_id) for r in records)


def _page(
    asked: Asked,
    listing: Listing,
    pins: tuple[Pin, ...],
    place: Place | None,
    ids: Mapping[str, int | None],
    stale: str | None,
    headers: dict[str, str],
) -> Response:
    page = listing.page(None if place is None else place.key, asked.query.page_size)
    token = None if page.after is None else asked.token(Place(pins, page.after))
    rest: dict[str, object] = {key: None if value is None else str(value) for key, value in ids.items()}
    rest |= {"next_page_token": token, "stale": stale}
    body = b'{"%s":[%s],%s' % (asked.name.encode(), page.items, orjson.dumps(rest)[1:])
    return Response(body, media_type=media.JSON, headers=headers)


def _stream(form: str, listing: Listing, snapshot_id: int | None, headers: dict[str, str]) -> Response:
    write = streams.ndjson if form == media.NDJSON else streams.arrow
    return streams.Stream(write(listing, snapshot_id), form, headers)


def _etag(asked: Asked, views: Sequence[View], form: str, stale: str | None) -> str:
    """A strong ETag from what decides the answer, known before any of the work.

    Row ids of the index stand for snapshots and are never used twice; segments and their decoding
    belong to the version of the package.
    """
    fields: list[object] = [__version__, asked.name, form, stale]
    for view in views:
        fields += [view.table.table_id, None if view.snapshot is None else view.snapshot.row_id, view.table.rewrites]
    query = asked.query
    fields += [sorted(query.choosing().items()), query.page_size if form == media.JSON else None, query.page_token]
    return f'"{hashlib.sha256(orjson.dumps(fields)).hexdigest()[:32]}"'


def _is_known(etag: str, headers: Sequence[str]) -> bool:
    known = [tag.strip().removeprefix("W/") for header in headers for tag in header.split(",")]
    return etag in known or "*" in known


def _stale_header(stale: str | None) -> dict[str, str]:
    if stale is None:
        return {}
    return {STALE_HEADER: stale.encode("ascii", "replace").decode().translate(_NO_CONTROL)[:300]}


_NO_CONTROL = dict.fromkeys((*range(32), 127), " ")
