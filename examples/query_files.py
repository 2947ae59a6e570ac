"""Print the files that a query must read, and their sizes: ``query_files.py TABLE CONDITION``.

Needs the bare install. ``LAKEMUSTER_URI`` and ``LAKEMUSTER_TOKEN`` name the server and the token.
"""

from __future__ import annotations

import os
import sys

from lakemuster import Client


def main(table: str, where: str) -> None:
    """Print one line per data file, then the totals, and the conditions that could not drop files."""
    uri = os.environ.get("LAKEMUSTER_URI", "http://127.0.0.1:8181")
    with Client(uri, os.environ.get("LAKEMUSTER_TOKEN")) as client:
        plan = client.table(table).plan(where=where)
        for file in plan.files:
            deletes = [plan.deletes[number]["file_path"] for number in file["deletes"]]
            print(file["file_path"], file["record_count"], *deletes, sep="\t")
        counts = plan.counts
        print(f"{counts['files']} files, {counts['records']} records, {counts['bytes']} bytes")
        for condition in plan.not_applied:
            print(f"{condition['filter']} drops no files: {condition['reason']}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} TABLE CONDITION")
    main(*sys.argv[1:])
