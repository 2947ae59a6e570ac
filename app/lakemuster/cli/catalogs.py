"""The command ``catalogs``: which catalogs are attached, and whether they can be used."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from lakemuster.cli.opening import local_source
from lakemuster.cli.option_groups import ONLY_HERE, IndexHere
from lakemuster.cli.options import AsJson
from lakemuster.cli.output import show_list
from lakemuster.errors import UpstreamUnavailable

_CHECK = "check"


def catalogs(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="check NAME", show_default=False, help="Check one catalog; status 1 if it fails."),
    ] = None,
    as_json: AsJson = False,
    _server: IndexHere = ONLY_HERE,
) -> None:
    """List the attached catalogs, and check each: ask it for all of its tables.

    Reads the settings and the database of this folder. A catalog that cannot be used is shown with the reason.
    """
    if words and (words[0] != _CHECK or len(words) != 2):
        raise typer.BadParameter("give nothing, or check NAME")
    name = words[1] if words else None
    with closing(local_source()) as found:
        rows = list(found.catalogs(name))
        show_list("catalogs", rows, as_json=as_json)
    if name is not None and rows[0]["error"] is not None:
        # The error is a code and a message, which names the catalog.
        raise UpstreamUnavailable(rows[0]["error"].partition(": ")[2])
