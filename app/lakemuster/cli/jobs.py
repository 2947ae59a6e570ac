"""The command ``jobs``: what the service does by itself, where, and with what outcome."""

from __future__ import annotations

from contextlib import closing

from lakemuster.cli.options import AsJson
from lakemuster.cli.output import show_list
from lakemuster.cli.sources import local_source


def jobs(as_json: AsJson = False) -> None:
    """List background jobs: who holds each, its last run and its outcome, and when the next one comes.

    Reads the database of the settings, which all workers and replicas share. A job is held by one of them at a time:
    `running`, or `waiting` for its next run. It is `free` when no process that runs background jobs is up.
    """
    with closing(local_source()) as found:
        show_list("jobs", found.jobs(), as_json=as_json)
