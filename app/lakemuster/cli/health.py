"""The command that shows the health of a table, or of all tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.opening import no_tables, source
from lakemuster.cli.option_groups import HERE, Server
from lakemuster.cli.options import AsJson, Limit, Sort
from lakemuster.cli.output import show_document, show_list
from lakemuster.cli.progress import progress_until_first
from lakemuster.cli.sources import Row, limited, not_newest
from lakemuster.cli.table_names import complete_table

MOST_DAYS = 366


def health(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="Dotted name of a table: its components. Default: all tables, the worst first.",
            autocompletion=complete_table,
        ),
    ] = None,
    history: Annotated[
        int | None,
        typer.Option(
            "--history",
            metavar="DAYS",
            min=1,
            max=MOST_DAYS,
            show_default=False,
            help="Of one table: list its components on each of so many days.",
        ),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(metavar="NAME", show_default=False, help="Only the tables of this namespace.")
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(
            metavar="STATUS,…", show_default=False, help="Only tables of these: ok, unknown, warning, critical."
        ),
    ] = None,
    component: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default=False, help="Only tables that have this component; see --status."),
    ] = None,
    sort: Sort = None,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Show what is wrong with a table, since when, and Spark statements that repair it; or all tables, worst first."""
    fleet = {"namespace": namespace, "status": status, "component": component, "sort": sort}
    given = {key: value for key, value in fleet.items() if value is not None}
    if name is None:
        if history is not None:
            raise typer.BadParameter("give a table", param_hint="--history")
        with source(server) as found:
            rows = limited(progress_until_first(found.fleet_health(given), "tables"), limit)
            show_list("health", rows, as_json=as_json, nothing=lambda: no_tables(server, of_choice=bool(given)))
        return
    if given:
        raise typer.BadParameter("cannot be given together with a table", param_hint=f"--{next(iter(given))}")
    with source(server) as found:
        document = found.health(name, history)
    if as_json:
        show_document(document)
        return
    if document["stale"] is not None:
        fail(not_newest(document["stale"]))
    if history is None:
        show_list("components", limited(map(_line, document["components"]), limit), as_json=False)
    else:
        show_list("health_days", limited(_days(document), limit), as_json=False)


def _line(component: Row) -> Row:
    return {
        **component,
        "threshold": ", ".join(f"{key} {value:g}" for key, value in component["threshold"].items() if value is not None)
        or None,
        "gain": _gain(component["gain"]),
    }


def _gain(gain: Row | None) -> str | None:
    """Describe a gain in words: ``12 files``, ``0 to 5 files``."""
    if gain is None:
        return None
    words = []
    for kind, limits in gain.items():
        if limits is not None:
            lower, upper = limits["lower"], limits["upper"]
            exact = f"{lower} {kind}" if limits["exact"] else f"{lower} to {upper} {kind}"
            words.append(exact if upper is not None else f"at least {lower} {kind}")
    return ", ".join(words) or None


def _days(document: Row) -> Iterator[Row]:
    for day in document["history"]:
        for component in day["components"]:
            yield {"day": day["day"], "health": day["health"], **component}
