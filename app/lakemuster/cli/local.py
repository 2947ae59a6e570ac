"""The local index as the data source of commands: rows in the form of the native HTTP API."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from fnmatch import fnmatchcase
from typing import Any, Self

from lakemuster.catalog import Selector, View
from lakemuster.catalog.arranged_rows import Arrangement, arranged
from lakemuster.catalog.attached import is_attached
from lakemuster.catalog.catalog_documents import catalogs_out, sync_out
from lakemuster.catalog.column_statistics import columns_of
from lakemuster.catalog.documents import refresh_out
from lakemuster.catalog.file_bounds import overlap_of
from lakemuster.catalog.filters import Filter
from lakemuster.catalog.health import health_document
from lakemuster.catalog.lists import Choice, difference, not_applied, rows_of, words
from lakemuster.catalog.missing_tables import not_registered
from lakemuster.catalog.namespace_lists import namespace_listing
from lakemuster.catalog.partition_readiness import ready_document, ready_listing
from lakemuster.catalog.services import Services
from lakemuster.catalog.system_tables import branch_rows, snapshot_rows, system_table
from lakemuster.catalog.table_documents import table_out
from lakemuster.catalog.table_lists import every_table
from lakemuster.catalog.webhook_documents import redeliver, webhooks_out
from lakemuster.cli import local_events
from lakemuster.cli.local_health import chosen_health
from lakemuster.cli.local_history import expired_rows, expiry_summary, timeline_rows
from lakemuster.cli.local_orphans import LocalOrphans
from lakemuster.cli.local_plans import explanation, figures, intervals, milliseconds, nan_of, plan_pages, statistics
from lakemuster.cli.local_rows import history_rows
from lakemuster.cli.sources import (
    ALL_TABLES,
    Advance,
    EventQuery,
    Notice,
    OrphanRequest,
    Query,
    Refreshed,
    Row,
    not_newest,
    without_effect,
)
from lakemuster.cli.table_choice import chosen_tables
from lakemuster.config import load_settings
from lakemuster.errors import CatalogError, NotATable, TableNotFound, UpstreamFailed
from lakemuster.index.segments import sweep
from lakemuster.ingest.shared_looks import NO_LIMITS
from lakemuster.ingest.verification import describe, verify
from lakemuster.jobs.listing import jobs_out
from lakemuster.jobs.registry import jobs_of
from lakemuster.main import build_services
from lakemuster.metadata.names import format_name, parse_name
from lakemuster.planner.rows import RowSource
from lakemuster.storage.local import check_is_folder
from lakemuster.storage.locations import absolute
from lakemuster.wire.rows import chunks, json_objects

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class LocalSource:
    """Reads the index that the settings name. Its caller is the operator, so all locations are allowed."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @classmethod
    def opened(cls, history: int | None = None, *, with_catalogs: bool = True) -> Self:
        """Open the index of the settings; for the arguments see :func:`lakemuster.cli.opening.local_source`.

        Raises:
            ConfigInvalid: a setting is wrong.
            DatabaseVersionMismatch, IndexUnavailable: the database is not ready.
        """
        settings = load_settings()
        if not with_catalogs:
            settings = settings.model_copy(update={"catalogs": {}})
        return cls(build_services(settings if history is None else settings.with_history(history), NO_LIMITS))

    def tables(self, choice: Mapping[str, Any] = ALL_TABLES) -> list[Row]:
        """Return the chosen tables."""
        return chosen_tables(every_table(self._services), choice)

    def namespaces(self, choice: Mapping[str, str | None]) -> Iterator[Row]:
        """Return the namespaces of all tables."""
        listing = namespace_listing(self._services, None, search=choice["search"], sort=choice["sort"])
        return map(listing.document, listing.items)

    def rows(self, query: Query, notice: Notice) -> Iterator[Row]:
        """Return a list of one table."""
        name, options = self._registered(query.table), query.options
        if query.kind == "ready_partitions":
            return map(ready_document, ready_listing(self._services, name)[1].items)
        if query.kind in ("snapshots", "refs", "schemas", "specs"):
            return history_rows(self._services, query, name, _selector(query), notice)
        if query.kind == "timeline":
            return timeline_rows(self._services, name, query, notice)
        if query.kind == "expired":
            return expired_rows(self._services, name, query, notice)
        match query.kind:
            case "manifests" | "entries" | "files" | "partitions" | "indexes" as listing:
                content, stats = words(options.get("content")), words(options.get("stats"))
                choice = Choice(options.get("manifest"), content, stats, arrangement=_arrangement(query))
                if "filter" in options:
                    given = Filter.of_text(options["filter"])
                    choice = replace(choice, filter=given, nan=nan_of(self._services, name, query))
                index = self._services.index
                return self._listed(name, query, notice, lambda view: rows_of(index, listing, view, choice))
            case "diff":
                old = Selector(int(options["from"]))
                return self._listed(
                    name,
                    query,
                    notice,
                    lambda view: difference(self._services.index, self._services.view(name, old), view),
                )
            case "columns":
                names = words(options.get("columns"))
                return self._listed(name, query, notice, lambda view: columns_of(self._services, view, names))
            case "overlap":
                column, order = options["column"], _arrangement(query)
                return self._listed(
                    name, query, notice, lambda view: arranged(overlap_of(self._services, view, column), order)
                )
            case "system":
                return self._system(name, query, notice)
            case kind:
                raise AssertionError(kind)

    def plan(self, query: Query) -> Iterator[Row]:
        """Return a plan, page by page."""
        return plan_pages(self._services, self._registered(query.table), query)

    def explain(self, query: Query, files: Sequence[str]) -> Row:
        """Return an explanation."""
        return explanation(self._services, self._registered(query.table), query, files)

    def statistics(self, query: Query, aggregates: Sequence[str]) -> Row:
        """Return aggregates."""
        return statistics(self._services, self._registered(query.table), query, aggregates)

    def stats(self, query: Query) -> Row:
        """Return figures."""
        return figures(self._services, self._registered(query.table), query)

    def bounds(self, query: Query) -> Row:
        """Return intervals of files."""
        return intervals(self._services, self._registered(query.table), query)

    def expiry(self, query: Query, notice: Notice) -> Row:
        """Return what an expiry of snapshots would remove."""
        return expiry_summary(self._services, self._registered(query.table), query, notice)

    def health(self, name: str, history: int | None) -> Row:
        """Return the health of a table, computed now."""
        found = health_document(self._services, self._registered(name), history, always=True)
        return found.model_dump(mode="json")

    def fleet_health(self, choice: Mapping[str, str]) -> Iterator[Row]:
        """Return tables with their health; that of tables that have changed is computed first."""
        return chosen_health(self._services, choice)

    def add(self, name: str, location: str, table_format: str | None, rewrites: Sequence[tuple[str, str]]) -> Row:
        """Register a table at any location."""
        place = _absolute(location)
        try:
            table = self._services.add(_normal(name), place, table_format, _absolute_rewrites(rewrites), operator=True)
        except NotATable:
            if not place.endswith(".json"):
                check_is_folder(place)
            raise
        return table_out(table).model_dump(mode="json")

    def discover(self, url: str, namespace: str | None, rewrites: Sequence[tuple[str, str]]) -> Iterator[Row]:
        """Register every table below a folder at any location."""
        place = _absolute(url)
        check_is_folder(place)
        for found in self._services.discover(place, namespace, _absolute_rewrites(rewrites), operator=True):
            yield {
                "outcome": found.outcome,
                "name": found.name,
                "format": found.format,
                "location": found.location,
                "reason": found.reason,
                "warnings": list(found.warnings),
            }

    def remove(self, name: str) -> None:
        """Unregister a table."""
        name = _normal(name)
        try:
            self._services.remove(name)
        except TableNotFound:
            raise not_registered(self._services, name) from None

    def refresh(self, name: str, advance: Advance) -> Row:
        """Refresh a table: read its pointer now."""
        return refresh_out(self._services.refresh(self._registered(name), advance)).model_dump(mode="json")

    def refresh_many(self, names: Sequence[str], advance: Advance) -> Iterator[Refreshed]:
        """Refresh tables side by side; the progress of their manifests is not known."""
        del advance
        services = self._services
        normal: dict[str, str] = {}
        for name in names:
            try:
                normal[self._registered(name)] = name
            except CatalogError as error:
                yield Refreshed(name, error=error)
        for name, outcome in services.refresh_many(list(normal)):
            if isinstance(outcome, CatalogError):
                yield Refreshed(normal[name], error=outcome)
            else:
                table = services.peek(name) or services.table(name)
                report = refresh_out(outcome).model_dump(mode="json")
                yield Refreshed(normal[name], report, stale=table.stale_reason)

    def jobs(self) -> Iterator[Row]:
        """Return the background jobs of all processes that share the database."""
        names = [job.name for job in jobs_of(self._services)]
        return (job.model_dump(mode="json") for job in jobs_out(self._services.index.database, names))

    def catalogs(self, name: str | None = None) -> Iterator[Row]:
        """List the tables of each attached catalog, or of one; return what is known of the catalogs then."""
        checked: dict[str, Row] = {}
        for catalog in [one.name for one in self._services.refresher.upstreams] if name is None else [name]:
            try:
                checked[catalog] = {"seconds": sync_out(self._services, catalog).seconds, "error": None}
            except UpstreamFailed as error:
                checked[catalog] = {"seconds": None, "error": f"{error.code}: {error}"}
        for known in catalogs_out(self._services):
            if (found := checked.get(known.name)) is not None:
                yield {**known.model_dump(mode="json"), "reachable": found["error"] is None, **found}

    def sync(self, catalog: str) -> Row:
        """List a catalog's tables now, and return the numbers of found, added and removed tables."""
        return sync_out(self._services, catalog).model_dump(mode="json")

    def names_in(self, catalog: str, pattern: str) -> list[str]:
        """Return the names here of a catalog's tables whose names there match a pattern."""
        names = (table.name for table in self._services.tables() if is_attached(table))
        levels = {name: parse_name(name) for name in names}
        return [
            name
            for name, (first, *rest) in levels.items()
            if first == catalog and fnmatchcase(format_name(tuple(rest)), pattern)
        ]

    def orphans(self, request: OrphanRequest, advance: Advance) -> LocalOrphans:
        """Search the files below any location that no table refers to."""
        inventory = None if request.inventory is None else _absolute(request.inventory)
        found = replace(request, inventory=inventory)
        return LocalOrphans(self._services, found, _absolute(request.location), advance)

    def sweep(self, grace_seconds: float) -> Row:
        """Remove unused segments that are older than the grace period."""
        index = self._services.index
        return asdict(sweep(index.database, index.segments, grace_seconds=grace_seconds))

    def verify(self, name: str, advance: Advance, *, repair: bool, sample: int | None) -> tuple[Row, list[list[str]]]:
        """Compare the index of a table with its metadata; return the report and a description of each difference."""
        table = self._services.table(self._registered(name))
        found = verify(self._services.refresher, table, repair=repair, sample=sample, progress=advance)
        report = {"table": table.name, **asdict(found)}
        for told in report["differences"]:
            told["snapshot_id"] = None if told["snapshot_id"] is None else str(told["snapshot_id"])
        return report, [describe(told) for told in found.differences]

    def stale(self, name: str) -> str | None:
        """Return why the last look at the table failed; None if it did not."""
        return self._services.table(_normal(name)).stale_reason

    def has_readiness(self, table: str) -> bool:
        """Return whether the settings have such rules for a table."""
        return bool(self._services.settings.of_table(_normal(table)).partition_ready)

    def webhooks(self) -> list[Row]:
        """Return the webhooks of the settings."""
        return [found.model_dump(mode="json") for found in webhooks_out(self._services)]

    def dead_letters(self, webhook: str) -> Iterator[Row]:
        """Return a webhook's dead letters."""
        return local_events.dead_letters(self._services, webhook)

    def redeliver(self, webhook: str, dead_letters: Sequence[str] | None) -> int:
        """Have the next delivery send dead letters again."""
        return redeliver(self._services, webhook, dead_letters)

    def events(self, query: EventQuery, notice: Notice) -> Iterator[Row]:
        """Return the events of the log, oldest first."""
        return local_events.events(self._services, query, notice)

    def events_page(self, query: EventQuery, after: str) -> tuple[Sequence[Row], str]:
        """Return some events after an id, and the id to continue after; if events are gone, the first is that."""
        return local_events.page(self._services, query, after)

    def follow(self, query: EventQuery) -> Iterator[Row]:
        """Yield events as the log gets them."""
        return local_events.follow(self._services, query)

    def newest_event(self) -> str:
        """Return the id of the newest event."""
        return local_events.newest(self._services)

    def close(self) -> None:
        """Stop decoders and close the database."""
        self._services.close()

    def _registered(self, name: str) -> str:
        """Return the normal form of a table's name; a table of an attached catalog is registered first.

        Raises:
            TableNotFound: it is not registered; the message has similar names.
            UpstreamFailed: its catalog does not answer.
        """
        name = _normal(name)
        with suppress(TableNotFound):
            if self._services.peek(name) is not None:
                return name
        try:
            self._services.table(name)
        except TableNotFound:
            raise not_registered(self._services, name) from None
        return name

    def _system(self, name: str, query: Query, notice: Notice) -> Iterator[Row]:
        table = system_table(query.options["name"])
        if table.of == "snapshot":
            yield from self._listed(name, query, notice, lambda view: snapshot_rows(self._services, view, table))
            return
        _, rows, stale = branch_rows(self._services, name, table, _selector(query))
        if stale is not None:
            notice(not_newest(stale))
        for batch in rows.to_batches():
            yield from json_objects(batch)

    def _listed(self, name: str, query: Query, notice: Notice, source: Callable[[View], RowSource]) -> Iterator[Row]:
        view = self._services.view(name, _selector(query))
        if view.stale is not None:
            notice(not_newest(view.stale))
        rows = source(view)
        for one in not_applied(rows) or ():
            notice(without_effect(one))
        for _, batch in rows.batches():
            for chunk in chunks(batch):
                yield from json_objects(chunk)


def _selector(query: Query) -> Selector:
    return Selector(query.snapshot_id, query.ref, milliseconds(query.as_of))


def _arrangement(query: Query) -> Arrangement:
    top = query.options.get("top")
    return Arrangement(query.options.get("sort"), top=None if top is None else int(top))


def _normal(name: str) -> str:
    return format_name(parse_name(name))


def _absolute(location: str) -> str:
    """Make a relative path absolute: the index is also used from other folders."""
    return location if _SCHEME.match(location) else absolute(location, os.getcwd())


def _absolute_rewrites(rewrites: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((old, _absolute(new)) for old, new in rewrites)
