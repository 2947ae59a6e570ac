"""Answer requests for aggregates from metadata alone."""

from __future__ import annotations

from lakemuster.catalog.filters import Filter
from lakemuster.catalog.services import Services
from lakemuster.metadata.values import json_value
from lakemuster.planner.aggregates.answers import Aggregate, Answer, answers
from lakemuster.planner.scan.branches import scan_indexes_of
from lakemuster.planner.view import View
from lakemuster.predicates import Bound
from lakemuster.wire.model import json_integer
from lakemuster.wire.native.aggregates import AggregatesRequest


def aggregates_out(services: Services, view: View, asked: AggregatesRequest, *, stale: str | None) -> dict[str, object]:
    """Return the response to a request for aggregates.

    Raises:
        FilterInvalid: the filter is invalid.
        RequestInvalid: an aggregate or its column is unknown.
    """
    given, nan = Filter(asked.filter), asked.nan or "any"

    def bound(of: View) -> Bound:
        return given.bound(of.schemas[0], case_sensitive=asked.case_sensitive, nan=nan, history=of.written_schemas)

    aggregates = [Aggregate.parse(text) for text in asked.aggregates]
    scans = [scan for scan in scan_indexes_of(services.index, view) if scan is not None]
    found = answers(scans, bound, aggregates, nan=nan, case_sensitive=asked.case_sensitive)
    return {
        "snapshot_id": None if view.snapshot_id is None else str(view.snapshot_id),
        "statistics": [_answer_out(answer) for answer in found],
        "stale": stale,
    }


def _answer_out(answer: Answer) -> dict[str, object]:
    """Return an answer as a JSON object: with a value if it is exact, else with bounds."""
    interval = answer.interval
    document: dict[str, object] = {"aggregate": answer.aggregate.text, "exact": interval.exact}
    if interval.exact:
        return document | {"value": _json(answer, interval.lower)}
    bounds = {"lower": _json(answer, interval.lower), "upper": _json(answer, interval.upper)}
    return document | bounds | {"may_be_null": interval.may_be_null, "reason": interval.reason}


def _json(answer: Answer, value: object) -> object:
    if answer.type is not None:
        return json_value(answer.type, value)
    assert value is None or isinstance(value, int)
    return None if value is None else json_integer(value)
