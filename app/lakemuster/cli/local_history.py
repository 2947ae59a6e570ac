"""A table's history from the local index, in the form of the native HTTP API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from lakemuster.catalog.periods import Period
from lakemuster.catalog.services import Services
from lakemuster.catalog.timeline import Order, Span, Timeline, rows_of, timeline_of
from lakemuster.cli.sources import Notice, Query, Row, not_newest
from lakemuster.wire.instants import parse_instant


def timeline_rows(services: Services, name: str, query: Query, notice: Notice) -> Iterator[Row]:
    """Yield the rows of ``/timeline``."""
    options = query.options
    start, end = (None if options.get(key) is None else parse_instant(options[key]) for key in ("from", "to"))
    period, order = cast("Period | None", options.get("bucket")), cast("Order", options["order"])
    found = timeline_of(services, name, query.ref, Span(start, end, period, order), index="index" in options)
    assert isinstance(found, Timeline), "the command line waits without limits"
    if found.lineage.stale is not None:
        notice(not_newest(found.lineage.stale))
    for row in rows_of(found):
        yield row.model_dump(mode="json")
