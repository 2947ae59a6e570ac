"""Arguments that name tables, and their completion in shells.

Names come from the server of ``--uri`` or LAKEMUSTER_URI, else from the local index. Completion never fails and never
waits long: without an answer there are no suggestions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, Any

import typer

from lakemuster.cli.opening import bearer_token, local_rows
from lakemuster.cli.option_groups import Server

MAX_NAMES = 1000
SECONDS = 1.0
"""Timeout of a server's list of names."""

_PLAIN = re.compile(r"[\w.-]+")
"""Names that no shell interprets. Shells evaluate what completion prints, and names come from others."""


def complete_table(context: typer.Context, incomplete: str) -> list[str]:
    """Return the names of tables that begin with what was typed."""
    found: list[str] = []
    # Completion never shows an error.
    with suppress(Exception):
        for name in _names(_server(context)):
            if name.startswith(incomplete) and _PLAIN.fullmatch(name):
                found.append(name)
                if len(found) == MAX_NAMES:
                    break
    return found


def _server(context: typer.Context) -> Server:
    """Return the options given so far, before and after the command."""
    given: dict[str, Any] = {}
    at: Any = context
    while at is not None:
        for option in ("uri", "token", "token_env", "token_file"):
            if given.get(option) is None:
                given[option] = at.params.get(option)
        at = at.parent
    return Server(**given)


def _names(server: Server) -> Iterable[str]:
    if (address := server.address) is None:
        return (str(row["name"]) for row in local_rows() or ())
    # The client imports httpx.
    from lakemuster.client import Client  # noqa: PLC0415

    client = Client(address, bearer_token(server), timeout=SECONDS, retries=0)
    return (table.name for table in client.tables())


NewName = Annotated[
    str, typer.Argument(metavar="NAME", show_default=False, help="The table, ns.table; `a.b` is one level with a dot.")
]
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        show_default=False,
        help="The table, ns.table; `a.b` is one level with a dot.",
        autocompletion=complete_table,
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME", show_default=False, help="Tables, each ns.table.", autocompletion=complete_table),
]
SomeNames = Annotated[
    list[str],
    typer.Argument(metavar="NAME", show_default=False, help="Tables, each ns.table.", autocompletion=complete_table),
]
