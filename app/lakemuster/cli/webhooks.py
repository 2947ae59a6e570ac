"""The command ``webhooks``: the progress of each receiver of events, and its dead letters."""

from __future__ import annotations

from typing import Annotated

import typer

from lakemuster.cli.opening import source
from lakemuster.cli.option_groups import HERE, Server
from lakemuster.cli.options import AsJson
from lakemuster.cli.output import say, show_document, show_list


def webhooks(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="A webhook: show its dead letters.")
    ] = None,
    redeliver: Annotated[
        bool, typer.Option("--redeliver", help="Send the webhook's dead letters again, in the background.")
    ] = False,
    letter: Annotated[
        list[str] | None,
        typer.Option("--letter", metavar="ID", show_default=False, help="With --redeliver: only this dead letter."),
    ] = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the webhooks of the settings: state, lag, last try, dead letters; or the dead letters of one.

    A server shows them to admins of all tables.
    """
    if letter and not redeliver:
        raise typer.BadParameter("it is for --redeliver", param_hint="--letter")
    if redeliver and name is None:
        raise typer.BadParameter("name the webhook", param_hint="NAME")
    with source(server) as found:
        if name is None:
            show_list("webhooks", found.webhooks(), as_json=as_json)
        elif not redeliver:
            show_list("dead_letters", found.dead_letters(name), as_json=as_json)
        else:
            requested = found.redeliver(name, letter)
            if as_json:
                show_document({"requested": requested})
            else:
                say(f"{requested} dead letters are sent again")
