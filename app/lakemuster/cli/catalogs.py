"""The command ``catalogs``: which catalogs are attached, and whether they can be used."""

from __future__ import annotations

from contextlib import closing

from lakemuster.cli.opening import local_source
from lakemuster.cli.options import AsJson
from lakemuster.cli.output import show_list


def catalogs(as_json: AsJson = False) -> None:
    """List the attached catalogs, and check each: ask it for all of its tables.

    Reads the settings and the database of this folder. A catalog that cannot be used is shown with the reason.
    """
    with closing(local_source()) as found:
        show_list("catalogs", found.catalogs(), as_json=as_json)
