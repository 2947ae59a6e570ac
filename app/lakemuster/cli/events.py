"""The commands ``events`` and ``wait``: what happened to tables, and a wait for a partition."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.opening import source
from lakemuster.cli.option_groups import HERE, Server
from lakemuster.cli.options import AsJson
from lakemuster.cli.output import show_list
from lakemuster.cli.sources import EventQuery, Row, Source, query
from lakemuster.cli.table_names import Name
from lakemuster.cli.text import cell, printable
from lakemuster.errors import (
    IndexUnavailable,
    LookFailed,
    SegmentCorrupt,
    SnapshotUnpublished,
    StorageUnavailable,
    UpstreamFailed,
)

POLL_SECONDS = 1.0
LOOK_SECONDS = 5.0
"""Interval at which the wait itself looks at the pointer: a table without looks has no events."""
_OUTAGE_STATUSES = frozenset({429, 502, 503, 504})
_OUTAGES = (IndexUnavailable, LookFailed, SegmentCorrupt, SnapshotUnpublished, StorageUnavailable, UpstreamFailed)
"""What ends by itself, on the local index."""


def events(
    follow: Annotated[
        bool, typer.Option("--follow", help="Wait for new events until interrupted; without --after, begin now.")
    ] = False,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="ID", show_default=False, help="Only events after the one of this id."),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--type", metavar="TYPE,…", show_default=False, help="Types of events: table.committed and others."
        ),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", metavar="NAME", show_default=False, help="Namespace of the tables.")
    ] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", show_default=False, help="One table.")] = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the events of the log, oldest first: commits, moved refs, registered and removed tables and more.

    With `--follow --json`, each event is a line of JSON.
    """
    request = EventQuery(after, kind, namespace, table)
    with source(server) as found:
        if not follow:
            show_list("events", found.events(request, fail), as_json=as_json)
            return
        with suppress(KeyboardInterrupt):
            for event in found.follow(request):
                line = json.dumps(event, ensure_ascii=False) if as_json else _line(event)
                sys.stdout.write(line + "\n")
                sys.stdout.flush()


def _line(event: Row) -> str:
    return "\t".join(cell(event.get(name), name) for name in ("id", "time", "type", "subject", "data"))


def wait(
    name: Name,
    partition: Annotated[
        list[str],
        typer.Option("--partition", metavar="FIELD=VALUE", help="Value of a partition field, such as day=2024-05-01."),
    ],
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0, help="Give up after this time: status 1.")
    ] = 3600.0,
    server: Server = HERE,
) -> None:
    """Wait until a committed snapshot of a table has a partition with records.

    Give `--partition` for each field that matters. Asks at the start, and after each commit to the table. If the
    settings have rules by which the table's partitions are ready (`partition_ready`), it waits until one of them holds.
    The background jobs of a running server evaluate the rules: without a server, no further partition becomes ready.
    """
    wanted = dict(_pair(word) for word in partition)
    with source(server) as found:
        _check_fields(found, name, wanted)
        has_rules = found.has_readiness(name)
        if _appears(found, name, wanted, timeout, "ready_partitions" if has_rules else "partitions"):
            return
        reason = "has no such partition"
        if has_rules and has_partition(found.rows(query("partitions", name), _ignore), wanted):
            reason = "has the partition, but no rule of partition_ready holds for it"
            if server.address is None:
                reason += " (only the background jobs of a running server evaluate the rules)"
        fail(f"{name} {reason} after {timeout:g} seconds")
        raise typer.Exit(1)


def has_partition(rows: Iterable[Row], wanted: Mapping[str, str]) -> bool:
    """Return whether one of a table's partitions has these values, and records.

    Args:
        wanted: values as in JSON, as text, by the name of the partition field.
    """
    return any(
        row["record_count"] > 0 and all(_text(row["partition"].get(name)) == value for name, value in wanted.items())
        for row in rows
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _pair(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not (name and equals):
        raise typer.BadParameter(f"{word!r} is not FIELD=VALUE", param_hint="--partition")
    return name, value


def _check_fields(found: Source, name: str, wanted: Mapping[str, str]) -> None:
    """Refuse fields that no partition spec of the table has.

    Raises:
        typer.BadParameter: the message names the table's partition fields.
    """
    known = {str(field["name"]): None for spec in found.rows(query("specs", name), _ignore) for field in spec["fields"]}
    unknown = [repr(field) for field in wanted if field not in known]
    if unknown:
        fields = f"its partition fields are {', '.join(known)}" if known else "it has none"
        message = printable(f"{name} has no partition field {unknown[0]}: {fields}")
        raise typer.BadParameter(message, param_hint="--partition")


def _ignore(_: str) -> None:
    """Discard a notice."""


def _appears(found: Source, name: str, wanted: dict[str, str], timeout: float, kind: str) -> bool:
    """Wait until a list has the partition, also through outages of the server and its database.

    Raises:
        Exception: the last check failed; or a check failed for another reason than an outage.
    """
    # The position first: a commit after it is an event, one before it is in the list.
    position, deadline = found.newest_event(), time.monotonic() + timeout
    of_table = EventQuery(table=name)
    looked_at = time.monotonic()
    is_first = has_changed = True
    while True:
        outage: Exception | None = None
        try:
            if not is_first:
                if time.monotonic() - looked_at >= LOOK_SECONDS:
                    looked_at = time.monotonic()
                    found.stale(name)
                    # Partitions that were ready before the rules are stored without an event.
                    has_changed = has_changed or kind == "ready_partitions"
                new, position = found.events_page(of_table, position)
                has_changed = has_changed or bool(new)
            if has_changed and has_partition(found.rows(query(kind, name), _ignore), wanted):
                return True
            has_changed = False
        except Exception as error:
            if not _is_outage(error):
                raise
            outage = error
        if time.monotonic() >= deadline:
            if outage is not None:
                raise outage
            return False
        time.sleep(min(POLL_SECONDS, max(0.0, deadline - time.monotonic())))
        is_first = False


def _is_outage(error: Exception) -> bool:
    # The client imports httpx, which commands on the local index do not need.
    from lakemuster.client.errors import AnswerIncomplete, ClientError, ServerUnreachable  # noqa: PLC0415

    if isinstance(error, ClientError):
        return isinstance(error, ServerUnreachable | AnswerIncomplete) or error.status in _OUTAGE_STATUSES
    return isinstance(error, _OUTAGES)
