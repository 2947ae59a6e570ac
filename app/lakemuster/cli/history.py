"""Commands about a table's history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.opening import source
from lakemuster.cli.option_groups import HERE, Server
from lakemuster.cli.options import AsJson, Limit, Ref, age_ms, branch_or_tag, parse_time
from lakemuster.cli.output import say, show_document, show_list
from lakemuster.cli.reading import show_rows
from lakemuster.cli.sources import Query
from lakemuster.cli.table_names import Name
from lakemuster.cli.text import printable


class Bucket(StrEnum):
    """A period of a timeline."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Order(StrEnum):
    """The order of a timeline by time."""

    ASC = "asc"
    DESC = "desc"


class Cleanup(StrEnum):
    """How files of expired Iceberg snapshots are found."""

    REACHABLE = "reachable"
    LIBRARY = "library"


Index = Annotated[bool, typer.Option("--index", help="Index the snapshots that are needed first.")]


def timeline(
    name: Name,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", show_default=False, help="Earliest commit: 2024-05-01, UTC by default."),
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="TIME", show_default=False, help="End before this commit time.")
    ] = None,
    bucket: Annotated[
        Bucket | None,
        typer.Option(
            show_default=False, help="Sum the commits of each period in UTC. Default: one row for each commit."
        ),
    ] = None,
    order: Annotated[Order, typer.Option(help="By time: desc shows the newest first.")] = Order.DESC,
    ref: Ref = None,
    index: Index = False,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List what each commit added and removed, and the totals that it left."""
    options = {
        "from": _instant(start, "--from"),
        "to": _instant(end, "--to"),
        "bucket": bucket,
        "order": order.value,
        "index": "true" if index else None,
    }
    given = {key: value for key, value in options.items() if value is not None}
    request = Query("timeline", name, ref=ref, limit=limit, options=given)
    show_rows(request, as_json, server, "timeline" if bucket is None else "periods")


def expiry(
    name: Name,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than",
            metavar="TIME|AGE",
            show_default=False,
            help="Expire only snapshots before this time: 2024-05-01, or 3d ago. Default: the table's property.",
        ),
    ] = None,
    retain_last: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            show_default=False,
            help="Number of newest snapshots of a branch to retain. Default: the table's.",
        ),
    ] = None,
    retain_max: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, show_default=False, help="Paimon: maximum number of snapshots to retain."),
    ] = None,
    max_deletes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, show_default=False, help="Paimon: maximum number of snapshots to expire."),
    ] = None,
    cleanup: Annotated[
        Cleanup,
        typer.Option(help="Iceberg: reachable as Spark's procedure does, library as the Java library does."),
    ] = Cleanup.REACHABLE,
    paimon: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=2, help="Paimon's major version: in 2, a snapshot expires if the next one is old."
        ),
    ] = 2,
    files: Annotated[bool, typer.Option("--files", help="List the files that would be removed.")] = False,
    ref: Annotated[
        str | None,
        typer.Option(
            "--ref",
            metavar="BRANCH",
            show_default=False,
            callback=branch_or_tag,
            help="Paimon: branch whose snapshots expire.",
        ),
    ] = None,
    index: Index = False,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Show what an expiry of snapshots would remove now, by kind of file; nothing is removed."""
    numbers = {"retain_last": retain_last, "retain_max": retain_max, "max_deletes": max_deletes}
    options = {
        "older_than": _before(older_than),
        **{key: None if value is None else str(value) for key, value in numbers.items()},
        "cleanup": cleanup.value,
        "paimon": str(paimon),
        "index": "true" if index else None,
    }
    given = {key: value for key, value in options.items() if value is not None}
    if files:
        show_rows(Query("expired", name, ref=ref, limit=limit, options=given), as_json, server)
        return
    with source(server) as found:
        summary = found.expiry(Query("expiry", name, ref=ref, options=given), fail)
    if as_json:
        show_document(summary)
        return
    if summary["refused"] is not None:
        say(f"refused: {printable(summary['refused'])}")
        return
    gone = len(summary["snapshots"])
    say(f"{gone} of {gone + summary['retained']} snapshots, {len(summary['refs'])} branches and tags")
    if summary["totals"]:
        show_list("expiry", summary["totals"], as_json=False)


def _before(text: str | None) -> str | None:
    """Return the time before which snapshots expire, given a time or an age, as RFC 3339."""
    age = None if text is None else age_ms(text)
    if age is None:
        return _instant(text, "--older-than")
    try:
        return (datetime.now(UTC) - timedelta(milliseconds=age)).isoformat()
    except OverflowError:
        raise typer.BadParameter(f"{text!r} is too long ago", param_hint="--older-than") from None


def _instant(text: str | None, option: str) -> str | None:
    """Parse a time as ``--as-of`` is parsed; return it as RFC 3339."""
    moment = parse_time(text, option)
    return None if moment is None else moment.isoformat()
