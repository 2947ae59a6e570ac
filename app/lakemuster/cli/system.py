"""The command that lists the rows of Paimon's system tables."""

from __future__ import annotations

from typing import Annotated

import typer

from lakemuster.cli.option_groups import HERE, UNFILTERED, AtUnfiltered, Server
from lakemuster.cli.options import AsJson, Limit
from lakemuster.cli.reading import show_rows
from lakemuster.cli.sources import query
from lakemuster.cli.table_names import Name

SYSTEM_TABLES = (
    "snapshots",
    "schemas",
    "options",
    "tags",
    "branches",
    "consumers",
    "aggregation_fields",
    "manifests",
    "files",
    "file_key_ranges",
    "partitions",
    "buckets",
    "table_indexes",
    "statistics",
)


def _complete(incomplete: str) -> list[str]:
    return [name for name in SYSTEM_TABLES if name.startswith(incomplete)]


def system(
    system_table: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM_TABLE",
            show_default=False,
            help=f"Name of the system table, as after the $ in Paimon: {', '.join(SYSTEM_TABLES)}.",
            autocompletion=_complete,
        ),
    ],
    name: Name,
    at: AtUnfiltered = UNFILTERED,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List one of a Paimon table's system tables, in Paimon's own columns."""
    if name in SYSTEM_TABLES and system_table not in SYSTEM_TABLES:
        raise typer.BadParameter(f"the system table comes first: system {name} {system_table}", param_hint="NAME")
    options = {"name": system_table}
    request = query("system", name, at=at, limit=limit, options=options)
    show_rows(request, as_json, server, kind=f"${system_table}")
