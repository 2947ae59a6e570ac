"""Plans, explanations and figures from the local index, in the form of the native HTTP API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import orjson
from pydantic import ValidationError

from lakemuster.catalog.aggregates import aggregates_out
from lakemuster.catalog.file_bounds import bounds_out
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.planning import explanation_out, plan_listing, selector_of
from lakemuster.catalog.services import Services
from lakemuster.catalog.statistics import stats_out
from lakemuster.cli.options import parse_where, words
from lakemuster.cli.sources import Query, Row
from lakemuster.errors import RequestInvalid
from lakemuster.planner.view import Selector
from lakemuster.predicates import NAN_MODES, NanMode
from lakemuster.validation_messages import plain_message
from lakemuster.wire.native.aggregates import AggregatesRequest
from lakemuster.wire.native.plans import PAGE_SIZE, ExplainRequest, PlanRequest, QueryOptions

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RequestModel = TypeVar("RequestModel", bound=QueryOptions)


def plan_pages(services: Services, name: str, query: Query) -> Iterator[Row]:
    """Yield the pages of ``/plan``, all of one snapshot."""
    options = query.options
    more = {
        "select": words(options.get("select")),
        "limit": query.limit,
        "strict": "strict" in options,
        "read_optimized": "read_optimized" in options,
        "scan_mode": "changelog" if "changelog" in options else None,
        "splits": "splits" in options,
    }
    if "since" in options:
        more |= {"start_snapshot_id": options["since"], "end_snapshot_id": query.snapshot_id}
        query = replace(query, snapshot_id=None)
    request = _validated(PlanRequest, query, {**more, "nan": nan_of(services, name, query)})
    view = services.view(name, selector_of(request))
    listing = plan_listing(services, view, request, stale=view.stale)
    after = None
    while True:
        page = listing.page(after, PAGE_SIZE)
        files, deletes = orjson.loads(b"[%s]" % page.files), orjson.loads(b"[%s]" % page.deletes)
        yield {**listing.about, "files": files, "deletes": deletes}
        if page.after is None:
            return
        after = page.after


def explanation(services: Services, name: str, query: Query, files: Sequence[str]) -> Row:
    """Return the response of ``/explain``."""
    request = _validated(ExplainRequest, query, {"files": list(files), "nan": nan_of(services, name, query)})
    view = services.view(name, selector_of(request))
    return explanation_out(services, view, request, stale=view.stale).model_dump(mode="json")


def statistics(services: Services, name: str, query: Query, aggregates: Sequence[str]) -> Row:
    """Return the response of ``/statistics``."""
    more = {"aggregates": list(aggregates), "nan": nan_of(services, name, query)}
    request = _validated(AggregatesRequest, query, more)
    view = services.view(name, selector_of(request))
    return aggregates_out(services, view, request, stale=view.stale)


def figures(services: Services, name: str, query: Query) -> Row:
    """Return the response of ``/stats``."""
    where = query.options.get("where")
    given = None if where is None else Filter.of_text(where)
    view = services.view(name, Selector(query.snapshot_id, query.ref, milliseconds(query.as_of)))
    stale = None if query.snapshot_id is not None else view.stale
    return stats_out(services, view, given, nan_of(services, name, query), stale).model_dump(mode="json")


def intervals(services: Services, name: str, query: Query) -> Row:
    """Return the response of ``/bounds``."""
    options = query.options
    given = None if "where" not in options else Filter.of_text(options["where"])
    view = services.view(name, Selector(query.snapshot_id, query.ref, milliseconds(query.as_of)))
    stale = None if query.snapshot_id is not None else view.stale
    nan = nan_of(services, name, query)
    found = bounds_out(services, view, options["column"], int(options["groups"]), given, nan, stale)
    return found.model_dump(mode="json")


def nan_of(services: Services, name: str, query: Query) -> NanMode:
    """Return the meaning of comparisons with NaN: the command's option, else the table's setting."""
    given = query.options.get("nan")
    return next((mode for mode in NAN_MODES if mode == given), services.settings.nan_of(name))


def milliseconds(moment: datetime | None) -> int | None:
    """Return the milliseconds since 1970-01-01 UTC."""
    return None if moment is None else (moment - _EPOCH) // timedelta(milliseconds=1)


def _validated(kind: type[RequestModel], query: Query, more: Mapping[str, object]) -> RequestModel:
    question = {
        "filter": parse_where(query.options.get("where")),
        "snapshot_id": query.snapshot_id,
        "ref": query.ref,
        "as_of": milliseconds(query.as_of),
        **more,
    }
    try:
        return kind.model_validate({key: value for key, value in question.items() if value is not None})
    except ValidationError as cause:
        first = cause.errors()[0]
        raise RequestInvalid(f"{'.'.join(map(str, first['loc']))}: {plain_message(first)}") from cause
