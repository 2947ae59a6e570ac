"""The command line: ``lakemuster serve``, ``lakemuster files shop.orders`` and the rest.

This module imports little, so that ``--help`` and commands on a remote server start quickly. A command that needs
the server's packages imports them itself.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from lakemuster import __version__
from lakemuster.cli import (
    aggregates,
    bench_here,
    catalogs,
    changing,
    events,
    health,
    history,
    jobs,
    orphans,
    planning,
    reading,
    service,
    statistics,
    system,
    verifying,
    webhooks,
)
from lakemuster.cli.application import DEBUG, Commands
from lakemuster.cli.option_groups import HERE, Server, set_defaults, with_options
from lakemuster.cli.options import AsJson

app = typer.Typer(
    name="lakemuster",
    cls=Commands,
    help="Which files of a lake's table must a query read? A metadata catalog for Iceberg and Paimon.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for command in (
    service.serve,
    service.migrate,
    changing.add,
    changing.discover,
    changing.remove,
    changing.refresh,
    changing.index,
    changing.sync,
    changing.sweep,
    verifying.verify,
    jobs.jobs,
    catalogs.catalogs,
    events.events,
    events.wait,
    webhooks.webhooks,
    reading.tables,
    reading.namespaces,
    reading.snapshots,
    reading.refs,
    reading.schemas,
    reading.specs,
    reading.manifests,
    reading.entries,
    reading.files,
    planning.plan,
    planning.explain,
    aggregates.statistics,
    reading.partitions,
    statistics.stats,
    statistics.columns,
    statistics.overlap,
    statistics.bounds,
    reading.indexes,
    history.timeline,
    reading.diff,
    history.expiry,
    orphans.orphans,
    health.health,
    system.system,
    service.openapi,
    service.token,
    bench_here.bench_here,
):
    app.command()(with_options(command))


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"lakemuster {__version__}")
        raise typer.Exit


def options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show where a failure came from.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Take the options of all commands."""
    del debug, version  # they act by themselves
    set_defaults(context, {"as_json": as_json, **asdict(server)})


app.callback()(with_options(options))
