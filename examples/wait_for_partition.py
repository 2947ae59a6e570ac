"""Wait until a table has a partition, then print its size: ``wait_for_partition.py TABLE COLUMN=VALUE… [SECONDS]``.

A scheduler runs it before the job that reads the partition. Exit status 0: the partition is there; 1: it did not
appear within SECONDS (an hour by default). Errors that may pass, such as a server that restarts, do not end the wait.
Needs the bare install. ``LAKEMUSTER_URI`` and ``LAKEMUSTER_TOKEN`` name the server and the token.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

from lakemuster import Client
from lakemuster.client import ServerUnreachable, Table

INTERVAL = 2.0
"""Seconds between two requests. The server reads the table's pointer at most once per ``MAX_STALENESS``."""


def found(table: Table, wanted: Mapping[str, str]) -> bool:
    """Print the partitions with the wanted values, and return whether one has records."""
    has_records = False
    for row in table.partitions():
        if all(str(row["partition"].get(column)) == value for column, value in wanted.items()):
            print(row["partition"], row["record_count"], "records in", row["file_count"], "files")
            has_records = has_records or row["record_count"] > 0
    return has_records


def wait(table: Table, wanted: Mapping[str, str], seconds: float) -> bool:
    """Poll until the partition has records or the time is over; return whether it has."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if found(table, wanted):
                return True
        except ServerUnreachable as error:
            print(error, file=sys.stderr)
        if time.monotonic() > deadline:
            return False
        time.sleep(INTERVAL)


def main(name: str, *words: str) -> int:
    """Return the exit status."""
    wanted = dict(word.split("=", 1) for word in words if "=" in word)
    seconds = [float(word) for word in words if "=" not in word]
    uri = os.environ.get("LAKEMUSTER_URI", "http://127.0.0.1:8181")
    with Client(uri, os.environ.get("LAKEMUSTER_TOKEN")) as client:
        return 0 if wait(client.table(name), wanted, seconds[0] if seconds else 3600) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} TABLE COLUMN=VALUE… [SECONDS]")
    sys.exit(main(*sys.argv[1:]))
