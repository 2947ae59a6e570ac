"""The command ``jobs``: the background jobs of the service, where they run, and their last outcome."""

from __future__ import annotations

from contextlib import closing

from lakemuster.cli.opening import local_source
from lakemuster.cli.option_groups import ONLY_HERE, IndexHere
from lakemuster.cli.options import AsJson
from lakemuster.cli.output import show_list


def jobs(as_json: AsJson = False, _server: IndexHere = ONLY_HERE) -> None:
    """List background jobs: who holds each, its last run and its outcome, and when the next one comes.

    Reads the database of the settings, which all workers and replicas share. A job is held by one of them at a time:
    `running`, or `waiting` for its next run. It is `free` when no process that runs background jobs is up.
    """
    with closing(local_source()) as found:
        show_list("jobs", found.jobs(), as_json=as_json)
