"""Commands about a table's history."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lakemuster.cli.option_groups import HERE, Server
from lakemuster.cli.options import AsJson, Limit, Ref, parse_time
from lakemuster.cli.reading import show_rows
from lakemuster.cli.sources import Query
from lakemuster.cli.table_names import Name


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


Index = Annotated[bool, typer.Option("--index", help="Index the snapshots that are needed first.")]


def timeline(
    name: Name,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="TIME", show_default=False, help="Earliest commit: 2024-05-01, UTC by default."),
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="TIME", show_default=False, help="Commit time to end before.")
    ] = None,
    bucket: Annotated[
        Bucket | None,
        typer.Option(show_default=False, help="Add up the commits of each period in UTC. Default: a row a commit."),
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


def _instant(text: str | None, option: str) -> str | None:
    """Parse a time as ``--as-of`` is parsed; return it as RFC 3339."""
    moment = parse_time(text, option)
    return None if moment is None else moment.isoformat()
