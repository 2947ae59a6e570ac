"""Snapshots, refs, schemas and specs from the local index, in the form of the native HTTP API."""

from __future__ import annotations

from collections.abc import Iterator

from lakemuster.catalog import history
from lakemuster.catalog.services import Services
from lakemuster.cli.sources import Notice, Query, Row, not_newest
from lakemuster.planner.view import Selector
from lakemuster.wire.native.schemas import RefOut


def history_rows(services: Services, query: Query, name: str, selector: Selector, notice: Notice) -> Iterator[Row]:
    """Yield the rows of ``/snapshots``, ``/refs``, ``/schemas`` or ``/specs``."""
    rows, stale = _rows(services, query, name, selector)
    if stale is not None:
        notice(not_newest(stale))
    yield from rows


def _rows(services: Services, query: Query, name: str, selector: Selector) -> tuple[Iterator[Row], str | None]:
    kind = query.kind
    if kind == "snapshots":
        _, listing, stale = history.snapshot_listing(services, name, selector, query.options.get("sort"), None)
        return map(listing.document, listing.items), stale
    if kind == "refs":
        _, refs, stale = history.refs_of(services, name, selector)
        return (RefOut.of(ref).model_dump(mode="json") for ref in refs), stale
    if kind == "schemas":
        _, schemas, stale = history.schemas_of(services, name, selector)
        return (schema.model_dump(mode="json") for schema in schemas), stale
    _, specs, stale = history.specs_of(services, name, selector)
    return (spec.model_dump(mode="json") for spec in specs), stale
