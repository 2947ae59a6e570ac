"""A table's history from the local index, in the form of the native HTTP API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from lakemuster.catalog.expiry import Expiry, Policy, expiry_of
from lakemuster.catalog.periods import Period
from lakemuster.catalog.services import Services
from lakemuster.catalog.timeline import Order, Span, Timeline, rows_of, timeline_of
from lakemuster.cli.sources import Notice, Query, Row, not_newest
from lakemuster.wire.instants import parse_instant
from lakemuster.wire.rows import json_objects

BATCH_ROWS = 8192


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


def expiry_summary(services: Services, name: str, query: Query, notice: Notice) -> Row:
    """Return the response of ``/expiry``."""
    return _expiry(services, name, query, notice).out().model_dump(mode="json")


def expired_rows(services: Services, name: str, query: Query, notice: Notice) -> Iterator[Row]:
    """Yield the rows of ``/expiry/files``."""
    for batch in _expiry(services, name, query, notice).files.to_batches(max_chunksize=BATCH_ROWS):
        yield from json_objects(batch)


def _expiry(services: Services, name: str, query: Query, notice: Notice) -> Expiry:
    options = query.options
    older_than = None if "older_than" not in options else parse_instant(options["older_than"])
    retain_last, retain_max, max_deletes = (
        int(options[key]) if key in options else None for key in ("retain_last", "retain_max", "max_deletes")
    )
    major = int(options["paimon"])
    numbers = (retain_last, retain_max, max_deletes)
    policy = Policy(older_than, *numbers, cast("Any", options["cleanup"]), cast("Any", major))
    found = expiry_of(services, name, policy, query.ref, index="index" in options)
    assert isinstance(found, Expiry), "the command line waits without limits"
    if found.stale is not None:
        notice(not_newest(found.stale))
    return found
