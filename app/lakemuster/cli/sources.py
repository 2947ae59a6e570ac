"""The port through which commands read and write: the index in this folder, or a server. Both give the same rows."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import typer

from lakemuster.cli.option_groups import CURRENT, At
from lakemuster.cli.options import parse_time

Row = Mapping[str, Any]
ALL_TABLES: Mapping[str, Any] = {}
Advance = Callable[[int, int], None]
"""Called with (done, total)."""
Notice = Callable[[str], None]
"""Called with a line for the user about a limitation of the answer: see the two functions below."""


def not_newest(reason: str) -> str:
    """Return the line for a stale answer."""
    return f"this is not the table's newest state: {reason}"


EVENTS_LOST = "events after the one of --after are no longer in the log"
"""The line for a list of events that does not have all of those requested."""


def without_effect(conjunct: Row) -> str:
    """Return the line for a part of a filter that could not drop files, or some of them."""
    return f"{conjunct['filter']} could not drop files: {conjunct['reason']}"


@dataclass(frozen=True, slots=True)
class Query:
    """A request for a list of one table.

    Attributes:
        kind: the list's name: ``snapshots``, ``files`` …
        table: the table's dotted name.
        snapshot_id, ref, as_of: at most one; without any, the current snapshot of the main branch.
        limit: the maximum of rows that will be read.
        options: further options of the list, by the name of the HTTP query parameter.
    """

    kind: str
    table: str
    snapshot_id: int | None = None
    ref: str | None = None
    as_of: datetime | None = None
    limit: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventQuery:
    """A selection of events of the log; None: all.

    Attributes:
        after: begin after the event of this id.
        types: separated by commas.
    """

    after: str | None = None
    types: str | None = None
    namespace: str | None = None
    table: str | None = None


@dataclass(frozen=True, slots=True)
class OrphanRequest:
    """A search for orphan files; see ``catalog.orphans.parameters.OrphanSearch``."""

    location: str
    older_than_ms: int
    inventory: str | None
    index: bool
    depth: int


class Orphans(Protocol):
    """The result of a search for orphan files."""

    @property
    def report(self) -> Row:
        """Numbers of files and their bytes."""
        ...

    def rows(self) -> Iterator[Row]:
        """Yield the orphans."""
        ...

    def save(self, path: Path) -> None:
        """Write the orphans to a Parquet file, which appears whole."""
        ...

    def close(self) -> None:
        """Remove the temporary files of the search."""
        ...


def limited(rows: Iterable[Row], limit: int | None) -> Iterable[Row]:
    """Return the first rows; all without a limit."""
    return rows if limit is None else itertools.islice(rows, min(limit, sys.maxsize))


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The outcome of one table's refresh.

    Attributes:
        report: what was done; None if the refresh failed.
        error: why it failed.
        stale: why the newest state cannot be read.
    """

    name: str
    report: Row | None = None
    error: Exception | None = None
    stale: str | None = None


class Source(Protocol):
    """A data source of commands. Rows have the form of the native HTTP API."""

    def tables(self, choice: Mapping[str, Any] = ALL_TABLES) -> Iterable[Row]:
        """Return registered tables, chosen and sorted by the parameters of ``GET /tables``; all, by name, if none."""
        ...

    def namespaces(self, choice: Mapping[str, str | None]) -> Iterable[Row]:
        """Return the namespaces of registered tables, chosen and sorted by the parameters of ``GET /namespaces``."""
        ...

    def rows(self, query: Query, notice: Notice) -> Iterable[Row]:
        """Return a list of one table: complete, or an error."""
        ...

    def plan(self, query: Query) -> Iterator[Row]:
        """Return the pages of a plan, at least one; each page numbers its own delete files."""
        ...

    def explain(self, query: Query, files: Sequence[str]) -> Row:
        """Explain a filter: the counts that each level drops, and the reason for each file that is named."""
        ...

    def statistics(self, query: Query, aggregates: Sequence[str]) -> Row:
        """Compute aggregates of the rows that match a filter."""
        ...

    def stats(self, query: Query) -> Row:
        """Return the figures of a snapshot's files, or of those of a filter's plan."""
        ...

    def bounds(self, query: Query) -> Row:
        """Return a snapshot's data files as intervals of a column, in groups."""
        ...

    def expiry(self, query: Query, notice: Notice) -> Row:
        """Return what an expiry of snapshots would remove."""
        ...

    def health(self, name: str, history: int | None) -> Row:
        """Return the health of a table, and with ``history`` that of as many days."""
        ...

    def fleet_health(self, choice: Mapping[str, str]) -> Iterable[Row]:
        """Return tables with their health, chosen and sorted by the parameters of ``GET /health``."""
        ...

    def add(self, name: str, location: str, table_format: str | None, rewrites: Sequence[tuple[str, str]]) -> Row:
        """Register a table."""
        ...

    def remove(self, name: str) -> None:
        """Unregister a table."""
        ...

    def refresh(self, name: str, advance: Advance) -> Row:
        """Read a table's pointer, and index new snapshots."""
        ...

    def refresh_many(self, names: Sequence[str], advance: Advance) -> Iterator[Refreshed]:
        """Refresh tables side by side; yield the outcome of each when it completes.

        Args:
            advance: called with the manifests of all tables that are done, and their total, if that is known.
        """
        ...

    def stale(self, name: str) -> str | None:
        """Return why a table's newest state cannot be read; None if it can."""
        ...

    def events(self, query: EventQuery, notice: Notice) -> Iterator[Row]:
        """Return the events of the log, oldest first."""
        ...

    def events_page(self, query: EventQuery, after: str) -> tuple[Sequence[Row], str]:
        """Return some events after an id, and the id to continue after; if events are gone, the first is that."""
        ...

    def follow(self, query: EventQuery) -> Iterator[Row]:
        """Yield events as they arrive, without end."""
        ...

    def newest_event(self) -> str:
        """Return the id of the newest event."""
        ...

    def has_readiness(self, table: str) -> bool:
        """Return whether a table has rules by which its partitions are complete."""
        ...

    def webhooks(self) -> Iterable[Row]:
        """Return the webhooks of the settings, by name."""
        ...

    def dead_letters(self, webhook: str) -> Iterable[Row]:
        """Return a webhook's dead letters, oldest first."""
        ...

    def redeliver(self, webhook: str, dead_letters: Sequence[str] | None) -> int:
        """Have dead letters of a webhook sent again, all if None; return their number."""
        ...

    def close(self) -> None:
        """Close connections and stop processes."""
        ...


class LocalIndex(Source, Protocol):
    """The index in this folder, which can list storage directly."""

    def discover(self, url: str, namespace: str | None, rewrites: Sequence[tuple[str, str]]) -> Iterable[Row]:
        """Register every table below a folder; return the outcome of each."""
        ...

    def catalogs(self, name: str | None = None) -> Iterable[Row]:
        """Check the attached catalogs, or one; return them by name.

        Raises:
            CatalogNotFound: no catalog of that name is attached.
        """
        ...

    def jobs(self) -> Iterable[Row]:
        """Return the background jobs, by name."""
        ...

    def sync(self, catalog: str) -> Row:
        """List a catalog's tables now, and return the numbers of found, added and removed tables."""
        ...

    def names_in(self, catalog: str, pattern: str) -> list[str]:
        """Return the names here of a catalog's tables whose names there match a pattern."""
        ...

    def orphans(self, request: OrphanRequest, advance: Advance) -> Orphans:
        """Search the files below a location that no table refers to."""
        ...

    def sweep(self, grace_seconds: float) -> Row:
        """Remove unused segments that are older; return their number and bytes."""
        ...

    def verify(self, name: str, advance: Advance, *, repair: bool, sample: int | None) -> tuple[Row, list[list[str]]]:
        """Compare the index of a table with its metadata; return the report and a description of each difference."""
        ...


def query(
    kind: str,
    table: str,
    *,
    at: At = CURRENT,
    limit: int | None = None,
    options: Mapping[str, str | None] | None = None,
) -> Query:
    """Build a query from a command's options.

    Raises:
        typer.BadParameter: more than one snapshot is chosen, or a time is invalid.
    """
    ways = (("--snapshot", at.snapshot), ("--ref", at.ref), ("--as-of", at.as_of))
    chosen = [name for name, value in ways if value is not None]
    if len(chosen) > 1:
        raise typer.BadParameter("give one of them", param_hint=" / ".join(chosen))
    given = {name: value for name, value in (options or {}).items() if value is not None}
    return Query(kind, table, at.snapshot, at.ref, parse_time(at.as_of), limit, given)
