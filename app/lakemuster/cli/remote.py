"""A remote server as the data source of commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TypedDict, cast

from lakemuster.cli.options import parse_where, words
from lakemuster.cli.sources import (
    ALL_TABLES,
    EVENTS_LOST,
    Advance,
    EventQuery,
    Notice,
    Query,
    Refreshed,
    Row,
    not_newest,
    without_effect,
)
from lakemuster.client import Client, RefInfo, Rows, SnapshotInfo
from lakemuster.client.choices import Choice, ListChoice, TableChoice, Where
from lakemuster.client.errors import ClientError
from lakemuster.client.health import FleetChoice
from lakemuster.client.rows import PAGE_SIZE
from lakemuster.client.table_history import ExpiryChoice
from lakemuster.client.tokens import Token

RETRIES = 2
"""Low, because a person waits: an unreachable server fails in less than a second."""

AT_ONCE = 8
"""Limit of concurrent refreshes."""


class RemoteSource:
    """Reads from a server over HTTP.

    Raises:
        ValueError: ``uri`` is not a server's address.
    """

    def __init__(self, uri: str, token: Token | None) -> None:
        self._client = Client(uri, token, retries=RETRIES)

    def tables(self, choice: Mapping[str, Any] = ALL_TABLES) -> Iterator[Row]:
        """Return the chosen tables that the token may see."""
        return (table.row for table in self._client.tables(**cast("TableChoice", choice)))

    def namespaces(self, choice: Mapping[str, str | None]) -> Rows[Row]:
        """Return the namespaces of tables that the token may see."""
        return self._client.namespaces(**choice)

    def rows(self, query: Query, notice: Notice) -> Iterator[Row]:
        """Yield a list of one table, page by page."""
        rows = self._rows(query)
        told = False
        for row in rows:
            if not told:
                _notify(rows, notice)
                told = True
            yield row.row if isinstance(row, SnapshotInfo | RefInfo) else row
        if not told:
            _notify(rows, notice)

    def _rows(self, query: Query) -> Rows[SnapshotInfo] | Rows[RefInfo] | Rows[Row]:
        table = self._client.table(query.table)
        options = query.options
        choice = _list_choice(query)
        plain: Mapping[str, Callable[..., Rows[Any]]] = {
            "snapshots": table.snapshots,
            "refs": table.refs,
            "schemas": table.schemas,
            "specs": table.specs,
            "manifests": table.manifests,
            "indexes": table.indexes,
            "ready_partitions": table.ready_partitions,
        }
        if query.kind in plain:
            return plain[query.kind](**choice)
        match query.kind:
            case "entries":
                return table.entries(manifest=options.get("manifest"), **choice)
            case "files":
                where, stats = options.get("filter"), options.get("stats")
                content, nan = options.get("content"), options.get("nan")
                return table.files(where=where, nan=nan, content=content, stats=stats, **choice)
            case "partitions":
                return table.partitions(where=options.get("filter"), nan=options.get("nan"), **choice)
            case "columns":
                return table.columns(options.get("columns"), **_paged(query))
            case "overlap":
                return table.overlap(options["column"], **choice)
            case "system":
                return table.system(options["name"], **_paged(query))
            case "timeline":
                return table.timeline(
                    options.get("from"),
                    options.get("to"),
                    bucket=cast("Any", options.get("bucket")),
                    order=cast("Any", options["order"]),
                    ref=query.ref,
                    index="index" in options,
                    page_size=choice["page_size"],
                )
            case "expired":
                return table.expired_files(page_size=choice["page_size"], **_expiry_choice(query))
            case "diff":
                return table.diff(options["from"], **_paged(query))
            case kind:
                raise AssertionError(kind)

    def expiry(self, query: Query, notice: Notice) -> Row:
        """Return what an expiry of snapshots would remove."""
        row = self._client.table(query.table).expiry(**_expiry_choice(query))
        if row["stale"] is not None:
            notice(not_newest(row["stale"]))
        return row

    def plan(self, query: Query) -> Iterator[Row]:
        """Return a plan, page by page."""
        options = query.options
        plan = self._client.table(query.table).plan(
            where=_where(query),
            nan=options.get("nan"),
            select=words(options.get("select")),
            limit=query.limit,
            strict="strict" in options,
            start_snapshot_id=options.get("since"),
            end_snapshot_id=query.snapshot_id if "since" in options else None,
            read_optimized="read_optimized" in options,
            scan_mode="changelog" if "changelog" in options else None,
            splits="splits" in options,
            **({} if "since" in options else _choice(query)),
        )
        return plan.pages()

    def explain(self, query: Query, files: Sequence[str]) -> Row:
        """Return an explanation."""
        where, nan = _where(query), query.options.get("nan")
        return self._client.table(query.table).explain(where=where, nan=nan, files=files, **_choice(query))

    def statistics(self, query: Query, aggregates: Sequence[str]) -> Row:
        """Return aggregates."""
        where, nan = _where(query), query.options.get("nan")
        return self._client.table(query.table).statistics(aggregates, where, nan=nan, **_choice(query)).row

    def stats(self, query: Query) -> Row:
        """Return figures."""
        return self._client.table(query.table).stats(_where(query), nan=query.options.get("nan"), **_choice(query))

    def bounds(self, query: Query) -> Row:
        """Return intervals of files."""
        options, nan = query.options, query.options.get("nan")
        groups = int(options["groups"])
        table = self._client.table(query.table)
        return table.bounds(options["column"], _where(query), groups=groups, nan=nan, **_choice(query))

    def health(self, name: str, history: int | None) -> Row:
        """Return the health of a table."""
        return self._client.table(name).health(history)

    def fleet_health(self, choice: Mapping[str, str]) -> Iterator[Row]:
        """Return tables that the token may see with their health."""
        return iter(self._client.health(**cast("FleetChoice", choice)))

    def add(self, name: str, location: str, table_format: str | None, rewrites: Sequence[tuple[str, str]]) -> Row:
        """Register a table on the server."""
        return self._client.add(name, location, table_format, dict(rewrites)).row

    def remove(self, name: str) -> None:
        """Remove a table from the server."""
        self._client.remove(name)

    def refresh(self, name: str, advance: Advance) -> Row:
        """Refresh a table on the server, which reports no progress."""
        del advance
        return self._client.refresh(name).row

    def refresh_many(self, names: Sequence[str], advance: Advance) -> Iterator[Refreshed]:
        """Refresh tables, some at a time."""
        del advance
        with ThreadPoolExecutor(AT_ONCE) as threads:
            try:
                for done in as_completed([threads.submit(self._refreshed, name) for name in names]):
                    yield done.result()
            finally:
                threads.shutdown(cancel_futures=True)

    def _refreshed(self, name: str) -> Refreshed:
        try:
            return Refreshed(name, self._client.refresh(name).row, stale=self.stale(name))
        except ClientError as error:
            return Refreshed(name, error=error)

    def stale(self, name: str) -> str | None:
        """Return why the server's last look at the table failed; None if it did not."""
        reason: str | None = self._client.table(name).info().row.get("stale")
        return reason

    def has_readiness(self, table: str) -> bool:
        """Return whether the server has such rules for a table."""
        return bool(self._client.table(table).info().row["settings"].get("partition_ready"))

    def webhooks(self) -> list[Row]:
        """Return the server's webhooks."""
        return list(self._client.webhooks())

    def dead_letters(self, webhook: str) -> Iterator[Row]:
        """Return the dead letters of one of the server's webhooks."""
        return self._client.dead_letters(webhook)

    def redeliver(self, webhook: str, dead_letters: Sequence[str] | None) -> int:
        """Have the server send dead letters again."""
        return self._client.redeliver(webhook, dead_letters)

    def events(self, query: EventQuery, notice: Notice) -> Iterator[Row]:
        """Return the events of the server's log that the token may see."""
        position, more = query.after, True
        while more:
            page = self._client.event_page(position, **_of(query))
            if page.lost and position is not None:
                notice(EVENTS_LOST)
            found, position, more = page
            yield from found

    def events_page(self, query: EventQuery, after: str) -> tuple[Sequence[Row], str]:
        """Return some events after an id, and the id to continue after; if events are gone, the first is that."""
        page = self._client.event_page(after, **_of(query))
        found, position, _ = page
        return [{"type": "events.lost"}, *found] if page.lost else found, position

    def follow(self, query: EventQuery) -> Iterator[Row]:
        """Yield events as the server sends them, which has to be reachable now."""
        self.newest_event()
        return self._client.events(after=query.after, **_of(query))

    def newest_event(self) -> str:
        """Return the id of the newest event."""
        return self._client.event_page("latest")[1]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _choice(query: Query) -> Choice:
    return {"snapshot_id": query.snapshot_id, "ref": query.ref, "as_of": query.as_of}


def _paged(query: Query) -> Choice:
    size = None if query.limit is None else min(query.limit, PAGE_SIZE)
    return cast("Choice", {**_choice(query), "page_size": size})


def _list_choice(query: Query) -> ListChoice:
    sort, top = query.options.get("sort"), query.options.get("top")
    arranged: ListChoice = {"sort": sort, "top": None if top is None else int(top)}
    return cast("ListChoice", {**_paged(query), **arranged})


class _Filter(TypedDict):
    types: list[str] | None
    namespace: str | None
    table: str | None


def _of(query: EventQuery) -> _Filter:
    return {"types": words(query.types), "namespace": query.namespace, "table": query.table}


def _where(query: Query) -> Where:
    return cast("Where", parse_where(query.options.get("where")))


def _notify(rows: Rows[Any], notice: Notice) -> None:
    if rows.stale is not None:
        notice(not_newest(rows.stale))
    for one in rows.not_applied:
        notice(without_effect(one))


def _expiry_choice(query: Query) -> ExpiryChoice:
    options = query.options
    numbers = {
        key: int(options[key]) for key in ("retain_last", "retain_max", "max_deletes", "paimon") if key in options
    }
    return cast(
        "ExpiryChoice",
        {
            "older_than": options.get("older_than"),
            **numbers,
            "cleanup": options["cleanup"],
            "ref": query.ref,
            "index": "index" in options,
        },
    )
