"""The command that computes aggregates from metadata alone."""

from __future__ import annotations

from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.columns import COLUMNS
from lakemuster.cli.opening import source
from lakemuster.cli.option_groups import CURRENT, HERE, At, Server
from lakemuster.cli.options import AsJson, NanMode, Where
from lakemuster.cli.output import show_document, show_list
from lakemuster.cli.progress import working
from lakemuster.cli.sources import not_newest, query
from lakemuster.cli.table_names import Name


def statistics(
    name: Name,
    where: Where = None,
    nan: NanMode = None,
    aggregate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FUNCTION",
            show_default=False,
            help="count, files, bytes, min(COLUMN), max(COLUMN) or null_count(COLUMN). Repeatable; count by default.",
        ),
    ] = None,
    at: At = CURRENT,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Count matching rows and bound their values from metadata alone: exactly, or as intervals with the reason."""
    request = query("statistics", name, at=at, options={"where": where, "nan": nan})
    with source(server) as found:
        with working(name):
            answer = found.statistics(request, aggregate or ["count"])
        if as_json:
            show_document(answer)
            return
        if answer["stale"] is not None:
            fail(not_newest(answer["stale"]))
        rows = ({**dict.fromkeys(COLUMNS["statistics"]), **one} for one in answer["statistics"])
        show_list("statistics", rows, as_json=False)
